"""A reader's own library: the papers that they had before, as a reference manager exports them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from bot.domain.digests import Entry
from bot.domain.papers import Paper


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
