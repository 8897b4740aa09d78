"""Which edition is due: a pure function of a profile's schedule and the time.

A slot is a local date. Its moment is the schedule's time of day on that date in the schedule's zone, taken to
UTC; Python resolves a time that a clock change skips or repeats (PEP 495, fold=0), so every date has exactly
one moment.

After downtime the newest slot is due, however old; the older ones missed are made up for with it. A reader who
has had no edition yet has missed none but yesterday's.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, date, datetime, time, timedelta
from itertools import takewhile
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
    at: time, days: Collection[str], timezone: str, now: datetime, taken: Collection[date] = ()
) -> list[date]:
    """The slots whose moment has come and which nobody took, newest first: one to send, the rest to skip.

    ``taken`` are the reader's slots so far, or the newest ``LOOK_BACK`` of them. Empty where the newest slot
    is taken: what is older then was never due.
    """
    today = local_date(now, timezone)
    known = [day for day in taken if day <= today]
    oldest = max(known) if known else today - timedelta(days=1)
    back = min((today - oldest).days, LOOK_BACK)
    past = (today - timedelta(days=n) for n in range(max(back, 1) + 1))
    come = [day for day in past if _WEEKDAYS[day.weekday()] in days and moment(day, at, timezone) <= now]
    missed = list(takewhile(lambda day: day not in taken, come))
    return missed if known else missed[:1]


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
