"""Calendars (RFC 5545): the events of an iCalendar file as contributions, read by the icalendar library.

    text --VEVENT blocks--> icalendar.Event --> times in the zone that the file states --> contributions

Events are read one by one, so that a broken one costs itself. The library looks up no time zone here: it would keep
those of one file for the next one, and take ``TZID=America`` for a folder (icalendar 7.3.2).

A file's own VTIMEZONE counts before any zone of the same name. A time without a zone is one of X-WR-TIMEZONE, or of the
only VTIMEZONE that there is. A rule that ends gives each of its times within a year.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import islice
from typing import Any

from dateutil.rrule import rrulestr
from icalendar import Component, Event, Timezone
from icalendar.prop import vBroken, vCategory, vDDDTypes, vRecur

from bot.formats.contributions import ADDRESS, NAMES, Reading, contribution, in_zone, is_usual
from bot.formats.format import quoted
from bot.model.papers import Contribution

_FOLD = re.compile(r"\n[ \t]")
_TZID = re.compile(r";TZID=", re.IGNORECASE)
_UNKNOWN = ";X-TZID="  # the library looks up no zone by it
_HEAD = re.compile(r"^(X-WR-TIMEZONE|PRODID)[:;](?:[^:\n]{0,200}:)?(.{1,200})$", re.IGNORECASE | re.MULTILINE)
_ZONE_NAME = re.compile(r"(?:TZID|X-LIC-LOCATION)[:;](?:VALUE=TEXT:)?(.{1,200})", re.IGNORECASE)
# The lines of a VTIMEZONE that decide on offsets. Rules of a year: others could take billions of steps.
_ZONE_LINE = re.compile(
    r"(?:BEGIN|END):(?:STANDARD|DAYLIGHT)|TZOFFSET(?:FROM|TO)[^:]{0,40}:[+-]\d{4,6}"
    r"|(?:DTSTART|RDATE)[^:]{0,80}:[\dTZ,]{1,2000}"
    r"|RRULE:FREQ=YEARLY(?:;(?:INTERVAL=1|BYDAY=[+-]?\d?[A-Z]{2}|BYMONTH=\d{1,2}|BYMONTHDAY=[\d,-]{1,40}|WKST=[A-Z]{2}"
    r"|UNTIL=\d{8}(?:T\d{6}Z?)?)){1,6};?",
    re.IGNORECASE,
)
_MOST_ZONE_LINES = 2_000
_RULE_PARTS = {"FREQ", "INTERVAL", "BYDAY", "WKST", "COUNT", "UNTIL"}
_FREQUENCIES = {"DAILY", "WEEKLY", "MONTHLY"}
_MOST_OCCURRENCES = 31
_YEAR = timedelta(days=366)
_CANCELLED = re.compile(r"\s*cancell?ed:", re.IGNORECASE)
_ABSTRACT = re.compile(r"\A\s*abstract\s*[:.]\s*", re.IGNORECASE)
_SPEAKERS = re.compile(r"\A\s*(?:speakers?|authors?|presenters?)\s?(?:\(s\))?\s?:\s*([^\n]{2,2000})\n", re.IGNORECASE)


@dataclass(slots=True)
class _Calendar:
    """What is known of the file beside its events."""

    reading: Reading
    zones: dict[str, tzinfo] = field(default_factory=dict)  # its own, by name
    zone: tzinfo | None = None  # of times without one
    product: str = ""

    def times(self, stated: Any) -> list[date]:
        """Return the days or times of a property in their time zone; raises ValueError."""
        moments: list[date] = []
        for value in stated if isinstance(stated, list) else [stated]:
            name = value.params.get("X-TZID", "")
            zone = self.zones.get(name) or (self.reading.zone(name) if name else None) or self.zone
            # What the library can't read may still be ISO 8601, such as 2026-12-02T09:00.
            is_broken = isinstance(value, vBroken)
            stated_times = [datetime.fromisoformat(value.strip())] if is_broken else [part.dt for part in value.dts]
            for moment in stated_times[:_MOST_OCCURRENCES]:
                begin = moment[0] if isinstance(moment, tuple) else moment  # a period
                if not isinstance(begin, date) or not is_usual(begin):
                    raise ValueError(f"{begin} is no time of an event")
                if isinstance(begin, datetime):
                    begin = begin if begin.tzinfo is None else begin.astimezone(UTC)
                    begin = begin.replace(tzinfo=zone) if begin.tzinfo is None else in_zone(begin, zone)
                moments.append(begin)
        return moments


def events(text: str, reading: Reading) -> Iterator[Contribution]:
    """Yield the events of a calendar, each at each of its times."""
    text = _TZID.sub(_UNKNOWN, _FOLD.sub("", text))
    head = {name.upper(): value.strip() for name, value in _HEAD.findall(text)}
    calendar = _Calendar(reading, product=head.get("PRODID", ""))
    for block in re.split(r"^BEGIN:VTIMEZONE\s*$", text, flags=re.MULTILINE | re.IGNORECASE)[1:]:
        _keep_zone(re.split(r"^END:VTIMEZONE", block, maxsplit=1, flags=re.MULTILINE | re.IGNORECASE)[0], calendar)
    own = set(calendar.zones.values())
    stated = head.get("X-WR-TIMEZONE", "")
    calendar.zone = calendar.zones.get(stated) or reading.zone(stated) or (own.pop() if len(own) == 1 else None)
    read: list[tuple[str, Component]] = []
    broken: list[str] = []
    for number, block in enumerate(re.split(r"^BEGIN:VEVENT\s*$", text, flags=re.MULTILINE | re.IGNORECASE)[1:], 1):
        lines, *rest = re.split(r"^END:VEVENT", block, maxsplit=1, flags=re.MULTILINE | re.IGNORECASE)
        try:
            if not rest:
                raise ValueError(lines)
            read.append((f"event {number:,}", Event.from_ical(f"BEGIN:VEVENT{lines}END:VEVENT\n")))
        except ValueError:
            broken.append(f"event {number:,}: has no END:VEVENT, or parts without an end; was the file cut off?")
    # An event that was moved replaces a time of its series.
    moved = set()
    for _, event in read:
        if "RECURRENCE-ID" in event:
            try:
                moved |= {(_text(event, "UID"), _instant(at)) for at in calendar.times(event["RECURRENCE-ID"])}
            except (ValueError, ArithmeticError):
                continue
    for place, event in read:
        yield from _contributions(place, event, moved, calendar)
    for problem in broken:
        reading.note(problem)


def _keep_zone(block: str, calendar: _Calendar) -> None:
    """Keep the zone that a VTIMEZONE defines, or that it names; it may have any name."""
    lines = [line.strip() for line in block.split("\n")[:_MOST_ZONE_LINES]]
    names = [match[1].strip() for line in lines if (match := _ZONE_NAME.match(line))]
    wanted = "\n".join(line for line in lines if _ZONE_LINE.fullmatch(line))
    try:
        own = Timezone.from_ical(f"BEGIN:VTIMEZONE\nTZID:own\n{wanted}\nEND:VTIMEZONE\n")
        zone = own.to_tz(lookup_tzid=False) if isinstance(own, Timezone) else None
        datetime(2026, 1, 1, tzinfo=zone).utcoffset()
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError):  # half of a definition
        zone = next(filter(None, map(calendar.reading.zone, names)), None)
    if names and zone:
        calendar.zones.setdefault(names[0], zone)


def _text(event: Component, name: str) -> str:
    value = event.get(name, "")
    return str(value[0] if isinstance(value, list) else value)


def _contributions(
    place: str, event: Component, moved: Collection[tuple[str, date]], calendar: _Calendar
) -> Iterator[Contribution]:
    """Yield an event at each of its times, without those that are left out or that another event replaces."""
    title, names = _text(event, "SUMMARY"), ""
    if _text(event, "STATUS").strip().upper() == "CANCELLED" or _CANCELLED.match(title):
        calendar.reading.withdrawn += 1
        return
    if "pretalx" in calendar.product and " - " in title:
        title, _, names = title.rpartition(" - ")
    description = _text(event, "DESCRIPTION")
    if speakers := _SPEAKERS.match(description):
        names, description = speakers[1], description[speakers.end() :]
    categories = event.get("CATEGORIES")
    categories = categories[0] if isinstance(categories, list) else categories
    fields = dict.fromkeys(NAMES, "") | {
        "title": title,
        "abstract": _ABSTRACT.sub("", description).rstrip().removesuffix(_text(event, "URL")),
        "authors": names,
        "room": _text(event, "LOCATION"),
        "kind": str(categories.cats[0]) if isinstance(categories, vCategory) and categories.cats else "",
        "url": _text(event, "URL"),
    }
    if not fields["url"] and (address := ADDRESS.search(description)):
        fields["url"] = address[0].rstrip(".,;)")
    first = contribution(place, fields, calendar.reading)
    if first is None or "DTSTART" not in event:
        yield from [first] if first else []
        return
    try:
        begin = calendar.times(event["DTSTART"])[0]
        starts = _series(place, event, begin, calendar)
        end = calendar.times(event["DTEND"])[0] if "DTEND" in event else None
    except (ValueError, ArithmeticError):
        calendar.reading.note(f"{place}: its time can't be read; {quoted('DTSTART:20250506T143000Z')} is one")
        yield first
        return
    stated = event.get("DURATION")
    length = stated.dt if isinstance(stated, vDDDTypes) else None
    if isinstance(end, datetime) and isinstance(begin, datetime) and bool(end.tzinfo) == bool(begin.tzinfo):
        length = end - begin
    for start in starts:
        if "RECURRENCE-ID" not in event and (_text(event, "UID"), _instant(start)) in moved:
            continue
        if not isinstance(start, datetime):
            yield replace(first, day=start)
            continue
        stop = start + length if isinstance(length, timedelta) and timedelta(0) < length < _YEAR else None
        yield replace(
            first, day=start.date(), start=_fixed(start), end=stop and _fixed(stop), is_utc=start.tzinfo is UTC
        )


def _series(place: str, event: Component, first: date, calendar: _Calendar) -> list[date]:
    """Return the first time of an event, and those of its rule if that is simple and ends; raises ValueError."""
    starts = [first]
    rule = event.get("RRULE")
    if rule is not None and "RECURRENCE-ID" not in event:
        times = list(islice(_repeated(rule, first), _MOST_OCCURRENCES + 1)) if _is_simple(rule) else []
        if 0 < len(times) <= _MOST_OCCURRENCES:
            starts = times
        else:
            calendar.reading.note(
                f"{place}: repeats without an end, too often or unusually; only its first time is read"
            )
    if "RDATE" in event:
        starts += calendar.times(event["RDATE"])
    left_out = set(map(_instant, calendar.times(event["EXDATE"]))) if "EXDATE" in event else set()
    return [at for at in starts if not {_instant(at), at.date() if isinstance(at, datetime) else at} & left_out]


def _is_simple(rule: Any) -> bool:
    """Whether a rule has an end, and few enough steps to be followed."""
    if not isinstance(rule, vRecur):
        return False
    is_known = rule.keys() <= _RULE_PARTS and _FREQUENCIES.issuperset(rule.get("FREQ", ("",)))
    return is_known and bool(rule.keys() & {"COUNT", "UNTIL"}) and rule.get("INTERVAL") != [0]


def _repeated(rule: vRecur, first: date) -> Iterator[date]:
    """Yield the times of a simple rule within a year, at the same time of day whatever the clocks do."""
    naive = first.replace(tzinfo=None) if isinstance(first, datetime) else datetime.combine(first, time())
    last = naive + _YEAR
    until = next(iter(rule.get("UNTIL", ())), None)
    if isinstance(until, datetime):
        until = in_zone(until.astimezone(UTC), getattr(first, "tzinfo", None)) if until.tzinfo else until
        last = min(last, until.replace(tzinfo=None))
    elif until is not None:  # the last hour of that day, too
        last = min(last, datetime.combine(until, time.max))
    parts = {name: value for name, value in rule.items() if name not in ("UNTIL", "COUNT")}
    text = vRecur(parts).to_ical().decode()  # type: ignore[no-untyped-call]
    for at in islice(rrulestr(f"{text};UNTIL={last:%Y%m%dT%H%M%S}", dtstart=naive), *rule.get("COUNT", [None])):
        yield at.replace(tzinfo=first.tzinfo) if isinstance(first, datetime) else at.date()


def _instant(moment: date) -> date:
    """Return a time by which occurrences are compared, whatever zone it is written in."""
    return moment.astimezone(UTC) if isinstance(moment, datetime) and moment.tzinfo else moment


def _fixed(moment: datetime) -> datetime:
    """Return a time with its offset alone: a zone of the file would look it up again and again."""
    return moment if moment.tzinfo in (None, UTC) else datetime.fromisoformat(moment.isoformat())
