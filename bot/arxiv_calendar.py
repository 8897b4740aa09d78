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
# Feeds and API have an announcement of 20:00 some hours later; by this time of the next day they should.
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
    """Return whether there is an announcement on the evening of a day in New York.

    >>> announces(date(2026, 11, 25)), announces(date(2026, 11, 26)), announces(date(2026, 11, 27))
    (True, False, False)
    """
    # The table names the days without submissions; Sunday's announcement has the submissions of Friday.
    submission_day = day - 2 * _DAY if day.weekday() == _SUNDAY else day
    return day.weekday() in _EVENINGS and not {day, submission_day} & HOLIDAYS


class Rest(StrEnum):
    """Why arXiv announces nothing."""

    WEEKEND = "weekend"
    HOLIDAY = "holiday"


def announced_between(begin: datetime, end: datetime) -> bool:
    """Return whether an announcement should have become visible after ``begin``, and by ``end``."""
    return any(announces(day) for day in _evenings(begin, end))


def rest_between(begin: datetime, end: datetime) -> Rest | None:
    """Return why no announcement became visible after ``begin``, and by ``end``; None if one should have.

    >>> rest_between(datetime(2026, 11, 26, 8, tzinfo=UTC), datetime(2026, 11, 27, 8, tzinfo=UTC))
    <Rest.HOLIDAY: 'holiday'>
    """
    if announced_between(begin, end):
        return None
    # An evening of an announcement without one is a holiday.
    is_holiday = any(day.weekday() in _EVENINGS for day in _evenings(begin, end))
    return Rest.HOLIDAY if is_holiday else Rest.WEEKEND


def next_visible(now: datetime) -> datetime:
    """Return when the next announcement should be visible, in UTC."""
    days = (now.astimezone(_ZONE).date() + n * _DAY for n in count(-2))
    return next(visible_at for day in days if (visible_at := _visible_at(day)) > now and announces(day))


def _evenings(begin: datetime, end: datetime) -> Iterator[date]:
    """Yield the days in New York whose announcement, if there is one, becomes visible in a period."""
    day = begin.astimezone(_ZONE).date() - 2 * _DAY
    while (visible_at := _visible_at(day)) <= end:
        if visible_at > begin:
            yield day
        day += _DAY


def _visible_at(day: date) -> datetime:
    return datetime.combine(day + _DAY, _VISIBLE_AT, tzinfo=_ZONE).astimezone(UTC)
