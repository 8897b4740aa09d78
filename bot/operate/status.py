"""The state of an installation: arrivals, deliveries, load, and problems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from bot.channels import channels
from bot.config.profiles import Profile, ScheduleSection
from bot.editions.due import Readers, due_editions, last_edition_days
from bot.editions.health import Health, check_health
from bot.model import NOT_STORED, Kind, Origin, Problem, Quiet, Reader, SendRateUse, SourceState, State
from bot.readers.votes import BY_REPLY
from bot.sources import Source
from bot.store import Store
from bot.store.outbox import UndeliveredMessage
from bot.store.sending import OpenBreaker

_MAX_PROBLEMS = 20
MAX_READERS = 1_000  # loaded
INACTIVE_AFTER = timedelta(weeks=4)
_UNDELIVERED = {
    State.UNKNOWN: "sent, but no answer came; `paperbot retry --unknown` sends it again",
    State.FAILED: "given up; `paperbot retry --failed` sends it again",
}


def why_late(
    reader: Reader,
    schedule: ScheduleSection,
    states: Sequence[State],
    breakers: Mapping[Kind, OpenBreaker],
    *,
    last: date | None,
    since: datetime,
    now: datetime,
) -> str | None:
    """Return why a reader's edition is late, or None.

    ``states`` are of the last edition's parts, ``last`` is its local date, and ``since`` the subscription's time.
    """
    if reader.stopped:
        return None
    if not set(states) <= {State.SENT, State.CANCELLED}:
        for state, words in _UNDELIVERED.items():
            if state in states:
                return words
        if reader.kind in breakers:
            return f"the circuit breaker for {reader.kind} is open: {breakers[reader.kind].why}"
        return "composed, but not sent yet"

    missed = schedule.due_slots(now, last=last, since=since)
    if not missed:
        return None
    due = schedule.moment(missed[0])
    words = f"due since {due:%a %Y-%m-%d %H:%M} UTC, but nothing ran: is `paperbot serve` or cron running?"
    # A first edition is due on the day of subscription, whatever the time.
    return words if due >= since else None


@dataclass(frozen=True, slots=True)
class Load:
    """How busy an installation is. Ages are 0 if nothing waits."""

    editions: int
    oldest_due_seconds: float
    oldest_unsent_seconds: float
    claims: int  # messages that a worker holds, dead or alive
    claimed_until: datetime | None  # then unsent ones are due again or ``unknown``
    expired_claims: int  # messages of dead workers
    rates: Sequence[SendRateUse]
    queue: Mapping[str, int]


def load(store: Store, profiles: Mapping[str, Profile], queue: Mapping[str, int], now: datetime) -> Load:
    # Each profile's first reader, because finding the longest wait would read all due readers.
    waits = [0.0]
    for slug, profile in profiles.items():
        due = next(due_editions(store, {slug: profile}, now), None)
        if due:
            oldest = due.profile.schedule.moment(min((due.day, *due.missed)))
            since = store.readers.since(due.reader.id) or now
            waits.append(_age(max(oldest, since), now))
    claims = store.outbox.claims(now)
    return Load(
        claims=claims.number,
        claimed_until=claims.until,
        editions=store.editions.newest_id(),
        oldest_due_seconds=max(waits),
        oldest_unsent_seconds=_age(store.outbox.oldest_unsent([kind.name for kind in channels()]), now),
        expired_claims=claims.expired,
        rates=store.send_rates({}).in_use(now),
        queue=queue,
    )


def _age(at: datetime | None, now: datetime) -> float:
    return max((now - at).total_seconds(), 0.0) if at else 0.0


@dataclass(slots=True)
class SourceStatus:
    """A source's health and its deliveries."""

    name: str
    last_seen: datetime | None = None
    latest_digest: date | None = None
    digests: int = 0
    papers: int = 0
    kind: str = ""  # empty if removed from the settings
    health: Health = Health.OK
    detail: str = ""
    trouble: bool = False
    usual: float | None = None  # new papers by this time on a similar day
    last_checked: datetime | None = None
    highest_id: str | None = None
    delivers_papers: bool = True
    votes: int | None = None  # by mail, for a mailbox of replies alone


@dataclass(frozen=True, slots=True)
class ReaderStatus:
    """A reader's last edition, votes, and next edition."""

    reader: str
    thumbs_up: int
    thumbs_down: int
    last_edition: date | None
    last_picks: int
    last_states: Sequence[State]
    last_sent: datetime | None  # an edition or alert
    quiet: Quiet | None
    next_due: datetime | None
    late: str | None
    stopped: str | None


@dataclass(frozen=True, slots=True)
class Status:
    """The whole installation."""

    papers: int
    sources: Sequence[SourceStatus]
    readers: Sequence[ReaderStatus]
    readers_left_out: int
    outbox: Mapping[State, int]
    bounces: Mapping[str, int]
    load: Load
    circuit_breakers: Mapping[Kind, OpenBreaker]
    problems: Sequence[Problem]


def status(
    store: Store,
    sources: Sequence[Source],
    profiles: Mapping[str, Profile],
    standing: Sequence[Problem],
    now: datetime,
    *,
    queue: Mapping[str, int],
) -> Status:
    """Return the status. ``standing`` are problems outside the store, ``queue`` waiting tasks."""
    source_rows = sources_status(store, sources, now)
    breakers = store.circuit_breakers.all()
    rows = readers_status(store, profiles, breakers, now)
    failing = {row.name for row in source_rows if row.health is Health.FAILING}
    return Status(
        papers=store.papers.count(),
        sources=source_rows,
        readers=rows,
        readers_left_out=max(sum(store.readers.counts()) - len(rows), 0) if len(rows) == MAX_READERS else 0,
        outbox=store.outbox.counts(),
        bounces=store.bounce_counts.all(),
        load=load(store, profiles, queue, now),
        circuit_breakers=breakers,
        problems=[
            # The row of a failing source says so already.
            *(each for each in standing if each.source not in failing),
            *(Problem(row.name, f"{row.health}: {row.detail}") for row in source_rows if row.trouble),
            *map(breaker_problem, breakers.items()),
            *map(message_problem, store.outbox.problems(_MAX_PROBLEMS)),
        ],
    )


def breaker_problem(of_kind: tuple[Kind, OpenBreaker]) -> Problem:
    kind, breaker = of_kind
    until = f"{breaker.until:%Y-%m-%d %H:%M} UTC"
    return Problem(kind, f"circuit breaker open until {until}: {breaker.why}; `paperbot retry` tries at once")


def message_problem(message: UndeliveredMessage) -> Problem:
    return Problem(message.reader, f"{message.state}: {message.detail or message.code} ({message.subject})")


def sources_status(store: Store, sources: Sequence[Source], now: datetime) -> list[SourceStatus]:
    """Return the configured sources, then others with deliveries."""
    activities = store.sources.activity()
    states = store.sources.states()
    configured = {source.name: source for source in sources}
    rows = []
    for name in dict.fromkeys([*configured, *activities]):
        row = SourceStatus(name)
        if activity := activities.get(name):
            row.last_seen = activity.received_at
            row.latest_digest = activity.latest
            row.digests = activity.digests
            row.papers = activity.papers
            row.highest_id = activity.highest_id
        if source := configured.get(name):
            state = states.get(name) or SourceState(name)
            report = check_health(source, store, now, state)
            row.kind = source.kind
            row.health = report.health
            row.detail = report.detail
            row.trouble = report.needs_attention
            row.usual = report.usual
            row.last_checked = state.checked_at
            row.delivers_papers = source.delivers_papers
            if not (source.delivers_papers or source.delivers_bounces):
                row.votes = store.feedback.count_via(BY_REPLY)
        rows.append(row)
    return rows


def readers_status(
    store: Store, profiles: Mapping[str, Profile], breakers: Mapping[Kind, OpenBreaker], now: datetime
) -> list[ReaderStatus]:
    """Return the first ``MAX_READERS`` readers, stored or not."""
    readers = listed_readers(store, profiles)
    ids = [reader.id for reader, _ in readers]
    thumbs = store.feedback.counts(ids)
    last_editions = store.editions.last_by_reader(ids)
    # A second, quiet run of a day doesn't hide the edition of the first.
    for reader_id, with_picks in store.editions.last_with_picks_by_reader(ids).items():
        if with_picks.date == last_editions[reader_id].date:
            last_editions[reader_id] = with_picks
    last_days = last_edition_days(store, readers, now)
    states = store.outbox.states([edition.id for edition in last_editions.values()])
    last_sent = store.outbox.last_sent(ids)
    since = store.readers.since_of(ids)
    rows = []
    for reader, profile in readers:
        schedule = profile.schedule
        edition = last_editions.get(reader.id)
        last_states = states.get(edition.id, ()) if edition else ()
        up, down = thumbs.get(reader.id, (0, 0))
        rows.append(
            ReaderStatus(
                reader=reader.name,
                thumbs_up=up,
                thumbs_down=down,
                last_edition=edition.date if edition else None,
                last_picks=edition.picks if edition else 0,
                last_states=last_states,
                last_sent=last_sent.get(reader.id),
                quiet=edition.quiet if edition else None,
                next_due=None
                if reader.stopped
                else schedule.next_moment(now, last_days.get(reader.id)).astimezone(UTC),
                late=why_late(
                    reader,
                    schedule,
                    last_states,
                    breakers,
                    last=last_days.get(reader.id),
                    since=since.get(reader.id, now),
                    now=now,
                ),
                stopped=reader.stopped_because,
            )
        )
    return rows


def listed_readers(store: Store, profiles: Mapping[str, Profile]) -> Readers:
    """Return up to ``MAX_READERS`` readers, of the profiles' files, then of the web."""
    readers: list[tuple[Reader, Profile]] = []
    for slug, profile in profiles.items():
        addresses = profile.addresses[: MAX_READERS - len(readers)]
        stored = store.readers.at_addresses(slug, [address for _, address in addresses])
        readers += [
            (stored.get(address) or Reader(NOT_STORED, slug, kind, address), profile) for kind, address in addresses
        ]
    readers += [
        (reader, profiles[reader.profile])
        for reader in store.readers.first(profiles, MAX_READERS)
        if reader.origin is Origin.WEB
    ]
    return readers[:MAX_READERS]


@dataclass(frozen=True, slots=True)
class InactiveReader:
    """A reader of editions, and when they voted last."""

    reader: str
    last_vote: datetime


def inactive_readers(store: Store) -> Sequence[InactiveReader]:
    """Return active readers with an edition four weeks after their last vote, longest first."""
    newest = store.editions.newest_composed()
    if newest is None:
        return []
    candidates = store.feedback.active_until(newest - INACTIVE_AFTER, MAX_READERS)
    editions = store.editions.last_by_reader([reader.id for reader, _ in candidates])
    return [
        InactiveReader(reader.name, last_vote)
        for reader, last_vote in candidates
        if reader.id in editions and editions[reader.id].composed_at - last_vote >= INACTIVE_AFTER
    ]
