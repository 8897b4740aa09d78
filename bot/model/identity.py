"""Entity resolution: which entries are the same paper, and where a paper links to.

Entries with the same DOI or the same arXiv id (without version) are the same paper, otherwise those with the same
normalised title. Two entries that both have an id of one kind, and different ones, are two papers whatever their
titles.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any
from urllib.parse import quote_plus

from bot.model import Entry, Paper, PaperId, VotedPaper

# The lookbehind lets the archive's name ("hep-th") match from its first letter only: without it, a run of n letters
# takes n^2 steps (an id of 2 MB: minutes).
_ARXIV = re.compile(
    r"(?<![\d.])(\d{4}\.\d{4,5}|(?<![a-z-])[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v(\d{1,3}))?(?![\d])", re.ASCII
)
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s<>\"]+")
# Journals of Cold Spring Harbor have the first prefix, too ("10.1101/gr.275193.120"): preprints have a number, since
# 2019 behind a date.
_BIORXIV_DOI = re.compile(r"10\.(?:1101|64898)/(?:\d{4}\.\d{2}\.\d{2}\.)?\d{6,8}(?:v\d{1,3})?", re.ASCII)
_LONG_TITLE = 130  # characters; Google Scholar cuts titles after some 135, and not always with a mark
_LATEX_COMMAND = re.compile(r"\\(?:[a-zA-Z]+\s*|.)")


def arxiv_id(text: str) -> str | None:
    """Return the arXiv id in a URL or text, without its version: ``2504.08385``, ``hep-th/9901001``."""
    match = _ARXIV.search(text)
    return match.group(1) if match else None


def arxiv_version(text: str) -> int | None:
    """Return the version of the arXiv id in a URL or text, 2 for ``2504.08385v2``; None if it has none."""
    match = _ARXIV.search(text)
    return int(match.group(2)) if match and match.group(2) else None


def doi(text: str) -> str | None:
    """Return the DOI in a URL or text, if there is one.

    >>> doi("https://doi.org/10.1145/3477495.3531992."), doi("10.48550/arXiv.2504.08385")
    ('10.1145/3477495.3531992', None)
    """
    match = _DOI.search(text)
    # arXiv registers a DOI for each arXiv id. As a key it would make the preprint and the published version, which
    # has the journal's DOI and the same arXiv id, two papers.
    if match is None or match[0].lower().startswith("10.48550/arxiv."):
        return None
    return match[0].rstrip(".,;)")


def is_biorxiv_doi(text: str) -> bool:
    """Whether a DOI is that of a preprint at bioRxiv or medRxiv, which share their prefixes.

    >>> is_biorxiv_doi("10.64898/2026.01.20.700468"), is_biorxiv_doi("10.1101/gr.275193.120")
    (True, False)
    """
    return _BIORXIV_DOI.fullmatch(text) is not None


def normalised_title(title: str) -> str:
    r"""Return a title's letters and digits in lower case, without accents and LaTeX commands.

    >>> normalised_title(r"Erd\H{o}s & \textbf{SIM-RAG}:  a Study ")
    'erdossimragastudy'
    """
    # NFKD separates accents from letters (isalnum drops them) and resolves ligatures, which PDFs and mails insert.
    text = unicodedata.normalize("NFKD", _LATEX_COMMAND.sub("", title)).casefold()
    normalised = "".join(character for character in text if character.isalnum())
    # Otherwise all titles without a letter or digit ("???") would be one paper.
    return normalised or unicodedata.normalize("NFKC", title).casefold().strip()


def keys(entry: Entry | Paper | VotedPaper) -> tuple[str, ...]:
    """Return the identity keys of a paper, strongest first; two entries that share a key may be the same paper."""
    doi_keys = (f"doi:{entry.doi.lower()}",) if entry.doi else ()  # case-insensitive (DOI Handbook, 2.4)
    arxiv_keys = (f"arxiv:{entry.arxiv_id}",) if entry.arxiv_id else ()
    return (*doi_keys, *arxiv_keys, f"title:{normalised_title(entry.title)}")


def is_same_paper(entry: Entry | Paper, paper: Entry | Paper) -> bool:
    """Whether an entry that shares a key with a paper is that paper."""
    for entry_id, paper_id in ((entry.doi, paper.doi), (entry.arxiv_id, paper.arxiv_id)):
        if entry_id and paper_id:
            return entry_id.lower() == paper_id.lower()
    return normalised_title(entry.title) == normalised_title(paper.title)


# The fields that entries and papers have in common. One that ``merge`` doesn't name is filled where it is empty.
_SHARED = [field.name for field in fields(Entry) if field.name in Paper.__dataclass_fields__]


def new_paper(entry: Entry, paper_id: PaperId, now: datetime) -> Paper:
    """Return a new paper with the fields of the first entry that mentions it."""
    values: dict[str, Any] = {name: getattr(entry, name) for name in _SHARED}
    values["author_count"] = entry.author_count or len(entry.authors) or None
    return Paper(id=paper_id, first_seen=now, **values)


def merge(paper: Paper, entry: Entry) -> Paper:
    """Return the paper with what another entry adds: empty fields are filled, values are not overwritten.

    A whole title or abstract replaces a cut one; of two abstracts otherwise the longer is kept. Full names replace
    initials. The earlier of two dates is kept, the most upvotes and the newest version; categories are collected in the
    order in which they were seen. A fact replaces an earlier one of its kind and origin.
    """
    dates = [day for day in (paper.published, entry.published) if day]
    votes = [count for count in (paper.upvotes, entry.upvotes) if count is not None]
    versions = [version for version in (paper.version, entry.version) if version is not None]
    authors = paper.authors or entry.authors
    # Google Scholar abbreviates all first names ("AB Lovelace"), and leaves out the last of many authors.
    names = [name.split() for name in authors]
    is_abbreviated = all(len(name) > 1 and name[0].isupper() and len(name[0]) <= 3 for name in names)
    if is_abbreviated and len(entry.authors) >= len(authors):
        authors = entry.authors
    values: dict[str, Any] = {name: getattr(paper, name) or getattr(entry, name) for name in _SHARED}
    values |= {
        "title": entry.title if _is_beginning(paper.title, entry.title) else paper.title,
        # Many digests cut abstracts without a mark; then the longer one is the complete one.
        "abstract": max(paper.abstract, entry.abstract, key=lambda text: (bool(text), not is_cut(text), len(text))),
        "authors": authors,
        "author_count": len(authors) or paper.author_count or entry.author_count,
        "published": min(dates, default=None),
        "upvotes": max(votes, default=None),
        "version": max(versions, default=None),
        "categories": tuple(dict.fromkeys(paper.categories + entry.categories)),
        "facts": tuple({(fact.kind, fact.origin): fact for fact in paper.facts + entry.facts}.values()),
    }
    return replace(paper, **values)


def _is_beginning(title: str, other: str) -> bool:
    """Whether a title is cut, and another one whole that begins with it."""
    if is_cut(other) or not (is_cut(title) or len(title) > _LONG_TITLE):
        return False
    beginning = normalised_title(title)
    complete = normalised_title(other)
    return len(complete) > len(beginning) and complete.startswith(beginning)


def is_cut(text: str) -> bool:
    """Whether a digest has only the beginning of a title or an abstract."""
    return text.rstrip("] ").endswith(("\u2026", "..."))


@dataclass(frozen=True, slots=True)
class PaperLink:
    """Where a paper's title leads; ``is_search`` if no digest named an address and a title search stands in."""

    url: str
    is_search: bool = False


def link(paper: Paper) -> PaperLink:
    """Return a paper's best address: the digest's own, arXiv's, the DOI's, else an arXiv title search.

    The page of the abstract instead of arXiv's PDF.
    """
    is_arxiv_pdf = paper.arxiv_id and re.match(r"https?://(www\.|export\.)?arxiv\.org/pdf/", paper.url or "")
    if not is_arxiv_pdf and paper.url and paper.url.startswith(("https://", "http://")):
        return PaperLink(paper.url)
    if paper.arxiv_id:
        return PaperLink(f"https://arxiv.org/abs/{paper.arxiv_id}")
    if paper.doi:
        return PaperLink(f"https://doi.org/{quote_plus(paper.doi, safe='/')}")
    # Punctuation is part of arXiv's query syntax: a colon names a field, a quotation mark opens a phrase.
    words = re.sub(r"[^\w\s-]", " ", _LATEX_COMMAND.sub("", paper.title))
    query = quote_plus(" ".join(words.split()))
    return PaperLink(f"https://arxiv.org/search/?query={query}&searchtype=title", is_search=True)
