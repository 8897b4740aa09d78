"""The corpus that all readers are ranked over: fitted when enough is new, else read from a file of arrays.

The file is derived data: whatever is wrong with it, it is fitted again.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bot.store.papers import Papers

if TYPE_CHECKING:
    from bot.ranking import Corpus

# The vocabulary is learned from this many of the newest papers; older ones add little but time.
_CORPUS_PAPERS = 20_000
# Fitted again when the papers have grown by this share: fewer change no rank that a reader would notice.
_ENOUGH_NEW = 0.05
# Below so many papers fitting takes no time worth saving.
_KEPT_FROM = 1_000


@dataclass(frozen=True, slots=True)
class CorpusCache:
    """One file of arrays (``numpy.savez``, never a pickle)."""

    path: Path

    def corpus(self, papers: Papers) -> Corpus:
        """The corpus of the newest papers."""
        count = papers.count()
        if count < _KEPT_FROM:
            return _fitted(papers)
        kept = self._read(count)
        if kept is not None:
            return kept
        corpus = _fitted(papers)
        self._write(corpus, count)
        return corpus

    def _read(self, count: int) -> Corpus | None:
        from bot.ranking import Corpus

        try:
            with self.path.open("rb") as file:
                corpus, fitted_on = Corpus.load(file)
        except (OSError, ValueError):
            return None
        return corpus if fitted_on <= count <= fitted_on * (1 + _ENOUGH_NEW) else None

    def _write(self, corpus: Corpus, count: int) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        with new.open("wb") as file:
            corpus.save(file, count)
        new.replace(self.path)


def _fitted(papers: Papers) -> Corpus:
    from bot.ranking import Corpus

    newest = papers.recent_texts(_CORPUS_PAPERS)
    return Corpus().fit([f"{title}\n{abstract}" for _, title, abstract in newest])
