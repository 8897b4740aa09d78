"""Which edition is due: a pure function of a profile's schedule and the time.

A slot is a local date. Its moment is the schedule's time of day on that date in the schedule's zone, taken to
UTC; Python resolves a time that a clock change skips or repeats (PEP 495, fold=0), so every date has exactly
one moment. Looking at today and yesterday finds a slot that a night's downtime missed.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def moment(day: date, at: time, timezone: str) -> datetime:
    """When the slot of a local date is due, in UTC."""
    return datetime.combine(day, at, tzinfo=ZoneInfo(timezone)).astimezone(UTC)


def local_date(now: datetime, timezone: str) -> date:
    """The date on the reader's calendar."""
    return now.astimezone(ZoneInfo(timezone)).date()


def due_slot(at: time, days: Collection[str], timezone: str, now: datetime) -> date | None:
    """The newest slot whose moment has come, today's or yesterday's on the reader's calendar; None if neither."""
    today = local_date(now, timezone)
    for day in (today, today - timedelta(days=1)):
        if _WEEKDAYS[day.weekday()] in days and moment(day, at, timezone) <= now:
            return day
    return None


def next_moment(at: time, days: Collection[str], timezone: str, now: datetime) -> datetime:
    """When the next slot after ``now`` is due, in UTC."""
    today = local_date(now, timezone)
    upcoming = (today + timedelta(days=n) for n in range(9))
    return next(
        due
        for day in upcoming
        if _WEEKDAYS[day.weekday()] in days and (due := moment(day, at, timezone)) > now
    )
