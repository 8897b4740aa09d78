"""A worker: a thread that claims due rows and sends them through one channel until nothing is due.

    rate limit -> claim a batch -> for each row: is it the address's turn? -> attempt -> report -> circuit breaker

The outbox is the only queue. A queue in memory would have to be rebuilt after a crash and shared between processes;
with claims from the outbox a second process simply adds workers, and no row has two of them. A worker that is told to
stop, or whose breaker opens, releases the rows that it has claimed and not begun.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Event

from bot.delivery import Channel
from bot.delivery.attempt import attempt_delivery
from bot.delivery.circuit_breaker import BreakerState, CircuitBreaker
from bot.delivery.ports import Clock, DiskProblems, Outbox, Rates, ReaderSuppression, StopSignal
from bot.delivery.report import ReportBuilder
from bot.domain import Delivery, Kind, Problem, SendGrant, State
from bot.errors import FailureScope

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
_SHORTEST_WAIT = (
    0.05  # seconds; without it, a row whose lock another worker holds would be polled in a busy loop
)


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
    _turns: dict[str, datetime] = field(
        default_factory=dict, init=False
    )  # when an address may get its next message

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
        result = attempt_delivery(delivery, self.channel, self.run.outbox, self.run.now, report.count)
        outcome = result.outcome
        error = result.error
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
