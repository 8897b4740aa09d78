"""Links that digests don't give: arXiv is asked by title, a few papers a run, each paper once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from bot.domain import Entry, Paper, Problem, RawDigest
from bot.errors import DigestError, SourceError
from bot.identity import normalised_title
from bot.ingestion.service import Parse
from bot.sources.arxiv import URL
from bot.sources.http import Fetcher
from bot.store import Store

NAME = "links"
_MOST_A_RUN = 10  # at three seconds each, as arXiv asks
_ANSWERS = 5


@dataclass(frozen=True, slots=True)
class Resolver:
    """Looks papers up that have neither id nor address."""

    store: Store
    fetcher: Fetcher
    parse: Parse
    url: str = URL

    def resolve(self, now: datetime) -> Iterator[Problem]:
        """Looks up the newest such papers and keeps what is found; the first failure ends it for this run."""
        for paper in self.store.papers.without_link(_MOST_A_RUN):
            try:
                found = self._look_up(paper)
            except (SourceError, DigestError) as error:
                yield Problem(NAME, f"looking papers up at arXiv: {error}")
                return
            self.store.papers.keep_lookup(paper.id, found, now)

    def _look_up(self, paper: Paper) -> Entry | None:
        words = " ".join(re.findall(r"\w+", paper.title))
        asked = urlencode({"search_query": f'ti:"{words}"', "max_results": _ANSWERS})
        content = self.fetcher.fetch(f"{self.url}?{asked}").content or b""
        entries = (entry for digest in self.parse(RawDigest(NAME, "", content)) for entry in digest.entries)
        return next((entry for entry in entries if entry.arxiv_id and is_same_work(paper, entry)), None)


def is_same_work(paper: Paper, entry: Entry) -> bool:
    """Whether title and authors agree: the same words, and an author in common where both name any."""
    if normalised_title(paper.title) != normalised_title(entry.title):
        return False
    if not (paper.authors and entry.authors):
        return True
    return bool(_surnames(paper.authors) & _surnames(entry.authors))


def _surnames(authors: tuple[str, ...]) -> set[str]:
    return {normalised_title(author.split()[-1]) for author in authors if author.split()}
