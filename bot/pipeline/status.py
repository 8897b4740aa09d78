"""What an operator wants to know: is anything coming in, is everything going out, what needs a person?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from bot.config.profiles import Profile
from bot.domain import Kind, Problem, Reader, State
from bot.schedule import LOOK_BACK, due_slots, moment, next_moment
from bot.store import Store
from bot.store.pauses import Pause

_PROBLEMS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """What a source has brought so far; ``last_seen`` is None for one that has brought nothing."""

    name: str
    last_seen: datetime | None
    latest_digest: date | None
    digests: int
    papers: int


@dataclass(frozen=True, slots=True)
class ReaderStatus:
    """One reader's last edition, thumbs, and what comes next.

    ``last_sent`` is when the last edition or alert went out; ``late`` says why there should be an edition and
    is none; ``next_due`` is None for one who has stopped.
    """

    reader: str
    thumbs_up: int
    thumbs_down: int
    last_edition: date | None
    last_picks: int
    last_states: Sequence[State]
    last_sent: datetime | None
    quiet: str | None
    next_due: datetime | None
    late: str | None
    stopped: str | None


@dataclass(frozen=True, slots=True)
class Status:
    """Everything at a glance."""

    papers: int
    sources: Sequence[SourceStatus]
    readers: Sequence[ReaderStatus]
    outbox: Mapping[State, int]
    pauses: Mapping[Kind, Pause]
    problems: Sequence[Problem]


def status(
    store: Store,
    source_names: Sequence[str],
    profiles: Mapping[str, Profile],
    profile_problems: Sequence[Problem],
    now: datetime,
) -> Status:
    """Looks at the store only; changes nothing but that readers named in the profiles are known afterwards."""
    return Status(
        papers=store.papers.count(),
        sources=_sources(store, source_names),
        readers=_readers(store, profiles, now),
        outbox=store.outbox.counts(),
        pauses=store.pauses.all(),
        problems=[*profile_problems, *_paused(store), *_undelivered(store)],
    )


def _sources(store: Store, names: Sequence[str]) -> list[SourceStatus]:
    seen = store.papers.last_seen()
    every = dict.fromkeys((*names, *seen))
    return [
        SourceStatus(name, activity.received_at, activity.latest, activity.digests, activity.papers)
        if (activity := seen.get(name))
        else SourceStatus(name, None, None, 0, 0)
        for name in every
    ]


def _readers(store: Store, profiles: Mapping[str, Profile], now: datetime) -> list[ReaderStatus]:
    readers = [
        (reader, profile)
        for slug, profile in profiles.items()
        for reader in store.readers.sync(slug, profile.addresses, now)
    ]
    thumbs = store.feedback.counts()
    last = store.editions.last_by_reader()
    states = store.outbox.states([edition.id for edition in last.values()])
    sent, pauses = store.outbox.last_sent(), store.pauses.all()
    rows = []
    for reader, profile in readers:
        edition = last.get(reader.id)
        up, down = thumbs.get(reader.id, (0, 0))
        now_at = states.get(edition.id, ()) if edition else ()
        held_up = _held_up(reader.kind, now_at, pauses)
        rows.append(
            ReaderStatus(
                reader=reader.name,
                thumbs_up=up,
                thumbs_down=down,
                last_edition=edition.date if edition else None,
                last_picks=edition.picks if edition else 0,
                last_states=now_at,
                last_sent=sent.get(reader.id),
                quiet=edition.quiet if edition else None,
                next_due=_next_due(reader, profile, now),
                late=None if reader.stopped else held_up or _late(store, reader, profile, now),
                stopped=reader.stopped,
            )
        )
    return rows


def _next_due(reader: Reader, profile: Profile, now: datetime) -> datetime | None:
    schedule = profile.schedule
    if reader.stopped:
        return None
    return next_moment(schedule.at, schedule.days, schedule.timezone or "UTC", now)


def _late(store: Store, reader: Reader, profile: Profile, now: datetime) -> str | None:
    """Why the reader has not got what was due by now, though all that was made went out; None if nothing is."""
    schedule = profile.schedule
    timezone = schedule.timezone or "UTC"
    taken = store.editions.days_taken(reader.id, LOOK_BACK)
    if not (missed := due_slots(schedule.at, schedule.days, timezone, now, taken)):
        return None
    due = moment(missed[0], schedule.at, timezone)
    return f"due since {due:%a %Y-%m-%d %H:%M} UTC, but nothing ran: is `paperbot serve` or cron running?"


def _held_up(kind: Kind, states: Sequence[State], pauses: Mapping[Kind, Pause]) -> str | None:
    """Why what was made for a reader has not gone out; None where it has."""
    if set(states) <= {State.SENT, State.CANCELLED}:
        return None
    if State.UNKNOWN in states:
        return "sent, but no answer came; `paperbot retry --unknown` sends it again"
    if State.FAILED in states:
        return "given up; `paperbot retry --failed` sends it again"
    if kind in pauses:
        return f"the {kind} channel is paused: {pauses[kind].why}"
    return "made, but not sent yet"


def _paused(store: Store) -> list[Problem]:
    return [
        Problem(
            kind,
            f"paused until {pause.until:%Y-%m-%d %H:%M} UTC: {pause.why}; `paperbot retry` tries at once",
        )
        for kind, pause in store.pauses.all().items()
    ]


def _undelivered(store: Store) -> list[Problem]:
    return [
        Problem(trouble.reader, f"{trouble.state}: {trouble.detail or trouble.code} ({trouble.subject})")
        for trouble in store.outbox.problems(_PROBLEMS_SHOWN)
    ]
