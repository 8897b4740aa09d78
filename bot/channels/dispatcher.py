"""Deliver what is due: expire leases, let the workers of all channels empty the outbox, and report.

    expire -> look up lists without an answer -> workers side by side -> report
    worker: rate limit -> claim a batch -> for each row: is it the address's turn? -> attempt -> circuit breaker
    attempt: claimed --start_data--> data_started --> sent | failed | retry | unknown

No transaction is open while a channel talks, so that a slow mail server holds no lock in the database.

Delivery is at most once, or marked ``unknown``. SMTP can't do better: between the final dot and the server's reply
neither side knows what the other has recorded (RFC 1047). So the start of the body is committed first: a worker that
dies before it leaves a row to be claimed again, one that dies after it leaves a row that is ``unknown``. A kill leaves
one ``unknown`` message for a connection and no more: several messages are never started in one commit.

The outbox is the only queue. A queue in memory would have to be rebuilt after a crash and shared between processes;
with claims from the outbox a second process simply adds workers, and no row has two of them. The outbox alone decides
who owns a row: a claim is a lease with a random token. A worker that is told to stop, or whose breaker opens, releases
the rows that it has claimed and not begun.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Event, Lock
from typing import Protocol

from bot.channels import Cancelled, Channel, Route
from bot.channels.circuit_breaker import BreakerState, BreakerStore, CircuitBreaker, Outcome, decide
from bot.model import Delivery, Kind, Problem, ReaderId, SendGrant, State
from bot.model.clock import Timer
from bot.model.errors import DeliveryError, FailureScope

Clock = Callable[[], datetime]
StateListener = Callable[[Delivery, State], None]
DiskProblems = Callable[[], Sequence[Problem]]


class Outbox(Protocol):
    """The queue of messages. No transaction is open while a channel talks."""

    def expire(self, now: datetime) -> int:
        """Mark rows as ``unknown`` whose lease ran out after the body was started; return how many."""

    def unanswered_lists(self, kind: Kind, since: datetime) -> list[Delivery]:
        """Return the rows that became ``unknown`` after a time and in whose threads replies are held."""

    def mark_arrived(self, delivery_id: int, detail: str, now: datetime) -> bool:
        """Commit that an ``unknown`` row has arrived, with its receipt; the replies in its thread are due then."""

    def claim(self, kind: Kind, now: datetime, lease: timedelta, limit: int) -> list[Delivery]:
        """Lease up to ``limit`` due rows of a kind; their ``attempts`` include the one to come, from 1 on."""

    def release(self, deliveries: Sequence[Delivery], not_before: datetime | None, now: datetime) -> None:
        """Give back claimed rows that were not attempted, due at once or at ``not_before``."""

    def next_due(self, kind: Kind) -> datetime | None:
        """Return when the first delayed row of a kind is due; None without any."""

    def waiting(self, kind: Kind) -> int:
        """Return how many rows of a kind are still to be sent."""

    def start_data(self, delivery: Delivery, now: datetime, lease: timedelta) -> bool:
        """Commit that the body is about to be sent; False if the row is not ours or its reader has stopped."""

    def record_sent(self, delivery: Delivery, receipt: str, now: datetime) -> bool:
        """Commit that a row was sent."""

    def finish(self, delivery: Delivery, state: State, now: datetime, code: str, detail: str) -> bool:
        """Commit a final state: ``failed`` or ``unknown``."""

    def retry(
        self, delivery: Delivery, not_before: datetime, code: str, detail: str, now: datetime, *, counted: bool
    ) -> bool:
        """Commit that the row is due again at ``not_before``, and whether this attempt counts."""


class ReaderSuppression(Protocol):
    """The suppression list: addresses that hard-bounced get nothing more."""

    def suppress(self, reader_id: ReaderId, why: str) -> object:
        """Send nothing more to a reader after a hard bounce; ``why`` is shown to the operator."""


class Rates(Protocol):
    """How fast messages may go out, over all processes."""

    def take(self, kind: Kind, most: int, now: datetime) -> SendGrant:
        """Reserve up to ``most`` messages of a kind."""

    def release(self, kind: Kind, count: int, now: datetime) -> object:
        """Give back the reservation of messages that were not attempted."""

    def slow_down(self, kind: Kind, now: datetime) -> object:
        """Lower the rate of a kind for a while, as the other side throttles."""


class StopSignal(Protocol):
    """A request by another thread to end early; ``threading.Event`` is one."""

    def is_set(self) -> bool:
        """Whether the run is to end."""

    def wait(self, timeout: float) -> object:
        """Wait ``timeout`` seconds, or until the run is to end."""


# Longer than any message takes (session and answer of a mail: 15 minutes), or a living worker would lose its row.
LEASE = timedelta(minutes=30)


def attempt_delivery(
    delivery: Delivery, channel: Channel, outbox: Outbox, now: Clock, on_commit: StateListener
) -> Outcome:
    """Send one message and record what became of it; never raises DeliveryError, but lets the store's errors pass.

    ``on_commit`` gets the new state once it is committed; it is not called where the lease ran out meanwhile: the row
    is another worker's.
    """
    has_started = False

    def start_data() -> None:
        nonlocal has_started
        if not outbox.start_data(delivery, now(), LEASE):
            raise Cancelled
        has_started = True

    try:
        receipt = channel.send(delivery, start_data)
    except Cancelled:
        # The outbox has recorded it itself, in the transaction that refused the start.
        on_commit(delivery, State.CANCELLED)
        return Outcome(State.CANCELLED)
    except DeliveryError as caught:
        error = caught
    except Exception as bug:
        message = f"unexpected {type(bug).__name__}: {bug}"
        error = DeliveryError(message, permanent=False, unknown=has_started, code="unexpected")
    else:
        if outbox.record_sent(delivery, receipt, now()):
            on_commit(delivery, State.SENT)
        return Outcome(State.SENT)

    outcome = decide(delivery, error, now())
    if outcome.not_before is None:
        is_committed = outbox.finish(delivery, outcome.state, now(), error.code, str(error))
    else:
        is_committed = outbox.retry(
            delivery, outcome.not_before, error.code, str(error), now(), counted=outcome.counted
        )
    if is_committed:
        on_commit(delivery, outcome.state)
    return outcome


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


# Rows claimed at once. The first batches are small, so that the workers share a short queue: of 40 mails, one worker
# would otherwise take all.
FIRST_BATCH = 4
BATCH = 50
# How long the rows of a killed worker wait.
CLAIM_LEASE = timedelta(minutes=5)
# A slow server may take longer for a batch: what is left of it then is released before its lease ends.
_BATCH_TIME = CLAIM_LEASE / 2
# A row that is due within this time is waited for; a later one is left to the next run, a minute later.
PATIENCE = timedelta(seconds=5)
_SHORTEST_WAIT = 0.05  # seconds; without it, a row whose lock another worker holds would be polled in a busy loop


@dataclass(frozen=True, slots=True)
class RunContext:
    """What the workers of one run share; each part is immutable or thread-safe."""

    outbox: Outbox
    rates: Rates
    readers: ReaderSuppression
    report: ReportBuilder
    now: Clock
    stop: StopSignal
    disk_problems: DiskProblems
    has_failed: Event = field(default_factory=Event)  # set when a worker raised, so that the others stop

    def may_continue(self) -> bool:
        """Whether another message may be begun."""
        return not (self.has_failed.is_set() or self.stop.is_set()) and self.has_free_space()

    def has_free_space(self) -> bool:
        """Whether what is sent can be recorded; if not, the full disk is reported."""
        # Checked before each message: it costs some microseconds, and a disk fills up during a run.
        disk_problems = self.disk_problems()
        for problem in disk_problems:
            self.report.add_once(problem)
        return not disk_problems


@dataclass(slots=True)
class Worker:
    """Sends through one connection of a channel, in one thread.

    ``spacing`` is the least time between two messages to one address. The worker with ``is_probe`` goes first; the
    others of the channel wait until it has delivered a message.
    """

    kind: Kind
    channel: Channel
    spacing: timedelta
    breaker: CircuitBreaker
    is_probe: bool
    run: RunContext
    _has_quit: bool = field(default=False, init=False)
    _turns: dict[str, datetime] = field(default_factory=dict, init=False)  # when an address may get its next message

    def work(self) -> None:
        """Send until nothing is due, the run is to end, or the breaker opens. The store's errors are raised."""
        outbox = self.run.outbox
        limit = FIRST_BATCH
        try:
            if not self.is_probe:
                self.breaker.wait_for_probe()
            while self._may_continue():
                claimed_at = self.run.now()
                grant = self.run.rates.take(self.kind, limit, claimed_at)
                if grant.next_at:
                    if not self._wait_for_rate(grant, grant.next_at):
                        return
                    continue
                batch = outbox.claim(self.kind, claimed_at, CLAIM_LEASE, grant.count)
                self.run.rates.release(self.kind, grant.count - len(batch), claimed_at)
                # Where addresses have to be spaced, most of a large batch would be released again.
                limit = FIRST_BATCH if self.spacing else min(2 * limit, BATCH)
                if not batch:
                    due = outbox.next_due(self.kind)
                    now = self.run.now()
                    if due is None or due > now + PATIENCE:
                        return
                    self.run.stop.wait(max((due - now).total_seconds(), _SHORTEST_WAIT))
                for position, delivery in enumerate(batch):
                    now = self.run.now()
                    if not self._may_continue() or now > claimed_at + _BATCH_TIME:
                        self._release(batch[position:], None, now)
                        break
                    address = delivery.reader.address
                    turn = self._turns.get(address, now)
                    if turn > now:
                        # Released rather than slept for, so that other addresses need not wait behind this one.
                        self._release([delivery], turn, now)
                        continue
                    if self.spacing:
                        self._turns[address] = now + self.spacing
                    self._deliver(delivery)
        finally:
            # Also without a success, or the other workers would wait forever.
            self.breaker.end_probe()

    def _wait_for_rate(self, grant: SendGrant, next_at: datetime) -> bool:
        """Wait until the rate admits a message; return False where that is left to a later run."""
        now = self.run.now()
        if next_at <= now + PATIENCE:
            self.run.stop.wait(max((next_at - now).total_seconds(), _SHORTEST_WAIT))
            return True
        if grant.is_day_over and (waiting := self.run.outbox.waiting(self.kind)):
            until = f"{next_at:%Y-%m-%d %H:%M} UTC"
            problem = f"as many were sent today as {self.kind}.per_day allows; {waiting} wait until {until}"
            self.run.report.add_once(Problem(self.kind, problem))
        return False

    def _release(self, deliveries: Sequence[Delivery], not_before: datetime | None, now: datetime) -> None:
        self.run.outbox.release(deliveries, not_before, now)
        self.run.rates.release(self.kind, len(deliveries), now)

    def _may_continue(self) -> bool:
        is_open = self.breaker.state is BreakerState.OPEN
        return not (is_open or self._has_quit) and self.run.may_continue()

    def _deliver(self, delivery: Delivery) -> None:
        """Attempt one delivery, report it, and stop what its failure is about: reader, channel, or this worker."""
        report = self.run.report
        outcome = attempt_delivery(delivery, self.channel, self.run.outbox, self.run.now, report.count)
        error = outcome.error
        # An uncounted attempt failed for the channel's sake, and the open breaker is reported once for all.
        if error and outcome.counted:
            report.add(Problem(delivery.reader.name, f"{error} ({outcome.next_step})"))
        if error and error.retry_after is not None and outcome.not_before and self.spacing:
            # The other messages to this address would be refused too, and overtake this one in their thread.
            self._turns[delivery.reader.address] = outcome.not_before
        if error and error.throttled:
            self.run.rates.slow_down(self.kind, self.run.now())
        if error and error.is_hard_bounce:
            # Mail servers count hard bounces against the sender, so the address gets nothing more.
            self.run.readers.suppress(delivery.reader.id, str(error))
        if outcome.state is State.SENT:
            self.breaker.record_success()
        elif outcome.state is State.UNKNOWN:
            self.breaker.record_unanswered(self.run.now())
        else:
            self.breaker.record_refusal()
        if error and error.scope is FailureScope.CHANNEL and not (self.is_probe or error.permanent):
            # The probe got through and a further connection doesn't: the server limits connections (421), which
            # is not an outage. This worker ends and the others go on.
            self._has_quit = True
        elif error and error.scope in (FailureScope.CHANNEL, FailureScope.POLICY):
            self.breaker.trip(str(error), self.run.now())


# After it a person has to ask for the list: an hour of runs is sixty look-ups.
_LOOK_UP = timedelta(hours=1)


class Dispatcher:
    """Sends the rows of the outbox through the channels.

    ``timer`` gives seconds, by which the run's clock advances. A run ends early when ``stop`` is set, or when
    ``disk_problems`` returns problems: the disks that are too full to record what is sent.
    """

    def __init__(
        self,
        outbox: Outbox,
        routes: Mapping[Kind, Route],
        readers: ReaderSuppression,
        breakers: BreakerStore,
        rates: Rates,
        *,
        timer: Timer = time.monotonic,
        stop: StopSignal | None = None,
        disk_problems: DiskProblems = tuple,
    ) -> None:
        self._outbox = outbox
        self._routes = routes
        self._readers = readers
        self._breakers = breakers
        self._rates = rates
        self._timer = timer
        self._stop = stop or Event()
        self._disk_problems = disk_problems

    def deliver_due(self, now: datetime, on_progress: StateListener | None = None) -> Report:
        """Deliver everything that is due from ``now`` on, and return the report.

        Failures of channels are in the report; failures of the store are raised. ``on_progress`` gets each row with
        its new state, in any thread but never in two at once.
        """
        started = self._timer()
        report = ReportBuilder(on_progress)
        run = RunContext(
            outbox=self._outbox,
            rates=self._rates,
            readers=self._readers,
            report=report,
            # A lease is counted from the claim. With one fixed ``now``, the leases of a run of 40 minutes would
            # have ended before its last messages were claimed.
            now=lambda: now + timedelta(seconds=self._timer() - started),
            stop=self._stop,
            disk_problems=self._disk_problems,
        )
        if not run.has_free_space():
            return report.build()
        if expired := self._outbox.expire(run.now()):
            report.count_expired(expired)
        self._look_up_lists(run.now())
        stored = self._breakers.all()
        breakers = {kind: CircuitBreaker(kind, stored.get(kind), self._breakers, run.now()) for kind in self._routes}
        self._run_workers(run, breakers)
        for kind, breaker in breakers.items():
            # An open breaker with nothing behind it delays nobody.
            if breaker.open_because and (waiting := self._outbox.waiting(kind)):
                report.add(Problem(kind, f"{breaker.open_because}; {waiting} waiting"))
        return report.build()

    def _look_up_lists(self, now: datetime) -> None:
        """Have the replies of a list posted whose answer was lost, where the channel shows that the list arrived."""
        for kind, route in self._routes.items():
            for delivery in self._outbox.unanswered_lists(kind, now - _LOOK_UP):
                # Nothing is sent, so that a failure concerns nobody: the next run looks again.
                with suppress(DeliveryError):
                    if receipt := route.channels[0].find_receipt(delivery):
                        self._outbox.mark_arrived(delivery.id, receipt, now)

    def _run_workers(self, run: RunContext, breakers: Mapping[Kind, CircuitBreaker]) -> None:
        """Run one thread per channel until all have ended; raise the first error of the store."""
        workers = [
            Worker(kind, channel, route.spacing, breakers[kind], is_probe=channel is route.channels[0], run=run)
            for kind, route in self._routes.items()
            for channel in route.channels
        ]
        with ThreadPoolExecutor(len(workers) or 1, "delivery") as pool:
            try:
                for ended in as_completed([pool.submit(worker.work) for worker in workers]):
                    ended.result()
            except BaseException:
                run.has_failed.set()  # the other workers stop before their next message
                raise
