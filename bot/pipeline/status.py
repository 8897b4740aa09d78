"""What an operator wants to know: is anything coming in, is everything going out, what needs a person?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from bot.config.profiles import Profile
from bot.domain import Origin, Problem, Reader, State
from bot.schedule import next_moment
from bot.store import Store

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
    """One reader's last edition, thumbs, and what comes next; ``next_due`` is None for one who has stopped."""

    reader: str
    thumbs_up: int
    thumbs_down: int
    last_edition: date | None
    last_picks: int
    last_states: Sequence[State]
    quiet: str | None
    next_due: datetime | None
    stopped: str | None


@dataclass(frozen=True, slots=True)
class Status:
    """Everything at a glance."""

    papers: int
    sources: Sequence[SourceStatus]
    readers: Sequence[ReaderStatus]
    outbox: Mapping[State, int]
    problems: Sequence[Problem]


def status(
    store: Store,
    source_names: Sequence[str],
    profiles: Mapping[str, Profile],
    profile_problems: Sequence[Problem],
    now: datetime,
) -> Status:
    """Looks at the store and changes nothing."""
    return Status(
        papers=store.papers.count(),
        sources=_sources(store, source_names),
        readers=_readers(store, profiles, now),
        outbox=store.outbox.counts(),
        problems=[*profile_problems, *_undelivered(store)],
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
    last = store.editions.last_by_reader()
    states = store.outbox.states([edition.id for edition in last.values()])
    rows = []
    for reader, profile in readers:
        edition = last.get(reader.id)
        up, down = thumbs.get(reader.id, (0, 0))
        rows.append(
            ReaderStatus(
                reader=reader.name,
                thumbs_up=up,
                thumbs_down=down,
                last_edition=edition.date if edition else None,
                last_picks=edition.picks if edition else 0,
                last_states=states.get(edition.id, ()) if edition else (),
                quiet=edition.quiet if edition else None,
                next_due=_next_due(reader, profile, now),
                stopped=reader.stopped,
            )
        )
    return rows


def _next_due(reader: Reader, profile: Profile, now: datetime) -> datetime | None:
    schedule = profile.schedule
    if reader.stopped:
        return None
    return next_moment(schedule.at, schedule.days, schedule.timezone or "UTC", now)


def _undelivered(store: Store) -> list[Problem]:
    return [
        Problem(trouble.reader, f"{trouble.state}: {trouble.detail or trouble.code} ({trouble.subject})")
        for trouble in store.outbox.problems(_PROBLEMS_SHOWN)
    ]
