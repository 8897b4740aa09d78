"""Deliver due messages: expire leases, let workers of all channels empty the outbox, and report.

    worker: rate limit -> claim a batch -> for each row: is it the address's turn? -> attempt -> circuit breaker
    attempt: claimed --start_data--> data_started --> sent | failed | retry | unknown

Retries end with the eighth attempt, after about 13 hours. RFC 5321 (4.5.4.1) asks relays for 4 to 5 days, but a digest
is out of date by then. A hard bounce fails at once and stops the reader. A refusal without a named mailbox (``550 relay
not permitted``) may be the server's mistake. It stops the reader only after all attempts, if other messages were
accepted.

Each channel has a circuit breaker (Nygard, "Release It!").

    half-open --probe succeeds--> closed
    half-open | closed --the channel fails--> open --its time is over (a later run)--> half-open

Each run begins half-open. One worker probes with a real message while the others wait, so a wrong password is tried
once. An open breaker outlives the run. A failure of the channel opens it, and never counts against a message. A refusal
by policy counts, and the message waits one step longer than the breaker, so it doesn't open it twice in a row.
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

from bot.channels import Cancelled, Channel, Route
from bot.model import Delivery, Kind, Problem, State, StopReason
from bot.model.clock import Timer, has_passed
from bot.model.errors import DeliveryError, FailureScope
from bot.store.outbox import Outbox
from bot.store.readers import Readers
from bot.store.sending import CircuitBreakers, OpenBreaker, SendRates

Clock = Callable[[], datetime]
StateListener = Callable[[Delivery, State], None]

BACKOFF = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 240))
MAX_ATTEMPTS = 8
LONGEST_WAIT = timedelta(days=1)
# Shorter than ``BACKOFF``, because an operator may have corrected a password.
BREAKER_TIMEOUTS = BACKOFF[:4]
# Longer than any message, or a living worker would lose its row.
LEASE = timedelta(minutes=30)
# A silent server must not use up the outbox.
MAX_UNANSWERED = 3
# In a row. One home may have this many dead addresses side by side.
MAX_REFUSED_RECIPIENTS = 3
# So many temporary refusals among the last messages: the server wants fewer.
MANY_REFUSED, LAST_MESSAGES = 5, 50
# Batches start small, and the workers share a short queue.
FIRST_BATCH = 4
BATCH = 50
CLAIM_LEASE = timedelta(minutes=5)
# A slow worker releases its rows before the lease ends.
_BATCH_TIME = CLAIM_LEASE / 2
PATIENCE = timedelta(seconds=5)
_LOOK_UP = timedelta(hours=1)
_TO_THE_MINUTE = "%Y-%m-%d %H:%M UTC"
_SHORTEST_WAIT = 0.05  # seconds, against a busy loop


@dataclass(frozen=True, slots=True)
class Outcome:
    """The next state of a delivery. Uncounted attempts don't use up ``MAX_ATTEMPTS``."""

    state: State
    error: DeliveryError | None = None
    not_before: datetime | None = None  # for ``RETRY`` only
    counted: bool = True

    @property
    def next_step(self) -> str:
        if self.not_before is not None:
            return f"tried again from {self.not_before:{_TO_THE_MINUTE}}"
        if self.state is State.UNKNOWN:
            return "it may have arrived; `paperbot retry --unknown` sends it again"
        return "given up"


def decide(delivery: Delivery, error: DeliveryError, now: datetime, *, is_probe: bool = False) -> Outcome:
    if error.unknown:
        # A retry could deliver the body twice (RFC 1047).
        return Outcome(State.UNKNOWN, error)
    if error.scope is FailureScope.CHANNEL:
        not_before = now + _backoff(1, error)
        return Outcome(State.RETRY, error, not_before, counted=False)
    may_be_channel = error.scope in (FailureScope.POLICY, FailureScope.RECIPIENT)
    counted = not (is_probe and error.scope is FailureScope.RECIPIENT)
    if (counted and delivery.attempts >= MAX_ATTEMPTS) or (error.permanent and not may_be_channel):
        return Outcome(State.FAILED, error)
    not_before = now + _backoff(delivery.attempts + may_be_channel, error)
    return Outcome(State.RETRY, error, not_before, counted=counted)


def _backoff(attempts: int, error: DeliveryError) -> timedelta:
    """Return the step of ``BACKOFF``, at least the other side's ``Retry-After``."""
    step = BACKOFF[min(attempts, len(BACKOFF)) - 1]
    # A timedelta can't hold a header of 10^300 seconds.
    requested = timedelta(seconds=min(error.retry_after or 0, LONGEST_WAIT.total_seconds()))
    return max(step, requested)


class CircuitBreaker:
    """The breaker of one channel for one run. Thread-safe."""

    def __init__(self, kind: Kind, stored: OpenBreaker | None, store: CircuitBreakers, now: datetime) -> None:
        self._kind = kind
        self._store = store
        self._lock = Lock()
        self.is_half_open = stored is not None  # failed in an earlier run, without a success since
        self._failures = stored.times if stored else 0  # in a row, over all runs
        self._unanswered = 0  # in a row
        self._refused_recipients = 0  # in a row
        self._refused: list[bool] = []  # refused for now
        self.open_because = ""  # reason and end, for people
        self.probe_over = Event()  # the probe has succeeded, failed, or found nothing to send
        if stored and not has_passed(stored.until, now):
            self.open_because = _describe(stored.why, stored.until)

    def record(self, state: State, now: datetime) -> None:
        """Note the outcome of a message. Unknown ones in a row open the breaker."""
        is_sent = state is State.SENT
        with self._lock:
            # A message already under way proves nothing against this run's record.
            ends = is_sent and self.is_half_open
            if is_sent:
                self.is_half_open = False
                self._failures = 0
                self._refused_recipients = 0
            self._unanswered = self._unanswered + 1 if state is State.UNKNOWN else 0
            is_too_many = self._unanswered >= MAX_UNANSWERED
        if is_sent:
            self.probe_over.set()
        if ends:
            self._store.end(self._kind)
        if is_too_many:
            self.trip(f"{MAX_UNANSWERED} messages in a row were sent and not answered", now)

    def judged(self, error: DeliveryError) -> DeliveryError:
        """Return the error, or the channel's failure after too many refused recipients."""
        if not (error.permanent and error.scope in (FailureScope.READER, FailureScope.RECIPIENT)):
            return error
        with self._lock:
            self._refused_recipients += 1
            in_a_row = self._refused_recipients
        if in_a_row < MAX_REFUSED_RECIPIENTS:
            return error
        message = (
            f"{in_a_row} recipients in a row were refused, the last one while {error}; check the server's settings"
        )
        return DeliveryError(message, permanent=True, scope=FailureScope.CHANNEL, code=error.code)

    def are_many_refused(self, error: DeliveryError | None) -> bool:
        """Note whether a message was refused for now, and return once whether many were."""
        with self._lock:
            self._refused.append(error is not None and not error.permanent and error.code.startswith("4"))
            are_many = sum(self._refused) >= MANY_REFUSED
            # Overlapping windows reach the limit by chance too often.
            if are_many or len(self._refused) == LAST_MESSAGES:
                self._refused.clear()
        return are_many

    def trip(self, reason: str, now: datetime) -> None:
        """Open the breaker, with exponential backoff. The first of several workers counts."""
        with self._lock:
            if self.open_because:
                return
            self._failures += 1
            until = now + BREAKER_TIMEOUTS[min(self._failures, len(BREAKER_TIMEOUTS)) - 1]
            self.open_because = _describe(reason, until)
        self._store.begin(self._kind, now, until, reason)


def _describe(reason: str, until: datetime) -> str:
    return f"{reason}; circuit breaker open until {until:{_TO_THE_MINUTE}}"


@dataclass(slots=True)
class Report:
    """Rows by the state reached in one run, and problems. Thread-safe.

    ``UNKNOWN`` includes rows of earlier runs. ``CANCELLED`` rows have another owner or a stopped reader.
    """

    on_progress: StateListener | None = None
    counts: Counter[State] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)

    def count(self, delivery: Delivery, state: State) -> None:
        with self._lock:
            self.counts[state] += 1
            if self.on_progress:
                self.on_progress(delivery, state)

    def add(self, problem: Problem, *, once: bool = False) -> None:
        with self._lock:
            if not once or all(problem.source != earlier.source for earlier in self.problems):
                self.problems.append(problem)


@dataclass(frozen=True, slots=True)
class RunContext:
    """Shared state of one run's workers. Thread-safe."""

    dispatcher: Dispatcher
    report: Report
    now: Clock
    has_failed: Event = field(default_factory=Event)

    def may_continue(self) -> bool:
        return not (self.has_failed.is_set() or self.dispatcher.stop.is_set()) and self.has_free_space()

    def has_free_space(self) -> bool:
        disk_problems = self.dispatcher.disk_problems()
        for problem in disk_problems:
            self.report.add(problem, once=True)
        return not disk_problems


@dataclass(slots=True)
class Worker:
    """Sends through one connection of a channel, in one thread. The others wait for the one with ``is_probe``."""

    kind: Kind
    channel: Channel
    spacing: timedelta  # between messages to one address
    breaker: CircuitBreaker
    is_probe: bool
    run: RunContext
    _has_quit: bool = field(default=False, init=False)
    _turns: dict[str, datetime] = field(default_factory=dict, init=False)  # of each address's next message

    def work(self) -> None:
        """Send until nothing is due, the run ends, or the breaker opens. Raises the store's errors."""
        outbox = self.run.dispatcher.outbox
        limit = FIRST_BATCH
        try:
            if not self.is_probe:
                self.breaker.probe_over.wait()
            while self._may_continue():
                claimed_at = self.run.now()
                grant = self.run.dispatcher.rates.take(self.kind, limit, claimed_at)
                if grant.next_at:
                    if self._wait_until(grant.next_at):
                        continue
                    if grant.is_day_over and (waiting := outbox.waiting(self.kind)):
                        problem = f"as many were sent today as {self.kind}.per_day allows; {waiting} wait until"
                        self.run.report.add(
                            Problem(self.kind, f"{problem} {grant.next_at:{_TO_THE_MINUTE}}"), once=True
                        )
                    return
                batch = outbox.claim(self.kind, claimed_at, CLAIM_LEASE, grant.count)
                self.run.dispatcher.rates.release(self.kind, grant.count - len(batch), claimed_at)
                # With spacing, most of a large batch would be released again.
                limit = FIRST_BATCH if self.spacing else min(2 * limit, BATCH)
                if not (batch or self._wait_until(outbox.next_due(self.kind))):
                    return
                for position, delivery in enumerate(batch):
                    now = self.run.now()
                    if not self._may_continue() or now > claimed_at + _BATCH_TIME:
                        self._release(batch[position:], None, now)
                        break
                    address = delivery.reader.address
                    turn = self._turns.get(address, now)
                    if turn > now:
                        self._release([delivery], turn, now)
                        continue
                    if self.spacing:
                        self._turns[address] = now + self.spacing
                    self._deliver(delivery)
        finally:
            # Otherwise the other workers would wait forever.
            self.breaker.probe_over.set()

    def _wait_until(self, at: datetime | None) -> bool:
        """Wait until a time, or return False to leave it to the next run."""
        now = self.run.now()
        if at is None or at > now + PATIENCE:
            return False
        self.run.dispatcher.stop.wait(max((at - now).total_seconds(), _SHORTEST_WAIT))
        return True

    def _release(self, deliveries: Sequence[Delivery], not_before: datetime | None, now: datetime) -> None:
        self.run.dispatcher.outbox.release(deliveries, not_before, now)
        self.run.dispatcher.rates.release(self.kind, len(deliveries), now)

    def _may_continue(self) -> bool:
        return not (self.breaker.open_because or self._has_quit) and self.run.may_continue()

    def _attempt(self, delivery: Delivery) -> Outcome:
        """Send one message, and record and count the outcome. Raises only the store's errors."""
        outbox, now, count = self.run.dispatcher.outbox, self.run.now, self.run.report.count
        has_started = False
        is_probe = self.breaker.is_half_open

        def start_data() -> None:
            nonlocal has_started
            if not outbox.start_data(delivery, now(), LEASE):
                raise Cancelled
            has_started = True

        try:
            receipt = self.channel.send(delivery, start_data)
        except Cancelled:  # the outbox has recorded it
            count(delivery, State.CANCELLED)
            return Outcome(State.CANCELLED)
        except DeliveryError as caught:
            error = caught
        except Exception as bug:
            message = f"unexpected {type(bug).__name__}: {bug}"
            error = DeliveryError(message, permanent=False, unknown=has_started, code="unexpected")
        else:
            if outbox.record_sent(delivery, receipt, now()):
                count(delivery, State.SENT)
            return Outcome(State.SENT)

        error = self.breaker.judged(error)
        outcome = decide(delivery, error, now(), is_probe=is_probe)
        code, detail = error.code, str(error)
        if outcome.not_before is None:
            is_mine = outbox.finish(delivery, outcome.state, now(), code, detail)
        else:
            is_mine = outbox.retry(delivery, outcome.not_before, code, detail, now(), counted=outcome.counted)
        # Another worker claims the row after the lease.
        if is_mine:
            count(delivery, outcome.state)
        return outcome

    def _deliver(self, delivery: Delivery) -> None:
        report = self.run.report
        outbox = self.run.dispatcher.outbox
        outcome = self._attempt(delivery)
        error = outcome.error
        if error and outcome.counted:
            report.add(Problem(delivery.reader.name, f"{error} ({outcome.next_step})"))
        if error and error.retry_after is not None and outcome.not_before and self.spacing:
            # Later messages would be refused, too, and overtake this one in their thread.
            self._turns[delivery.reader.address] = outcome.not_before
        if self.breaker.are_many_refused(error) or (error and error.throttled):
            self.run.dispatcher.rates.slow_down(self.kind, self.run.now())
        is_given_up = error and error.scope is FailureScope.RECIPIENT and outcome.state is State.FAILED
        if error and (error.is_hard_bounce or (is_given_up and outbox.others_were_accepted(delivery))):
            # Servers count hard bounces against the sender.
            self.run.dispatcher.readers.stop(delivery.reader.id, StopReason.REFUSED, str(error))
        self.breaker.record(outcome.state, self.run.now())
        if error and error.scope is FailureScope.CHANNEL and not (self.is_probe or error.permanent):
            # The probe succeeded, so the server limits connections (421).
            self._has_quit = True
        elif error and error.scope in (FailureScope.CHANNEL, FailureScope.POLICY):
            self.breaker.trip(str(error), self.run.now())


@dataclass(frozen=True, slots=True)
class Dispatcher:
    """Sends the outbox through the channels, until ``stop`` is set or ``disk_problems`` returns problems."""

    outbox: Outbox
    routes: Mapping[Kind, Route]
    readers: Readers
    breakers: CircuitBreakers
    rates: SendRates
    timer: Timer = field(default=time.monotonic, kw_only=True)
    stop: Event = field(default_factory=Event, kw_only=True)
    disk_problems: Callable[[], Sequence[Problem]] = field(default=tuple, kw_only=True)

    def deliver_due(self, now: datetime, on_progress: StateListener | None = None) -> Report:
        """Deliver everything due from ``now`` on. Raises the store's errors.

        One thread at a time calls ``on_progress`` with each row and its new state.
        """
        started = self.timer()
        report = Report(on_progress)
        run = RunContext(self, report, lambda: now + timedelta(seconds=self.timer() - started))
        if not run.has_free_space():
            return report
        if expired := self.outbox.expire(run.now()):
            report.counts[State.UNKNOWN] += expired
            broken_off = "being sent when an earlier run broke off; each may have arrived"
            report.add(Problem("outbox", f"{expired} {broken_off}; `paperbot retry --unknown` sends them again"))
        # Replies may follow a list that arrived without an answer.
        for kind, route in self.routes.items():
            for delivery in self.outbox.unanswered_lists(kind, run.now() - _LOOK_UP):
                receipt = None
                # An error concerns this list alone, and the next run looks again.
                with suppress(Exception):
                    receipt = route.channels[0].find_receipt(delivery)
                if receipt:
                    self.outbox.mark_arrived(delivery.id, receipt, run.now())
        stored = self.breakers.all()
        breakers = {kind: CircuitBreaker(kind, stored.get(kind), self.breakers, run.now()) for kind in self.routes}
        workers = [
            Worker(kind, channel, route.spacing, breakers[kind], is_probe=channel is route.channels[0], run=run)
            for kind, route in self.routes.items()
            for channel in route.channels
        ]
        with ThreadPoolExecutor(len(workers) or 1, "delivery") as pool:
            try:
                for ended in as_completed([pool.submit(worker.work) for worker in workers]):
                    ended.result()
            except BaseException:
                run.has_failed.set()
                raise
        for kind, breaker in breakers.items():
            if breaker.open_because and (waiting := self.outbox.waiting(kind)):
                report.add(Problem(kind, f"{breaker.open_because}; {waiting} waiting"))
        return report
