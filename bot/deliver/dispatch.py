"""Delivers what is due: claims rows of the outbox, hands each to its channel, settles it.

    expire leases -> claim a batch -> for each: send (start_data just before its body) -> outcome -> settle

No transaction is open while a channel talks. The outbox alone knows who owns a row: where it says no, another
worker has it by now, and nothing is counted here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from bot.deliver import Cancelled, Channel
from bot.deliver.outcome import Outcome, after_error, held_back
from bot.domain import Delivery, Kind, Problem, ReaderId, State
from bot.errors import Blame, DeliveryError

LEASE = timedelta(hours=1)  # much longer than a batch takes as a rule; a dead worker's rows wait as long
BATCH = 20

Progress = Callable[[Delivery, State], None]


def _unheard(_delivery: Delivery, _state: State) -> None:
    """Nobody wants to hear of progress."""


class Outbox(Protocol):
    """The store's side: each call is a short transaction, each ``bool`` says if the row was still ours."""

    def expire(self, now: datetime) -> int:
        """Call unknown the rows of dead workers whose body was going out; how many they were."""

    def claim(self, now: datetime, lease: timedelta, limit: int) -> list[Delivery]:
        """Up to ``limit`` rows that are due become ours; ``attempts`` counts this one, so it begins at 1."""

    def start_data(self, delivery: Delivery, now: datetime) -> bool:
        """Commit that the body goes out; no if the row isn't ours, or cancelled as its reader has stopped."""

    def finish(self, delivery: Delivery, state: State, now: datetime, code: str, detail: str) -> bool:
        """Commit how it ended: ``sent``, ``failed`` or ``unknown``."""

    def retry(self, delivery: Delivery, not_before: datetime, code: str, detail: str, now: datetime) -> bool:
        """Commit that it is to be tried again, and from when on."""


class ReaderStops(Protocol):
    """Where readers are stopped."""

    def stop(self, reader_id: ReaderId, why: str) -> object:
        """Send this reader nothing more, and show why."""


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
class _Run:
    """What one run has seen so far, and who hears of it."""

    on_progress: Progress
    settled: Counter[State] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    paused: dict[Kind, DeliveryError] = field(default_factory=dict)

    def report(self) -> Report:
        return Report(
            delivered=self.settled[State.SENT],
            failed=self.settled[State.FAILED],
            unknown=self.settled[State.UNKNOWN],
            retrying=self.settled[State.RETRY],
            cancelled=self.settled[State.CANCELLED],
            problems=self.problems,
        )


class Dispatcher:
    """Moves the outbox's rows out through the channels, one for each kind of address."""

    def __init__(
        self,
        outbox: Outbox,
        channels: Mapping[Kind, Channel],
        readers: ReaderStops,
    ) -> None:
        self._outbox, self._channels, self._readers = outbox, channels, readers

    def deliver_due(self, now: datetime, on_progress: Progress = _unheard) -> Report:
        """Deliver everything that is due at ``now``. A channel's failures never raise, the outbox's do.

        ``on_progress`` hears of each settled row and its new state, for a progress bar.
        """
        run = _Run(on_progress)
        self._expire(now, run)
        while batch := self._outbox.claim(now, LEASE, BATCH):
            for delivery in batch:
                self._deliver(delivery, now, run)
        return run.report()

    def _expire(self, now: datetime, run: _Run) -> None:
        if left := self._outbox.expire(now):
            run.settled[State.UNKNOWN] += left
            problem = (
                f"{left} being sent when an earlier run broke off: each may have arrived; not sent again"
            )
            run.problems.append(Problem("outbox", problem))

    def _deliver(self, delivery: Delivery, now: datetime, run: _Run) -> None:
        if pause := run.paused.get(delivery.reader.kind):
            self._settle(delivery, held_back(delivery, pause, now), now, run)
            return
        try:
            self._settle(delivery, self._send(delivery, now), now, run)
        except DeliveryError as error:
            outcome = after_error(delivery, error, now)
            self._settle(delivery, outcome, now, run)
            self._stop(delivery, error, run)
            run.problems.append(_problem(delivery, outcome, error))

    def _send(self, delivery: Delivery, now: datetime) -> Outcome:
        started = False

        def start_data() -> None:
            nonlocal started
            if not self._outbox.start_data(delivery, now):
                raise Cancelled
            started = True

        try:
            receipt = self._channels[delivery.reader.kind].send(delivery, start_data)
        except Cancelled:
            return Outcome(State.CANCELLED)
        except DeliveryError:
            raise
        except Exception as error:  # a channel's bug must not lose the row, nor the rows after it
            message = f"unexpected {type(error).__name__}: {error}"
            raise DeliveryError(message, permanent=False, unknown=started, code="unexpected") from error
        return Outcome(State.SENT, detail=receipt)

    def _stop(self, delivery: Delivery, error: DeliveryError, run: _Run) -> None:
        """Stop what the failure is about: the reader for good, the channel for the rest of the run."""
        if error.blame is Blame.CHANNEL:
            run.paused[delivery.reader.kind] = error
        if error.blame is Blame.READER and error.permanent:
            self._readers.stop(delivery.reader.id, str(error))

    def _settle(self, delivery: Delivery, outcome: Outcome, now: datetime, run: _Run) -> None:
        if not self._commit(delivery, outcome, now):
            return
        run.settled[outcome.state] += 1
        run.on_progress(delivery, outcome.state)

    def _commit(self, delivery: Delivery, outcome: Outcome, now: datetime) -> bool:
        if outcome.state is State.CANCELLED:
            return True  # the outbox said so itself
        if outcome.not_before is not None:
            return self._outbox.retry(delivery, outcome.not_before, outcome.code, outcome.detail, now)
        return self._outbox.finish(delivery, outcome.state, now, outcome.code, outcome.detail)


def _problem(delivery: Delivery, outcome: Outcome, error: DeliveryError) -> Problem:
    """One line for people: the channel's trouble under its name, a message's under its reader's."""
    where = delivery.reader.name
    if error.blame is Blame.CHANNEL and outcome.state is State.RETRY:
        where = delivery.reader.kind.value
    return Problem(where, f"{error} ({_what_now(outcome)})")


def _what_now(outcome: Outcome) -> str:
    if outcome.not_before is not None:
        return f"tried again from {outcome.not_before:%Y-%m-%d %H:%M} UTC"
    if outcome.state is State.UNKNOWN:
        return "it may have arrived, so it is not sent again unless a person asks"
    return "given up"
