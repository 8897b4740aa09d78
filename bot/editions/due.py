"""Find readers who are due for editions, alerts and letters, and their candidates.

SQL finds readers who may be due, page by page. The schedule decides.

    profiles/*.toml, on one machine --publish--> store --catch up, before each task--> workers on any machine
    due --source interrupted--> wait, re-checked at each tick --source recovered--> compose
                                                              --limit reached-----> compose without it
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cache
from itertools import chain, count, islice

from bot.config.profiles import Profile, dump_profile, parse_profile, with_override
from bot.model import Origin, PaperId, Problem, Reader, ReaderId, SourceState, Vote
from bot.model.clock import local_time, rest_between
from bot.model.errors import ConfigError
from bot.model.wording import plural
from bot.ranking.selection import is_quiet
from bot.sources import Source
from bot.store import Store
from bot.store.editions import StoredEdition
from bot.store.papers import NewsCursor
from bot.store.readers import EVERYONE, IdRange

_LETTER_DAYS = timedelta(days=3)  # from Monday on, a letter is out of date
_FRIDAY = 4  # of date.weekday()
_EARLIEST_ZONE = timedelta(hours=14)  # ahead of UTC
_DAY = timedelta(days=1)
WAITING = timedelta(days=3)  # before the last edition, and after it where nothing new comes in
_AWAY = timedelta(days=7)
# Earlier weeks of an absence had their own catch-up editions.
_LONGEST_ABSENCE = timedelta(days=28)
_WEEK = timedelta(days=8)  # contains a slot of any schedule


JUDGED = "init"  # the origin of votes on the papers that a new user judges
Readers = Sequence[tuple[Reader, Profile]]


@dataclass(frozen=True, slots=True)
class EditionRequest:
    """An edition to compose for a reader and a local date."""

    reader: Reader
    profile: Profile
    day: date


@dataclass(frozen=True, slots=True)
class Candidates:
    """Papers new to a reader, and the highest paper id of that time.

    ``waiting`` are recent papers without a place in earlier editions. ``chosen`` were judged in ``init`` as worth
    reading. Another profile has sent ``sent_elsewhere`` to the same address, so only a followed author brings them.
    """

    ids: Sequence[PaperId]
    watermark: PaperId
    waiting: Collection[PaperId] = ()
    chosen: Collection[PaperId] = ()
    sent_elsewhere: Collection[PaperId] = ()


@dataclass(frozen=True, slots=True)
class DueEdition(EditionRequest):
    """An edition to compose now, or a catch-up edition with ``catch_up_since``.

    ``slot`` is its date, or ``date#2`` for a second edition. It replaces the older dates ``missed``. Sources that have
    just failed are ``interrupted``.
    """

    slot: str
    missed: Sequence[date] = ()
    interrupted: Sequence[SourceState] = ()
    catch_up_since: date | None = None


def last_edition_days(store: Store, readers: Readers, now: datetime) -> dict[ReaderId, date]:
    by_today: dict[date, list[ReaderId]] = defaultdict(list)
    for reader, profile in readers:
        by_today[profile.schedule.day_of(now)].append(reader.id)
    # At most three local dates exist at a time.
    days: dict[ReaderId, date] = {}
    for today, reader_ids in by_today.items():
        days |= store.editions.last_days(reader_ids, today, now)
    return days


def active_readers(
    store: Store, profiles: Mapping[str, Profile], ids: IdRange = EVERYONE
) -> Iterator[tuple[Reader, Profile]]:
    for slug in profiles:
        for page in store.active_readers.all(slug, ids):
            yield from with_profiles(store, profiles, page)


def readers_to_alert(
    store: Store, profiles: Mapping[str, Profile], now: datetime, ids: IdRange = EVERYONE
) -> Iterator[tuple[Reader, Profile]]:
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
    for slug, profile in profiles.items():
        schedule = profile.schedule
        newest_slot, *_ = schedule.due_slots(now, since=now - _WEEK)
        today = schedule.day_of(now)
        for page in store.active_readers.without_edition(slug, newest_slot, today, now, ids):
            readers = with_profiles(store, profiles, page)
            last_days = last_edition_days(store, readers, now)
            since = store.readers.since_of([reader.id for reader in page])
            absences = absences_of(
                store, [pair for pair in readers if pair[1].catch_up and pair[0].id in last_days], now
            )
            for reader, own_profile in readers:
                own = own_profile.schedule
                last = last_days.get(reader.id)
                slots = own.due_slots(now, last=last, since=since.get(reader.id))
                # A new subscriber from a page gets an edition at once, at any hour.
                if not slots and reader.origin is Origin.WEB and reader.id not in last_days:
                    slots = [own.day_of(now)]
                if not slots:
                    continue
                newest, *missed = slots
                absence = absences.get(reader.id)
                if absence is None:
                    yield DueEdition(reader, own_profile, newest, newest.isoformat(), missed)
                elif absence.is_due:
                    slot = catch_up_slot(own.day_of(now))
                    yield DueEdition(reader, own_profile, newest, slot, slots, catch_up_since=absence.since)


@dataclass(frozen=True, slots=True)
class Absence:
    """The last vote or visit before an absence; ``is_due`` asks for the week's catch-up edition."""

    since: date
    is_due: bool


def absences_of(store: Store, readers: Readers, now: datetime) -> dict[ReaderId, Absence]:
    """Return the readers who have been away for a week, since their last vote, visit or subscription."""
    if not readers:
        return {}
    ids = [reader.id for reader, _ in readers]
    voted, visited = store.feedback.last_times(ids), store.visits.last(ids)
    subscribed, caught_up = store.readers.since_of(ids), store.catch_ups.last_days(ids)
    absences = {}
    for reader, profile in readers:
        if reader.id not in subscribed:
            continue  # forgotten meanwhile
        today = profile.schedule.day_of(now)
        last_vote = profile.schedule.day_of(voted.get(reader.id, subscribed[reader.id]))
        since = max(last_vote, visited.get(reader.id, last_vote))
        if today - since >= _AWAY:
            is_due = today - caught_up.get(reader.id, date.min) >= _AWAY
            absences[reader.id] = Absence(max(since, today - _LONGEST_ABSENCE), is_due)
    return absences


def catch_up_slot(day: date) -> str:
    return f"catch-up-{day}"


def free_slot(store: Store, reader: Reader, day: date, name: str) -> str:
    """Return the slot of this name, or the next free one beside it."""
    taken = store.editions.slots(reader.id, day)
    slots = chain([name], (f"{name}#{number}" for number in count(2)))
    return next(slot for slot in slots if slot not in taken)


def forced_editions(
    store: Store, profiles: Mapping[str, Profile], now: datetime, ids: IdRange = EVERYONE
) -> Iterator[DueEdition]:
    for reader, profile in active_readers(store, profiles, ids):
        day = profile.schedule.day_of(now)
        yield DueEdition(reader, profile, day, free_slot(store, reader, day, day.isoformat()))


def letter_slot(day: date) -> str:
    return f"letter-{day}"


def letter_day(now: datetime, profile: Profile) -> date:
    """Return the Friday of the last or today's letter, in the profile's time zone."""
    return _last_friday(profile.schedule.day_of(now))


def due_letters(
    store: Store, profiles: Mapping[str, Profile], now: datetime, ids: IdRange = EVERYONE
) -> Iterator[tuple[Reader, Profile, date]]:
    """Yield the readers whose weekly letter is due at the schedule's hour, each with its Friday."""
    has_own = store.overrides.has_letters()
    weekly = {slug: profile for slug, profile in profiles.items() if profile.weekly or has_own}
    friday = _last_friday((now + _EARLIEST_ZONE).date())
    if not weekly or (now - _EARLIEST_ZONE).date() >= friday + _LETTER_DAYS:
        return
    for slug in weekly:
        for page in store.active_readers.without_slot(slug, letter_slot(friday), ids):
            since = store.readers.since_of([reader.id for reader in page])
            for reader, own in with_profiles(store, weekly, page):
                due = own.schedule.moment(friday)
                # A reader who was forgotten meanwhile has no time.
                if own.weekly and since.get(reader.id, now) <= due <= now < due + _LETTER_DAYS:
                    yield reader, own, friday


def _last_friday(day: date) -> date:
    return day - timedelta(days=(day.weekday() - _FRIDAY) % 7)


def due_ranges(
    store: Store, profiles: Mapping[str, Profile], now: datetime, size: int
) -> Iterator[tuple[str, IdRange]]:
    """Yield profiles with ranges of up to ``size`` due readers: of alerts, then of editions, then of letters.

    A range may contain readers who are not due, so callers check again.
    """
    single = [(slug, {slug: profile}) for slug, profile in profiles.items()]
    alerts = ((slug, (reader.id for reader, _ in readers_to_alert(store, one, now))) for slug, one in single)
    editions = ((slug, (due.reader.id for due in due_editions(store, one, now))) for slug, one in single)
    letters = ((slug, (reader.id for reader, _, _ in due_letters(store, one, now))) for slug, one in single)
    for slug, ids in chain(alerts, editions, letters):
        while chunk := list(islice(ids, size)):
            yield slug, IdRange(chunk[0], chunk[-1])


def with_profiles(store: Store, profiles: Mapping[str, Profile], readers: Sequence[Reader]) -> Readers:
    overrides = store.overrides.of_readers([reader.id for reader in readers])
    return [
        (reader, with_override(profiles[reader.profile], overrides.get(reader.id)))
        for reader in readers
        if reader.profile in profiles
    ]


def publish(store: Store, profiles: Mapping[str, Profile], now: datetime) -> None:
    """Store the files' readers, and their profiles as the newest version."""
    for slug, profile in profiles.items():
        # A hash is quicker than 100,000 addresses.
        if not store.readers.is_synced(slug, profile.addresses):
            store.readers.sync(slug, profile.addresses, now)
    store.readers.drop_unconfirmed(now)
    store.readers.end_pauses(now)
    # After the readers: without them, a published profile would reach nobody.
    store.published_profiles.publish({slug: dump_profile(profile) for slug, profile in profiles.items()})


class StoredProfiles:
    """The valid published profiles by slug, as of the last ``catch_up``."""

    def __init__(self, store: Store) -> None:
        self.profiles: dict[str, Profile] = {}
        self.problems: dict[str, Problem] = {}  # of profiles that this version can't read
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


# Of a reader's first edition: otherwise it would have last year's best.
FIRST_LOOK_BACK = timedelta(days=7)


def superseded(store: Store, samples: Collection[str]) -> set[PaperId]:
    """Return the papers of sample sources, once another source has delivered papers."""
    return store.papers.only_from(samples) if samples and store.sources.has_other(samples) else set()


def candidates_of(store: Store, readers: Readers, samples: Collection[str] = ()) -> list[Candidates]:
    """Return each reader's new papers: never sent to the reader and never voted on."""
    watermark = store.papers.newest_id()
    last_editions = store.editions.last_by_reader([reader.id for reader, _ in readers])
    cursors, of_last_days = _cursors(store, readers, last_editions)
    new = store.papers.new_papers_of(cursors, watermark)
    recent = store.papers.new_papers_of(of_last_days, watermark)
    lowest = min((ids[0] for ids in (*new.values(), *recent.values()) if ids), default=watermark + 1)
    elsewhere = store.papers.sent_elsewhere(list(new), lowest)
    excluded = superseded(store, samples)
    new_readers = [reader.id for reader, _ in readers if reader.id not in last_editions]
    votes = store.feedback.votes_of(new_readers) if new_readers else {}
    candidates = []
    for reader, _ in readers:
        chosen = {vote.paper for vote in votes.get(reader.id, ()) if (vote.via, vote.vote) == (JUDGED, Vote.UP)}
        waiting = frozenset(recent.get(reader.id, ())) - set(new[reader.id]) - excluded
        sent = elsewhere.get(reader.id, set())
        # The last edition considered them already.
        last = last_editions.get(reader.id)
        hidden = excluded | {paper_id for paper_id in sent if last and paper_id <= last.watermark}
        new_ids = [paper_id for paper_id in new[reader.id] if paper_id not in hidden]
        candidates.append(Candidates(new_ids, watermark, waiting, chosen - excluded, sent))
    return candidates


def _cursors(
    store: Store, readers: Readers, last_editions: Mapping[ReaderId, StoredEdition]
) -> tuple[list[NewsCursor], list[NewsCursor]]:
    """Return each reader's cursor to new papers, and the earlier ones to papers that wait."""
    # Before the newest paper, not before today: a home with old samples still has a first edition.
    first_id: PaperId = 0
    first_time: datetime | None = None
    if len(last_editions) < len(readers) and (newest := store.papers.newest_first_seen()) is not None:
        first_time = newest - FIRST_LOOK_BACK
        first_id = store.papers.last_before(first_time)

    # Skipped papers of a catch-up edition don't wait, and none waits for the end of a pause.
    caught_up = store.catch_ups.upto(list(last_editions))
    resumed = store.readers.since_of(list(last_editions))
    cursors: list[NewsCursor] = []
    of_last_days: list[NewsCursor] = []
    # Readers of a batch share a few times.
    last_paper_before = cache(store.papers.last_before)
    for reader, profile in readers:
        last = last_editions.get(reader.id)
        after = last.watermark if last else first_id
        since = last.composed_at if last else first_time
        cursor = NewsCursor(reader.id, after, since, tuple(profile.sources))
        cursors.append(cursor)
        if last and resumed.get(reader.id, last.composed_at) <= last.composed_at:
            waited = max(last_paper_before(last.composed_at - WAITING), caught_up.get(reader.id, 0))
            of_last_days.append(replace(cursor, after=min(after, waited)))
    return cursors, of_last_days


@dataclass(frozen=True, slots=True)
class Wait:
    """An edition's wait: the sources, and the latest end."""

    sources: str
    until: datetime


@dataclass(frozen=True, slots=True)
class Waiting:
    """Waits of editions for interrupted sources.

    A source is interrupted if it has been failing for less than a day. Editions don't wait for arXiv while it rests.
    """

    store: Store
    sources: Sequence[Source]
    limit: timedelta

    def with_interrupted(self, due: Sequence[DueEdition], now: datetime) -> list[DueEdition]:
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
        incomplete = [edition for edition in due if edition.interrupted]
        if not (incomplete and self.limit):
            return list(due), []
        # Stored, because cron starts a new process each time.
        began = self.store.edition_waits.since({edition.reader.id: edition.slot for edition in incomplete}, now)
        waiting = set()
        waits: list[Wait] = []
        for edition in incomplete:
            start = began[edition.reader.id]
            end = start + self.limit
            # Retry-After may rule out a recovery in time.
            may_recover = any(s.not_before is None or s.not_before < end for s in edition.interrupted)
            # A start in the future is of a clock that ran ahead.
            if start <= now < end and may_recover:
                waiting.add(edition.reader.id)
                waits.append(Wait(", ".join(state.name for state in edition.interrupted), end))
        return [edition for edition in due if edition.reader.id not in waiting], waits


def waiting_problems(waits: Iterable[Wait]) -> list[Problem]:
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
