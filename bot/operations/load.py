"""How busy an installation is: what waits, how long, how much was done, and how much of the rates is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from bot.channels.registry import channels
from bot.config.profiles import Profile
from bot.domain import SendRateUse
from bot.editions.due import due_editions
from bot.schedule import moment
from bot.store import Store


@dataclass(frozen=True, slots=True)
class Load:
    """Figures of a moment. ``queue`` is the number of tasks waiting for a worker, by task; empty without a broker.

    ``oldest_due_seconds``: since when a reader's edition is due and not composed. ``oldest_unsent_seconds``: since when
    a message is composed and not sent. Both are 0 where there is none. ``editions`` counts all that were ever composed,
    alerts and missed days included. ``expired_claims`` are messages whose worker died: due again or ``unknown`` soon.
    """

    editions: int
    oldest_due_seconds: float
    oldest_unsent_seconds: float
    expired_claims: int
    rates: Sequence[SendRateUse]
    queue: Mapping[str, int] = field(default_factory=dict)


def load(store: Store, profiles: Mapping[str, Profile], queue: Mapping[str, int], now: datetime) -> Load:
    """Return the figures as of ``now``."""
    # Of each profile the first reader in order of id, and not the longest waiting: to find that one would take to look
    # at all who are due.
    waits = [0.0]
    for slug, profile in profiles.items():
        due = next(due_editions(store, {slug: profile}, now), None)
        if due:
            schedule = due.profile.schedule
            oldest = min((due.day, *due.missed))
            since = store.readers.since(due.reader.id) or now
            # A new reader's first edition is due at once, whatever the time.
            waits.append(_age(max(moment(oldest, schedule.at, schedule.timezone), since), now))
    return Load(
        editions=store.editions.newest_id(),
        oldest_due_seconds=max(waits),
        oldest_unsent_seconds=_age(store.outbox.oldest_unsent([kind.name for kind in channels()]), now),
        expired_claims=store.outbox.expired_claims(now),
        rates=store.send_rates({}).in_use(now),
        queue=queue,
    )


def _age(at: datetime | None, now: datetime) -> float:
    return max((now - at).total_seconds(), 0.0) if at else 0.0
