"""Which edition is due: a pure function of a profile's schedule and the time.

A slot is a local date. Its moment is the schedule's time of day on that date in the schedule's time zone, converted to
UTC. A time that a clock change skips or repeats is resolved by PEP 495 with fold=0, so every date has exactly one
moment.

After downtime the newest slot is due, however old; the older ones are missed, and the newest makes up for them. Dates
up to a reader's last edition are never due, nor are dates before the reader subscribed.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

# Bounds the rows that one run writes after a long downtime; older dates are not even recorded as missed.
LOOK_BACK = 400  # days
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def moment(day: date, at: time, timezone: str) -> datetime:
    """Return when the slot of a local date is due, in UTC."""
    return datetime.combine(day, at, tzinfo=ZoneInfo(timezone)).astimezone(UTC)


def local_date(now: datetime, timezone: str) -> date:
    """Return the date in a time zone."""
    return now.astimezone(ZoneInfo(timezone)).date()


def local_time(now: datetime, timezone: str) -> time:
    """Return the time of day in a time zone."""
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
    """Return the due slots that no edition has taken, newest first: the first is to be sent, the others are missed.

    ``last`` is the newest date that the reader's editions have taken. ``since`` is when the reader subscribed, used
    without ``last``: dates from that day on are due, so that the first edition comes on the first day. Without
    either, only today can be due.
    """
    today = local_date(now, timezone)
    # Times in the future were written by a clock that ran ahead: taken literally, they would mean no edition until
    # they have passed.
    subscribed = local_date(min(since or now, now), timezone)
    first = last + timedelta(days=1) if last and last <= today else subscribed
    past = (today - timedelta(days=n) for n in range(min((today - first).days, LOOK_BACK) + 1))
    return [day for day in past if _WEEKDAYS[day.weekday()] in days and moment(day, at, timezone) <= now]


def days_between(first: date, last: date, days: Collection[str]) -> list[date]:
    """Return the dates from ``first`` to ``last``, both included, that fall on these days of the week."""
    dates = (first + timedelta(days=n) for n in range((last - first).days + 1))
    return [day for day in dates if _WEEKDAYS[day.weekday()] in days]


def next_moment(at: time, days: Collection[str], timezone: str, now: datetime) -> datetime:
    """Return when the next slot after ``now`` is due, in UTC."""
    today = local_date(now, timezone)
    # Eight dates: the moment of today may have passed, and a weekly schedule is due on the same weekday again.
    upcoming = (today + timedelta(days=n) for n in range(8))
    return next(
        due
        for day in upcoming
        if _WEEKDAYS[day.weekday()] in days and (due := moment(day, at, timezone)) > now
    )
