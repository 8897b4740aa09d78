"""Which edition is due: a pure function of a profile's schedule and the time.

A slot is a local date. Its moment is the schedule's time of day on that date in the schedule's zone, taken to
UTC; Python resolves a time that a clock change skips or repeats (PEP 495, fold=0), so every date has exactly
one moment.

After downtime the newest slot is due, however old; the older ones missed are made up for with it. What is older
than a reader's last edition is never due, nor is a date before the reader came.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

LOOK_BACK = 400  # days; what is missed for longer is not even recorded as skipped
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def moment(day: date, at: time, timezone: str) -> datetime:
    """When the slot of a local date is due, in UTC."""
    return datetime.combine(day, at, tzinfo=ZoneInfo(timezone)).astimezone(UTC)


def local_date(now: datetime, timezone: str) -> date:
    """The date on the reader's calendar."""
    return now.astimezone(ZoneInfo(timezone)).date()


def local_time(now: datetime, timezone: str) -> time:
    """The time on the reader's clock."""
    return now.astimezone(ZoneInfo(timezone)).time()


def due_slots(
    at: time,
    days: Collection[str],
    timezone: str,
    now: datetime,
    *,
    last: date | None = None,
    since: datetime | None = None,
) -> list[date]:
    """The slots whose moment has come and which nobody took, newest first: one to send, the rest to skip.

    ``last`` is the newest date that the reader's editions took. Only a reader without one is asked ``since`` when
    there: the dates from that day on count, so that the first edition comes on the first day; without ``since``,
    or where a clock that ran ahead wrote it, today alone. A ``last`` in the future doesn't count either.
    """
    today = local_date(now, timezone)
    came = local_date(min(since or now, now), timezone)
    first = last + timedelta(days=1) if last and last <= today else came
    past = (today - timedelta(days=n) for n in range(min((today - first).days, LOOK_BACK) + 1))
    return [day for day in past if _WEEKDAYS[day.weekday()] in days and moment(day, at, timezone) <= now]


def days_between(first: date, last: date, days: Collection[str]) -> list[date]:
    """The dates from the first to the last, both included, that fall on these days of the week."""
    every = (first + timedelta(days=n) for n in range((last - first).days + 1))
    return [day for day in every if _WEEKDAYS[day.weekday()] in days]


def next_moment(at: time, days: Collection[str], timezone: str, now: datetime) -> datetime:
    """When the next slot after ``now`` is due, in UTC."""
    today = local_date(now, timezone)
    upcoming = (today + timedelta(days=n) for n in range(9))
    return next(
        due
        for day in upcoming
        if _WEEKDAYS[day.weekday()] in days and (due := moment(day, at, timezone)) > now
    )
