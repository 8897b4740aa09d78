"""Editions that wait for an interrupted source: a slot is taken once, so its papers would miss the edition.

    due --source interrupted--> wait, re-checked at each tick --source recovered--> compose
                                                              --limit reached-----> compose without it, and say so

A source is interrupted if its last check failed and it has been failing for less than a day. Editions don't wait for a
source that has failed for longer or never succeeded, nor for one that repeats arXiv's announcements while arXiv rests.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.arxiv_calendar import rest_between
from bot.domain import Problem
from bot.editions.due import DueEdition
from bot.sources import Source
from bot.store import Store
from bot.wording import plural

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Wait:
    """The wait of one edition: the names of the sources, and when it ends at the latest."""

    sources: str
    until: datetime


@dataclass(frozen=True, slots=True)
class Waiting:
    """How long editions wait, and for which sources."""

    store: Store
    sources: Sequence[Source]
    limit: timedelta

    def with_interrupted(self, due: Sequence[DueEdition], now: datetime) -> list[DueEdition]:
        """Return the due editions, each with the interrupted sources that its profile reads."""
        if not due:
            return []
        rest = rest_between(now - _DAY, now)
        expected = [source.name for source in self.sources if not (rest and source.follows_arxiv_calendar)]
        interrupted = [
            state
            for state in map(self.store.sources.states().get, expected)
            if state and state.succeeded_at and state.failing_since and now - state.failing_since < _DAY
        ]
        return [
            replace(
                edition,
                interrupted=[
                    state
                    for state in interrupted
                    # A profile that names no sources reads all.
                    if not edition.profile.sources or state.name in edition.profile.sources
                ],
            )
            for edition in due
        ]

    def ready(self, due: Sequence[DueEdition], now: datetime) -> tuple[list[DueEdition], list[Wait]]:
        """Return the editions that don't wait, and the waits of the others."""
        incomplete = [edition for edition in due if edition.interrupted]
        if not (incomplete and self.limit):
            return list(due), []
        # The beginning of each wait is stored: `paperbot run` from cron is a new process each time.
        began = self.store.edition_waits.since(
            {edition.reader.id: edition.slot for edition in incomplete}, now
        )
        waiting = set()
        waits: list[Wait] = []
        for edition in incomplete:
            start = began[edition.reader.id]
            end = start + self.limit
            # A source that asked not to be called until later (Retry-After) can't recover in time.
            may_recover = any(s.not_before is None or s.not_before < end for s in edition.interrupted)
            # A start in the future was written by a clock that ran ahead; waiting for it could take days.
            if start <= now < end and may_recover:
                waiting.add(edition.reader.id)
                waits.append(Wait(", ".join(state.name for state in edition.interrupted), end))
        return [edition for edition in due if edition.reader.id not in waiting], waits


def waiting_problems(waits: Iterable[Wait]) -> list[Problem]:
    """Return a problem for each set of sources that editions wait for."""
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
