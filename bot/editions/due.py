"""Who is due, and what is new to them: the editions to compose now, the readers to alert, and their candidates.

The store finds in SQL who may be due, page by page; the schedule decides for each of them. Nothing loads all readers.
Candidates are read for a whole batch in a few queries, whose number does not grow with the number of readers.

    profiles/*.toml, on one machine --publish--> store --catch up, before each task--> workers on any machine
    due --source interrupted--> wait, re-checked at each tick --source recovered--> compose
                                                              --limit reached-----> compose without it, and say so
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import chain, count, islice

from bot.config.profiles import Profile, dump_profile, parse_profile, with_override
from bot.model import Origin, PaperId, Problem, Reader, ReaderId, SourceState
from bot.model.clock import due_slots, local_date, local_time, moment, rest_between
from bot.model.errors import ConfigError
from bot.model.wording import plural
from bot.ranking.selection import is_quiet
from bot.sources import Source
from bot.store import Store
from bot.store.papers import NewsCursor
from bot.store.readers import EVERYONE, IdRange

# A letter that downtime has delayed is out of date from Monday on.
_LETTER_DAYS = timedelta(days=3)
_FRIDAY = 4  # of date.weekday()
_EARLIEST_ZONE = timedelta(hours=14)  # ahead of UTC: where a day begins first
_DAY = timedelta(days=1)
_WAITING = timedelta(days=3)  # before its last edition, a paper that was not sent is out of date
_AWAY = timedelta(days=7)
# Of an absence, the papers of the last weeks are caught up on: the weeks before had a catch-up edition each.
_LONGEST_ABSENCE = timedelta(days=28)
_WEEK = timedelta(days=8)  # a schedule is due once within it, whichever its days are


Readers = Sequence[tuple[Reader, Profile]]


@dataclass(frozen=True, slots=True)
class EditionRequest:
    """An edition to compose: for which reader, under which profile, for which local date."""

    reader: Reader
    profile: Profile
    day: date


@dataclass(frozen=True, slots=True)
class Candidates:
    """Papers new to a reader, and the highest paper id of the store when they were gathered.

    ``waiting`` are papers of the last days that the reader's earlier editions had no place for.
    """

    ids: Sequence[PaperId]
    watermark: PaperId
    waiting: Collection[PaperId] = ()


@dataclass(frozen=True, slots=True)
class DueEdition(EditionRequest):
    """An edition to compose now.

    ``slot`` is its date, or ``date#2`` for a second edition of that date. ``missed`` are the older dates that it makes
    up for. ``interrupted`` are the sources that just failed, so that the edition misses their papers. With
    ``catch_up_since`` it is a catch-up edition from that day on, in place of the day's.
    """

    slot: str
    missed: Sequence[date] = ()
    interrupted: Sequence[SourceState] = ()
    catch_up_since: date | None = None


def last_edition_days(store: Store, readers: Readers, now: datetime) -> dict[ReaderId, date]:
    """Return the newest local date that each reader's editions have taken, up to today in the reader's time zone."""
    by_today: dict[date, list[ReaderId]] = defaultdict(list)
    for reader, profile in readers:
        by_today[local_date(now, profile.schedule.timezone)].append(reader.id)
    # There are at most three local dates on earth at a time, so this is at most three queries.
    days: dict[ReaderId, date] = {}
    for today, reader_ids in by_today.items():
        days |= store.editions.last_days(reader_ids, today, now)
    return days


def active_readers(
    store: Store, profiles: Mapping[str, Profile], ids: IdRange = EVERYONE
) -> Iterator[tuple[Reader, Profile]]:
    """Yield the readers who have not stopped, each with the profile as they have overridden it."""
    for slug in profiles:
        for page in store.active_readers.all(slug, ids):
            yield from with_profiles(store, profiles, page)


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
            yield from with_profiles(store, profiles, page)


def due_editions(
    store: Store, profiles: Mapping[str, Profile], now: datetime, ids: IdRange = EVERYONE
) -> Iterator[DueEdition]:
    """Yield the editions that are due by the schedule and not yet stored."""
    for slug, profile in profiles.items():
        schedule = profile.schedule
        newest_slot, *_ = due_slots(schedule.at, schedule.days, schedule.timezone, now, since=now - _WEEK)
        today = local_date(now, schedule.timezone)
        for page in store.active_readers.without_edition(slug, newest_slot, today, now, ids):
            readers = with_profiles(store, profiles, page)
            last_days = last_edition_days(store, readers, now)
            since = store.readers.since_of([reader.id for reader in page if reader.id not in last_days])
            absences = absences_of(
                store, [pair for pair in readers if pair[1].catch_up and pair[0].id in last_days], now
            )
            for reader, own_profile in readers:
                own = own_profile.schedule
                last = last_days.get(reader.id)
                slots = due_slots(own.at, own.days, own.timezone, now, last=last, since=since.get(reader.id))
                # Whoever has just confirmed on a page sees what they get at once, whatever the hour and the weekday.
                if not slots and reader.origin is Origin.WEB and reader.id not in last_days:
                    slots = [local_date(now, own.timezone)]
                if not slots:
                    continue
                newest, *missed = slots
                absence = absences.get(reader.id)
                if absence is None:
                    yield DueEdition(reader, own_profile, newest, newest.isoformat(), missed)
                elif absence.is_due:
                    slot = catch_up_slot(local_date(now, own.timezone))
                    yield DueEdition(reader, own_profile, newest, slot, slots, catch_up_since=absence.since)


@dataclass(frozen=True, slots=True)
class Absence:
    """Since when a reader has neither voted nor opened a link; ``is_due``: the week's catch-up edition is to come."""

    since: date
    is_due: bool


def absences_of(store: Store, readers: Readers, now: datetime) -> dict[ReaderId, Absence]:
    """Return the absences of readers who have been away for a week; the others are left out.

    Who has neither voted nor opened a link at all has been away since the subscription.
    """
    if not readers:
        return {}
    ids = [reader.id for reader, _ in readers]
    voted, visited = store.feedback.last_times(ids), store.visits.last(ids)
    subscribed, caught_up = store.readers.since_of(ids), store.catch_ups.last_days(ids)
    absences = {}
    for reader, profile in readers:
        if reader.id not in subscribed:
            continue  # forgotten meanwhile
        timezone = profile.schedule.timezone
        today = local_date(now, timezone)
        last_vote = local_date(voted.get(reader.id, subscribed[reader.id]), timezone)
        since = max(last_vote, visited.get(reader.id, last_vote))
        if today - since >= _AWAY:
            is_due = today - caught_up.get(reader.id, date.min) >= _AWAY
            absences[reader.id] = Absence(max(since, today - _LONGEST_ABSENCE), is_due)
    return absences


def catch_up_slot(day: date) -> str:
    """Return the slot of a catch-up edition, which is none of the days' slots."""
    return f"catch-up-{day}"


def free_slot(store: Store, reader: Reader, day: date, name: str) -> str:
    """Return the slot of this name on a day, or, if a reader's edition has taken it, the next one beside it."""
    taken = store.editions.slots(reader.id, day)
    slots = chain([name], (f"{name}#{number}" for number in count(2)))
    return next(slot for slot in slots if slot not in taken)


def forced_editions(
    store: Store, profiles: Mapping[str, Profile], now: datetime, ids: IdRange = EVERYONE
) -> Iterator[DueEdition]:
    """Yield an edition of today for every reader, in today's slot or, if that is taken, the next one beside it."""
    for reader, profile in active_readers(store, profiles, ids):
        day = local_date(now, profile.schedule.timezone)
        yield DueEdition(reader, profile, day, free_slot(store, reader, day, day.isoformat()))


def letter_slot(day: date) -> str:
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
    for slug in weekly:
        for page in store.active_readers.without_slot(slug, letter_slot(friday), ids):
            since = store.readers.since_of([reader.id for reader in page])
            for reader, own in with_profiles(store, weekly, page):
                due = moment(friday, own.schedule.at, own.schedule.timezone)
                # Without a time for one who was forgotten meanwhile.
                if since.get(reader.id, now) <= due <= now < due + _LETTER_DAYS:
                    yield reader, own, friday


def _last_friday(day: date) -> date:
    return day - timedelta(days=(day.weekday() - _FRIDAY) % 7)


def due_ranges(
    store: Store, profiles: Mapping[str, Profile], now: datetime, size: int
) -> Iterator[tuple[str, IdRange]]:
    """Yield the slug and the ids of readers who are due, up to ``size`` of them in a range.

    Alerts come first, letters last. A range may hold readers who are not due: whoever composes it checks again.
    """
    single = [(slug, {slug: profile}) for slug, profile in profiles.items()]
    alerts = ((slug, (reader.id for reader, _ in readers_to_alert(store, one, now))) for slug, one in single)
    editions = ((slug, (due.reader.id for due in due_editions(store, one, now))) for slug, one in single)
    letters = ((slug, (reader.id for reader, _, _ in due_letters(store, one, now))) for slug, one in single)
    for slug, ids in chain(alerts, editions, letters):
        while chunk := list(islice(ids, size)):
            yield slug, IdRange(chunk[0], chunk[-1])


def with_profiles(store: Store, profiles: Mapping[str, Profile], readers: Sequence[Reader]) -> Readers:
    """Return those of the readers who have a profile, each with it as they have overridden it."""
    overrides = store.overrides.of_readers([reader.id for reader in readers])
    return [
        (reader, with_override(profiles[reader.profile], overrides.get(reader.id)))
        for reader in readers
        if reader.profile in profiles
    ]


def publish(store: Store, profiles: Mapping[str, Profile], now: datetime) -> None:
    """Store what the files say: their readers, and the profiles as the newest version. The files remain the truth."""
    for slug, profile in profiles.items():
        # A file of 100,000 addresses is compared by one hash; to look each of them up takes 100 statements.
        if not store.readers.is_synced(slug, profile.addresses):
            store.readers.sync(slug, profile.addresses, now)
    store.readers.drop_unconfirmed(now)
    # After the readers: a profile that is published before its readers would be composed for nobody.
    store.published_profiles.publish({slug: dump_profile(profile) for slug, profile in profiles.items()})


class StoredProfiles:
    """The published profiles as of the last ``catch_up``: the valid ones by slug, without readers."""

    def __init__(self, store: Store) -> None:
        self.profiles: dict[str, Profile] = {}
        self.problems: dict[str, Problem] = {}  # of the profiles that this version of Paperbot can't read
        self._store = store
        self._version = 0

    def catch_up(self) -> None:
        for published in self._store.published_profiles.newer_than(self._version):
            self._version = max(self._version, published.version)
            self.profiles.pop(published.slug, None)
            self.problems.pop(published.slug, None)
            if published.content is None:
                continue
            try:
                self.profiles[published.slug] = parse_profile(published.slug, published.content)
            except ConfigError as error:
                detail = f"{error.detail}; was it published by a later version of Paperbot?"
                self.problems[published.slug] = Problem(f"profiles/{error.place}", detail)


# The first edition of a reader looks back this far from the newest paper. A store that has run for a year would
# otherwise rank a year of papers, and put last winter's best into the first edition.
FIRST_LOOK_BACK = timedelta(days=7)


def superseded(store: Store, samples: Collection[str]) -> set[PaperId]:
    """Return the papers that only these sources have, once another source has delivered papers."""
    return store.papers.only_from(samples) if samples and store.sources.has_other(samples) else set()


def candidates_of(store: Store, readers: Readers, samples: Collection[str] = ()) -> list[Candidates]:
    """Return for each reader the papers new since their last edition, without superseded samples.

    A paper is new if it was never sent to the reader and never voted on by them.
    """
    watermark = store.papers.newest_id()
    last_editions = store.editions.last_by_reader([reader.id for reader, _ in readers])

    # A reader without an edition starts a week before the newest paper, not before today: a home with old sample
    # digests, or one that was switched off for a month, still has a first edition.
    first_id: PaperId = 0
    first_time: datetime | None = None
    if len(last_editions) < len(readers) and (newest := store.papers.newest_first_seen()) is not None:
        first_time = newest - FIRST_LOOK_BACK
        first_id = store.papers.last_before(first_time)

    # What a catch-up edition skipped doesn't wait for a place.
    caught_up = store.catch_ups.upto(list(last_editions))
    cursors, of_last_days = [], []
    waited_from: dict[datetime, PaperId] = {}  # readers of a batch have had their last editions at few times
    for reader, profile in readers:
        last = last_editions.get(reader.id)
        after = last.watermark if last else first_id
        since = last.composed_at if last else first_time
        cursor = NewsCursor(reader.id, after, since, tuple(profile.sources))
        cursors.append(cursor)
        if last:
            if last.composed_at not in waited_from:
                waited_from[last.composed_at] = store.papers.last_before(last.composed_at - _WAITING)
            waited = max(waited_from[last.composed_at], caught_up.get(reader.id, 0))
            of_last_days.append(replace(cursor, after=min(after, waited)))

    new = store.papers.new_papers_of(cursors, watermark)
    recent = store.papers.new_papers_of(of_last_days, watermark)
    excluded = superseded(store, samples)
    candidates = []
    for reader, _ in readers:
        waiting = frozenset(recent.get(reader.id, ())) - set(new[reader.id]) - excluded
        new_ids = [paper_id for paper_id in new[reader.id] if paper_id not in excluded]
        candidates.append(Candidates(new_ids, watermark, waiting if new_ids else ()))
    return candidates


@dataclass(frozen=True, slots=True)
class Wait:
    """The wait of one edition: the names of the sources, and when it ends at the latest."""

    sources: str
    until: datetime


@dataclass(frozen=True, slots=True)
class Waiting:
    """How long editions wait for interrupted sources: a slot is taken once, so their papers would miss the edition.

    A source is interrupted if its last check failed and it has been failing for less than a day. Editions don't wait
    for one that has failed for longer or never succeeded, nor for arXiv's announcements while arXiv rests.
    """

    store: Store
    sources: Sequence[Source]
    limit: timedelta

    def with_interrupted(self, due: Sequence[DueEdition], now: datetime) -> list[DueEdition]:
        """Return the due editions, each with the interrupted sources that its profile reads."""
        if not due:
            return []
        rest = rest_between(now - _DAY, now)
        expected = [source.name for source in self.sources if not (rest and source.follows_arxiv_calendar)]
        interrupted = [
            state
            for state in map(self.store.sources.states().get, expected)
            if state and state.succeeded_at and state.failing_since and now - state.failing_since < _DAY
        ]
        editions = []
        for edition in due:
            names = edition.profile.sources or expected
            states = [state for state in interrupted if state.name in names]
            editions.append(replace(edition, interrupted=states))
        return editions

    def ready(self, due: Sequence[DueEdition], now: datetime) -> tuple[list[DueEdition], list[Wait]]:
        """Return the editions that don't wait, and the waits of the others."""
        incomplete = [edition for edition in due if edition.interrupted]
        if not (incomplete and self.limit):
            return list(due), []
        # The beginning of each wait is stored: `paperbot run` from cron is a new process each time.
        began = self.store.edition_waits.since({edition.reader.id: edition.slot for edition in incomplete}, now)
        waiting = set()
        waits: list[Wait] = []
        for edition in incomplete:
            start = began[edition.reader.id]
            end = start + self.limit
            # A source that asked not to be called until later (Retry-After) can't recover in time.
            may_recover = any(s.not_before is None or s.not_before < end for s in edition.interrupted)
            # A start in the future was written by a clock that ran ahead; waiting for it could take days.
            if start <= now < end and may_recover:
                waiting.add(edition.reader.id)
                waits.append(Wait(", ".join(state.name for state in edition.interrupted), end))
        return [edition for edition in due if edition.reader.id not in waiting], waits


def waiting_problems(waits: Iterable[Wait]) -> list[Problem]:
    """Return a problem for each set of sources that editions wait for."""
    ends: dict[str, list[datetime]] = defaultdict(list)
    for wait in waits:
        ends[wait.sources].append(wait.until)
    return [
        Problem(
            names,
            f"{plural(len(times), 'edition')} {'waits' if len(times) == 1 else 'wait'} for it to be read, "
            f"until {max(times):%H:%M} UTC at most; `paperbot run --force` doesn't wait",
        )
        for names, times in ends.items()
    ]
