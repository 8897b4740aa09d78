"""From sources to the store: retrieve, parse, identify."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from bot.clock import has_come
from bot.digests import parse
from bot.domain import ParsedDigest, Problem, RawDigest, SourceState
from bot.errors import DigestError, SourceError
from bot.pipeline.watching import Health, watch
from bot.sources import Source, Visit
from bot.store import Store

_NEARLY = 0.9  # of the time between two visits


@dataclass(frozen=True, slots=True)
class DigestReport:
    """What became of one digest; ``rejected`` says which of its blocks could not be read."""

    source: str
    date: date | None
    format: str
    papers: int
    new: int
    known: int
    rejected: tuple[str, ...]
    file: str


def ingest(
    sources: Iterable[Source], store: Store, now: datetime, *, at_once: bool = False
) -> Iterator[DigestReport | Problem]:
    """Stores what the sources bring, one digest after the other; what can't be read becomes a Problem.

    A source that was asked a short while ago is left alone, unless ``at_once``; one that asked to be left alone
    is, and with ``at_once`` that is a Problem.
    """
    states = store.sources.states()
    for source in sources:
        state = states.get(source.name) or SourceState(source.name)
        if state.not_before and not has_come(state.not_before, now):
            if at_once:
                yield Problem(
                    source.name, f"asks to be left alone until {state.not_before:%Y-%m-%d %H:%M} UTC"
                )
        elif at_once or _is_due(source, state, now):
            yield from _visit(source, store, state, now)


def _is_due(source: Source, state: SourceState, now: datetime) -> bool:
    """Whether the source was last asked long enough ago; a time in the future says nothing.

    A run every hour is a second early now and then, and must not find that an hour has not quite passed.
    """
    if state.checked_at is None or state.checked_at > now:
        return True
    return now - state.checked_at >= source.every * _NEARLY


def _visit(
    source: Source, store: Store, state: SourceState, now: datetime
) -> Iterator[DigestReport | Problem]:
    """One retrieval, how it went, and whether its operator should know."""
    visit = Visit(now, dict(state.memory))
    problems: list[Problem] = []
    failure: SourceError | None = None
    read = 0
    try:
        for outcome in _digests(source, visit, store):
            yield outcome
            if isinstance(outcome, Problem):
                problems.append(outcome)
            else:
                read += 1
    except SourceError as error:
        failure = error
        problems.append(Problem(source.name, str(error)))
        yield problems[-1]
    if problems and (failure or not read):
        state = _failed(state, problems[-1], failure, now)
    else:
        state = _went_well(state, state.memory if problems else visit.memory, now)
    yield from _recorded(source, store, state, now)


def _went_well(state: SourceState, memory: Mapping[str, str], now: datetime) -> SourceState:
    return SourceState(state.name, checked_at=now, succeeded_at=now, memory=memory, warned=state.warned)


def _failed(state: SourceState, problem: Problem, failure: SourceError | None, now: datetime) -> SourceState:
    wait = failure.retry_after if failure else None
    return replace(
        state,
        checked_at=now,
        failures=state.failures + 1,
        problem=problem.problem,
        not_before=now + timedelta(seconds=wait) if wait else None,
    )


def _recorded(source: Source, store: Store, state: SourceState, now: datetime) -> Iterator[Problem]:
    """Keeps the state; a Problem where the source is in a trouble that its operator was not told of."""
    verdict = watch(source, store, now, state)
    if verdict.is_trouble and verdict.health not in (Health.FAILING, state.warned):
        yield Problem(source.name, str(verdict))
    store.sources.record(replace(state, warned=str(verdict.health) if verdict.is_trouble else ""))


def _digests(source: Source, visit: Visit, store: Store) -> Iterator[DigestReport | Problem]:
    for raw in source.retrieve(visit):
        if isinstance(raw, Problem):
            yield raw
        else:
            yield from _ingest_one(raw, store, visit.now)


def peek(source: Source, now: datetime) -> Iterator[tuple[str, ParsedDigest] | Problem]:
    """What a source would bring, with its name, or a Problem for each that is no digest; changes nothing."""
    try:
        for raw in source.retrieve(Visit(now, peek=True)):
            yield from [raw] if isinstance(raw, Problem) else _parsed(raw)
    except SourceError as error:
        yield Problem(source.name, str(error))


def unreadable(sources: Iterable[Source], store: Store, now: datetime) -> Iterator[Problem]:
    """What can't be read of the files that lie in folders now; changes nothing.

    Each run tries them again, but only that run tells of them.
    """
    for source in sources:
        if source.every:
            continue
        for raw in source.retrieve(Visit(now, peek=True)):
            if isinstance(raw, Problem):
                yield raw
            elif not store.papers.digests_with(hashlib.sha256(raw.content).hexdigest()):
                yield from (item for item in _parsed(raw) if isinstance(item, Problem))


def _parsed(raw: RawDigest) -> Iterator[tuple[str, ParsedDigest] | Problem]:
    try:
        yield from ((raw.name, digest) for digest in parse(raw))
    except DigestError as error:
        yield Problem(f"{raw.source}/{raw.name}", str(error))


def _ingest_one(raw: RawDigest, store: Store, now: datetime) -> Iterator[DigestReport | Problem]:
    content_hash = hashlib.sha256(raw.content).hexdigest()
    if known := store.papers.digests_with(content_hash):
        for digest in known:
            yield DigestReport(
                source=raw.source,
                date=digest.date,
                format=digest.format,
                papers=digest.papers,
                new=0,
                known=digest.papers,
                rejected=tuple(digest.rejected),
                file=raw.name,
            )
        return
    try:
        parsed = parse(raw)
    except DigestError as error:
        yield Problem(f"{raw.source}/{raw.name}", str(error))
        return
    counts = store.papers.add_digests(raw.source, raw.name, content_hash, parsed, now=now)
    for one, (new, known_papers) in zip(parsed, counts, strict=True):
        yield DigestReport(
            source=raw.source,
            date=one.date,
            format=one.format,
            papers=len(one.entries),
            new=new,
            known=known_papers,
            rejected=one.rejected,
            file=raw.name,
        )
