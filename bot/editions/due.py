"""Who is due: the editions to compose now, and the readers whose alerts have papers to check.

The store finds in SQL who may be due, page by page; the schedule decides for each of them. Nothing loads all readers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import count, islice

from bot.config.overrides import with_override
from bot.config.profiles import Profile
from bot.domain import Origin, Reader, ReaderId, SourceState
from bot.editions.candidates import Readers, last_edition_days
from bot.schedule import due_slots, local_date, local_time, moment
from bot.selection.alert_rules import is_quiet
from bot.store import Store
from bot.store.active_readers import EVERYONE, IdRange

# A letter that downtime has delayed is out of date from Monday on.
_LETTER_DAYS = timedelta(days=3)
_FRIDAY = 4  # of date.weekday()
_EARLIEST_ZONE = timedelta(hours=14)  # ahead of UTC: where a day begins first
_WEEK = timedelta(days=8)  # a schedule is due once within it, whichever its days are


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
    store: Store, profiles: Mapping[str, Profile], ids: IdRange = EVERYONE
) -> Iterator[tuple[Reader, Profile]]:
    """Yield the readers who have not stopped, each with the profile as they have overridden it."""
    for slug, profile in profiles.items():
        for page in store.active_readers.all(slug, ids):
            yield from _with_overrides(store, profile, page)


def readers_to_alert(
    store: Store, profiles: Mapping[str, Profile], now: datetime, ids: IdRange = EVERYONE
) -> Iterator[tuple[Reader, Profile]]:
    """Yield the active readers whose profile has an alert rule, and papers that it has not been checked against."""
    newest = store.papers.newest_id()
    for slug, profile in profiles.items():
        rule = profile.alerts
        if rule is None or is_quiet(local_time(now, profile.schedule.timezone), rule.quiet):
            continue
        for page in store.active_readers.with_unchecked_papers(slug, newest, ids):
            yield from _with_overrides(store, profile, page)


def due_editions(
    store: Store, profiles: Mapping[str, Profile], now: datetime, ids: IdRange = EVERYONE
) -> Iterator[DueEdition]:
    """Yield the editions that are due by the schedule and not yet stored."""
    for slug, profile in profiles.items():
        schedule = profile.schedule
        newest_slot, *_ = due_slots(schedule.at, schedule.days, schedule.timezone, now, since=now - _WEEK)
        today = local_date(now, schedule.timezone)
        for page in store.active_readers.without_edition(slug, newest_slot, today, now, ids):
            readers = _with_overrides(store, profile, page)
            last_days = last_edition_days(store, readers, now)
            since = store.readers.since_of([reader.id for reader in page if reader.id not in last_days])
            for reader, own_profile in readers:
                schedule = own_profile.schedule
                slots = due_slots(
                    schedule.at,
                    schedule.days,
                    schedule.timezone,
                    now,
                    last=last_days.get(reader.id),
                    since=since.get(reader.id),
                )
                # Whoever has just confirmed on a page sees what they get at once, whatever the hour and the weekday.
                if not slots and reader.origin is Origin.WEB and reader.id not in last_days:
                    slots = [local_date(now, schedule.timezone)]
                if slots:
                    newest, *missed = slots
                    yield DueEdition(reader, own_profile, newest, newest.isoformat(), missed)


def forced_editions(
    store: Store, profiles: Mapping[str, Profile], now: datetime, ids: IdRange = EVERYONE
) -> Iterator[DueEdition]:
    """Yield an edition of today for every reader, in today's slot or, if that is taken, the next one beside it."""
    for reader, profile in active_readers(store, profiles, ids):
        day = local_date(now, profile.schedule.timezone)
        taken = store.editions.slots(reader.id, day)
        names = (f"{day}#{n}" if n > 1 else f"{day}" for n in count(1))
        yield DueEdition(reader, profile, day, next(name for name in names if name not in taken))


def letter_slot(day: date) -> str:
    """Return the slot of the letter of a Friday."""
    return f"letter-{day}"


def letter_day(now: datetime, profile: Profile) -> date:
    """Return the Friday of the last letter, or of today's, in the profile's time zone."""
    return _last_friday(local_date(now, profile.schedule.timezone))


def due_letters(
    store: Store, profiles: Mapping[str, Profile], now: datetime, ids: IdRange = EVERYONE
) -> Iterator[tuple[Reader, Profile, date]]:
    """Yield the readers whose weekly letter is due and not yet stored, each with the letter's Friday.

    It is due on Fridays at the hour of the schedule, whatever its days are, for those who had subscribed by then.
    """
    weekly = {slug: profile for slug, profile in profiles.items() if profile.weekly}
    friday = _last_friday((now + _EARLIEST_ZONE).date())
    if not weekly or (now - _EARLIEST_ZONE).date() >= friday + _LETTER_DAYS:
        return
    for slug, profile in weekly.items():
        for page in store.active_readers.without_slot(slug, letter_slot(friday), ids):
            since = store.readers.since_of([reader.id for reader in page])
            for reader, own in _with_overrides(store, profile, page):
                due = moment(friday, own.schedule.at, own.schedule.timezone)
                if since[reader.id] <= due <= now < due + _LETTER_DAYS:
                    yield reader, own, friday


def _last_friday(day: date) -> date:
    return day - timedelta(days=(day.weekday() - _FRIDAY) % 7)


def due_ranges(
    store: Store, profiles: Mapping[str, Profile], now: datetime, size: int
) -> Iterator[tuple[str, IdRange]]:
    """Yield the slug and the ids of readers who are due, up to ``size`` of them in a range.

    Those of alerts come first, those of letters last.

    A range may hold readers who are not due: whoever composes it asks again.
    """
    for slug, profile in profiles.items():
        ids = (reader.id for reader, _ in readers_to_alert(store, {slug: profile}, now))
        yield from ((slug, id_range) for id_range in _ranges(ids, size))
    for slug, profile in profiles.items():
        ids = (edition.reader.id for edition in due_editions(store, {slug: profile}, now))
        yield from ((slug, id_range) for id_range in _ranges(ids, size))
    for slug, profile in profiles.items():
        ids = (reader.id for reader, _, _ in due_letters(store, {slug: profile}, now))
        yield from ((slug, id_range) for id_range in _ranges(ids, size))


def _ranges(ids: Iterator[ReaderId], size: int) -> Iterator[IdRange]:
    while chunk := list(islice(ids, size)):
        yield IdRange(chunk[0], chunk[-1])


def _with_overrides(store: Store, profile: Profile, page: Sequence[Reader]) -> Readers:
    overrides = store.overrides.of([reader.id for reader in page])
    return [(reader, with_override(profile, overrides.get(reader.id))) for reader in page]
