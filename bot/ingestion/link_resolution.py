"""Link resolution: look up papers without a link at arXiv, by title; a few each run, each paper once.

Papers of which a digest has only the beginning of title or abstract, such as Google Scholar's, are looked up by their
id, at arXiv or bioRxiv.

Whether a search result is the paper is decided by ``bot.identity.is_same_paper``, and by an author in common.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote, urlencode

from bot.domain import Entry, Paper, Problem, RawDigest
from bot.errors import DigestError, SourceError
from bot.identity import is_biorxiv_doi, is_same_paper, normalised_title
from bot.parsing import Parser
from bot.sources import biorxiv
from bot.sources.arxiv import URL
from bot.sources.http import Fetcher
from bot.store import Store

NAME = "links"
_MAX_PAPERS = 10  # in a run: half a minute, at the three seconds between requests that arXiv asks for
_SERVERS = ("biorxiv", "medrxiv")  # which share their DOIs' prefixes; each lists its own papers only
_MAX_RESULTS = 5  # of a search


@dataclass(frozen=True, slots=True)
class LinkResolver:
    """Look up papers that have neither an id nor a link, and papers whose text was cut."""

    store: Store
    fetcher: Fetcher
    parser: Parser
    url: str = URL
    biorxiv_url: str = biorxiv.URL

    def resolve(self, now: datetime) -> Iterator[Problem]:
        """Look up the newest papers without a link, at arXiv and by title, then by id those that are cut.

        The first failure ends it for this run, as the others would meet it too; these papers are looked up again
        next time. A paper without a result is not looked up again.
        """
        papers = self.store.papers
        try:
            for paper in papers.without_link(_MAX_PAPERS):
                # Punctuation would be read as operators of the query language.
                words = " ".join(re.findall(r"\w+", paper.title))
                query = urlencode({"search_query": f'ti:"{words}"', "max_results": _MAX_RESULTS})
                entries = self._entries(f"{self.url}?{query}")
                match = next((entry for entry in entries if entry.arxiv_id and _is_match(paper, entry)), None)
                papers.record_lookup(paper.id, match, now)
            for paper in papers.with_cut_text(_MAX_PAPERS):
                addresses = []
                if paper.arxiv_id:
                    addresses = [f"{self.url}?{urlencode({'id_list': paper.arxiv_id})}"]
                elif paper.doi and is_biorxiv_doi(paper.doi):
                    details = f"{quote(paper.doi)}/na/json"
                    addresses = [f"{self.biorxiv_url}/details/{server}/{details}" for server in _SERVERS]
                # Other DOIs lead to publishers' pages, which have no common form.
                entries = next(filter(None, map(self._entries, addresses)), [])
                # bioRxiv lists all versions, oldest first.
                match = next((entry for entry in reversed(entries) if is_same_paper(entry, paper)), None)
                papers.complete(paper.id, match, now)
        except (SourceError, DigestError) as error:
            yield Problem(NAME, f"looking papers up: {error}")

    def _entries(self, address: str) -> list[Entry]:
        content = self.fetcher.fetch(address).content or b""
        return [
            entry for digest in self.parser.parse(RawDigest(NAME, "", content)) for entry in digest.entries
        ]


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
