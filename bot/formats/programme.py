"""Conferences' programmes: from the bytes of a file to contributions with their day, time and place.

    CSV: rows ----------------------------------------------.
    JSON: notes of OpenReview, papercopilot's lists, rows ---+-> fields by name --_contribution--> ParsedProgramme
    ICS (RFC 5545): events ----------------------------------'
    BibTeX, RIS --bot.formats.library--> entries without times

The shapes of JSON, where any value may be missing or of another type:

    OpenReview, version 2   {"notes": [{"id", "forum", "content": {"title": {"value": ...}, "venue": {"value": ...}}}]}
    OpenReview, version 1   the same with plain values: {"title": ..., "authors": [...]}
    papercopilot            [{"title", "author": "Ada Lovelace;Grace Hopper", "abstract", "status", "site", "pdf"}]
    conference sites        {"results": [{"name", "abstract", "authors": [{"fullname"}], "starttime", "endtime",
                             "room_name", "session", "eventtype", "virtualsite_url"}]}

A wrong row costs itself, a wrong time costs the row its time, and either is named with its place and what to write.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import islice
from typing import Any

from bot.formats import library
from bot.formats.format import author_names, date_in, prose, quoted, tidy, within_limits
from bot.model import Entry, RawDigest, limits
from bot.model.clock import zone_named
from bot.model.errors import DigestError
from bot.model.papers import Contribution, ParsedProgramme, arxiv_id_in, doi_in

MAX_CONTRIBUTIONS = 30_000  # the largest conferences have some 15,000
_TOO_MANY = f"more than the {MAX_CONTRIBUTIONS:,} contributions that a programme may have; split it"
_LONGEST_PLACE = 200  # of a room, a session or a kind

# The usual names of columns and keys, in small letters only; the first that has a value counts.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "title": ("title", "papertitle", "name", "summary", "eventtitle", "contributiontitle"),
    "abstract": ("abstract", "abstracttext", "paperabstract", "description", "summary", "content"),
    "authors": ("authors", "author", "authornames", "authorlist", "speakers", "speaker", "presenters", "presenter"),
    "day": ("day", "date", "presentationdate", "sessiondate", "startdate"),
    "start": ("start", "starttime", "startsat", "startdatetime", "begin", "begins", "from", "time", "timeslot", "slot"),
    "end": ("end", "endtime", "endsat", "enddatetime", "until", "ends", "to"),
    "room": ("room", "roomname", "location", "hall", "place"),
    "session": ("session", "sessionname", "sessiontitle", "track"),
    "kind": ("kind", "type", "presentationtype", "presentation", "eventtype", "format", "status", "decision", "venue"),
    "url": ("url", "link", "site", "virtualsiteurl", "openreview", "forum", "paperurl", "pdf", "pdfurl"),
    "arxiv": ("arxiv", "arxivid", "arxivurl", "eprint"),
    "doi": ("doi",),
}
_NO_LETTER = re.compile(r"[^a-z]+")
_LEFT_OUT = re.compile(r"\b(?:reject(?:ed)?|withdr[ae]wn?|withdrawal|retracted|cancell?ed)\b", re.IGNORECASE)
_UNDECIDED = re.compile(r"submitted to\b", re.IGNORECASE)
_NO_KIND = re.compile(r"(?:accept(?:ed)?|active|confirmed|main)", re.IGNORECASE)
_KIND_BEFORE_TITLE = re.compile(
    r"(oral|poster|spotlight|talk|keynote|invited talk|tutorial|paper)(?: presentation| session)?"
    r"\s*[:\-\u2013\u2014]\s+(?=\S)",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"https?://[^\s<>\"]{4,2000}")
_OPENREVIEW = "https://openreview.net/forum?id="
_OPENREVIEW_ID = re.compile(r"[\w-]{4,40}")
_LISTS = ("notes", "results", "papers", "events", "data", "items", "submissions")


def parse(raw: RawDigest) -> ParsedProgramme:
    """Return the contributions of a programme; raises DigestError if the bytes are none, or have too many."""
    text = library.clean_text(raw.content, "programme")
    beginning = text.lstrip()[:200]
    reading = _Reading()
    if beginning[:15].upper().startswith("BEGIN:VCALENDAR"):
        return reading.programme("ics", _events(text, reading))
    if beginning.startswith(("[", "{")):
        return reading.programme(*_json_contributions(text, reading))
    if any(form.beginning.match(text.lstrip()) for form in library.FORMATS):
        return _of_library(raw)
    return reading.programme("csv", _rows(text.lstrip(), reading))


@dataclass(slots=True)
class _Reading:
    """What is noted while a file is read."""

    problems: list[str] = field(default_factory=list)
    withdrawn: int = 0
    undecided: list[Contribution] = field(default_factory=list)
    unknown_zones: set[str] = field(default_factory=set)

    def note(self, problem: str) -> None:
        """Keep a sentence on what could not be read, up to a limit."""
        if len(self.problems) < limits.REJECTED:
            self.problems.append(tidy(problem)[:500])

    def programme(self, form: str, contributions: Iterator[Contribution]) -> ParsedProgramme:
        """Return everything that was read; raises DigestError without a contribution and without a problem."""
        found = list(islice(contributions, MAX_CONTRIBUTIONS + 1))
        if len(found) > MAX_CONTRIBUTIONS:
            raise DigestError(_TOO_MANY)
        if found:
            # OpenReview calls a rejected paper "Submitted to ...", but before the decisions every paper.
            self.withdrawn += len(self.undecided)
        else:
            found = self.undecided
        if not found and not self.problems and not self.withdrawn:
            raise DigestError("a programme without a single title")
        return ParsedProgramme(form, tuple(found), self.withdrawn, tuple(self.problems))


# Fields by name, of whichever format


def _contribution(place: str, fields: Mapping[str, str], reading: _Reading) -> Contribution | None:
    """Return the contribution of one row; None where it is noted as unreadable or left out.

    ``place`` names the row; ``fields`` has texts by the keys of ``_NAMES``.
    """
    kind = tidy(fields["kind"][:_LONGEST_PLACE])
    title = prose(fields["title"], limits.TITLE)
    if before := _KIND_BEFORE_TITLE.match(title):
        kind = kind if kind and not _NO_KIND.fullmatch(kind) else before[1]
        title = title[before.end() :]
    if not title:
        reading.note(f"{place}: has no title; write one into the column or key “title”")
        return None
    if _LEFT_OUT.search(kind):
        reading.withdrawn += 1
        return None
    url = fields["url"].strip()
    # Only stated ids: an abstract may name other papers.
    arxiv_id = arxiv_id_in(fields["arxiv"][: limits.ID])
    if not arxiv_id and "arxiv.org/" in url:
        arxiv_id = arxiv_id_in(url[: limits.URL])
    doi = doi_in(fields["doi"][: limits.URL]) or (doi_in(url[: limits.URL]) if "doi.org/" in url else None)
    entry = within_limits(
        Entry(
            title=title,
            abstract=prose(fields["abstract"], limits.ABSTRACT),
            authors=_authors(fields["authors"]),
            arxiv_id=arxiv_id,
            doi=doi,
            url=url if _ADDRESS.fullmatch(url) else None,
        )
    )
    if isinstance(entry, str):
        reading.note(f"{place}: {entry}")
        return None
    day, start, end = _times(place, fields["day"], fields["start"], fields["end"], reading)
    contribution = Contribution(
        entry,
        day,
        start,
        end,
        is_utc=bool(start and start.tzinfo and not start.utcoffset()),
        room=tidy(fields["room"][:_LONGEST_PLACE]),
        session=tidy(fields["session"][:_LONGEST_PLACE]),
        kind="" if _NO_KIND.fullmatch(kind) else kind,
    )
    if _UNDECIDED.match(kind):
        reading.undecided.append(replace(contribution, kind=""))
        return None
    return contribution


def _authors(text: str) -> tuple[str, ...]:
    text = text[: limits.BYLINE]
    # "Lovelace, Ada; Hopper, Grace" and papercopilot's "Ada Lovelace;Grace Hopper".
    if ";" in text:
        names = (tidy(name) for name in text.split(";", limits.AUTHORS + 1))
        return tuple(" ".join(reversed(name.split(", "))) if name.count(", ") == 1 else name for name in names if name)
    return author_names(tidy(text))


_CLOCK = re.compile(r"(\d{1,2})(?:[:.h](\d{2})(?::\d{2}(?:\.\d+)?)?)?\s{0,2}([ap])?\.?(?:m\b\.?)?", re.IGNORECASE)
_PERIOD = re.compile(r"\s{0,9}(?:-|\u2013|\u2014|\bto\b|\buntil\b)\s{0,9}", re.IGNORECASE)
_ISO_TIME = re.compile(
    r"\d{4}-\d{2}-\d{2}[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s?(?:Z|[+-]\d{2}:?\d{2})?", re.IGNORECASE
)
_WRITE = "write 2025-05-06 and 14:30"


def _times(
    place: str, day_text: str, start_text: str, end_text: str, reading: _Reading
) -> tuple[date | None, datetime | None, datetime | None]:
    """Return day, start and end as a row states them; what can't be read is noted and None."""
    day_text, start_text, end_text = (tidy(text[:100]) for text in (day_text, start_text, end_text))
    start = _moment(start_text)
    end = _moment(end_text)
    if start is None and not start_text and (start := _moment(day_text)):
        day_text = ""
    day = date_in(day_text) or (start.date() if start else date_in(start_text))
    if day is None and day_text:
        reading.note(f"{place}: “{day_text}” is not a day that can be read for certain; {_WRITE}")
    if start is None and start_text and day:
        clocks = _PERIOD.split(start_text, maxsplit=1)
        begins = _clock(clocks[0])
        if begins is None:
            if date_in(start_text) is None:
                reading.note(f"{place}: “{start_text}” is not a time; {_WRITE}")
        else:
            start = datetime.combine(day, begins)
            end_text = end_text or (clocks[1] if len(clocks) > 1 else "")
    if start and end is None and end_text:
        ends = _clock(end_text)
        if ends is None:
            reading.note(f"{place}: “{end_text}” is not a time; {_WRITE}")
        else:
            end = datetime.combine(start.date(), ends, tzinfo=start.tzinfo)
    if not (start and end) or (start.tzinfo is None) != (end.tzinfo is None):
        end = None
    elif end <= start:
        reading.note(f"{place}: ends before it starts, so that its end is left out")
        end = None
    return day, start, end


def _moment(text: str) -> datetime | None:
    """Return a date and time in ISO 8601; None for anything else."""
    if not _ISO_TIME.fullmatch(text):
        return None
    day, clock = text[:10], text[11:].replace(" ", "")
    clock = f"0{clock}" if clock[1:2] == ":" else clock
    try:
        moment = datetime.fromisoformat(f"{day}T{clock.upper()}")
    except ValueError:
        return None
    return moment if _is_usual(moment) else None


def _is_usual(moment: date) -> bool:
    # Arithmetic on the first and last years overflows.
    return 1900 <= moment.year <= 2900


def _clock(text: str) -> time | None:
    """Return a time of day: ``9:30``, ``14:30:00``, ``9 am``, ``2:30 PM``; None for anything else.

    >>> _clock("2:30 PM"), _clock("12 am"), _clock("9")
    (datetime.time(14, 30), datetime.time(0, 0), None)
    """
    match = _CLOCK.fullmatch(text.strip())
    if match is None or not (match[2] or match[3]):
        return None
    hour = int(match[1])
    if match[3]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match[3].lower() == "p" else 0)
    try:
        return time(hour, int(match[2] or 0))
    except ValueError:
        return None


def _by_name(row: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of a row by the keys of ``_NAMES``, empty ones too; ``row`` has texts by simplified names."""
    fields = {key: next(filter(None, map(row.get, names)), "") for key, names in _NAMES.items()}
    # One column may be the title of one list and the abstract of another.
    if fields["abstract"] == fields["title"]:
        fields["abstract"] = ""
    return fields


def _simple(name: str) -> str:
    """Return a column's name in small letters only: "Start time (local)" is "starttimelocal"."""
    return _NO_LETTER.sub("", name.lower())


# CSV


def _rows(text: str, reading: _Reading) -> Iterator[Contribution]:
    """Yield the contributions of a table; raises DigestError without a column of titles."""
    header = text.partition("\n")[0]
    delimiter = max(",;\t|", key=header.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        names = [_simple(name) for name in next(rows)]
    except csv.Error as error:
        raise DigestError(f"a table whose first line can't be read ({error})") from None
    if not _by_name({name: name for name in names})["title"]:
        raise DigestError(
            "no programme: neither JSON, BibTeX nor ICS, and its first line names no column “title”; "
            "give a CSV file a first line such as: title,abstract,authors,date,start,end,room,url"
        )
    while True:
        line = rows.line_num + 1
        try:
            values = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            reading.note(f"line {line:,}: {error}; is a quotation mark missing?")
            continue
        if not any(value.strip() for value in values):
            continue
        # A comma too many shifts every column after it.
        if len(values) > len(names) and any(value.strip() for value in values[len(names) :]):
            reading.note(
                f"line {line:,}: {len(values)} columns instead of {len(names)}; put texts with “{delimiter}” between "
                "quotation marks"
            )
            continue
        row: dict[str, str] = {}
        for name, value in zip(names, values, strict=False):
            row.setdefault(name, value.strip())
        if contribution := _contribution(f"line {line:,}", _by_name(row), reading):
            yield contribution


# JSON


def _json_contributions(text: str, reading: _Reading) -> tuple[str, Iterator[Contribution]]:
    try:
        loaded = json.loads(text)
    # RecursionError: "[" a million times. ValueError: also a number of more than 4,300 digits.
    except (ValueError, RecursionError) as error:
        raise DigestError(f"JSON that can't be read ({tidy(str(error)[:200])})") from None
    items = loaded
    if isinstance(loaded, Mapping):
        items = next((loaded[name] for name in _LISTS if isinstance(loaded.get(name), list)), None)
    if not isinstance(items, list):
        raise DigestError(
            f"JSON, but no list of papers; they are an array, or an array under one of: {', '.join(_LISTS)}"
        )
    notes = any(isinstance(item, Mapping) and isinstance(item.get("content"), Mapping) for item in items)
    return "openreview" if notes else "json", _objects(items, reading)


def _objects(items: Sequence[object], reading: _Reading) -> Iterator[Contribution]:
    for number, item in enumerate(items, 1):
        if not isinstance(item, Mapping):
            reading.note(f"item {number:,}: not an object with a title")
            continue
        content = item.get("content")
        note = content if isinstance(content, Mapping) else None
        # A note's reviews and comments are notes, too.
        if note is not None and item.get("replyto"):
            continue
        fields = _fields_of(item if note is None else note)
        forum = item.get("forum") or item.get("id")
        if note is not None and not fields["url"] and isinstance(forum, str) and _OPENREVIEW_ID.fullmatch(forum):
            fields["url"] = f"{_OPENREVIEW}{forum}"
        if contribution := _contribution(f"item {number:,}", fields, reading):
            yield contribution


def _fields_of(item: Mapping[str, Any]) -> dict[str, str]:
    row: dict[str, str] = {}
    for key, value in item.items():
        if text := _text(value):
            row.setdefault(_simple(str(key)), text)
    # An address counts only if it is one: conference sites name pages by their path.
    for name in _NAMES["url"]:
        if name in row and not _ADDRESS.fullmatch(row[name]):
            del row[name]
    fields = _by_name(row)
    # papercopilot's and OpenReview's tracks are those of reviewing, which most papers share.
    if fields["session"] == row.get("track") and "session" not in row:
        fields["session"] = ""
    return fields


def _text(value: Any) -> str:
    """Return a value as text: a version 2 note's ``{"value": ...}``, a list of names, objects with a name."""
    if isinstance(value, Mapping):
        value = next((value[name] for name in ("value", "fullname", "name", "title") if name in value), "")
        if isinstance(value, Mapping):
            return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        names = [_text(part) for part in value[: limits.AUTHORS + 2] if not isinstance(part, list)]
        return ";".join(name.replace(";", ",") for name in names if name) + (";" if len(names) == 1 else "")
    return ""


# ICS


# Name, parameters and value of a property.
_PROPERTY = re.compile(
    r'([A-Za-z0-9-]{1,60})((?:;[A-Za-z0-9-]{1,60}=(?:"[^"\n]{0,500}"|[^";:\n]{0,500}))*):(.*)', re.DOTALL
)
_TIME_ZONE = re.compile(r';TZID=(?:"([^"]*)"|([^";:]*))', re.IGNORECASE)
_ICS_TIME = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z?))?")
_DURATION = re.compile(r"\+?P(?:(\d{1,3})W)?(?:(\d{1,3})D)?(?:T(?:(\d{1,3})H)?(?:(\d{1,4})M)?(?:(\d{1,6})S)?)?")
_ESCAPE = re.compile(r"\\(.)")


def _events(text: str, reading: _Reading) -> Iterator[Contribution]:
    """Yield the events of a calendar, lines unfolded as RFC 5545, section 3.1, says."""
    calendar_zone = ""
    event: dict[str, re.Match[str]] | None = None
    inner: list[str] = []  # components within the event, such as alarms
    # Unfolding moves the lines, so that events are named by their number.
    number = 0
    for line in re.sub(r"\n[ \t]", "", text).split("\n"):
        match = _PROPERTY.fullmatch(line.strip("\n"))
        if match is None:
            continue
        name, value = match[1].upper(), match[3]
        if name == "BEGIN" and value.strip().upper() == "VEVENT":
            if event is not None:
                reading.note(f"event {number:,}: has no END:VEVENT")
            event, inner = {}, []
            number += 1
        elif name == "BEGIN" and event is not None:
            inner.append(value.strip().upper())
        elif name == "END" and inner and value.strip().upper() == inner[-1]:
            inner.pop()
        elif name == "END" and value.strip().upper() == "VEVENT" and event is not None:
            if contribution := _event(f"event {number:,}", event, calendar_zone, reading):
                yield contribution
            event = None
        elif event is not None and not inner:
            event.setdefault(name, match)
        elif event is None and name == "X-WR-TIMEZONE":
            calendar_zone = value.strip()
    if event is not None:
        reading.note(f"event {number:,}: has no END:VEVENT; was the file cut off?")


def _event(
    place: str, event: Mapping[str, re.Match[str]], calendar_zone: str, reading: _Reading
) -> Contribution | None:
    def text(name: str) -> str:
        value = event[name][3] if name in event else ""
        return _ESCAPE.sub(lambda escape: "\n" if escape[1] in "nN" else escape[1], value)

    if text("STATUS").strip().upper() == "CANCELLED":
        reading.withdrawn += 1
        return None
    description = text("DESCRIPTION")
    fields = dict.fromkeys(_NAMES, "") | {
        "title": text("SUMMARY"),
        "abstract": re.sub(r"\A\s*abstract\s*[:.]\s*", "", description, flags=re.IGNORECASE),
        "room": text("LOCATION"),
        "kind": text("CATEGORIES").partition(",")[0],
        "url": event["URL"][3] if "URL" in event else "",
    }
    if not fields["url"] and (address := _ADDRESS.search(description)):
        fields["url"] = address[0].rstrip(".,;)")
    contribution = _contribution(place, fields, reading)
    if contribution is None or "DTSTART" not in event:
        return contribution
    try:
        day, start = _ics_time(event["DTSTART"], calendar_zone, reading)
        end = _ics_time(event["DTEND"], calendar_zone, reading)[1] if "DTEND" in event else None
        if start and end is None and "DURATION" in event:
            end = start + _duration(event["DURATION"][3])
    except (ValueError, OverflowError):
        reading.note(f"{place}: its time can't be read; {quoted('DTSTART:20250506T143000Z')} is one")
        return contribution
    is_period = start and end and (start.tzinfo is None) == (end.tzinfo is None) and end > start
    return replace(
        contribution, day=day, start=start, end=end if is_period else None, is_utc=bool(start and start.tzinfo is UTC)
    )


def _ics_time(stated: re.Match[str], calendar_zone: str, reading: _Reading) -> tuple[date, datetime | None]:
    """Return the day and the time of a property; raises ValueError. A date has no time."""
    match = _ICS_TIME.fullmatch(stated[3].strip())
    if match is None:
        raise ValueError(stated[3])
    day = date(*map(int, match.groups()[:3]))
    if not _is_usual(day):
        raise ValueError(stated[3])
    if match[4] is None:
        return day, None
    moment = datetime.combine(day, time(int(match[4]), int(match[5]), min(int(match[6]), 59)))
    names = _TIME_ZONE.search(stated[2])
    zone = _zone((names and (names[1] or names[2])) or calendar_zone, reading)
    if match[7]:
        moment = moment.replace(tzinfo=UTC)
        moment = moment.astimezone(zone) if zone else moment
    elif zone:
        moment = moment.replace(tzinfo=zone)
    return moment.date(), moment


def _zone(name: str, reading: _Reading) -> tzinfo | None:
    """Return the time zone of this name; an unknown one is noted once, and None."""
    # Some programs write a path of theirs before the name: "/freeassociation.sourceforge.net/Europe/Vienna".
    plain = "/".join(name.strip().split("/")[-2:]) if name.count("/") > 2 else name.strip()
    if not plain:
        return None
    try:
        return zone_named(plain)
    except ValueError:
        if plain not in reading.unknown_zones:
            reading.unknown_zones.add(plain)
            reading.note(
                f"the time zone “{plain[:60]}” is none of the IANA database, such as Europe/Vienna; its times "
                "are taken for those of the reader's time zone, or of --timezone"
            )
        return None


def _duration(text: str) -> timedelta:
    """Return a duration of RFC 5545; raises ValueError."""
    match = _DURATION.fullmatch(text.strip().upper())
    if match is None:
        raise ValueError(text)
    weeks, days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)


# BibTeX and RIS


def _of_library(raw: RawDigest) -> ParsedProgramme:
    parsed = library.parse(raw)
    entries = [item.entry for item in parsed.entries]
    if len(entries) > MAX_CONTRIBUTIONS:
        raise DigestError(_TOO_MANY)
    problems = list(parsed.problems)
    if untitled := parsed.skipped.get(library.NO_TITLE):
        problems.append(f"{untitled:,} entries have no title")
    return ParsedProgramme(parsed.format, tuple(map(Contribution, entries)), 0, tuple(problems))
