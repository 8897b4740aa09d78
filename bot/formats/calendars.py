"""Calendars (RFC 5545): the events of an iCalendar file as contributions.

    lines of a VEVENT --> properties --> times in their time zones --> contributions

The icalendar library reads only lines and time zones. Its events would keep the zones of one file for the next one,
and take ``TZID=America`` for a folder (icalendar 7.3.2, seen by running it).

A file's own VTIMEZONE counts before other zones of the same name. A time without a zone has that of X-WR-TIMEZONE, or
of the only VTIMEZONE.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import islice, takewhile

from dateutil.rrule import rrulestr
from icalendar import Timezone
from icalendar.parser import Contentline

from bot.formats.contributions import ADDRESS, NAMES, Reading, contribution, duration, in_zone, is_usual
from bot.formats.format import quoted
from bot.model.papers import Contribution

_FOLD = re.compile(r"\n[ \t]")
_BLOCKS = re.compile(r"^BEGIN:(VEVENT|VTIMEZONE)[ \t]{0,9}$", re.MULTILINE | re.IGNORECASE)
_END = re.compile(r"\nEND:(?:VEVENT|VTIMEZONE)\b", re.IGNORECASE)
_WANTED = re.compile(
    r"(?:SUMMARY|DESCRIPTION|LOCATION|URL|UID|STATUS|CATEGORIES|DTSTART|DTEND|DURATION|RRULE|RDATE|EXDATE"
    r"|RECURRENCE-ID|TZID|X-LIC-LOCATION|X-WR-TIMEZONE|PRODID)[;:]",
    re.IGNORECASE,
)
# The lines of offsets in a VTIMEZONE. Other rules than yearly ones could take billions of steps.
_ZONE_LINE = re.compile(
    r"(?:BEGIN|END):(?:STANDARD|DAYLIGHT)|TZOFFSET(?:FROM|TO):[+-]\d{4,6}|(?:DTSTART|RDATE)[^:]{0,80}:[\dTZ,]{1,2000}"
    r"|RRULE:FREQ=YEARLY(?:;(?:INTERVAL=1|BYDAY=[+-]?\d?[A-Z]{2}|BYMONTH=\d{1,2}|BYMONTHDAY=[\d,-]{1,40}|WKST=[A-Z]{2}"
    r"|UNTIL=\d{8}(?:T\d{6}Z?)?)){1,6};?"
)
_MOST_ZONES, _MOST_ZONE_LINES = 200, 2_000
# A rule that ends after few steps.
_RULE = re.compile(
    r"(?=.{0,200};(?:COUNT|UNTIL)=)(?!FREQ=[DM].{0,200}BYDAY)FREQ=(?:DAILY|WEEKLY|MONTHLY)(?:;(?:INTERVAL=[1-9]\d?"
    r"|COUNT=\d{1,9}|UNTIL=\d{8}(?:T\d{6}Z?)?|WKST=[A-Z]{2}|BYDAY=[A-Z]{2}(?:,[A-Z]{2}){0,6})){1,5};?"
)
_UNTIL = re.compile(r"(?<=UNTIL=)(\d{8})(T\d{6})?Z?")
_PERIOD_END = re.compile(r"/[^,]*")
_MOST_OCCURRENCES = 31
_YEAR = timedelta(days=366)
_SPEAKERS = re.compile(
    r"\A\s*(?:speakers?|authors?|presenters?)\s?(?:\(s\))?\s?:\s*([^\n]{2,2000})(?:\n|\Z)", re.IGNORECASE
)


class _Properties(dict[str, list[tuple[str, str]]]):
    """Pairs of a time zone's name and a value, by a property's name."""

    def __init__(self, lines: str) -> None:
        inner = 0  # of an alarm
        for line in lines.split("\n"):
            start = line[:6].upper()
            inner += start.startswith("BEGIN:") - start.startswith("END:")
            if not inner and _WANTED.match(line):
                with suppress(ValueError):  # no line of a calendar
                    name, parameters, value = Contentline(line).parts()  # type: ignore[no-untyped-call]  # its constructor has no types
                    self.setdefault(name.upper(), []).append((str(parameters.get("TZID", "")), value.strip()))

    def text(self, name: str) -> str:
        return self[name][0][1] if name in self else ""


@dataclass(slots=True)
class _Calendar:
    """The state of the file, beside its events."""

    reading: Reading
    product: str
    zones: dict[str, tzinfo] = field(default_factory=dict)  # its own, by name
    zone: tzinfo | None = None  # of times without one
    moved: set[tuple[str, date]] = field(default_factory=set)  # times of a series with events of their own

    def times(self, values: Iterable[tuple[str, str]]) -> list[date]:
        """Return the days or times of a property in their time zone. Raises ValueError."""
        moments: list[date] = []
        for name, value in values:
            zone = self.zones.get(name) or self.reading.zone(name) or self.zone
            for text in filter(None, value.split(",")[:_MOST_OCCURRENCES]):
                at = datetime.fromisoformat(text) if "T" in text else date.fromisoformat(text)
                if not is_usual(at):
                    raise ValueError(f"{at} is no time of an event")
                if isinstance(at, datetime):
                    at = in_zone(at.astimezone(UTC), zone) if at.tzinfo else at.replace(tzinfo=zone)
                moments.append(at)
        return moments


def events(text: str, reading: Reading) -> Iterator[Contribution]:
    beginning, *blocks = _BLOCKS.split(_FOLD.sub("", text))
    head = _Properties(beginning.partition("\n")[2])
    calendar = _Calendar(reading, head.text("PRODID"))
    parts = [(kind.upper(), _END.split(block, 1)) for kind, block in zip(blocks[::2], blocks[1::2], strict=True)]
    for lines, *_ in [lines for kind, lines in parts if kind == "VTIMEZONE"][:_MOST_ZONES]:
        definition = _Properties(lines)
        names = map(definition.text, ("TZID", "X-LIC-LOCATION"))
        if zone := _defined_zone(lines) or next(filter(None, map(reading.zone, names)), None):
            calendar.zones.setdefault(definition.text("TZID"), zone)
    read = [_Properties(lines[0]) if lines[1:] else None for kind, lines in parts if kind == "VEVENT"]
    stated, defined = head.text("X-WR-TIMEZONE"), set(calendar.zones.values())
    calendar.zone = calendar.zones.get(stated) or reading.zone(stated) or (defined.pop() if len(defined) == 1 else None)
    for event in filter(None, read):
        with suppress(ValueError):
            times = calendar.times(event.get("RECURRENCE-ID", []))
            calendar.moved |= {(event.text("UID"), _instant(at)) for at in times}
    for number, whole in enumerate(read, 1):
        if whole:
            yield from _contributions(f"event {number:,}", whole, calendar)
        else:
            reading.note(f"event {number:,}: is empty or has no END:VEVENT; was the file cut off?")


def _defined_zone(lines: str) -> tzinfo | None:
    """Return the zone of a VTIMEZONE. None for half of a definition, and for rules that may never end."""
    kept = "\n".join(line for line in lines.split("\n")[:_MOST_ZONE_LINES] if _ZONE_LINE.fullmatch(line))
    if kept.count("RRULE") < lines.count("RRULE"):
        return None
    # One name for all, since the library keeps zones by name. Each year since Outlook's 1601 would take a step.
    kept = kept.replace("DTSTART:1601", "DTSTART:2001")
    with suppress(ValueError, TypeError, LookupError, AttributeError, ArithmeticError):
        definition = Timezone.from_ical(f"BEGIN:VTIMEZONE\nTZID:own\n{kept}\nEND:VTIMEZONE\n")
        zone = definition.to_tz(lookup_tzid=False) if isinstance(definition, Timezone) else None
        datetime(2026, 1, 1, tzinfo=zone).utcoffset()
        return zone
    return None


def _contributions(place: str, event: _Properties, calendar: _Calendar) -> Iterator[Contribution]:
    """Yield an event at each of its times but the left out and moved ones."""
    title, names, description = event.text("SUMMARY"), "", event.text("DESCRIPTION")
    if "pretalx" in calendar.product and " - " in title:
        title, _, names = title.rpartition(" - ")
    if speakers := _SPEAKERS.match(description):
        names, description = speakers[1], description[speakers.end() :]
    address = ADDRESS.search(description)
    fields = dict.fromkeys(NAMES, "") | {
        "title": title,
        "abstract": description.rstrip().removesuffix(event.text("URL")),
        "authors": names,
        "room": event.text("LOCATION"),
        "kind": event.text("CATEGORIES").partition(",")[0],
        "state": event.text("STATUS"),
        "url": event.text("URL") or (address[0].rstrip(".,;)") if address else ""),
    }
    talk = contribution(place, fields, calendar.reading)
    if talk is None or "DTSTART" not in event:
        yield from [talk] if talk else []
        return
    try:
        begin, *_ = calendar.times(event["DTSTART"])
        end = next(iter(calendar.times(event.get("DTEND", []))), None)
        left_out = set(map(_instant, calendar.times(event.get("EXDATE", []))))
        starts = _starts(place, begin, event, calendar)
    except ValueError:
        calendar.reading.note(f"{place}: its time can't be read; {quoted('DTSTART:20250506T143000Z')} is one")
        yield talk
        return
    length = duration(event.text("DURATION"))
    if isinstance(end, datetime) and isinstance(begin, datetime) and bool(end.tzinfo) == bool(begin.tzinfo):
        length = end - begin
    for start in starts:
        is_moved = "RECURRENCE-ID" not in event and (event.text("UID"), _instant(start)) in calendar.moved
        if is_moved or {_instant(start), date(start.year, start.month, start.day)} & left_out:
            continue
        if isinstance(start, datetime):
            stop = start + length if length and timedelta(0) < length < _YEAR else None
            yield replace(talk, day=start.date(), start=start, end=stop, is_utc=start.tzinfo is UTC)
        else:
            yield replace(talk, day=start)


def _starts(place: str, begin: date, event: _Properties, calendar: _Calendar) -> list[date]:
    """Return the times of a series, with those that are left out or moved. Raises ValueError."""
    starts = [begin]
    if "RECURRENCE-ID" in event:
        return starts
    if rule := event.text("RRULE").upper():
        first = begin if isinstance(begin, datetime) else datetime.combine(begin, time())
        # dateutil wants UTC exactly if the first time has a zone. A day ends with its last second.
        zone = "Z" if first.tzinfo else ""
        ended = _UNTIL.sub(lambda match: f"{match[1]}{match[2] or 'T235959'}{zone}", rule.rstrip(";"))
        series = rrulestr(ended, dtstart=first) if _RULE.fullmatch(rule) else ()
        of_year = list(islice(takewhile(lambda at: at <= first + _YEAR, series), _MOST_OCCURRENCES + 1))
        if 0 < len(of_year) <= _MOST_OCCURRENCES:
            starts = [at if isinstance(begin, datetime) else at.date() for at in of_year]
        else:
            calendar.reading.note(
                f"{place}: repeats without an end, too often or unusually; only its first time is read"
            )
    # Times beside the rule, some as periods (RFC 5545, 3.8.5.2). node-ical 0.26.1 leaves them out.
    beside = [(zone, _PERIOD_END.sub("", value)) for zone, value in event.get("RDATE", [])]
    return list(dict.fromkeys([*starts, *calendar.times(beside)]))[:_MOST_OCCURRENCES]


def _instant(moment: date) -> date:
    return moment.astimezone(UTC) if isinstance(moment, datetime) and moment.tzinfo else moment
