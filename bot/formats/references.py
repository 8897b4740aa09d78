"""What an entry of any library format says, and which of them are papers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass
from datetime import date

from bot.model import Entry, LibraryEntry, ParsedLibrary, identity, limits
from bot.text.decoding import tidy

NO_PAPER = "books, notes and the like"
NO_TITLE = "without a title"
UNREADABLE = "unreadable"

_MARKUP = re.compile(r"</?(?:i|b|u|em|strong|sub|sup|scp|span|tt|p|jats:\w+)(?:\s[^<>]{0,200})?/?>", re.IGNORECASE)
_ARXIV = re.compile(r"arxiv(?:\.org/[a-z]+/|[:.\s/]|\s*preprint)", re.IGNORECASE)
_DATE = re.compile(r"(\d{4})(?:[-/.](\d{1,2}))?(?:[-/.](\d{1,2}))?")
_OTHERS = ("others", "et al", "et al.")


@dataclass(frozen=True, slots=True)
class Reference:
    """One entry as a format has it; texts are not cleaned yet.

    ``is_paper`` is None where the entry's type does not tell. ``mentions`` are fields that may hold an arXiv id.
    ``dates`` are those on which the reader added it, the most reliable first. ``key`` names it in a library that is
    followed.
    """

    line: int
    is_paper: bool | None
    title: str
    abstract: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""
    doi: str = ""
    url: str = ""
    arxiv_id: str = ""
    mentions: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    key: str = ""

    def named_arxiv_id(self) -> str | None:
        """Return the arXiv id that one of the fields names."""
        if stated := identity.arxiv_id(self.arxiv_id[: limits.ID]):
            return stated
        for text in (self.doi, self.url, *self.mentions):
            for match in _ARXIV.finditer(text[: limits.URL]):
                # A journal's page numbers look like an arXiv id; only what follows the word is taken for one.
                if mentioned := identity.arxiv_id(text[match.end() : match.end() + limits.ID]):
                    return mentioned
        return None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An entry that the format's library could not read."""

    line: int
    reason: str


def collect(format_name: str, references: Iterable[Reference | Unreadable]) -> ParsedLibrary:
    """Return the papers among the references, and how many entries are not papers, by reason."""
    entries: list[LibraryEntry] = []
    skipped: Counter[str] = Counter()
    problems: list[str] = []
    for reference in references:
        if isinstance(reference, Unreadable):
            skipped[UNREADABLE] += 1
            if len(problems) < limits.REJECTED:
                problems.append(f"line {reference.line:,}: {reference.reason}")
            continue
        paper = _paper(reference)
        if isinstance(paper, LibraryEntry):
            entries.append(paper)
        else:
            skipped[paper] += 1
    return ParsedLibrary(format_name, tuple(entries), dict(skipped), tuple(problems))


def _paper(reference: Reference) -> LibraryEntry | str:
    """Return the paper, or why the reference is not one."""
    title = _prose(reference.title, limits.TITLE)
    if reference.is_paper is False:
        return NO_PAPER
    if not title:
        return NO_TITLE
    abstract = _prose(reference.abstract, limits.ABSTRACT)
    doi = identity.doi(reference.doi) or (identity.doi(reference.url) if "doi.org/" in reference.url else None)
    arxiv_id = reference.named_arxiv_id()
    # Reference managers save web pages and notes as @misc or GEN, as they do preprints.
    if reference.is_paper is None and not (doi or arxiv_id or abstract):
        return NO_PAPER
    url = reference.url.strip()
    is_address = url.startswith(("https://", "http://")) and len(url) <= limits.URL and len(url.split()) == 1
    entry = Entry(
        title=title,
        abstract=abstract,
        authors=tuple(
            name[: limits.AUTHOR]
            for author in reference.authors[: limits.AUTHORS]
            if (name := tidy(author)) and name.lower() not in _OTHERS
        ),
        published=parse_date(reference.published),
        arxiv_id=arxiv_id,
        doi=doi if doi and len(doi) <= limits.DOI else None,
        url=url if is_address else None,
    )
    added = next((day for text in reference.dates if (day := parse_date(text))), None)
    return LibraryEntry(entry, added, reference.key)


def is_paper(kind: str, papers: Container[str], undecided: Container[str]) -> bool | None:
    """Return whether an entry of this type is a paper, by a format's types; None where the type does not tell."""
    return None if kind in undecided else kind in papers


def first_name_first(name: str) -> str:
    """Return a name as it is spoken, from "Lovelace, Ada" or "King, Jr., Martin".

    >>> first_name_first("King, Jr., Martin")
    'Martin King, Jr.'
    """
    match [part.strip() for part in name.split(",")]:
        case [last, first]:
            return f"{first} {last}".strip()
        case [last, suffix, first]:
            return f"{first} {last}, {suffix}"
    return name.strip()


def _prose(text: str, longest: int) -> str:
    return tidy(_MARKUP.sub("", text[: 2 * longest]))[:longest].rstrip()


def parse_date(text: str) -> date | None:
    """Return the day at the beginning of a text; month and day are 1 where the text has none.

    >>> parse_date("2019/05/03/11:02"), parse_date("2019"), parse_date("May 2019")
    (datetime.date(2019, 5, 3), datetime.date(2019, 1, 1), None)
    """
    match = _DATE.match(text.strip())
    if match is None:
        return None
    year, month, day = (int(part or 1) for part in match.groups())
    try:
        return date(year, month, day)
    except ValueError:
        return None
