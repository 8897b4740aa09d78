"""Who is due: the active readers, and the editions to compose for them now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import count

from bot.config.overrides import with_override
from bot.config.profiles import Profile
from bot.domain import Reader, SourceState
from bot.editions.candidates import Readers, last_edition_days
from bot.schedule import due_slots, local_date
from bot.store import Store


@dataclass(frozen=True, slots=True)
class DueEdition:
    """An edition to compose now.

    ``slot`` is its date, or ``date#2`` for a second edition of that date. ``missed`` are the older dates that it makes
    up for. ``interrupted`` are the sources that just failed, so that the edition misses their papers.
    """

    reader: Reader
    profile: Profile
    day: date
    slot: str
    missed: Sequence[date] = ()
    interrupted: Sequence[SourceState] = ()


def active_readers(
    store: Store, profiles: Mapping[str, Profile], now: datetime
) -> Iterator[tuple[Reader, Profile]]:
    """Yield the readers who have not stopped, each with the profile as they have overridden it.

    Readers that a profile's file names for the first time are stored.
    """
    overrides = store.overrides.all()
    for slug, profile in profiles.items():
        for reader in store.readers.sync(slug, profile.addresses, now):
            if not reader.stopped:
                yield reader, with_override(profile, overrides.get(reader.id))


def due_editions(store: Store, readers: Readers, now: datetime) -> Iterator[DueEdition]:
    """Yield the editions that are due by the schedule and not yet stored."""
    last_days = last_edition_days(store, readers, now)
    since = store.readers.since_of([reader.id for reader, _ in readers if reader.id not in last_days])
    for reader, profile in readers:
        schedule = profile.schedule
        slots = due_slots(
            schedule.at,
            schedule.days,
            schedule.timezone,
            now,
            last=last_days.get(reader.id),
            since=since.get(reader.id),
        )
        if slots:
            newest, *missed = slots
            yield DueEdition(reader, profile, newest, newest.isoformat(), missed)


def forced_editions(store: Store, readers: Readers, now: datetime) -> Iterator[DueEdition]:
    """Yield an edition of today for every reader, in today's slot or, if that is taken, the next one beside it."""
    for reader, profile in readers:
        day = local_date(now, profile.schedule.timezone)
        taken = store.editions.slots(reader.id, day)
        names = (f"{day}#{n}" if n > 1 else f"{day}" for n in count(1))
        yield DueEdition(reader, profile, day, next(name for name in names if name not in taken))
