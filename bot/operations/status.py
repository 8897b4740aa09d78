"""The state of an installation: what arrives, what is sent, what needs a person. Nothing is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from bot.config.profiles import Profile
from bot.domain import NOT_STORED, Kind, Origin, Problem, Quiet, Reader, SourceState, State
from bot.editions.candidates import Readers, last_edition_days
from bot.ingestion.health import Health, check_health
from bot.operations.lateness import why_late
from bot.operations.load import Load, load
from bot.schedule import next_moment
from bot.sources import Source
from bot.store import Store
from bot.store.circuit_breakers import OpenBreaker

_MAX_PROBLEMS = 20
# Readers that are shown one by one: more would be read by nobody, and must not be loaded.
MAX_READERS = 1_000


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """A source's health and what it has delivered; ``last_seen`` is None for one that has delivered nothing."""

    name: str
    last_seen: datetime | None
    latest_digest: date | None
    digests: int
    papers: int
    kind: str = ""  # empty for a source that is no longer in the settings
    health: Health = Health.OK
    detail: str = ""
    trouble: bool = False
    usual: float | None = None  # new papers by this time of such a day
    last_checked: datetime | None = None
    highest_id: str | None = None  # of arXiv


@dataclass(frozen=True, slots=True)
class ReaderStatus:
    """A reader's last edition, their votes, and what is due next.

    ``last_sent`` is when the last edition or alert was sent; ``late`` says why an edition that was due has not been
    sent; ``next_due`` is None for a reader who has stopped.
    """

    reader: str
    thumbs_up: int
    thumbs_down: int
    last_edition: date | None
    last_picks: int
    last_states: Sequence[State]
    last_sent: datetime | None
    quiet: Quiet | None
    next_due: datetime | None
    late: str | None
    stopped: str | None


@dataclass(frozen=True, slots=True)
class Status:
    """The whole installation."""

    papers: int
    sources: Sequence[SourceStatus]
    readers: Sequence[ReaderStatus]  # the first ``MAX_READERS``
    readers_left_out: int
    outbox: Mapping[State, int]
    bounces: Mapping[str, int]  # what came back, by outcome
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
    """Return the status; ``standing`` are the problems that the store doesn't hold, ``queue`` the tasks that wait."""
    source_rows = sources_status(store, sources, now)
    breakers = store.circuit_breakers.all()
    rows = readers_status(store, profiles, breakers, now)
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
            *standing,
            *(Problem(row.name, f"{row.health}: {row.detail}") for row in source_rows if row.trouble),
            *(
                Problem(
                    kind,
                    f"circuit breaker open until {breaker.until:%Y-%m-%d %H:%M} UTC: {breaker.why}; "
                    "`paperbot retry` tries at once",
                )
                for kind, breaker in breakers.items()
            ),
            *(
                Problem(
                    trouble.reader, f"{trouble.state}: {trouble.detail or trouble.code} ({trouble.subject})"
                )
                for trouble in store.outbox.problems(_MAX_PROBLEMS)
            ),
        ],
    )


def sources_status(store: Store, sources: Sequence[Source], now: datetime) -> list[SourceStatus]:
    """Return the status of the configured sources, then of others that have delivered something."""
    activities = store.sources.activity()
    states = store.sources.states()
    configured = {source.name: source for source in sources}
    rows = []
    # A source removed from the settings stays visible: its papers are still in the store.
    for name in dict.fromkeys([*configured, *activities]):
        activity = activities.get(name)
        row = SourceStatus(
            name=name,
            last_seen=activity.received_at if activity else None,
            latest_digest=activity.latest if activity else None,
            digests=activity.digests if activity else 0,
            papers=activity.papers if activity else 0,
            highest_id=activity.highest_id if activity else None,
        )
        if name in configured:
            source = configured[name]
            state = states.get(name) or SourceState(name)
            report = check_health(source, store, now, state)
            row = replace(
                row,
                kind=source.kind,
                health=report.health,
                detail=report.detail,
                trouble=report.needs_attention,
                usual=report.usual,
                last_checked=state.checked_at,
            )
        rows.append(row)
    return rows


def readers_status(
    store: Store, profiles: Mapping[str, Profile], breakers: Mapping[Kind, OpenBreaker], now: datetime
) -> list[ReaderStatus]:
    """Return the status of each of the first ``MAX_READERS`` readers, stored yet or not.

    ``breakers`` are the open circuit breakers.
    """
    readers = _readers(store, profiles)
    ids = [reader.id for reader, _ in readers]
    thumbs = store.feedback.counts(ids)
    last_editions = store.editions.last_by_reader(ids)
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
                else next_moment(schedule.at, schedule.days, schedule.timezone, now),
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


def _readers(store: Store, profiles: Mapping[str, Profile]) -> Readers:
    """Return the readers of the profiles' files, stored or not yet, then those who subscribed on the web.

    At most ``MAX_READERS`` of them.
    """
    readers: list[tuple[Reader, Profile]] = []
    # A profile may have been edited since the last run: its new readers are shown before they are stored, and this
    # command writes nothing.
    for slug, profile in profiles.items():
        addresses = profile.addresses[: MAX_READERS - len(readers)]
        stored = store.readers.at_addresses(slug, [address for _, address in addresses])
        readers += [
            (stored.get(address) or Reader(NOT_STORED, slug, kind, address), profile)
            for kind, address in addresses
        ]
    readers += [
        (reader, profiles[reader.profile])
        for reader in store.readers.first(profiles, MAX_READERS)
        if reader.origin is Origin.WEB
    ]
    return readers[:MAX_READERS]
