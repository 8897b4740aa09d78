"""Conferences' programmes: from a file to contributions with their day, time and place.

    CSV: rows ----------------------------------------------------.
    JSON and XML: nested objects --bot.formats.schedules-----------+--contribution--> ParsedProgramme
    ICS (RFC 5545): events --bot.formats.calendars-----------------'
    BibTeX, RIS --bot.formats.library--> entries without times

A wrong row costs only itself, and a wrong time only the row's time.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, groupby, islice
from typing import NamedTuple

from bot.formats import library
from bot.formats.contributions import GROUPS, NAMES, Reading, by_name, column, contribution, day_in
from bot.formats.format import read_csv
from bot.formats.libraries.reference import MISSING
from bot.formats.schedules import from_json, from_xml
from bot.formats.tables import pattern
from bot.model import RawDigest, limits
from bot.model.errors import DigestError
from bot.model.papers import Contribution, ParsedProgramme

_CALENDAR = re.compile(r"(?:<!--\s{0,9})?BEGIN:VCALENDAR", re.IGNORECASE)
_SCHEDULE = re.compile(r"\A(?:<\?[^>]{0,500}>|<!--.{0,5000}?-->|\s){0,20}<schedule[\s>]", re.DOTALL)


def parse(raw: RawDigest) -> ParsedProgramme:
    """Return the contributions of a programme. Raises DigestError."""
    text = library.clean_text(raw.content, "programme").lstrip()
    reading = Reading()
    if _CALENDAR.match(text):
        # Takes 70 ms to import.
        from bot.formats.calendars import events

        return reading.programme("ics", events(text, reading))
    if text.startswith(("[", "{")):
        return reading.programme(*from_json(text, reading))
    if _SCHEDULE.match(text) or text.startswith("<?xml"):
        return reading.programme("xml", from_xml(text, reading))
    if header := _header(text):
        return reading.programme("csv", _merged(_talks(_rows(text, header, reading))))
    if not library.is_library(text):
        raise DigestError(
            "no programme: neither JSON, XML, BibTeX nor ICS, and its first line names no column “title”; "
            "give a CSV file a first line such as: title,abstract,authors,date,start,end,room,url"
        )
    parsed = library.parse(raw)
    reading.problems += parsed.problems
    if untitled := parsed.skipped.get(library.NO_TITLE):
        reading.note(f"{untitled:,} entries have no title")
    return reading.programme(parsed.format, (Contribution(item.entry) for item in parsed.entries))


_BEGINNING = 20_000
# Columns of exports of databases and reference managers.
_LISTED = set("presentationtype presentationformat papernumber leadauthors sessiontype sessionid abstractid".split())
_LIBRARY_COLUMNS = set("eid pmid issn itemtype publicationyear sourcetitle volume journalbook isbn".split())


def is_programme(text: str) -> bool:
    """Return whether a file begins like a programme."""
    beginning = text.lstrip("\ufeff \t\r\n")[:_BEGINNING]
    if beginning.startswith(("[", "{")):
        return bool(pattern("json", "programmes").search(beginning)) and not pattern("other_json", "programmes").search(
            beginning
        )
    if beginning.startswith("<") or _CALENDAR.match(beginning):
        return bool(_CALENDAR.match(beginning) or _SCHEDULE.match(beginning))
    if not (header := _header(beginning)):
        return False
    columns = {column(name)[0] for name in header[1]}
    fields = by_name({name: name for name in columns})
    # A lone date may be that of a publication.
    is_spoken = columns & {"speaker", "speakers", "speakernames"} or (
        (fields["day"] or fields["abstract"])
        and (
            columns & {"presenter", "lastname", "speakerlastname", "presenterlastname"} or {"name", "title"} <= columns
        )
    )
    is_whole = fields["authors"] and (
        (len(columns & set(GROUPS["abstract"])) > 1 and not columns & {"year", "journal", "doi"}) or columns & _LISTED
    )
    is_placed = is_spoken or is_whole or fields["start"] or fields["room"] or fields["session"] or "decision" in columns
    return bool(is_placed) and len(columns) > 1 and not columns & _LIBRARY_COLUMNS


_Header = tuple[int, Sequence[str], str]  # the number of rows above it, its columns, and what separates them
_SEPARATOR_LINE = re.compile(r'\A"?sep=."?(?=\n)', re.IGNORECASE)  # written for Excel
_MOST_ROWS_ABOVE = 20
_NUMBERED = re.compile(r"p(\d{1,3})_(\w{2,40})")  # ConfTool's "p1_title" and "p2_authors"
_HEADING = re.compile(r"(?:session|track|block|part|room|hall|\w{0,9}day)\b", re.IGNORECASE)


def _header(text: str) -> _Header | None:
    """Return the row with the names of columns, perhaps below a few rows with titles."""
    beginning = "\n".join(_SEPARATOR_LINE.sub("", text[:_BEGINNING]).split("\n")[: 2 * _MOST_ROWS_ABOVE])
    headers: list[tuple[int, _Header]] = []
    for delimiter in ",;\t|":
        rows = csv.reader(io.StringIO(beginning, newline=""), delimiter=delimiter, skipinitialspace=True)
        with suppress(csv.Error):
            for above, names in enumerate(islice(rows, _MOST_ROWS_ABOVE)):
                fields = by_name({column(name)[0]: name for name in names})
                size = sum(map(bool, fields.values()))
                if fields["title"] and (size > 1 or above == 0):
                    headers.append((size, (above, names, delimiter)))
    return max(headers, key=lambda header: header[0])[1] if headers else None


def _talks(rows: Iterable[tuple[str, Contribution]]) -> Iterator[Contribution]:
    """Yield the talks of rows and Whova's levels.

    A "Session" is a talk only without any "Sub" below it.
    """
    session: Contribution | None = None
    has_parts = False
    for level, talk in rows:
        if session and level.lower().startswith("sub"):
            has_parts = True
            yield replace(talk, session=session.entry.title, room=talk.room or session.room)
            continue
        if session and not has_parts:
            yield session
        session, has_parts = (talk, False) if level.lower() == "session" else (None, False)
        if session is None:
            yield talk
    if session and not has_parts:
        yield session


def _merged(talks: Iterable[Contribution]) -> Iterator[Contribution]:
    """Yield the talks of a table that may have a row for each author of a talk."""
    for _, same in groupby(
        talks, lambda talk: (talk.entry.title, talk.entry.abstract, talk.start, talk.room, talk.session)
    ):
        talk, *others = same
        people = dict.fromkeys(chain(talk.entry.authors, *(other.entry.authors for other in others)))
        yield replace(talk, entry=replace(talk.entry, authors=tuple(people)[: limits.AUTHORS]))


class _Column(NamedTuple):
    name: str
    zone: str  # of its times
    part: str  # the number of a talk in the row of its session


def _talks_of(values: Sequence[str], columns: Sequence[_Column]) -> list[dict[str, str]]:
    """Return the texts of a row by their columns, for each of its talks."""
    parts: dict[str, dict[str, str]] = {"": {}}
    for each, value in zip(columns, values, strict=False):
        text = "" if value in MISSING or not value else value + each.zone
        if text or not each.part:
            parts.setdefault(each.part, {}).setdefault(each.name, text)
    row = parts.pop("")
    # The talks share the time and place of their session, but not its abstract.
    place = {name: text for name, text in row.items() if name not in ("sessionabstract", "sessioninfo")}
    return [place | part for part in parts.values() if "title" in part] or [row]


def _rows(text: str, header: _Header, reading: Reading) -> Iterator[tuple[str, Contribution]]:
    above, header_names, delimiter = header
    columns: list[_Column] = []
    for header_name in header_names:
        part = _NUMBERED.fullmatch(header_name.strip())
        name, zone = column(part[2] if part else header_name)
        is_timed = any(by_name({name: name})[key] for key in ("day", "start", "end"))
        columns.append(_Column(name, f" {zone}" if zone and is_timed else "", part[1] if part else ""))
    names = [column(name)[0] for name in header_names]
    text = _SEPARATOR_LINE.sub("", text)
    day = heading = ""
    for line, read in islice(read_csv(text, delimiter), above, None):
        if isinstance(read, str):
            reading.note(read)
            continue
        place, values = f"line {line:,}", [value.strip() for value in read]
        filled = list(filter(None, values))
        if not filled or [column(value)[0] for value in values] == names:  # pages repeat the names of columns
            continue
        # A comma too many shifts every column after it.
        if any(values[len(names) :]):
            reading.note(
                f"{place}: {len(values)} columns instead of {len(names)}; put texts with “{delimiter}” "
                "between quotation marks"
            )
            continue
        # A row with only its first text is a heading, unless it is a talk's title.
        is_heading = names[0] not in NAMES["title"] or _HEADING.match(filled[0]) or day_in(filled[0])
        if len(filled) == 1 and len(names) > 2 and values[0] and is_heading:
            day, heading = (filled[0], "") if day_in(filled[0]) else (day, filled[0])
            continue
        for row in _talks_of(values, columns):
            fields = by_name(row)
            # In merged cells only the first row has the day.
            if day_in(fields["day"]):
                day = fields["day"]
            elif fields["start"] and not fields["day"] and not day_in(fields["start"]):
                fields["day"] = day
            fields["session"] = fields["session"] or heading
            if result := contribution(place, fields, reading):
                yield row.get("sessionorsubsession", ""), result
