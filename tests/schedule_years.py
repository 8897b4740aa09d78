"""Two years of one reader's schedule, with a machine that is off now and then for random times."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import UTC, date, datetime, time, timedelta
from random import Random

from bot.schedule import due_slots, moment

START, END = datetime(2024, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def count_faults(zone: str, days: Collection[str], random: Random) -> tuple[int, int]:
    """How many slots were neither sent nor skipped though their time came, and how many came again."""
    at = time(random.randrange(24), random.randrange(60))
    taken: set[date] = set()
    twice = 0
    for now in ticks(random):
        due = due_slots(at, days, zone, now, last=max(taken, default=None), since=START)
        twice += len(taken & set(due))
        taken.update(due)
    first = START.date()
    dates = (first + timedelta(days=n) for n in range((now.date() - first).days + 2))
    wanted = {d for d in dates if _WEEKDAYS[d.weekday()] in days and moment(d, at, zone) <= now}
    return len(wanted - taken), twice


def ticks(random: Random) -> Iterator[datetime]:
    """When the machine looks: some times a day, and after up to three weeks of being off."""
    now = START
    while now < END:
        yield now
        off = random.random() < 0.03
        now += timedelta(minutes=random.randrange(1, 30_000 if off else 1_500))
