"""Editions that wait for an interrupted source: a slot is taken once, so its papers would miss the edition.

    due --source interrupted--> wait, re-checked at each tick --source recovered--> compose
                                                              --limit reached-----> compose without it, and say so

A source is interrupted if its last check failed and it has been failing for less than a day. Editions don't wait for a
source that has failed for longer or never succeeded, nor for one that repeats arXiv's announcements while arXiv rests.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.arxiv_calendar import rest_between
from bot.domain import Problem, ReaderId, SourceState
from bot.sources import Source
from bot.store import Store
from bot.wording import plural

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Due:
    """A due edition: the reader, the slot, and the interrupted sources that it would miss."""

    reader_id: ReaderId
    slot: str
    missing: Sequence[SourceState]


@dataclass(frozen=True, slots=True)
class Waiting:
    """How long editions wait, and for which sources."""

    store: Store
    sources: Sequence[Source]
    limit: timedelta

    def interrupted(self, now: datetime) -> list[SourceState]:
        """Return the states of the sources whose last check failed and which succeeded shortly before."""
        rest = rest_between(now - _DAY, now)
        states = self.store.sources.states()
        awake = [source.name for source in self.sources if not (rest and source.repeats_arxiv)]
        return [
            state
            for state in map(states.get, awake)
            if state and state.succeeded_at and state.failing_since and now - state.failing_since < _DAY
        ]

    def held(self, due: Iterable[Due], now: datetime) -> tuple[set[ReaderId], list[Problem]]:
        """Return the readers whose editions wait, and a problem for each set of sources that they wait for."""
        incomplete = [edition for edition in due if edition.missing]
        if not (incomplete and self.limit):
            return set(), []
        # The beginning of each wait is stored: `paperbot run` from cron is a new process each time.
        began = self.store.edition_waits.since(
            {edition.reader_id: edition.slot for edition in incomplete}, now
        )
        waiting: set[ReaderId] = set()
        ends: dict[str, list[datetime]] = {}
        for edition in incomplete:
            start = began[edition.reader_id]
            end = start + self.limit
            # A source that asked not to be called until later (Retry-After) can't recover in time.
            may_recover = any(s.not_before is None or s.not_before < end for s in edition.missing)
            # A start in the future was written by a clock that ran ahead; waiting for it could take days.
            if start <= now < end and may_recover:
                waiting.add(edition.reader_id)
                ends.setdefault(", ".join(state.name for state in edition.missing), []).append(end)
        return waiting, [
            Problem(
                names,
                f"{plural(len(times), 'edition')} {'waits' if len(times) == 1 else 'wait'} for it to be read, "
                f"until {max(times):%H:%M} UTC at most; `paperbot run --force` doesn't wait",
            )
            for names, times in ends.items()
        ]


def missing_of(
    profile_sources: Collection[str], interrupted: Iterable[SourceState]
) -> tuple[SourceState, ...]:
    """Return the interrupted sources that a profile reads; a profile that names no sources reads all."""
    return tuple(state for state in interrupted if not profile_sources or state.name in profile_sources)
