"""A contribution of a conference from texts by name: its title, authors, day, time, time zone and place.

    {"title": ..., "start": "14:30", "day": "2 Dec 2026", "zone": "Europe/Zurich", ...} --contribution--> Contribution

Every format of programmes brings its fields into this form, under whatever names a file has for them. A time keeps the
time zone that is stated for it: by itself, by its column, or by the file. One in UTC is shown in the file's time zone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import lru_cache
from itertools import islice

from bot.formats.format import author_names, date_in, prose, tidy, within_limits, without_affiliations
from bot.model import Entry, limits
from bot.model.clock import zone_named
from bot.model.errors import DigestError
from bot.model.papers import Contribution, ParsedProgramme, arxiv_id_in, doi_in

MAX_CONTRIBUTIONS = 30_000  # the largest conferences have some 15,000
TOO_MANY = f"more than the {MAX_CONTRIBUTIONS:,} contributions that a programme may have; split it"
_LONGEST_PLACE = 200  # of a room, a session or a kind

# The usual names of columns and keys, in small letters only; the first that has a value counts.
NAMES: Mapping[str, tuple[str, ...]] = {
    "title": ("title", "name", "summary", "abstracttitle", "postertitle", "titel"),
    "abstract": ("abstract", "abstracttext", "description", "summary", "content", "abstracts", "abstractplain"),
    "authors": (
        *("authors", "author", "authornames", "authorlist", "authorsnames", "persons", "speakers", "speaker"),
        *("speakernames", "presenters", "presenter", "chairs", "authorsforpaperpresentation", "presentingauthor"),
        *("autoren", "vortragende"),
    ),
    "day": ("day", "date", "startdate", "datum"),
    "start": (
        *("start", "starttime", "startsat", "startdatetime", "begin", "begins", "from", "time", "timeslot", "slot"),
        *("timestart", "scheduledat", "startdateandtime", "begintime", "beginn"),
    ),
    "end": ("end", "endtime", "endsat", "enddatetime", "until", "ends", "to", "timeend", "enddate", "ende"),
    "duration": ("duration", "length", "durationminutes", "durationmin"),
    "zone": ("timezone", "tz", "timezonename", "tzid"),
    "room": (
        *("room", "roomname", "roomfullname", "location", "hall", "place", "roomlocation", "roomid", "venuename"),
        *("locationname", "raum"),
    ),
    "session": ("session", "sessionname", "sessiontitle", "sessionshort", "track", "tracks", "trackname", "trackid"),
    "kind": (
        *("kind", "type", "presentation", "format", "sessionformat", "entrytype", "status", "decision"),
        *("acceptancestatus", "venue"),
    ),
    "state": ("state", "status", "decision", "acceptancestatus"),
    "url": ("url", "link", "site", "virtualsiteurl", "openreview", "forum", "pdf", "pdfurl"),
    "arxiv": ("arxiv", "arxivid", "arxivurl", "eprint"),
    "doi": ("doi",),
}
# "Presentation start" is a start, and "Program room" a room; a session's only if there is no other.
_PREFIX = re.compile(
    r"(?:presentation|talk|paper|event|program(?:me)?|scheduled|contribution|submission|proposal|slot|local|session)(?=[a-z]{2})"
)
_NO_LETTER = re.compile(r"[^a-z]+")
_PARENTHESIS = re.compile(r"[(\[][^()\[\]]{0,80}[)\]]")
_LEFT_OUT = re.compile(r"\b(?:reject(?:ed)?|withdr[ae]wn?|withdrawal|retracted|cancell?ed)\b", re.IGNORECASE)
_UNDECIDED = re.compile(r"submitted to\b", re.IGNORECASE)
_NO_KIND = re.compile(r"(?:accept(?:ed)?|active|confirmed|main|contribution|scheduled)", re.IGNORECASE)
_KIND_BEFORE_TITLE = re.compile(
    r"(oral|poster|spotlight|talk|keynote|invited talk|tutorial|paper)(?: presentation| session)?"
    r"\s*[:\-\u2013\u2014]\s+(?=\S)",
    re.IGNORECASE,
)
ADDRESS = re.compile(r"https?://[^\s<>\"]{4,2000}")
_HTML = re.compile(
    r"</?(?:a|b|blockquote|br|div|em|h[1-6]|hr|i|li|ol|p|span|strong|table|tbody|td|tr|u|ul)(?:\s[^<>]{0,2000})?/?>",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Reading:
    """What is noted while a file is read."""

    problems: list[str] = field(default_factory=list)
    withdrawn: int = 0
    undecided: list[Contribution] = field(default_factory=list)
    unknown_zones: set[str] = field(default_factory=set)

    def note(self, problem: str) -> None:
        """Keep a sentence on what could not be read, up to a limit."""
        if len(self.problems) < limits.REJECTED:
            self.problems.append(tidy(problem)[:500])

    def zone(self, name: str) -> tzinfo | None:
        """Return the time zone of this name; an unknown one is noted once, and None."""
        zone = named_zone(name)
        if zone is None and name.strip() and name not in self.unknown_zones:
            self.unknown_zones.add(name)
            self.note(
                f"the time zone “{name[:60]}” is none of the IANA database, such as Europe/Vienna; its times "
                "are taken for those of the reader's time zone, or of --timezone"
            )
        return zone

    def programme(self, form: str, contributions: Iterator[Contribution]) -> ParsedProgramme:
        """Return everything that was read; raises DigestError without a contribution and without a problem."""
        found = list(islice(contributions, MAX_CONTRIBUTIONS + 1))
        if len(found) > MAX_CONTRIBUTIONS:
            raise DigestError(TOO_MANY)
        if found:
            # OpenReview calls a rejected paper "Submitted to ...", but before the decisions every paper.
            self.withdrawn += len(self.undecided)
        else:
            found = self.undecided
        if not found and not self.problems and not self.withdrawn:
            raise DigestError("a programme without a single title")
        return ParsedProgramme(form, tuple(found), self.withdrawn, tuple(self.problems))


# Fields by name


@lru_cache(maxsize=4_096)
def simple(name: str) -> str:
    """Return a column's name in small letters only, without what stands in parentheses.

    >>> simple("Start time (UTC)"), simple("*Room/Location")
    ('starttime', 'roomlocation')
    """
    return _NO_LETTER.sub("", _PARENTHESIS.sub("", name).lower()) or _NO_LETTER.sub("", name.lower())


def column(header: str) -> tuple[str, str]:
    """Return the simple name of a column, and the time zone that it states.

    >>> column("Start time (UTC)"), column("start_utc"), column("Location (Public)")
    (('starttime', 'UTC'), ('start', 'UTC'), ('location', ''))
    """
    header = re.sub(r"(?<![a-z])(?:utc|gmt)(?![a-z])", lambda match: match[0].upper(), header[:200])
    zone = zone_in(header)
    return simple(header.replace(zone, "") if zone else header), zone


def by_name(row: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of a row by the keys of ``NAMES``, empty ones too; ``row`` has texts by simple names."""
    known: dict[str, str] = {}
    for name, value in sorted(row.items(), key=lambda item: item[0].startswith("session")):
        if value:
            known.setdefault(_PREFIX.sub("", name, count=1) if _PREFIX.match(name) else name, value)
    known |= {name: value for name, value in row.items() if value}
    fields = {key: next(filter(None, map(known.get, names)), "") for key, names in NAMES.items()}
    # One column may be the title of one list, and the abstract or the session of another.
    for key in ("abstract", "session"):
        if fields[key] == fields["title"]:
            fields[key] = ""
    # pretalx and frab have a teaser and the text.
    more = row.get("description", "")
    if row.get("abstract") and more.strip() and not more.startswith(row["abstract"]):
        fields["abstract"] = f"{row['abstract']}\n{more}" if more not in row["abstract"] else row["abstract"]
    # OpenReview's venue is the conference, Sched's is the room.
    if fields["start"] and not fields["room"] and row.get("venue"):
        fields["room"] = row["venue"]
        fields["kind"] = "" if fields["kind"] == row["venue"] else fields["kind"]
    return fields


def contribution(place: str, fields: Mapping[str, str], reading: Reading) -> Contribution | None:
    """Return the contribution of one row; None where it is noted as unreadable or left out.

    ``place`` names the row; ``fields`` has texts by the keys of ``NAMES``.
    """
    kind = tidy(fields["kind"][:_LONGEST_PLACE])
    title = prose(fields["title"], limits.TITLE)
    if before := _KIND_BEFORE_TITLE.match(title):
        kind = kind if kind and not _NO_KIND.fullmatch(kind) else before[1]
        title = title[before.end() :]
    if not title:
        reading.note(f"{place}: has no title; write one into the column or key “title”")
        return None
    if _LEFT_OUT.search(kind) or _LEFT_OUT.search(fields["state"][:_LONGEST_PLACE]):
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
            abstract=prose(_HTML.sub(" ", fields["abstract"][: 2 * limits.ABSTRACT]), limits.ABSTRACT),
            authors=authors(fields["authors"]),
            arxiv_id=arxiv_id,
            doi=doi,
            url=url if ADDRESS.fullmatch(url) else None,
        )
    )
    if isinstance(entry, str):
        reading.note(f"{place}: {entry}")
        return None
    day, start, end = _times(place, fields, reading)
    result = Contribution(
        entry,
        day,
        start,
        end,
        is_utc=bool(start and start.tzinfo is UTC),
        room=tidy(fields["room"][:_LONGEST_PLACE]).rstrip(";"),
        session=tidy(fields["session"][:_LONGEST_PLACE]).rstrip(";"),
        kind="" if _NO_KIND.fullmatch(kind) else kind,
    )
    if _UNDECIDED.match(kind):
        reading.undecided.append(replace(result, kind=""))
        return None
    return result


# Authors


_BETWEEN_AUTHORS = re.compile(r"[\s,]{0,9}(?:[;|\n]|\s[/&]\s)[\s;|]{0,9}")
_MARK = re.compile(r"[\d*\u2020\u2021\u00a7\u00b9\u00b2\u00b3\u2070-\u2079]{1,9}(?:,[\d*\u2020\u2021]{1,3}){0,9}$")
# Affiliations in brackets, degrees, and titles.
_NO_NAME = re.compile(
    r"\s{0,9}\[[^\[\]]{0,80}\]|,\s?(?:Ph\.?\s?D|M\.?D|M\.?Sc|Dr)\b\.?(?=\s?(?:[,;|\n]|$))"
    r"|(?<![\w.])(?:Prof\.?|Professor|Dr\.?|Mr\.|Mrs\.|Ms\.)\s(?=\S)"
)
_AND = re.compile(r"\s(?:and|und)\s")
_INVERTED = re.compile(r"(?:[^\s,]{2,40}|[a-z][^,]{1,40}|[^,]{2,60}(?=,\s?(?:[A-Z]\.?[\s-]?){1,3}$)),\s?[^,]{1,60}")


def authors(text: str) -> tuple[str, ...]:
    """Return the names in a list: between semicolons, bars, line ends or commas; without numbers and affiliations.

    >>> authors("Ada Lovelace (1), Grace Hopper (1, 2)"), authors("Lovelace, Ada; Hopper, Grace")
    (('Ada Lovelace', 'Grace Hopper'), ('Ada Lovelace', 'Grace Hopper'))
    """
    text = _NO_NAME.sub("", without_affiliations(text[: limits.BYLINE])).strip()
    parts = _BETWEEN_AUTHORS.split(text, limits.AUTHORS + 1)
    if len(parts) == 1:
        parts = _AND.split(text, limits.AUTHORS + 1)
        # "Lovelace, Ada and Hopper, Grace" are two, "Lovelace, Ada" is one.
        if not all(map(_INVERTED.fullmatch, parts)):
            parts = list(author_names(tidy(text)))
    names = [name for part in parts if (name := _MARK.sub("", tidy(part)).strip(" ,"))]
    # "Lovelace, Ada" is a name, "Ada Lovelace, Analytical Engines" is one with a place.
    is_inverted = any(map(_INVERTED.fullmatch, names))
    return tuple(_in_order(name) if is_inverted else name.partition(",")[0].strip() for name in names)


def _in_order(name: str) -> str:
    """Return "Lovelace, Ada" as "Ada Lovelace", and Indico's "LOVELACE, Ada" in small letters, too."""
    family, comma, given = name.partition(",")
    if not comma or "," in given:
        return name
    if family.isupper() and not given.isupper() and len(family) > 3:
        family = family.title()
    return f"{given.strip()} {family.strip()}"


# Time zones


# What people write instead of a zone's name. Those of a standard time stand for the place, as they are written in
# summer, too.
_ZONES: Mapping[str, str | float] = {
    "UTC": 0,
    "GMT": 0,
    "Z": 0,
    "AOE": -12,
    "CEST": 2,
    "EEST": 3,
    "WEST": 1,
    "BST": 1,
    "MSK": 3,
    "CET": "Europe/Brussels",
    "MEZ": "Europe/Brussels",
    "MESZ": 2,
    "EET": "Europe/Athens",
    "WET": "Europe/Lisbon",
    "ET": "America/New_York",
    "EST": "America/New_York",
    "EDT": -4,
    "CT": "America/Chicago",
    "CST": "America/Chicago",
    "CDT": -5,
    "MT": "America/Denver",
    "MST": "America/Denver",
    "MDT": -6,
    "PT": "America/Los_Angeles",
    "PST": "America/Los_Angeles",
    "PDT": -7,
    "HST": -10,
    "BRT": -3,
    "JST": 9,
    "KST": 9,
    "SGT": 8,
    "HKT": 8,
    "IST": 5.5,
    "AEST": 10,
    "AEDT": 11,
    "NZST": 12,
    "NZDT": 13,
}
_OFFSET = re.compile(r"(?:UTC|GMT)?\s?([+\-\u2212])(\d{1,2})(?::?(\d{2}))?", re.IGNORECASE)
_IANA = re.compile(r"[A-Za-z][A-Za-z_]{1,30}(?:/[A-Za-z][\w+-]{1,30}){0,2}", re.ASCII)
_ZONE_IN_TEXT = re.compile(
    r"[(\[]?(?<![A-Za-z])(?:(?:UTC|GMT)\s?[+\-\u2212]\s?\d{1,2}(?::?\d{2})?(?!\d)"
    r"|(?:Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific|Etc)/[A-Za-z_+-]{2,30}"
    r"(?:/[A-Za-z_]{2,30})?"
    rf"|(?:{'|'.join(sorted(_ZONES, key=len, reverse=True)[:-1])}))(?![A-Za-z])[)\]]?",
    re.ASCII,
)


@lru_cache(maxsize=256)
def named_zone(name: str) -> tzinfo | None:
    """Return a time zone by a name of the IANA database, of Windows, of everyday use, or its offset; else None.

    >>> [str(named_zone(name)) for name in ("W. Europe Standard Time", "GMT+5:30", "Middle Earth")]
    ['Europe/Berlin', 'UTC+05:30', 'None']
    """
    name = name.strip().strip("/()[]\"'")
    usual = _ZONES.get(name.upper())
    if isinstance(usual, (int, float)):
        return timezone(timedelta(hours=usual)) if usual else UTC
    if offset := _OFFSET.fullmatch(name):
        minutes = int(offset[2]) * 60 + int(offset[3] or 0)
        return timezone(timedelta(minutes=minutes if offset[1] == "+" else -minutes)) if 0 < minutes < 1440 else UTC
    # Takes a while to import, and only calendars have such names.
    from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

    name = usual or WINDOWS_TO_OLSON.get(name, name)
    # Some programs write a path of theirs before the name: "/freeassociation.sourceforge.net/Europe/Vienna".
    parts = name.split("/")
    for candidate in dict.fromkeys((name, "/".join(parts[-3:]), "/".join(parts[-2:]))):
        if _IANA.fullmatch(candidate):
            try:
                return UTC if candidate.upper() in ("ETC/UTC", "ETC/GMT") else zone_named(candidate)
            except ValueError:
                continue
    return None


def zone_in(text: str) -> str:
    """Return the name of the time zone that a column's name or a time states; empty without one.

    >>> zone_in("Start time (UTC)"), zone_in("9:00 Europe/Zurich"), zone_in("Location (Public)")
    ('UTC', 'Europe/Zurich', '')
    """
    match = _ZONE_IN_TEXT.search(text[:200])
    return match[0].strip("()[]") if match else ""


# Days and times


# In "2026-12-02 09:00-10:30" the hyphen stands for "until".
_MOMENT = re.compile(
    r"(\d{4}-\d{2}-\d{2}|\d{8}(?=T))(?:T| \s?)(\d{1,2}):?(\d{2})"
    r"(?:(?:(?<=T\d\d:\d\d)|(?<=T\d{4})|:?\d{2}(?:\.\d{1,9})?)\s?([+-]\d{2}(?::?\d{2})?)|:?\d{2}(?:\.\d{1,9})?)?"
    r"(?:\s?(Z))?(?![\d:])",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(?<![\d:.])(\d{1,2})(?:[:h](\d{2})(?::\d{2}(?:\.\d{1,9})?)?|h\b|(?=\s?[ap]\.?m\b))\s{0,2}(?:([ap])\.?m\b\.?)?(?![\d:])",
    re.IGNORECASE,
)
_DOTTED_CLOCK = re.compile(r"(?<![\d.])(\d{1,2})\.(\d{2})(?![\d.])")
_MILITARY = re.compile(r"([01]\d|2[0-3])([0-5]\d)")
# Of three numbers, these orders are certain: "2026/12/02", "02.12.2026", and "25/12/2026" by its size.
_NUMBERS = re.compile(r"(?<!\d)(\d{1,4})([/.-])(\d{1,2})\2(\d{1,4})(?!\d)")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b", re.IGNORECASE)
_ISO_DURATION = re.compile(r"P(?:(\d{1,3})D)?T?(?:(\d{1,3})H)?(?:(\d{1,4})M)?(?:\d{1,6}S)?", re.IGNORECASE)
_DURATION = re.compile(r"(\d{1,2}):([0-5]\d)(?::\d{2})?|(\d{1,4})\s?(?:m|min|mins|minutes)?\.?", re.IGNORECASE)
_WRITE = "write 2025-05-06 and 14:30"


@dataclass(frozen=True, slots=True)
class _Moment:
    """What a text says of a day, of one or two times of it, and of their time zone."""

    day: date | None
    clocks: Sequence[time]
    zone: tzinfo | None


def day_in(text: str) -> date | None:
    """Return the day that a text names for certain, also ``02.12.2026``, ``25/12/2026`` and ``2026/12/2``."""
    text = _ORDINAL.sub("", text)
    if day := date_in(text):
        return day
    match = _NUMBERS.search(text)
    if match is None:
        return None
    first, sign, second, third = int(match[1]), match[2], int(match[3]), int(match[4])
    if len(match[1]) == 4:
        order = (first, second, third)
    elif len(match[4]) == 4 and (sign == "." or first > 12):
        order = (third, second, first)
    elif len(match[4]) == 4 and second > 12:
        order = (third, first, second)
    else:
        return None
    try:
        day = date(*order)
    except ValueError:
        return None
    return day if is_usual(day) else None


def is_usual(day: date) -> bool:
    # Arithmetic on the first and last years overflows.
    return 1900 <= day.year <= 2900


def _moment(text: str) -> _Moment:
    """Return the parts of a text: ``2026-12-02T14:30:00+01:00``, ``2 Dec 2026, 2:30 PM CET`` or ``9:00-10:30``."""
    name = zone_in(text)
    zone = named_zone(name) if name else None
    rest = text.replace(name, " ") if name else text
    if iso := _MOMENT.search(rest):
        if iso[4] or iso[5]:
            zone = named_zone(iso[4]) if iso[4] else UTC
        day = date_in(iso[1])
        clocks = _clocks(f"{iso[2]}:{iso[3]} {rest[iso.end() :]}")
        return _Moment(day if day and is_usual(day) else None, clocks, zone)
    day = day_in(rest)
    if day is None:
        rest = _DOTTED_CLOCK.sub(r"\1:\2", rest)
        if military := _MILITARY.fullmatch(rest.strip()):
            rest = f"{military[1]}:{military[2]}"
    return _Moment(day, _clocks(rest), zone)


def _clocks(text: str) -> list[time]:
    """Return the first two times of day in a text: ``9:30``, ``14h30``, ``9 am``, ``2:30-3:00 PM``."""
    matches = list(islice(_CLOCK.finditer(text), 2))
    clocks = []
    for match in matches:
        hour = int(match[1])
        if half := (match[3] or "").lower():
            if not 1 <= hour <= 12:
                break
            hour = hour % 12 + (12 if half == "p" else 0)
        try:
            clocks.append(time(hour, int(match[2] or 0)))
        except ValueError:
            break
    # "2:30-3:00 PM" is all of the afternoon, "11:30-1:00 PM" begins before it.
    if len(clocks) == 2 and matches[1][3] and not matches[0][3] and clocks[0].hour < 12 <= clocks[1].hour:
        later = clocks[0].replace(hour=clocks[0].hour + 12)
        clocks[0] = later if later < clocks[1] else clocks[0]
    return clocks


def duration(text: str) -> timedelta | None:
    """Return a duration: ``00:30``, ``PT1H30M``, ``30``, ``30 min``; None for anything else, or for none."""
    text = text.strip()
    if iso := _ISO_DURATION.fullmatch(text):
        days, hours, minutes = (int(part or 0) for part in iso.groups())
        return timedelta(days=days, hours=hours, minutes=minutes) or None
    if match := _DURATION.fullmatch(text):
        return timedelta(hours=int(match[1] or 0), minutes=int(match[2] or match[3])) or None
    return None


def _times(
    place: str, fields: Mapping[str, str], reading: Reading
) -> tuple[date | None, datetime | None, datetime | None]:
    """Return day, start and end as a row states them; what can't be read is noted and None."""
    day_text, start_text, end_text = (tidy(fields[key][:100]) for key in ("day", "start", "end"))
    of_day, begins, ends = _moment(day_text), _moment(start_text), _moment(end_text)
    # The date may hold the time, too.
    if not start_text and of_day.clocks:
        begins = of_day
    day = begins.day or of_day.day
    if day is None or not begins.clocks:
        if day is None and (day_text or not begins.clocks) and (unclear := day_text or start_text):
            reading.note(f"{place}: “{unclear}” is not a day that can be read for certain; {_WRITE}")
        elif day is None and start_text:
            reading.note(f"{place}: “{start_text}” has no day; {_WRITE}")
        elif start_text and begins.day is None:
            reading.note(f"{place}: “{start_text}” is not a time; {_WRITE}")
        return day, None, None
    of_file = reading.zone(fields["zone"][:200])
    zone = begins.zone or of_day.zone or of_file
    start = in_zone(datetime.combine(day, begins.clocks[0], tzinfo=zone), of_file)
    length = duration(fields["duration"][:40])
    end = start + length if length else None
    if ends.clocks:
        end = in_zone(datetime.combine(ends.day or day, ends.clocks[0], tzinfo=ends.zone or zone), of_file)
    elif end_text and ends.day is None:
        reading.note(f"{place}: “{end_text}” is not a time; {_WRITE}")
    elif len(begins.clocks) > 1:
        end = in_zone(datetime.combine(day, begins.clocks[1], tzinfo=zone), of_file)
    if end and (start.tzinfo is None) != (end.tzinfo is None):
        end = None
    elif end and end <= start:
        reading.note(f"{place}: ends before it starts, so that its end is left out")
        end = None
    return start.date(), start, end


def in_zone(moment: datetime, zone: tzinfo | None) -> datetime:
    """Return a time with its offset; one in UTC as a time of this zone."""
    return moment.astimezone(zone) if zone and moment.tzinfo is UTC else moment
