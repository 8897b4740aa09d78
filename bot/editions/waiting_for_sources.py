"""Editions that wait for a source that failed just now, as a slot is taken once and the papers would miss it.

    due --a source of the profile was interrupted--> wait, from tick to tick --it went well--> compose
                                                                             --so long--> compose without it, and say so

A source counts as interrupted for a day after it last went well; nobody waits for one that has been failing for longer,
that never went well, or that repeats arXiv's announcements while arXiv rests.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.arxiv_calendar import rest_between
from bot.domain import Problem, ReaderId, SourceState
from bot.sources import Source
from bot.store import Store

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Due:
    """An edition that could be made: whose, of which slot, and without which interrupted sources."""

    reader_id: ReaderId
    slot: str
    missing: Sequence[SourceState]


@dataclass(frozen=True, slots=True)
class Waiting:
    """How long editions wait for which sources."""

    store: Store
    sources: Sequence[Source]
    limit: timedelta

    def interrupted(self, now: datetime) -> list[SourceState]:
        """The sources that failed when they were last asked and that went well shortly before."""
        rest = rest_between(now - _DAY, now)
        states = self.store.sources.states()
        awake = [source.name for source in self.sources if not (rest and source.repeats_arxiv)]
        return [
            state
            for state in map(states.get, awake)
            if state and state.succeeded_at and state.failing_since and now - state.failing_since < _DAY
        ]

    def held(self, due: Iterable[Due], now: datetime) -> tuple[set[ReaderId], list[Problem]]:
        """Whose editions wait at this time, and what to say of it."""
        candidates = {edition.reader_id: edition for edition in due if edition.missing}
        if not (candidates and self.limit):
            return set(), []
        slots = {reader_id: edition.slot for reader_id, edition in candidates.items()}
        began = self.store.edition_waits.since(slots, now)
        waiting = {
            reader_id: began[reader_id] + self.limit
            for reader_id, edition in candidates.items()
            # A wait that begins in the future was begun by a clock that ran ahead.
            if began[reader_id] <= now < began[reader_id] + self.limit
            and _may_recover(edition.missing, began[reader_id] + self.limit)
        }
        return set(waiting), _problems(waiting, candidates)


def missing_of(
    profile_sources: Collection[str], interrupted: Iterable[SourceState]
) -> tuple[SourceState, ...]:
    """The interrupted sources that a profile reads; it names its sources, or none for all."""
    return tuple(state for state in interrupted if not profile_sources or state.name in profile_sources)


def _may_recover(missing: Iterable[SourceState], until: datetime) -> bool:
    """Whether one of the sources will be asked again by then: it may have asked to be left alone for longer."""
    return any(state.not_before is None or state.not_before < until for state in missing)


def _problems(waiting: Mapping[ReaderId, datetime], candidates: Mapping[ReaderId, Due]) -> list[Problem]:
    """One for each set of sources that editions wait for."""
    by_sources: dict[str, list[datetime]] = {}
    for reader_id, until in waiting.items():
        names = ", ".join(state.name for state in candidates[reader_id].missing)
        by_sources.setdefault(names, []).append(until)
    return [
        Problem(
            names,
            f"{len(times):,} edition{' waits' if len(times) == 1 else 's wait'} for it to be read, "
            f"until {max(times):%H:%M} UTC at most; `paperbot run --force` doesn't wait",
        )
        for names, times in by_sources.items()
    ]
