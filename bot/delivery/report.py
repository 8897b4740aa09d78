"""The report of one run, and the thread-safe builder that its workers write to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from threading import Lock

from bot.delivery.ports import StateListener
from bot.domain import Delivery, Problem, State


@dataclass(frozen=True, slots=True)
class Report:
    """How many rows reached which state in one run.

    ``unknown`` includes rows that an earlier run left behind; ``retrying`` rows are due again later;
    ``cancelled`` rows were not sent: just before the body, another worker owned them or their reader had stopped.
    """

    delivered: int
    failed: int
    unknown: int
    retrying: int
    cancelled: int
    problems: list[Problem]


class ReportBuilder:
    """Counts states and collects problems from several threads."""

    def __init__(self, on_progress: StateListener | None = None) -> None:
        self._on_progress = on_progress
        self._lock = Lock()
        self._counts: Counter[State] = Counter()
        self._problems: list[Problem] = []

    def count(self, delivery: Delivery, state: State) -> None:
        """Count a row in its new state and notify the progress listener."""
        # The listener is called under the lock: progress bars are not thread-safe.
        with self._lock:
            self._counts[state] += 1
            if self._on_progress:
                self._on_progress(delivery, state)

    def count_expired(self, number: int) -> None:
        """Count rows that became ``unknown`` because their worker died, and report them as one problem."""
        with self._lock:
            self._counts[State.UNKNOWN] += number
            self._problems.append(
                Problem(
                    "outbox",
                    f"{number} being sent when an earlier run broke off: each may have arrived; not sent again",
                )
            )

    def add(self, problem: Problem) -> None:
        """Add a problem."""
        with self._lock:
            self._problems.append(problem)

    def add_once(self, problem: Problem) -> None:
        """Add a problem, unless its source has one already.

        The disk is checked before each message, and each time its problem names other figures.
        """
        with self._lock:
            if all(problem.source != earlier.source for earlier in self._problems):
                self._problems.append(problem)

    def build(self) -> Report:
        """Return the report."""
        with self._lock:
            return Report(
                delivered=self._counts[State.SENT],
                failed=self._counts[State.FAILED],
                unknown=self._counts[State.UNKNOWN],
                retrying=self._counts[State.RETRY],
                cancelled=self._counts[State.CANCELLED],
                problems=list(self._problems),
            )
