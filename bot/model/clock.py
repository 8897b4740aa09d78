"""Times: due slots of a schedule, waits, deadlines, and arXiv's announcements.

A slot is a local date. Its moment is the schedule's time of day on that date, in UTC. PEP 495 with fold=0 resolves
times that a clock change skips or repeats. After downtime the newest slot is due, and makes up for the missed ones.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from functools import cache
from importlib.resources import files
from itertools import count
from time import monotonic
from typing import Any
from zoneinfo import ZoneInfo

# Bounds the rows that one run writes after a long downtime.
LOOK_BACK = 400  # days
_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl")  # of countries' names
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class _PackagedZone(ZoneInfo):
    """A zone that copies and other processes load from the tzdata package, too."""

    def __reduce__(self) -> tuple[Any, ...]:
        return zone_named, (self.key,)


@cache
def zone_named(name: str) -> ZoneInfo:
    """Return a time zone by the rules of the tzdata package. Raises ValueError.

    ``ZoneInfo(name)`` prefers the system's rules, which may be years old.

    >>> zone_named("America/Vancouver").utcoffset(datetime(2026, 12, 1)) / timedelta(hours=1)
    -7.0
    """
    if name not in timezone_names():
        raise ValueError(f"unknown time zone {name!r}")
    with files("tzdata.zoneinfo").joinpath(*name.split("/")).open("rb") as rules:
        return _PackagedZone.from_file(rules, key=name)


@cache
def timezone_names() -> frozenset[str]:
    return frozenset(files("tzdata").joinpath("zones").read_text("utf-8").split())


def moment(day: date, at: time, timezone: str) -> datetime:
    return datetime.combine(day, at, tzinfo=zone_named(timezone)).astimezone(UTC)


def local_date(now: datetime, timezone: str) -> date:
    return now.astimezone(zone_named(timezone)).date()


def local_time(now: datetime, timezone: str) -> time:
    return now.astimezone(zone_named(timezone)).time()


@cache
def regional_timezones() -> list[str]:
    """Return UTC and the world's time zones, without aliases."""
    table = files("tzdata.zoneinfo").joinpath("zone.tab").read_text("utf-8")
    regions = {line.split("\t")[2] for line in table.splitlines() if not line.startswith("#")}
    return ["UTC", *sorted(regions & timezone_names())]


@cache
def zones_by_country() -> dict[str, list[str]]:
    """Return each country's zones by its codes and its names in several languages, in lower case."""
    from babel import Locale
    from babel.core import get_global

    zones: dict[str, list[str]] = {}
    table = files("tzdata.zoneinfo").joinpath("zone.tab").read_text("utf-8")
    for line in table.splitlines():
        if not line.startswith("#"):
            code, _, zone, *_ = line.split("\t")
            zones.setdefault(code, []).append(zone)
    named = {code.lower(): of_country for code, of_country in zones.items()}
    for alias, codes in get_global("territory_aliases").items():
        if len(codes) == 1 and codes[0] in zones:
            named[alias.lower()] = zones[codes[0]]
    for language in _LANGUAGES:
        for code, name in Locale(language).territories.items():
            if code in zones:
                # "Hong Kong SAR China" and "Myanmar (Burma)"
                named[re.sub(r" sar china$| \(.*\)$", "", folded(name))] = zones[code]
    return named


def large_timezones() -> set[str]:
    """Return the zones that Windows has, by CLDR."""
    from babel.core import get_global

    return set(get_global("windows_zone_mapping").values())


def folded(text: str) -> str:
    """Return text in lower case, without accents."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(letter for letter in letters if not unicodedata.combining(letter)).split())


def due_slots(
    at: time,
    days: Collection[str],
    timezone: str,
    now: datetime,
    *,
    last: date | None = None,
    since: datetime | None = None,
) -> list[date]:
    """Return the due slots, newest first: send the first and mark the others as missed.

    Dates after ``last``, the newest taken one, are due, but none before the subscription or resumption ``since``.
    Without both, only today is due.
    """
    today = local_date(now, timezone)
    begins = [today - timedelta(days=LOOK_BACK)]
    # Later times are of a clock that ran ahead. They would block editions until then.
    if last and last <= today:
        begins.append(last + timedelta(days=1))
    if since or len(begins) == 1:
        begins.append(local_date(min(since or now, now), timezone))
    first = max(begins)
    return [day for day in reversed(days_between(first, today, days)) if moment(day, at, timezone) <= now]


def days_between(first: date, last: date, days: Collection[str]) -> list[date]:
    dates = (first + timedelta(days=n) for n in range((last - first).days + 1))
    return [day for day in dates if _WEEKDAYS[day.weekday()] in days]


def next_moment(at: time, days: Collection[str], timezone: str, now: datetime) -> datetime:
    today = local_date(now, timezone)
    # Today's moment may have passed, and a weekly schedule needs the same weekday again.
    upcoming = days_between(today, today + timedelta(days=7), days)
    return next(due for day in upcoming if (due := moment(day, at, timezone)) > now)


# Longer than any wait of this program. A clock that ran ahead wrote later times, which count as past.
FAR = timedelta(days=2)


def has_passed(moment: datetime, now: datetime) -> bool:
    """Return whether a wait until ``moment`` is over.

    >>> noon = datetime(2025, 5, 6, 12)
    >>> [has_passed(noon + timedelta(hours=hours), noon) for hours in (-1, 0, 1, 48, 49)]
    [True, True, False, False, True]
    """
    return moment <= now or moment > now + FAR


Timer = Callable[[], float]


class Deadline:
    """The end of an exchange with another machine. Socket timeouts bound single reads only."""

    def __init__(self, seconds: float, timer: Timer = monotonic) -> None:
        self._seconds = seconds
        self._timer = timer
        self._end = timer() + seconds

    def remaining(self, at_most: float = float("inf")) -> float:
        """Return the seconds left, ``at_most`` so many. Raises TimeoutError."""
        remaining = self._end - self._timer()
        if remaining <= 0:
            raise TimeoutError(f"took longer than {self._seconds:g} s in all")
        return min(remaining, at_most)


# arXiv announces from Sunday to Thursday at 20:00 in New York, except on its holidays
# (https://info.arxiv.org/help/availability.html): ``arXiv_holidays`` of its public source code, as of May 2026.
_ZONE = "America/New_York"
# By this time of the next day, feeds and the API show an announcement.
_VISIBLE_AT = time(1, 0)
_DAY = timedelta(days=1)
_SUNDAY = 6
_EVENINGS = (0, 1, 2, 3, _SUNDAY)
HOLIDAYS = frozenset(
    map(
        date.fromisoformat,
        """
        2024-01-15 2024-05-22 2024-06-19 2024-07-04 2024-09-02 2024-10-08 2024-11-28 2024-12-25 2024-12-26 2024-12-31
        2025-01-01 2025-01-20 2025-06-19 2025-07-04 2025-07-06 2025-09-01 2025-11-27 2025-12-25 2025-12-30
        2026-01-01 2026-01-19 2026-06-19 2026-07-03 2026-09-07 2026-11-26 2026-12-25 2026-12-29 2026-12-31
        """.split(),
    )
)


def announces(day: date) -> bool:
    """Return whether arXiv announces papers on an evening in New York.

    >>> announces(date(2026, 11, 25)), announces(date(2026, 11, 26)), announces(date(2026, 11, 27))
    (True, False, False)
    """
    # Sunday's announcement has Friday's submissions.
    submission_day = day - 2 * _DAY if day.weekday() == _SUNDAY else day
    return day.weekday() in _EVENINGS and not {day, submission_day} & HOLIDAYS


class Rest(StrEnum):
    """Why arXiv announces nothing."""

    WEEKEND = "weekend"
    HOLIDAY = "holiday"


def announced_between(begin: datetime, end: datetime) -> bool:
    return any(announces(day) for day in _evenings(begin, end))


def rest_between(begin: datetime, end: datetime) -> Rest | None:
    """Return why no announcement became visible after ``begin`` and by ``end``, or None if one should have.

    >>> rest_between(datetime(2026, 11, 26, 8, tzinfo=UTC), datetime(2026, 11, 27, 8, tzinfo=UTC))
    <Rest.HOLIDAY: 'holiday'>
    """
    if announced_between(begin, end):
        return None
    is_holiday = any(day.weekday() in _EVENINGS for day in _evenings(begin, end))
    return Rest.HOLIDAY if is_holiday else Rest.WEEKEND


def next_visible(now: datetime) -> datetime:
    days = (now.astimezone(zone_named(_ZONE)).date() + n * _DAY for n in count(-2))
    return next(visible_at for day in days if (visible_at := _visible_at(day)) > now and announces(day))


def _evenings(begin: datetime, end: datetime) -> Iterator[date]:
    day = begin.astimezone(zone_named(_ZONE)).date() - 2 * _DAY
    while (visible_at := _visible_at(day)) <= end:
        if visible_at > begin:
            yield day
        day += _DAY


def _visible_at(day: date) -> datetime:
    return datetime.combine(day + _DAY, _VISIBLE_AT, tzinfo=zone_named(_ZONE)).astimezone(UTC)
