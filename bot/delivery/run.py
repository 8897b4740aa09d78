"""One run of the dispatcher: what its lanes have seen so far, and the report at its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from threading import Event, Lock

from bot.delivery.ports import Full, Pause, Progress
from bot.domain import Delivery, Kind, Problem, State

SILENCES = 3  # so many messages in a row without an answer, and the rest is not risked


@dataclass(frozen=True, slots=True)
class Report:
    """How many rows went which way in one run.

    ``unknown`` counts those that an earlier run left behind as well; ``retrying`` ones come again by
    themselves; ``cancelled`` ones turned out, just before their body, to be no longer wanted or ours.
    """

    delivered: int
    failed: int
    unknown: int
    retrying: int
    cancelled: int
    problems: list[Problem]


@dataclass(slots=True)
class Run:
    """What one run has seen so far, shared by its lanes."""

    now: Callable[[], datetime]
    on_progress: Progress
    full: Full
    pauses: dict[Kind, Pause]  # on record when the run began, until a success ends them
    lock: Lock = field(default_factory=Lock)
    settled: Counter[State] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    paused: dict[Kind, str] = field(default_factory=dict)  # why, and until when
    silences: Counter[Kind] = field(default_factory=Counter)
    proven: dict[Kind, Event] = field(default_factory=lambda: {kind: Event() for kind in Kind})
    broken: bool = False
    _full: set[str] = field(default_factory=set)

    def has_room(self) -> bool:
        """Whether what is sent could be recorded; where not, that is a problem, told once."""
        problems = self.full()
        with self.lock:
            self.problems += [problem for problem in problems if problem.source not in self._full]
            self._full |= {problem.source for problem in problems}
        return not problems

    def settle(self, delivery: Delivery, state: State) -> None:
        """Count a row that has its end, or its next beginning, and tell of it."""
        with self.lock:
            self.settled[state] += 1
            self.on_progress(delivery, state)

    def first_to_pause(self, kind: Kind, why: str) -> bool:
        """Pause a kind for this run; whether no other lane had."""
        with self.lock:
            return self.paused.setdefault(kind, why) is why

    def too_silent(self, kind: Kind, state: State) -> bool:
        """Count messages without an answer; whether it were too many in a row."""
        with self.lock:
            self.silences[kind] = self.silences[kind] + 1 if state is State.UNKNOWN else 0
            return self.silences[kind] >= SILENCES

    def report(self) -> Report:
        """What has come of it all."""
        return Report(
            delivered=self.settled[State.SENT],
            failed=self.settled[State.FAILED],
            unknown=self.settled[State.UNKNOWN],
            retrying=self.settled[State.RETRY],
            cancelled=self.settled[State.CANCELLED],
            problems=self.problems,
        )


def paused(why: str, until: datetime) -> str:
    """What is said of a paused channel."""
    return f"{why}; paused until {minute(until)}"


def minute(moment: datetime) -> str:
    """A time as people read it."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"
