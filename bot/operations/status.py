"""What an operator wants to know: is anything coming in, is everything going out, what needs a person?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from bot.config.profiles import Profile
from bot.domain import Kind, Origin, Problem, Quiet, Reader, SourceState, State
from bot.editions.candidates import last_edition_days
from bot.ingestion.health import Health, watch
from bot.schedule import due_slots, moment, next_moment
from bot.sources import Source
from bot.store import Store
from bot.store.circuit_breakers import Pause
from bot.store.sources import SourceActivity

_PROBLEMS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """How a source does, and what it has brought so far; ``last_seen`` is None for one that has brought nothing."""

    name: str
    last_seen: datetime | None
    latest_digest: date | None
    digests: int
    papers: int
    kind: str = ""  # empty for one that the settings don't name any more
    health: Health = Health.OK
    detail: str = ""
    trouble: bool = False
    usual: float | None = None  # new papers by this time of such a day
    last_checked: datetime | None = None
    highest_id: str | None = None  # of arXiv


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
    quiet: Quiet | None
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
    sources: Sequence[Source],
    profiles: Mapping[str, Profile],
    standing_problems: Sequence[Problem],
    now: datetime,
) -> Status:
    """Looks at the store and changes nothing."""
    found = sources_status(store, sources, now)
    troubled = [Problem(one.name, f"{one.health}: {one.detail}") for one in found if one.trouble]
    return Status(
        papers=store.papers.count(),
        sources=found,
        readers=_readers(store, profiles, now),
        outbox=store.outbox.counts(),
        pauses=store.pauses.all(),
        problems=[*standing_problems, *troubled, *_paused(store), *_undelivered(store)],
    )


def sources_status(store: Store, sources: Sequence[Source], now: datetime) -> list[SourceStatus]:
    """The sources of the settings, then others that have brought something."""
    seen, states = store.sources.activity(), store.sources.states()
    current = [_source(source, seen.get(source.name), states, store, now) for source in sources]
    others = [name for name in seen if name not in {source.name for source in sources}]
    return [*current, *(SourceStatus(**_brought(name, seen[name])) for name in others)]


def _source(
    source: Source,
    activity: SourceActivity | None,
    states: Mapping[str, SourceState],
    store: Store,
    now: datetime,
) -> SourceStatus:
    state = states.get(source.name) or SourceState(source.name)
    verdict = watch(source, store, now, state)
    return SourceStatus(
        **_brought(source.name, activity),
        kind=source.kind,
        health=verdict.health,
        detail=verdict.detail,
        trouble=verdict.is_trouble,
        usual=verdict.usual,
        last_checked=state.checked_at,
    )


def _brought(name: str, activity: SourceActivity | None) -> dict[str, Any]:
    return {
        "name": name,
        "last_seen": activity.received_at if activity else None,
        "latest_digest": activity.latest if activity else None,
        "digests": activity.digests if activity else 0,
        "papers": activity.papers if activity else 0,
        "highest_id": activity.highest_id if activity else None,
    }


def _readers(store: Store, profiles: Mapping[str, Profile], now: datetime) -> list[ReaderStatus]:
    everyone = store.readers.all()
    known = {(reader.profile, reader.address): reader for reader in everyone}
    readers = [
        (known.get((slug, address)) or Reader(0, slug, kind, address), profile)  # 0: not met by any run yet
        for slug, profile in profiles.items()
        for kind, address in profile.addresses
    ]
    readers += [
        (r, profiles[r.profile]) for r in everyone if r.origin is Origin.WEB and r.profile in profiles
    ]
    thumbs = store.feedback.counts()
    last, days = store.editions.last_by_reader(), last_edition_days(store, readers, now)
    states = store.outbox.states([edition.id for edition in last.values()])
    sent, pauses = store.outbox.last_sent(), store.pauses.all()
    since = store.readers.since_of([reader.id for reader, _ in readers])
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
                late=None
                if reader.stopped
                else held_up or _late(profile, days.get(reader.id), since.get(reader.id, now), now),
                stopped=reader.stopped_because,
            )
        )
    return rows


def _next_due(reader: Reader, profile: Profile, now: datetime) -> datetime | None:
    schedule = profile.schedule
    if reader.stopped:
        return None
    return next_moment(schedule.at, schedule.days, schedule.timezone, now)


def _late(profile: Profile, last: date | None, since: datetime, now: datetime) -> str | None:
    """Why a reader has not got what was due by now, though all that was made went out; None if nothing is.

    On the day on which a reader came, an edition is due whatever the time, but late only if they came before it.
    """
    schedule = profile.schedule
    timezone = schedule.timezone
    missed = due_slots(schedule.at, schedule.days, timezone, now, last=last, since=since)
    if not missed or (due := moment(missed[0], schedule.at, timezone)) < since:
        return None
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
