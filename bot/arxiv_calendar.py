"""When arXiv announces: Sunday to Thursday at 20:00 in New York, except on its holidays.

Source of the rules: https://info.arxiv.org/help/availability.html. Source of the holidays: arXiv's own table
``arXiv_holidays`` (its public source code, as of May 2026): days on which submissions are not closed, so that the
announcement that would follow is left out. Years beyond the table have weekends only.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from itertools import count
from zoneinfo import ZoneInfo

_ZONE = ZoneInfo("America/New_York")
# Feeds and API show an announcement of 20:00 some hours later; by now they should.
_SHOWN_AT = time(1, 0)  # of the next day
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
    """Whether there is an announcement on the evening of a day in New York.

    >>> announces(date(2026, 11, 25)), announces(date(2026, 11, 26)), announces(date(2026, 11, 27))
    (True, False, False)
    """
    closed = day - 2 * _DAY if day.weekday() == _SUNDAY else day  # Sunday's are Friday's submissions
    return day.weekday() in _EVENINGS and not {day, closed} & HOLIDAYS


class Rest(StrEnum):
    """Why arXiv announces nothing."""

    WEEKEND = "weekend"
    HOLIDAY = "holiday"


def announced_between(begin: datetime, end: datetime) -> bool:
    """Whether an announcement should have come to be seen after ``begin``, and by ``end``."""
    return any(announces(day) for day in _evenings(begin, end))


def rest_between(begin: datetime, end: datetime) -> Rest | None:
    """Why no announcement came to be seen after ``begin``, and by ``end``; None where one should have.

    >>> rest_between(datetime(2026, 11, 26, 8, tzinfo=UTC), datetime(2026, 11, 27, 8, tzinfo=UTC))
    <Rest.HOLIDAY: 'holiday'>
    """
    if announced_between(begin, end):
        return None
    left_out = (day.weekday() in _EVENINGS for day in _evenings(begin, end))
    return Rest.HOLIDAY if any(left_out) else Rest.WEEKEND


def next_shown(now: datetime) -> datetime:
    """When the next announcement should have come to be seen, in UTC."""
    days = (now.astimezone(_ZONE).date() + n * _DAY for n in count(-2))
    return next(shown for day in days if (shown := _shown(day)) > now and announces(day))


def _evenings(begin: datetime, end: datetime) -> Iterator[date]:
    """The days in New York whose announcement, if there is one, comes to be seen in a time."""
    day = begin.astimezone(_ZONE).date() - 2 * _DAY
    while (shown := _shown(day)) <= end:
        if shown > begin:
            yield day
        day += _DAY


def _shown(day: date) -> datetime:
    return datetime.combine(day + _DAY, _SHOWN_AT, tzinfo=_ZONE).astimezone(UTC)
