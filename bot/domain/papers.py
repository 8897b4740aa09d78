"""Papers: one work each, merged from all digests that contain it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple, NewType

from bot.domain.facts import Fact

# Ids are assigned in order of arrival: a higher id arrived later, and a watermark is one number. Papers of readers'
# libraries, which only their reader's ranking knows, have negative ids.
PaperId = int
# Title and abstract as one text. A type, so that only ``ranked_text`` makes it: a fitted corpus finds its rows by the
# hash of this text, and would miss those of a text that was put together otherwise.
RankedText = NewType("RankedText", str)
_REF = re.compile(r"p(\d{1,18})")  # 18 digits fit into a column of 64 bits


def is_library_paper(paper_id: PaperId) -> bool:
    """Return whether the id is that of a paper in a reader's own library."""
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
