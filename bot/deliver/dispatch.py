"""Delivers what is due: claims rows of the outbox, hands each to a channel, settles it.

    expire leases -> for each channel a lane: claim a few -> send (start_data just before the body) -> settle

Lanes are threads that share the outbox as their queue: each claims rows for itself, so that no row is in two
lanes. The first lane of a channel goes ahead alone until one message went through, so that a wrong password is
tried once and not once a lane. A lane that is told to stop, or whose channel is paused, gives back what it has
claimed and not begun.

No transaction is open while a channel talks. The outbox alone knows who owns a row: where it says no, another
worker has it by now, and nothing is counted here.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Event, Lock
from typing import Protocol

from bot.deliver import Cancelled, Channel, Route
from bot.deliver.outcome import Outcome, after_error, pause
from bot.domain import Delivery, Kind, Problem, ReaderId, State
from bot.errors import Blame, DeliveryError

# Longer than one message may take (a mail's session and answer have 15 minutes): a dead worker's rows wait as long.
LEASE = timedelta(minutes=30)
BATCH = (
    4  # rows claimed at once; a killed worker leaves so many behind, for each lane, until their lease is over
)
SILENCES = 3  # so many messages in a row without an answer, and the rest is not risked
PATIENCE = timedelta(seconds=5)  # a row that is due so soon is waited for; a later one is the next run's
_SHORTEST_WAIT = 0.05  # seconds

Progress = Callable[[Delivery, State], None]
Timer = Callable[[], float]


def _unheard(_delivery: Delivery, _state: State) -> None:
    """Nobody wants to hear of progress."""


class Outbox(Protocol):
    """The store's side: each call is a short transaction, each ``bool`` says if the row was still ours."""

    def expire(self, now: datetime) -> int:
        """Call unknown the rows of dead workers whose body was going out; how many they were."""

    def claim(self, kind: Kind, now: datetime, lease: timedelta, limit: int) -> list[Delivery]:
        """Up to ``limit`` due rows of a kind become ours; ``attempts`` counts this one, so it begins at 1."""

    def put_back(self, delivery: Delivery, not_before: datetime | None, now: datetime) -> bool:
        """Commit that a claimed row was not tried; with ``not_before``, nobody is to try it earlier."""

    def next_due(self, kind: Kind) -> datetime | None:
        """When the first waiting row of a kind may be tried."""

    def waiting(self, kind: Kind) -> int:
        """How many rows of a kind are still to be sent."""

    def start_data(self, delivery: Delivery, now: datetime, lease: timedelta) -> bool:
        """Commit that the body goes out; no if the row isn't ours, or cancelled as its reader has stopped."""

    def finish(self, delivery: Delivery, state: State, now: datetime, code: str, detail: str) -> bool:
        """Commit how it ended: ``sent``, ``failed`` or ``unknown``."""

    def retry(
        self,
        delivery: Delivery,
        not_before: datetime,
        code: str,
        detail: str,
        now: datetime,
        *,
        counted: bool,
    ) -> bool:
        """Commit that it is to be tried again, from when on, and whether this attempt counts."""


class ReaderStops(Protocol):
    """Where readers are stopped."""

    def refuse(self, reader_id: ReaderId, why: str) -> object:
        """Send this reader nothing more, as the address was refused, and show why."""


class Pause(Protocol):
    """A pause on record."""

    @property
    def until(self) -> datetime:
        """When the channel may be tried again."""

    @property
    def times(self) -> int:
        """How many failures in a row led to it."""

    @property
    def why(self) -> str:
        """What the last failure said."""


class Pauses(Protocol):
    """Where pauses of channels outlive the run."""

    def all(self) -> Mapping[Kind, Pause]:
        """The pauses on record, also those whose time is over but that no success has ended."""

    def begin(self, kind: Kind, now: datetime, until: datetime, why: str) -> object:
        """Pause a channel, once more."""

    def end(self, kind: Kind) -> object:
        """The channel works again."""


class Stop(Protocol):
    """Told by another thread that work is to end; ``threading.Event`` is one."""

    def is_set(self) -> bool:
        """Whether it was told."""

    def wait(self, timeout: float) -> object:
        """Wait so many seconds, or until told."""


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
    """What one run has seen so far, shared by its lanes."""

    now: Callable[[], datetime]
    on_progress: Progress
    pauses: dict[Kind, Pause]  # on record when the run began, until a success ends them
    lock: Lock = field(default_factory=Lock)
    settled: Counter[State] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    paused: dict[Kind, str] = field(default_factory=dict)  # why, and until when
    silences: Counter[Kind] = field(default_factory=Counter)
    proven: dict[Kind, Event] = field(default_factory=lambda: {kind: Event() for kind in Kind})
    broken: bool = False

    def settle(self, delivery: Delivery, state: State) -> None:
        with self.lock:
            self.settled[state] += 1
            self.on_progress(delivery, state)

    def first_to_pause(self, kind: Kind, why: str) -> bool:
        with self.lock:
            return self.paused.setdefault(kind, why) is why

    def too_silent(self, kind: Kind, state: State) -> bool:
        """Count messages without an answer; whether it were too many in a row."""
        with self.lock:
            self.silences[kind] = self.silences[kind] + 1 if state is State.UNKNOWN else 0
            return self.silences[kind] >= SILENCES

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
    """Moves the outbox's rows out through the channels.

    ``timer`` gives the seconds by which the run's ``now`` goes on; ``stop`` ends a run early.
    """

    def __init__(
        self,
        outbox: Outbox,
        routes: Mapping[Kind, Route],
        readers: ReaderStops,
        pauses: Pauses,
        *,
        timer: Timer = time.monotonic,
        stop: Stop | None = None,
    ) -> None:
        self._outbox, self._routes, self._readers, self._pauses = outbox, routes, readers, pauses
        self._timer, self._stop = timer, stop or Event()

    def deliver_due(self, now: datetime, on_progress: Progress = _unheard) -> Report:
        """Deliver everything that is due from ``now`` on. A channel's failures never raise, the outbox's do.

        ``on_progress`` hears of each settled row and its new state, for a progress bar, in any thread but
        never in two at once.
        """
        began = self._timer()
        run = _Run(
            lambda: now + timedelta(seconds=self._timer() - began), on_progress, dict(self._pauses.all())
        )
        self._expire(run)
        run.paused = {
            kind: _paused(pause.why, pause.until)
            for kind, pause in run.pauses.items()
            if pause.until > run.now()
        }
        self._work_side_by_side(run)
        self._tell_pauses(run)
        return run.report()

    def _expire(self, run: _Run) -> None:
        if left := self._outbox.expire(run.now()):
            run.settled[State.UNKNOWN] += left
            problem = (
                f"{left} being sent when an earlier run broke off: each may have arrived; not sent again"
            )
            run.problems.append(Problem("outbox", problem))

    def _tell_pauses(self, run: _Run) -> None:
        """As long as anything waits for their end."""
        for kind, why in run.paused.items():
            if waiting := self._outbox.waiting(kind):
                run.problems.append(Problem(kind.value, f"{why}; {waiting} waiting"))

    def _work_side_by_side(self, run: _Run) -> None:
        lanes = [
            _Lane(kind, channel, route.spacing, is_first=channel is route.channels[0])
            for kind, route in self._routes.items()
            for channel in route.channels
        ]
        with ThreadPoolExecutor(len(lanes) or 1, "lane") as pool:
            try:
                for lane in [pool.submit(self._work, lane, run) for lane in lanes]:
                    lane.result()
            except BaseException:
                run.broken = True  # the other lanes stop at their next message
                raise

    def _work(self, lane: _Lane, run: _Run) -> None:
        try:
            if not lane.is_first:
                run.proven[lane.kind].wait()
            self._empty(lane, run)
        finally:
            run.proven[lane.kind].set()

    def _empty(self, lane: _Lane, run: _Run) -> None:
        """Send until nothing is due."""
        while self._open(lane, run):
            batch = self._outbox.claim(lane.kind, run.now(), LEASE, BATCH)
            if not batch and not self._wait_for_more(lane, run):
                return
            for delivery in batch:
                self._next(delivery, lane, run)

    def _open(self, lane: _Lane, run: _Run) -> bool:
        return not (run.broken or self._stop.is_set() or lane.kind in run.paused or lane.closed)

    def _wait_for_more(self, lane: _Lane, run: _Run) -> bool:
        """Whether a row comes due within the patience; it does by the end of this call."""
        due, now = self._outbox.next_due(lane.kind), run.now()
        if due is None or due > now + PATIENCE:
            return False
        self._stop.wait(max((due - now).total_seconds(), _SHORTEST_WAIT))
        return True

    def _next(self, delivery: Delivery, lane: _Lane, run: _Run) -> None:
        if not self._open(lane, run):
            self._outbox.put_back(delivery, None, run.now())
        elif turn := lane.turn(delivery.reader.address, run.now()):
            self._outbox.put_back(delivery, turn, run.now())
        else:
            self._deliver(delivery, lane, run)

    def _deliver(self, delivery: Delivery, lane: _Lane, run: _Run) -> None:
        try:
            outcome = self._send(delivery, lane.channel, run)
        except DeliveryError as error:
            outcome = after_error(delivery, error, run.now())
            self._settle(delivery, outcome, run)
            self._stop_what_failed(delivery, error, lane, run)
            if outcome.counted:  # else the channel's problem says all
                run.problems.append(_problem(delivery, outcome, error))
        else:
            self._settle(delivery, outcome, run)
            if outcome.state is State.SENT:
                self._resume(lane.kind, run)
        if run.too_silent(lane.kind, outcome.state):
            self._pause(lane.kind, f"{SILENCES} messages in a row were sent and not answered", run)

    def _send(self, delivery: Delivery, channel: Channel, run: _Run) -> Outcome:
        started = False

        def start_data() -> None:
            nonlocal started
            if not self._outbox.start_data(delivery, run.now(), LEASE):
                raise Cancelled
            started = True

        try:
            receipt = channel.send(delivery, start_data)
        except Cancelled:
            return Outcome(State.CANCELLED)
        except DeliveryError:
            raise
        except Exception as error:  # a channel's bug must not lose the row, nor the rows after it
            message = f"unexpected {type(error).__name__}: {error}"
            raise DeliveryError(message, permanent=False, unknown=started, code="unexpected") from error
        return Outcome(State.SENT, detail=receipt)

    def _stop_what_failed(self, delivery: Delivery, error: DeliveryError, lane: _Lane, run: _Run) -> None:
        """Stop what the failure is about: the reader for good, the channel for a while.

        Where the first lane got through and another one doesn't, the server wants fewer connections.
        """
        if error.blame is Blame.CHANNEL and not (lane.is_first or error.permanent):
            lane.closed = True
        elif error.blame in (Blame.CHANNEL, Blame.POLICY):
            self._pause(lane.kind, str(error), run)
        if error.blame is Blame.READER and error.permanent:
            self._readers.refuse(delivery.reader.id, str(error))

    def _pause(self, kind: Kind, why: str, run: _Run) -> None:
        before, now = run.pauses.get(kind), run.now()
        until = now + pause(before.times + 1 if before else 1)
        if run.first_to_pause(kind, _paused(why, until)):
            self._pauses.begin(kind, now, until, why)

    def _resume(self, kind: Kind, run: _Run) -> None:
        run.proven[kind].set()
        with run.lock:
            ended = run.pauses.pop(kind, None)
        if ended:
            self._pauses.end(kind)

    def _settle(self, delivery: Delivery, outcome: Outcome, run: _Run) -> None:
        if self._commit(delivery, outcome, run.now()):
            run.settle(delivery, outcome.state)

    def _commit(self, delivery: Delivery, outcome: Outcome, now: datetime) -> bool:
        code, detail = outcome.code, outcome.detail
        if outcome.state is State.CANCELLED:
            return True  # the outbox said so itself
        if outcome.not_before is not None:
            return self._outbox.retry(
                delivery, outcome.not_before, code, detail, now, counted=outcome.counted
            )
        return self._outbox.finish(delivery, outcome.state, now, code, detail)


@dataclass(slots=True)
class _Lane:
    """One channel at work in one thread."""

    kind: Kind
    channel: Channel
    spacing: timedelta
    is_first: bool
    closed: bool = False
    last: dict[str, datetime] = field(default_factory=dict)  # when the last message to an address went

    def turn(self, address: str, now: datetime) -> datetime | None:
        """When an address may get its next message; None where that is now, which is then taken."""
        turn = self.last[address] + self.spacing if address in self.last else now
        if turn > now:
            return turn
        if self.spacing:
            self.last[address] = now
        return None


def _problem(delivery: Delivery, outcome: Outcome, error: DeliveryError) -> Problem:
    """One line for people: what has become of a message, under its reader's name."""
    return Problem(delivery.reader.name, f"{error} ({_what_now(outcome)})")


def _what_now(outcome: Outcome) -> str:
    if outcome.not_before is not None:
        return f"tried again from {_minute(outcome.not_before)}"
    if outcome.state is State.UNKNOWN:
        return "it may have arrived, so it is not sent again unless a person asks"
    return "given up"


def _paused(why: str, until: datetime) -> str:
    return f"{why}; paused until {_minute(until)}"


def _minute(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
