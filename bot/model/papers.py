"""Papers: what a source delivers (bytes, then entries), one work merged from all of them, and readers' libraries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import NamedTuple, NewType

from bot.model import limits


class FactKind(StrEnum):
    """What a fact states."""

    VENUE = "venue"  # where it is published or accepted, as a digest words it
    PAGES = "pages"  # their number
    CODE = "code"  # the address of its code
    STARS = "stars"  # of that code on GitHub
    PROJECT = "project"  # the address of its page
    COMMENT = "comment"  # the authors' own, on arXiv


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact and the digest format or site that states it. Facts are shown, and raise no score by themselves."""

    kind: FactKind
    value: str
    origin: str


# Ids are assigned in order of arrival: a higher id arrived later, and a watermark is one number. Papers of readers'
# libraries, which only their reader's ranking knows, have negative ids.
PaperId = int
# Title and abstract as one text. A type, so that only ``ranked_text`` makes it: a fitted corpus finds its rows by the
# hash of this text, and would miss those of a text that was put together otherwise.
RankedText = NewType("RankedText", str)
_REF = re.compile(r"p(\d{1,18})")  # 18 digits fit into a column of 64 bits


def is_library_paper(paper_id: PaperId) -> bool:
    """Whether the id is that of a paper in a reader's own library."""
    return paper_id < 0


def ranked_text(title: str, abstract: str) -> RankedText:
    """Return the text that is ranked."""
    return RankedText(f"{title}\n{abstract}")


def parse_ref(text: str) -> PaperId | None:
    """Return the id in a ``Paper.ref``; None for any other text.

    >>> parse_ref("p17"), parse_ref("17")
    (17, None)
    """
    match = _REF.fullmatch(text.strip())
    return int(match[1]) if match else None


@dataclass(frozen=True, slots=True)
class Sighting:
    """An occurrence of a paper in a digest."""

    source: str
    topic: str
    date: date | None
    alert: str | None = None  # the reader's own alert that the digest answers


@dataclass(frozen=True, slots=True)
class Paper:
    """One work, merged from all digests that contain it; ``sightings`` are in the order of arrival."""

    id: PaperId
    title: str
    abstract: str
    authors: tuple[str, ...]
    author_count: int | None
    published: date | None
    arxiv_id: str | None
    doi: str | None
    url: str | None
    upvotes: int | None
    organisation: str | None
    first_seen: datetime
    sightings: tuple[Sighting, ...] = ()
    version: int | None = None  # the newest seen, of the arXiv id
    categories: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()

    @property
    def ref(self) -> str:
        """The id in commands and JSON: ``p17``."""
        return f"p{self.id}"

    @property
    def text(self) -> RankedText:
        """The text that is ranked."""
        return ranked_text(self.title, self.abstract)


class VotedPaper(NamedTuple):
    """What counts of a paper once it was voted on: its text, and what it is identified by.

    Each batch of readers has thousands of them; reading whole papers takes 2.7 times as long.
    """

    id: PaperId
    title: str
    abstract: str
    arxiv_id: str | None
    doi: str | None

    @property
    def text(self) -> RankedText:
        """The text that is ranked."""
        return ranked_text(self.title, self.abstract)


@dataclass(frozen=True, slots=True)
class RawDigest:
    """Bytes as a source delivered them; ``name`` is the file name or URL, for messages to people.

    ``if_refused`` completes the problem if they can't be read: "the mail from a@example.org stays unread".
    """

    source: str
    name: str
    content: bytes
    if_refused: str = ""


@dataclass(frozen=True, slots=True)
class SourceState:
    """The history of a source's checks, and what the source itself stores between them (``memory``).

    ``failures`` counts those in a row since the last success, the first at ``failing_since``, the last because of
    ``problem``. The source asked not to be called before ``not_before`` (Retry-After). ``warned`` is the problem that
    was last reported for it, empty if there is none.
    """

    name: str
    checked_at: datetime | None = None
    succeeded_at: datetime | None = None
    failures: int = 0
    problem: str = ""
    not_before: datetime | None = None
    warned: str = ""
    memory: Mapping[str, str] = field(default_factory=dict)
    failing_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One paper as one digest has it; control characters are removed from its text, LaTeX is kept.

    A title or an abstract of which the digest has only the beginning ends in an ellipsis. Texts with ``longest`` are
    cut to so many characters. Fields that a ``Paper`` has, too, are merged by ``bot.model.identity``.
    """

    title: str
    abstract: str = ""
    authors: tuple[str, ...] = ()
    author_count: int | None = None  # where a digest only counts them
    published: date | None = None
    arxiv_id: str | None = None  # without version
    doi: str | None = None
    url: str | None = None
    upvotes: int | None = None
    organisation: str | None = field(default=None, metadata={"longest": limits.ORGANISATION})
    version: int | None = None  # of the arXiv id
    categories: tuple[str, ...] = ()
    replacement: bool = False  # announced because a new version replaces an announced one
    # The reader's own alert that the digest answers: "Ada Lovelace (new citations)".
    alert: str | None = field(default=None, metadata={"longest": limits.ALERT})
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedDigest:
    """One digest of one day. ``rejected`` has a message for each block that could not be parsed."""

    format: str
    topic: str
    date: date | None
    entries: tuple[Entry, ...]
    rejected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """One paper as a library has it, and when the reader added it, where the library says so.

    ``key`` names it in a library that is followed; files have none.
    """

    entry: Entry
    added: date | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class ParsedLibrary:
    """A library's papers. ``skipped`` counts its other entries by the reason, ``problems`` names some of them."""

    format: str
    entries: tuple[LibraryEntry, ...]
    skipped: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LibraryPaper:
    """A paper of one reader's library as stored; ``origin`` is where it came from.

    The paper's id is negative (see ``is_library_paper``): no page, search or digest knows it.
    """

    paper: Paper
    added: datetime
    origin: str
