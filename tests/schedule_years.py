"""Two years of one reader's schedule on a machine that is off at random times."""

from collections.abc import Collection, Iterator
from datetime import UTC, date, datetime, time, timedelta
from random import Random

from bot.model.clock import due_slots, moment

START, END = datetime(2024, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def count_faults(zone: str, days: Collection[str], random: Random) -> tuple[int, int]:
    """Return how many slots were never due though their moment came, and how many were due again once taken."""
    at = time(random.randrange(24), random.randrange(60))
    taken: set[date] = set()
    twice = 0
    for now in ticks(random):
        due = due_slots(at, days, zone, now, last=max(taken, default=None), since=START)
        twice += len(taken & set(due))
        taken.update(due)
    first = START.date()
    dates = (first + timedelta(days=n) for n in range((now.date() - first).days + 2))
    expected = {d for d in dates if _WEEKDAYS[d.weekday()] in days and moment(d, at, zone) <= now}
    return len(expected - taken), twice


def ticks(random: Random) -> Iterator[datetime]:
    """The times at which the machine checks: several times a day, and after being off for up to three weeks."""
    now = START
    while now < END:
        yield now
        off = random.random() < 0.03
        now += timedelta(minutes=random.randrange(1, 30_000 if off else 1_500))
