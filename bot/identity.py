"""When are two entries the same paper, and where does a paper link to?

Same DOI or same arXiv id (versions aside) is the same paper, else the same normalised title. Two entries
that both carry an id of one kind, and different ones, are two papers whatever their titles say.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import quote_plus

from bot.domain import Entry, Paper, PaperId

# The archive's name is matched from its first letter on only, so that a run of n letters costs n steps and not n^2.
_ARXIV = re.compile(
    r"(?<![\d.])(\d{4}\.\d{4,5}|(?<![a-z-])[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v(\d{1,3}))?(?![\d])", re.ASCII
)
_LATEX_COMMAND = re.compile(r"\\(?:[a-zA-Z]+\s*|.)")


def arxiv_id(text: str) -> str | None:
    """The arXiv id in a URL or text, without its version: ``2504.08385``, ``hep-th/9901001``."""
    match = _ARXIV.search(text)
    return match.group(1) if match else None


def arxiv_version(text: str) -> int | None:
    """The version that an arXiv id in a URL or text carries: 2 of ``2504.08385v2``; None where it says none."""
    match = _ARXIV.search(text)
    return int(match.group(2)) if match and match.group(2) else None


def normalised_title(title: str) -> str:
    r"""A title's letters and digits in lower case, accents and LaTeX markup aside; what editors change is gone.

    >>> normalised_title(r"Erd\H{o}s & \textbf{SIM-RAG}:  a Study ")
    'erdossimragastudy'
    """
    text = _LATEX_COMMAND.sub("", title)
    text = unicodedata.normalize("NFKD", text).casefold()
    letters = "".join(c for c in text if c.isalnum())
    return letters or unicodedata.normalize("NFKC", title).casefold().strip()


def keys(entry: Entry | Paper) -> tuple[str, ...]:
    """The identity keys of a paper, strongest first; two entries that share one may be the same paper."""
    found = []
    if entry.doi:
        found.append(f"doi:{entry.doi.lower()}")
    if entry.arxiv_id:
        found.append(f"arxiv:{entry.arxiv_id}")
    found.append(f"title:{normalised_title(entry.title)}")
    return tuple(found)


def same(entry: Entry, paper: Paper) -> bool:
    """Whether an entry that shares a key with a paper is that paper."""
    for mine, theirs in ((entry.doi, paper.doi), (entry.arxiv_id, paper.arxiv_id)):
        if mine and theirs:
            return mine.lower() == theirs.lower()
    return normalised_title(entry.title) == normalised_title(paper.title)


def first_sight(entry: Entry, paper_id: PaperId, now: datetime) -> Paper:
    """The paper that an entry tells of for the first time."""
    return Paper(
        id=paper_id,
        title=entry.title,
        abstract=entry.abstract,
        authors=entry.authors,
        author_count=entry.author_count or len(entry.authors) or None,
        published=entry.published,
        arxiv_id=entry.arxiv_id,
        doi=entry.doi,
        url=entry.url,
        upvotes=entry.upvotes,
        organisation=entry.organisation,
        first_seen=now,
        version=entry.version,
        categories=entry.categories,
    )


def merge(paper: Paper, entry: Entry) -> Paper:
    """The paper with what another sighting adds: gaps are filled, nothing known is overwritten.

    Of two abstracts the longer is kept (digests cut them), of two dates the earlier, of upvotes the most, of
    versions the newest; categories are gathered in the order in which they were seen.
    """
    dates = [d for d in (paper.published, entry.published) if d]
    votes = [v for v in (paper.upvotes, entry.upvotes) if v is not None]
    versions = [v for v in (paper.version, entry.version) if v is not None]
    return replace(
        paper,
        abstract=max(paper.abstract, entry.abstract, key=len),
        authors=paper.authors or entry.authors,
        author_count=len(paper.authors or entry.authors) or paper.author_count or entry.author_count,
        published=min(dates, default=None),
        arxiv_id=paper.arxiv_id or entry.arxiv_id,
        doi=paper.doi or entry.doi,
        url=paper.url or entry.url,
        upvotes=max(votes, default=None),
        organisation=paper.organisation or entry.organisation,
        version=max(versions, default=None),
        categories=tuple(dict.fromkeys(paper.categories + entry.categories)),
    )


@dataclass(frozen=True, slots=True)
class Link:
    """Where a paper's title leads; ``is_search`` where no digest said, so that a search has to do."""

    url: str
    is_search: bool = False


def link(paper: Paper) -> Link:
    """The best address known of a paper: the digest's own, arXiv's, the DOI's, else an arXiv title search."""
    if paper.url and paper.url.startswith(("https://", "http://")):
        return Link(paper.url)
    if paper.arxiv_id:
        return Link(f"https://arxiv.org/abs/{paper.arxiv_id}")
    if paper.doi:
        return Link(f"https://doi.org/{quote_plus(paper.doi, safe='/')}")
    words = re.sub(r"[^\w\s-]", " ", _LATEX_COMMAND.sub("", paper.title))
    query = quote_plus(" ".join(words.split()))
    return Link(f"https://arxiv.org/search/?query={query}&searchtype=title", is_search=True)
