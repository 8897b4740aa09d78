"""Link resolution: look up papers without a link at arXiv, by title; a few each run, each paper once.

Whether a search result is the paper is decided by ``bot.identity.is_same_paper``, and by an author in common.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from bot.domain import Entry, Paper, Problem, RawDigest
from bot.errors import DigestError, SourceError
from bot.identity import is_same_paper, normalised_title
from bot.ingestion.service import Parse
from bot.sources.arxiv import URL
from bot.sources.http import Fetcher
from bot.store import Store

NAME = "links"
_MAX_PAPERS = 10  # in a run: half a minute, at the three seconds between requests that arXiv asks for
_MAX_RESULTS = 5  # of a search


@dataclass(frozen=True, slots=True)
class LinkResolver:
    """Look up papers that have neither an id nor a link."""

    store: Store
    fetcher: Fetcher
    parse: Parse
    url: str = URL

    def resolve(self, now: datetime) -> Iterator[Problem]:
        """Look up the newest papers without a link and store what is found.

        The first failure ends it for this run, as the others would meet it too; these papers are looked up again
        next time. A paper that arXiv does not have is not looked up again.
        """
        for paper in self.store.papers.without_link(_MAX_PAPERS):
            # Punctuation would be read as operators of the query language.
            words = " ".join(re.findall(r"\w+", paper.title))
            query = urlencode({"search_query": f'ti:"{words}"', "max_results": _MAX_RESULTS})
            try:
                content = self.fetcher.fetch(f"{self.url}?{query}").content or b""
                digests = self.parse(RawDigest(NAME, "", content))
            except (SourceError, DigestError) as error:
                yield Problem(NAME, f"looking papers up at arXiv: {error}")
                return
            entries = (entry for digest in digests for entry in digest.entries)
            match = next((entry for entry in entries if entry.arxiv_id and _is_match(paper, entry)), None)
            self.store.papers.record_lookup(paper.id, match, now)


def _is_match(paper: Paper, entry: Entry) -> bool:
    """Whether an entry is the paper: the same title, and an author in common if both name any.

    Titles such as "Introduction" or "A Survey of Large Language Models" are not unique. Given names are abbreviated
    in many digests, so surnames are compared.
    """
    if not is_same_paper(entry, paper):
        return False
    surnames, other_surnames = (
        {normalised_title(author.split()[-1]) for author in authors if author.split()}
        for authors in (paper.authors, entry.authors)
    )
    return not (paper.authors and entry.authors) or bool(surnames & other_surnames)
