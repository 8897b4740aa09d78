"""A conference's programme: what its file says of each contribution."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from bot.model.papers import Entry

# Begins the name of the source under which planned papers are stored; no source of the settings can have such a name.
PROGRAMME_SOURCE = "conference: "


@dataclass(frozen=True, slots=True)
class Contribution:
    """One paper at one place of the programme; what the file doesn't say is None or empty.

    ``start`` and ``end`` are naive where the file names no time zone; ``is_utc`` where it states UTC instead of the
    time of a place. ``kind`` is as in the file: "Oral", "poster".
    """

    entry: Entry
    day: date | None = None
    start: datetime | None = None
    end: datetime | None = None
    is_utc: bool = False
    room: str = ""
    session: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class ParsedProgramme:
    """A programme. ``withdrawn`` counts what was left out as rejected, withdrawn or cancelled.

    ``problems`` has a sentence for each row, or part of a row, that could not be read.
    """

    format: str
    contributions: tuple[Contribution, ...]
    withdrawn: int = 0
    problems: tuple[str, ...] = ()
