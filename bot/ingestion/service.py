"""From sources to the store: retrieve, parse, identify.

Whatever goes wrong with a digest, foreseen or not, is that digest's Problem, and whatever goes wrong with a source is
that source's; the others go on. Only a store that can't be used ends it all, as nothing could be kept.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from bot.clock import has_come
from bot.domain import ParsedDigest, Problem, RawDigest, SourceState
from bot.errors import DigestError, LimitError, ParserError, SourceError, StoreError, mistake
from bot.ingestion.health import Health, watch
from bot.sources import Source, Visit
from bot.store import Store
from bot.store.papers import StoredDigest

log = logging.getLogger("paperbot")

_NEARLY = 0.9  # of the time between two visits
_FIRST_RETRY = timedelta(
    minutes=5
)  # after a failure; doubled with each further one, up to the source's interval
_TRY_AGAIN = "`paperbot ingest --again` tries again"

Parse = Callable[[RawDigest], Sequence[ParsedDigest]]


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


@dataclass(frozen=True, slots=True)
class Ingestion:
    """Takes in what sources bring, at one time.

    ``parse`` raises DigestError for what is no digest. ``at_once`` asks sources that were asked a short while ago;
    ``again`` parses digests that are refused since parsing them met a limit.
    """

    store: Store
    parse: Parse
    now: datetime
    at_once: bool = False
    again: bool = False

    def of_all(self, sources: Iterable[Source]) -> Iterator[DigestReport | Problem]:
        """What became of each digest, one source after the other; raises StoreError.

        A source that asked to be left alone is, and with ``at_once`` that is a Problem.
        """
        states = self.store.sources.states()
        for source in sources:
            state = states.get(source.name) or SourceState(source.name)
            try:
                yield from self._of_source(source, state)
            except StoreError:
                raise
            except Exception as error:
                log.debug("%s", source.name, exc_info=True)
                yield Problem(source.name, mistake(error))

    def _of_source(self, source: Source, state: SourceState) -> Iterator[DigestReport | Problem]:
        if state.not_before and not has_come(state.not_before, self.now):
            if self.at_once:
                until = f"{state.not_before:%Y-%m-%d %H:%M} UTC"
                yield Problem(source.name, f"asks to be left alone until {until}")
        elif self.at_once or _is_due(source, state, self.now):
            yield from self._visit(source, state)

    def _visit(self, source: Source, state: SourceState) -> Iterator[DigestReport | Problem]:
        """One retrieval, how it went, and whether its operator should know."""
        visit = Visit(self.now, dict(state.memory))
        problems: list[Problem] = []
        failure: SourceError | None = None
        read = 0
        try:
            for raw in retrieved(source, visit):
                for outcome in [raw] if isinstance(raw, Problem) else self._taken_in(raw):
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
            state = _failed(state, problems[-1], failure, self.now)
        else:
            state = _went_well(state, state.memory if problems else visit.memory, self.now)
        yield from self._recorded(source, state)

    def _recorded(self, source: Source, state: SourceState) -> Iterator[Problem]:
        """Keeps the state; a Problem where the source is in a trouble that its operator was not told of."""
        self.store.sources.record(state)
        verdict = watch(source, self.store, self.now, state)
        if verdict.is_trouble and verdict.health not in (Health.FAILING, state.warned):
            yield Problem(source.name, str(verdict))
        warned = str(verdict.health) if verdict.is_trouble else ""
        if warned != state.warned:
            self.store.sources.record(replace(state, warned=warned))

    def _taken_in(self, raw: RawDigest) -> Sequence[DigestReport | Problem]:
        """What became of one digest; raises StoreError and ParserError, which are no fault of it."""
        content_hash = hashlib.sha256(raw.content).hexdigest()
        name = f"{raw.source}/{raw.name}"
        try:
            if known := self.store.papers.digests_with(content_hash):
                return [_known(raw, digest) for digest in known]
            if reason := self.store.parse_attempts.begin(content_hash, self.now, again=self.again):
                return [Problem(name, f"refused since an earlier run: {reason}; {_TRY_AGAIN}")]
            return self._stored(raw, content_hash)
        except LimitError as error:
            self.store.parse_attempts.refuse(content_hash, str(error))
            return [Problem(name, f"{error}; it is refused from now on, {_TRY_AGAIN}")]
        except DigestError as error:
            return [Problem(name, str(error))]
        except (StoreError, ParserError):
            raise
        except Exception as error:
            log.debug("%s", name, exc_info=True)
            return [Problem(name, mistake(error))]

    def _stored(self, raw: RawDigest, content_hash: str) -> Sequence[DigestReport]:
        """Parses a digest and stores it; raises DigestError and StoreError.

        Only a process that is killed meanwhile leaves the attempt noted, or a digest that is to be refused.
        """
        is_refused = False
        try:
            parsed = self.parse(raw)
            counts = self.store.papers.add_digests(raw.source, raw.name, content_hash, parsed, now=self.now)
        except LimitError:
            is_refused = True
            raise
        finally:
            if not is_refused:
                self.store.parse_attempts.end(content_hash)
        return [
            _reported(raw, digest, new, known) for digest, (new, known) in zip(parsed, counts, strict=True)
        ]


def retrieved(source: Source, visit: Visit) -> Iterator[RawDigest | Problem]:
    """What a source delivers; raises nothing but SourceError, for what nobody foresaw too."""
    try:
        yield from source.retrieve(visit)
    except SourceError:
        raise
    except Exception as error:
        log.debug("%s", source.name, exc_info=True)
        raise SourceError(mistake(error)) from error


def peek(source: Source, parse: Parse, now: datetime) -> Iterator[tuple[str, ParsedDigest] | Problem]:
    """What a source would bring, with its name, or a Problem for each that is no digest; changes nothing."""
    try:
        for raw in retrieved(source, Visit(now, peek=True)):
            yield from [raw] if isinstance(raw, Problem) else _parsed(raw, parse)
    except SourceError as error:
        yield Problem(source.name, str(error))


def _parsed(raw: RawDigest, parse: Parse) -> Sequence[tuple[str, ParsedDigest] | Problem]:
    try:
        return [(raw.name, digest) for digest in parse(raw)]
    except ParserError:
        raise
    except DigestError as error:
        return [Problem(f"{raw.source}/{raw.name}", str(error))]
    except Exception as error:
        log.debug("%s/%s", raw.source, raw.name, exc_info=True)
        return [Problem(f"{raw.source}/{raw.name}", mistake(error))]


def _is_due(source: Source, state: SourceState, now: datetime) -> bool:
    """Whether the source was last asked long enough ago; a time in the future says nothing.

    A run every hour is a second early now and then, and must not find that an hour has not quite passed.
    """
    if state.checked_at is None or state.checked_at > now:
        return True
    wait = source.every
    if state.failures:
        wait = min(wait, _FIRST_RETRY * 2 ** min(state.failures - 1, 20))
    return now - state.checked_at >= wait * _NEARLY


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
        failing_since=state.failing_since or now,
    )


def _known(raw: RawDigest, digest: StoredDigest) -> DigestReport:
    """The report on a digest whose bytes came before."""
    return DigestReport(
        source=raw.source,
        date=digest.date,
        format=digest.format,
        papers=digest.papers,
        new=0,
        known=digest.papers,
        rejected=tuple(digest.rejected),
        file=raw.name,
    )


def _reported(raw: RawDigest, digest: ParsedDigest, new: int, known: int) -> DigestReport:
    return DigestReport(
        source=raw.source,
        date=digest.date,
        format=digest.format,
        papers=len(digest.entries),
        new=new,
        known=known,
        rejected=digest.rejected,
        file=raw.name,
    )


def unreadable(sources: Iterable[Source], store: Store, parse: Parse, now: datetime) -> Iterator[Problem]:
    """What can't be read of the files that lie in folders now; changes nothing.

    Each run tries them again, but only that run tells of them.
    """
    for source in sources:
        if source.every:
            continue
        for raw in retrieved(source, Visit(now, peek=True)):
            if isinstance(raw, Problem):
                yield raw
                continue
            content_hash = hashlib.sha256(raw.content).hexdigest()
            if reason := store.parse_attempts.refusal(content_hash):
                yield Problem(
                    f"{raw.source}/{raw.name}", f"refused since an earlier run: {reason}; {_TRY_AGAIN}"
                )
            elif not store.papers.digests_with(content_hash):
                yield from (item for item in _parsed(raw, parse) if isinstance(item, Problem))
