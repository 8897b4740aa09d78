"""The corpus that all readers are ranked over: fitted by those who take papers in, read from a file by all others.

The file is derived data: whatever is wrong with it, it is fitted again. One of the same papers is used however many
have come since: they are made vectors of by the words known so far, and nobody who waits for a page waits for a fit.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING

from bot.domain import PaperId
from bot.private_files import create_private
from bot.store.papers import Papers

if TYPE_CHECKING:
    from bot.ranking import Corpus

# The vocabulary is learned from this many of the newest papers; older ones add little but time.
_CORPUS_PAPERS = 20_000
# Fitted again when so large a share is new: fewer papers change no rank that a reader would notice.
_ENOUGH_NEW = 0.05
# Of so few papers each may bring a topic of its own, and fitting takes no time worth saving.
_FEW = 1_000

Stamp = tuple[int, int, int]  # of a file: it is another when this is


@dataclass(frozen=True, slots=True)
class CorpusCache:
    """One file of arrays (``numpy.savez``, never a pickle), for the papers of one store."""

    path: Path
    papers: Papers

    def corpus(self) -> Corpus:
        """The corpus of these papers, as it was fitted last; fitted now where there is none."""
        kept, _ = self._kept()
        return kept or self._fitted()

    def renew(self) -> None:
        """Fit anew if enough papers came since."""
        kept, newest = self._kept()
        if kept is None or self._enough_came(newest):
            self._fitted()

    @property
    def stamp(self) -> Stamp | None:
        """Changes with each fit; None before the first."""
        try:
            stat = self.path.stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_size, stat.st_ino

    def _kept(self) -> tuple[Corpus | None, PaperId]:
        """What the file holds, if it is of these papers, and the newest of them that it knows."""
        from bot.ranking import Corpus

        try:
            with self.path.open("rb") as file:
                corpus, (newest, came) = Corpus.load(file)
        except (OSError, ValueError):
            return None, 0
        return (corpus, newest) if came == self._came(newest) else (None, 0)

    def _came(self, paper_id: PaperId) -> int | None:
        """When a paper came in, to the microsecond: no two stores agree on that by chance."""
        paper = self.papers.get([paper_id]).get(paper_id)
        return _microseconds(paper.first_seen) if paper else None

    def _enough_came(self, newest: PaperId) -> bool:
        count, new = self.papers.count(), self.papers.newest_id() - newest
        return new > (_ENOUGH_NEW * min(count, _CORPUS_PAPERS) if count >= _FEW else 0)

    def _fitted(self) -> Corpus:
        from bot.ranking import Corpus

        texts = self.papers.recent_texts(_CORPUS_PAPERS)
        corpus = Corpus().fit([f"{title}\n{abstract}" for _, title, abstract in texts])
        if texts and (came := self._came(texts[0][0])) is not None:
            self._write(corpus, (texts[0][0], came))
        return corpus

    def _write(self, corpus: Corpus, fitted_on: tuple[int, int]) -> None:
        new = self.path.with_name(f"{self.path.name}.{os.getpid()}.{get_ident()}")
        with suppress(OSError):  # where it can't be kept, the next process fits it again
            self.path.parent.mkdir(parents=True, exist_ok=True)
            create_private(new)
            with new.open("wb") as file:
                corpus.save(file, fitted_on)
            new.replace(self.path)


def _microseconds(time: datetime) -> int:
    return int(time.timestamp()) * 1_000_000 + time.microsecond
