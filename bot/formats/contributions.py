"""A contribution of a conference from texts by name: its title, authors, day, time, time zone and place.

    {"title": ..., "start": "14:30", "day": "2 Dec 2026", "zone": "Europe/Zurich", ...} --contribution--> Contribution

A time has its own time zone, else its column's, else the file's. A time in UTC moves to the file's time zone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from bot.formats.format import date_in, numeric_days, prose, tidy, within_limits
from bot.formats.libraries.reference import simple as simple_name
from bot.formats.names import DEGREE, author_names, spoken_name, without_affiliations
from bot.formats.tables import pattern, table
from bot.model import Entry, limits
from bot.model.clock import timezone_names, zone_named
from bot.model.errors import DigestError
from bot.model.papers import Contribution, ParsedProgramme, arxiv_id_in, doi_in

MAX_CONTRIBUTIONS = 30_000  # the largest conferences have some 15,000
_LONGEST_PLACE = 200  # of a room, a session or a kind

NAMES: Mapping[str, Sequence[str]] = {key: names.split() for key, names in table("programmes")["fields"].items()}
GROUPS: Mapping[str, Sequence[str]] = {key: names.split() for key, names in table("programmes")["groups"].items()}
# "Presentation start" is a start. A submission's date is not a talk's.
_PREFIX = re.compile(
    r"(?:presentation|talk|event|program(?:me)?|scheduled|contribution|slot|local|session"
    r"|(?:paper|submission|proposal)(?!date|day|time|start|end))(?=[a-z]{2})"
)
_PARENTHESIS = re.compile(r"[(\[][^()\[\]]{0,80}[)\]]")
ADDRESS = re.compile(r"https?://[^\s<>\"]{4,2000}")


@dataclass(slots=True)
class Reading:
    """The problems and left out contributions of a file."""

    problems: list[str] = field(default_factory=list)
    withdrawn: int = 0
    undecided: list[Contribution] = field(default_factory=list)

    def note(self, problem: str) -> None:
        """Keep a sentence on an unreadable part, once, up to a limit."""
        problem = tidy(problem)[:500]
        if len(self.problems) < limits.REJECTED and problem not in self.problems:
            self.problems.append(problem)

    def zone(self, name: str) -> tzinfo | None:
        """Return the time zone of this name. Note an unknown one."""
        zone = named_zone(name)
        if zone is None and name.strip():
            self.note(
                f"the time zone “{name[:60]}” is not in the IANA database. Its times count in the reader's time zone, "
                "or in --timezone"
            )
        return zone

    def programme(self, form: str, contributions: Iterable[Contribution]) -> ParsedProgramme:
        """Return the programme. Raises DigestError for an empty one, and for too many contributions."""
        accepted = list(islice(contributions, MAX_CONTRIBUTIONS + 1))
        if len(accepted) > MAX_CONTRIBUTIONS:
            raise DigestError(f"more than the {MAX_CONTRIBUTIONS:,} contributions that a programme may have; split it")
        # OpenReview's "Submitted to ..." means rejected, but only after the decisions.
        self.withdrawn += len(self.undecided) if accepted else 0
        accepted = accepted or self.undecided
        if not accepted and not self.problems and not self.withdrawn:
            raise DigestError("a programme without a single title")
        return ParsedProgramme(form, tuple(accepted), self.withdrawn, tuple(self.problems))


@lru_cache(maxsize=4_096)
def simple(name: str) -> str:
    """Return a column's name in small letters only, without parentheses.

    >>> simple("Start time (UTC)"), simple("*Room/Location")
    ('starttime', 'roomlocation')
    """
    return simple_name(_PARENTHESIS.sub("", name))


def column(header: str) -> tuple[str, str]:
    """Return the simple name of a column and its time zone.

    >>> column("Start time (UTC)"), column("start_utc"), column("Location (Public)")
    (('starttime', 'UTC'), ('start', 'utc'), ('location', ''))
    """
    zone = zone_in(header)
    return simple(header.replace(zone, "") if zone else header), zone


def by_name(row: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of a row with simple names, by the keys of ``NAMES``."""
    values = {name: value for name, value in row.items() if value}
    # A session's room counts only if there is no other.
    for name in sorted(values, key=lambda name: name.startswith("session")):
        values.setdefault(_PREFIX.sub("", name, count=1) if _PREFIX.match(name) else name, values[name])
    # Indico and Confex list authors in two groups, and medical congresses have a column for each part of an abstract.
    groups = {key: [name for name in names if name in values] for key, names in GROUPS.items()}
    if len(groups["authors"]) > 1 or "primaryauthors" in groups["authors"]:
        values.setdefault("authors", ";".join(map(values.__getitem__, groups["authors"])))
    if len(groups["abstract"]) > 1:
        values.setdefault("abstract", "\n".join(map(values.__getitem__, groups["abstract"])))
    fields = {key: next((values[name] for name in names if name in values), "") for key, names in NAMES.items()}
    # Forms ask for the speaker's name.
    if fields["title"] == row.get("name") and row.get("title") == "":
        fields["title"] = ""
    if not fields["authors"] and (name := values.get("name", "")) != fields["title"]:
        fields["authors"] = name
    first = next((name for name in values if name.endswith("firstname")), "")
    if not fields["authors"] and (last := values.get(f"{first.removesuffix('firstname')}lastname")) and first:
        fields["authors"] = f"{values[first]} {last}"
    # ISMIR numbers the days.
    fields["day"] = next((values[name] for name in NAMES["day"] if day_in(values.get(name, "")[:100])), fields["day"])
    title = fields["title"]
    # A column may be the title of one list, and the abstract or the session of another.
    for key in ("abstract", "session"):
        fields[key] = next((values[name] for name in NAMES[key] if values.get(name, title) != title), "")
    # pretalx and frab have a teaser and the text.
    teaser, text = row.get("abstract", ""), row.get("description", "")
    if teaser and text:
        is_repeated = teaser in text or text in teaser
        fields["abstract"] = max(teaser, text, key=len) if is_repeated else f"{teaser}\n{text}"
    # OpenReview's venue is the conference, Sched's the room.
    if fields["start"] and not fields["room"] and (venue := row.get("venue", "")):
        fields |= {"room": venue, "kind": "" if fields["kind"] == venue else fields["kind"]}
    return fields


def contribution(place: str, fields: Mapping[str, str], reading: Reading) -> Contribution | None:
    """Return the contribution of a row with texts by the keys of ``NAMES``. None if it is left out."""
    room, session, kind, state = (tidy(fields[key][:_LONGEST_PLACE]) for key in ("room", "session", "kind", "state"))
    title = prose(fields["title"], limits.TITLE)
    if kind_before := pattern("before_title", "programmes").match(title):
        title = title[kind_before.end() :]
        kind = kind if kind and not pattern("no_kind", "programmes").fullmatch(kind) else kind_before[1]
    if not title:
        reading.note(f"{place}: has no title; write one into the column or key “title”")
        return None
    if pattern("break", "programmes").fullmatch(title):
        return None
    if pattern("left_out", "programmes").search(f"{kind} {state} {kind_before[1] if kind_before else ''}"):
        reading.withdrawn += 1
        return None
    people = authors(fields["authors"])
    if not people and (spoken := _SPOKEN_BY.search(title)):
        title, kind, people = title[: spoken.start()], kind or spoken[1], authors(spoken[2])
    # Sched's titles go on with the speakers: "Owls by Night - Ada Lovelace, Analytical Engines".
    if people and (at := title.rfind(f" {people[0]}")) > 2 and title[at - 2 : at] in (" -", " \u2013", " \u2014", " |"):
        title = title[: at - 2]
    entry = _entry(title, people, fields)
    if isinstance(entry, str):
        reading.note(f"{place}: {entry}")
        return None
    day, start, end = _times(place, fields, reading)
    kind, session = (
        "" if pattern("no_kind", "programmes").fullmatch(name) else name.rstrip(";") for name in (kind, session)
    )
    kind = match[1] if (match := _DECISION.fullmatch(kind)) else kind
    is_utc = bool(start and start.tzinfo is UTC)
    # A page of the site is no room.
    room = "" if room.startswith("/") or pattern("unknown", "programmes").fullmatch(room) else room
    result = Contribution(entry, day, start, end, is_utc=is_utc, room=room.rstrip(";"), session=session, kind=kind)
    if re.match("submitted to\\b", kind, re.IGNORECASE) or state.lower() == "submitted":
        reading.undecided.append(replace(result, kind=""))
        return None
    return result


def _entry(title: str, people: tuple[str, ...], fields: Mapping[str, str]) -> Entry | str:
    url = fields["url"].strip()
    text = pattern("block", "programmes").sub(" ", fields["abstract"][: 2 * limits.ABSTRACT])
    text = text[match.end() :] if (match := pattern("before_abstract", "programmes").match(text)) else text
    text = "" if _PATH.fullmatch(text.strip()) else text
    text = match[1] if (match := _QUOTED.fullmatch(text.strip())) else text
    # An abstract may name the ids of other papers.
    return within_limits(
        Entry(
            title=title,
            abstract=prose(text, limits.ABSTRACT),
            authors=people,
            arxiv_id=arxiv_id_in(fields["arxiv"][: limits.ID])
            or (arxiv_id_in(url[: limits.URL]) if "arxiv.org/" in url else None),
            doi=doi_in(fields["doi"][: limits.URL]) or (doi_in(url[: limits.URL]) if "doi.org/" in url else None),
            url=url if ADDRESS.fullmatch(url) else None,
        )
    )


_QUOTED = re.compile(r'"([^"]*)"')
_DECISION = re.compile(r"accept(?:ed)?\s\(([^()]{1,80})\)", re.IGNORECASE)  # Accept (poster)
_PATH = re.compile(r"(?:https?:/)?/\S{1,2000}")  # of the page with the abstract
_SPOKEN_BY = re.compile(r"\s\((talk|workshop|tutorial|keynote|presentation|poster|lecture) by ([^()]{3,500})\)\Z")
# "Prof. Dr. Ada Lovelace", "Univ.-Prof. Dr.-Ing. Ada Lovelace", "PD Dr Ada Lovelace"
_HONORIFIC = re.compile(
    r"(?:(?:(?:Ass(?:oc|t)\. |Univ\.-)?Prof(?:essor)?\b\.?|PD(?= Dr)|Dr\b\.?(?:-Ing\.)?|Mrs?\.|Ms\.) ?){1,4}(?=\S)"
)
_BETWEEN_AUTHORS = re.compile(r"[\s,]{0,9}(?:[;|\n]|\s[/&]\s)[\s;|]{0,9}")
_MARK = re.compile(r"[\d*\u2020\u2021\u00a7\u00b9\u00b2\u00b3\u2070-\u2079]{1,9}(?:,[\d*\u2020\u2021]{1,3}){0,9}$")
_BRACKETS = re.compile(r"\s{0,9}\[[^\[\]]{0,80}\]")
_DEGREES = re.compile(rf"(?:,\s?{DEGREE}(?![^\W\d_])){{1,9}}")
_INITIALS = re.compile(r"(?:,\s?[MB]\.?[AS]\.?){1,9}")  # perhaps: "van Owl, MA"
_INVERTED = re.compile(r"(?:[^\s,]{2,40}|[a-z][^,]{1,40}|[^,]{2,60}(?=,\s?(?:[A-Z]\.?[\s-]?){1,3}$)),\s?[^,]{1,60}")


def _without_degrees(match: re.Match[str]) -> str:
    """Return nothing for degrees behind a first and a last name, else the text."""
    name = re.split("[,;|\n]", match.string[max(0, match.start() - 100) : match.start()])[-1]
    return match[0] if " " not in name.strip() or _INITIALS.fullmatch(match[0]) else ""


def authors(text: str) -> tuple[str, ...]:
    """Return the names in a list, without titles, numbers and affiliations.

    >>> authors("Ada Lovelace (1), Grace Hopper (1, 2)"), authors("Lovelace, Ada; Hopper, Grace")
    (('Ada Lovelace', 'Grace Hopper'), ('Ada Lovelace', 'Grace Hopper'))
    >>> authors("Prof. Dr. Ada Lovelace, Dr Grace Hopper, TBA"), authors("Drew Owl, Profit Bee")
    (('Ada Lovelace', 'Grace Hopper'), ('Drew Owl', 'Profit Bee'))
    >>> authors("Ada Lovelace, MS, PhD1; Grace Hopper, MD2"), authors("Ada Lovelace, Ph.D."), authors("Owl, MD; Bee, A")
    (('Ada Lovelace', 'Grace Hopper'), ('Ada Lovelace',), ('MD Owl', 'A Bee'))
    """
    text = _BRACKETS.sub("", without_affiliations(text[: limits.BYLINE])).strip()
    text = _DEGREES.sub(_without_degrees, text)
    parts: Sequence[str] = _BETWEEN_AUTHORS.split(text, limits.AUTHORS + 1)
    # "Lovelace, Ada and Hopper, Grace" are two, "Lovelace, Ada" is one.
    if len(parts) == 1 and (" and " in text or not _INVERTED.fullmatch(text)):
        parts = author_names(tidy(text))
    names = [name for part in parts if (name := _MARK.sub("", _HONORIFIC.sub("", tidy(part), count=1)).strip(" ,"))]
    names = [name for name in names if not pattern("unknown", "programmes").fullmatch(name)]
    # "Lovelace, Ada" is a name, "Ada Lovelace, Analytical Engines" is one with a place.
    if not any(map(_INVERTED.fullmatch, names)):
        return tuple(name.partition(",")[0].strip() for name in names)
    pairs = (name.partition(",")[::2] for name in names)
    # Indico has "LOVELACE, Ada".
    return tuple(
        spoken_name(given.strip(), family.title() if given and family.isupper() and not given.isupper() else family)
        for family, given in pairs
    )


_ZONES: Mapping[str, str] = table("programmes")["zones"]
_OFFSET = re.compile(r"(?:UTC|GMT)?\s?([+\-\u2212])(\d{1,2}):?(\d{2})?", re.IGNORECASE)
_ZONE_IN_TEXT = re.compile(
    r"(?<![A-Za-z])(?:(?:UTC|GMT)\s?[+\-\u2212]\s?\d{1,2}(?::?\d{2})?(?!\d)"
    r"|(?:Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific|Etc)(?:/[A-Za-z_+-]{2,30}){1,2}"
    rf"|(?:{'|'.join(sorted((*_ZONES, 'utc'), key=len, reverse=True)[:-1])}))(?![A-Za-z])"
    r"|(?<=:\d\d:\d\d)\s?[+-]\d\d:?\d\d(?![\d:])",
    re.ASCII,
)


@lru_cache(maxsize=256)
def named_zone(name: str) -> tzinfo | None:
    """Return a time zone by its offset, or its name in the IANA database, in Windows or in everyday use.

    >>> [str(named_zone(name)) for name in ("W. Europe Standard Time", "GMT+5:30", "Middle Earth")]
    ['Europe/Berlin', 'UTC+05:30', 'None']
    """
    from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

    name = name.strip("/()[]\"' ")
    name = _ZONES.get(name.upper()) or WINDOWS_TO_OLSON.get(name, name)
    if offset := _OFFSET.fullmatch(name):
        minutes = int(offset[2]) * 60 + int(offset[3] or 0)
        return timezone(timedelta(minutes=minutes if offset[1] == "+" else -minutes)) if 0 < minutes < 1440 else UTC
    # Programs write paths before the name: "/freeassociation.sourceforge.net/Europe/Vienna".
    ends = ("/".join(name.rsplit("/", count)[-count:]) for count in (3, 2, 1))
    return next((zone_named(end) for end in ends if end in timezone_names()), None)


def zone_in(text: str) -> str:
    """Return the time zone's name in a column's name or a time.

    >>> zone_in("Start time (UTC)"), zone_in("9:00 Europe/Zurich"), zone_in("Location (Public)")
    ('UTC', 'Europe/Zurich', '')
    """
    match = _ZONE_IN_TEXT.search(text[:200])
    return match[0] if match else ""


# In "2026-12-02 09:00-10:30" the hyphen stands for "until".
_RANGE = re.compile(r" \d\d:\d\d ?-")
_CLOCK = re.compile(
    r"(?<![\d:.])(\d{1,2})(?:[:h](\d{2})(?::\d{2}(?:\.\d{1,9})?)?|h\b|(?=\s?[ap]\.?m\b))\s{0,2}(?:([ap])\.?m\b\.?)?(?![\d:])",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b", re.IGNORECASE)
_DURATION = re.compile(
    r"(?:P(?:(\d{1,3})D)?T?(?:(\d{1,3})H)?(?:(\d{1,4})M)?(?:\d{1,6}S)?|(\d{1,2}):([0-5]\d)(?::\d{2})?"
    r"|(\d{1,4})\s?(?:m|min|mins|minutes)?\.?)",
    re.IGNORECASE,
)
_DAY_NUMBER = re.compile(r"(?:day\s?)?\d{1,2}", re.IGNORECASE)
_BARE_TIME = re.compile(r"\A([01]\d|2[0-3])([0-5]\d)\Z")  # "0930"
_WRITE = "write 2025-05-06 and 14:30"


class _Moment(NamedTuple):
    day: date | None
    clocks: Sequence[time]
    zone: tzinfo | None


@lru_cache(maxsize=4_096)
def day_in(text: str) -> date | None:
    """Return a day that is certain: numbers with two possible orders are none.

    >>> str(day_in("2 December 2026")), str(day_in("12/25/2026")), day_in("12/02/2026")
    ('2026-12-02', '2026-12-25', None)
    """
    text = _ORDINAL.sub("", text)
    days = [day] if (day := date_in(text)) else numeric_days(text)
    return days[0] if len(days) == 1 and is_usual(days[0]) else None


def is_usual(day: date) -> bool:
    # Arithmetic on the first and last years overflows.
    return 1900 <= day.year <= 2900


@lru_cache(maxsize=4_096)
def _moment(text: str) -> _Moment:
    """Return the parts of ``2026-12-02T14:30:00+01:00``, ``2 Dec 2026, 2:30 PM CET`` or ``9:00-10:30``."""
    if ":" in text and not _RANGE.search(text):
        with suppress(ValueError):
            at = datetime.fromisoformat(text)
            return _Moment(at.date() if is_usual(at) else None, (at.time(),), at.tzinfo)
    name = zone_in(text)
    text = text.replace(name, " ") if name else text
    matches = list(islice(_CLOCK.finditer(text), 2))
    clocks: list[time] = []
    for match in matches:
        half = (match[3] or "").lower()
        hour = int(match[1]) % 12 + 12 * (half == "p") if half else int(match[1])
        if hour > 23 or int(match[2] or 0) > 59:
            break
        clocks.append(time(hour, int(match[2] or 0)))
    # "2:30-3:00 PM" is all in the afternoon, "11:30-1:00 PM" begins before it.
    if len(clocks) == 2 and matches[1][3] and not matches[0][3] and clocks[0].hour < 12 <= clocks[1].hour:
        later = clocks[0].replace(hour=clocks[0].hour + 12)
        clocks[0] = later if later < clocks[1] else clocks[0]
    return _Moment(day_in(text), clocks, named_zone(name) if name else None)


def duration(text: str) -> timedelta | None:
    """Return a duration such as ``00:30``, ``PT1H30M``, ``30`` or ``30 min``."""
    match = _DURATION.fullmatch(text.strip())
    parts = [int(part or 0) for part in match.groups()] if match else [0] * 6
    return timedelta(days=parts[0], hours=parts[1] + parts[3], minutes=parts[2] + parts[4] + parts[5]) or None


def _times(
    place: str, fields: Mapping[str, str], reading: Reading
) -> tuple[date | None, datetime | None, datetime | None]:
    """Return day, start and end of a row. Note unreadable ones."""
    day_text, start_text, end_text = (tidy(fields[key][:100]) for key in ("day", "start", "end"))
    start_text, end_text = (_BARE_TIME.sub(r"\1:\2", text) for text in (start_text, end_text))
    of_day, ends = _moment(day_text), _moment(end_text)
    begins = _moment(start_text or day_text)  # the date may hold the time, too
    day = begins.day or of_day.day
    if day is None and (text := day_text or start_text) and not _DAY_NUMBER.fullmatch(text):
        is_clock = begins.clocks and not day_text
        reading.note(
            f"{place}: “{text}” {'has no day' if is_clock else 'is not a day that can be read for certain'}; {_WRITE}"
        )
    for text, moment in ((start_text, begins), (end_text, ends)):
        if day and text and not moment.clocks and not moment.day:
            reading.note(f"{place}: “{text}” is not a time; {_WRITE}")
    if day is None or not begins.clocks:
        return day, None, None
    of_file = reading.zone(fields["zone"][:200])
    zone = begins.zone or of_day.zone or of_file or ends.zone
    start, *later = (in_zone(datetime.combine(day, clock, zone), of_file) for clock in begins.clocks)
    length = duration(fields["duration"][:40])
    if ends.clocks:
        later = [in_zone(datetime.combine(ends.day or day, ends.clocks[0], ends.zone or zone), of_file)]
    elif length:
        later = [start + length]
    if later and later[0] <= start:
        reading.note(f"{place}: ends before it starts; its end is left out")
        later = []
    return start.date(), start, later[0] if later else None


def in_zone(moment: datetime, zone: tzinfo | None) -> datetime:
    """Return a time in UTC as one of this zone, and others unchanged."""
    return moment.astimezone(zone) if zone and moment.tzinfo is UTC else moment
