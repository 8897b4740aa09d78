"""What follows from a failed attempt: when a message is tried again, and when its channel stops.

Each channel has a circuit breaker (Nygard, "Release It!"), so that what fails for every message is not tried for each.

    half-open --probe succeeds--> closed
    half-open | closed --the channel fails--> open --its time is over (a later run)--> half-open

Each run begins half-open: one worker probes the channel with a real message while the others wait, so that a wrong
password is tried once and not once per worker. An open breaker is stored, so that it outlives the run: a wrong password
tried again each minute by a new run would lock the account. Rows behind it are not claimed, so no attempt counts.

``decide`` says what becomes of the message. A refused one is retried with exponential backoff: 1, 5, 15, 60 minutes,
then 4 hours each time. It fails with the eighth attempt, about 13 hours later. Most outages end by then, and the next
edition is near. RFC 5321 (4.5.4.1) asks relays to try for 4 to 5 days; a daily digest is out of date by then. A hard
bounce (``DeliveryError.is_hard_bounce``) fails at once, and the worker suppresses the reader.

A failure of the channel itself (a wrong password, no connection) never ends a message and is not counted: the
circuit breaker opens instead. A refusal by policy may be about the whole channel or about this message. It counts, and
the message waits one step longer than the breaker, so that it does not open the breaker twice in a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from threading import Event, Lock
from typing import Protocol

from bot.model import Delivery, Kind, State
from bot.model.clock import has_passed
from bot.model.errors import DeliveryError, FailureScope

BACKOFF = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 240))
MAX_ATTEMPTS = 8
LONGEST_WAIT = timedelta(days=1)
# Shorter than a message's backoff: an operator who corrects a password should not wait for four hours.
BREAKER_TIMEOUTS = BACKOFF[:4]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The next state of a delivery, with the error if it failed.

    ``not_before`` is set for ``RETRY`` only. ``counted`` is False where the failure was the channel's and the attempt
    does not bring the message closer to ``MAX_ATTEMPTS``.
    """

    state: State
    error: DeliveryError | None = None
    not_before: datetime | None = None
    counted: bool = True

    @property
    def next_step(self) -> str:
        """What happens to the message now, for people."""
        if self.not_before is not None:
            return f"tried again from {self.not_before:%Y-%m-%d %H:%M} UTC"
        if self.state is State.UNKNOWN:
            return "it may have arrived, so it is not sent again unless a person asks"
        return "given up"


def decide(delivery: Delivery, error: DeliveryError, now: datetime) -> Outcome:
    """Return what becomes of a delivery that met an error."""
    if error.unknown:
        # The body may have arrived. A retry could deliver it twice (RFC 1047), so this is final: at most once.
        return Outcome(State.UNKNOWN, error)
    if error.scope is FailureScope.CHANNEL:
        not_before = now + _backoff(1, error)
        return Outcome(State.RETRY, error, not_before, counted=False)
    is_policy = error.scope is FailureScope.POLICY
    if delivery.attempts >= MAX_ATTEMPTS or (error.permanent and not is_policy):
        return Outcome(State.FAILED, error)
    not_before = now + _backoff(delivery.attempts + is_policy, error)
    return Outcome(State.RETRY, error, not_before)


def breaker_timeout(failures: int) -> timedelta:
    """The time for which a circuit breaker stays open after ``failures`` in a row, 1 or more."""
    return BREAKER_TIMEOUTS[min(failures, len(BREAKER_TIMEOUTS)) - 1]


def _backoff(attempts: int, error: DeliveryError) -> timedelta:
    """Return the wait after ``attempts``; the other side's ``Retry-After`` applies where it is longer."""
    step = BACKOFF[min(attempts, len(BACKOFF)) - 1]
    # Capped, since a header of 10^300 seconds is more than a timedelta holds.
    requested = timedelta(seconds=min(error.retry_after or 0, LONGEST_WAIT.total_seconds()))
    return max(step, requested)


# The number of messages in a row that may end without an answer. Each of them is lost or delivered, nobody knows
# which, so a server that accepts bodies and answers nothing must not use up the whole outbox.
MAX_UNANSWERED = 3


class BreakerState(StrEnum):
    """Whether messages pass."""

    CLOSED = "closed"  # all workers send
    HALF_OPEN = "half-open"  # one worker probes, the others wait
    OPEN = "open"  # nobody sends


class OpenBreaker(Protocol):
    """The stored record of a circuit breaker that has opened and not closed since."""

    @property
    def until(self) -> datetime:
        """When the channel may be probed."""

    @property
    def times(self) -> int:
        """How many failures in a row opened it."""

    @property
    def why(self) -> str:
        """The last failure's message."""


class BreakerStore(Protocol):
    """Where open circuit breakers outlive a run."""

    def all(self) -> Mapping[Kind, OpenBreaker]:
        """Return the records of all breakers that have not closed, also where the probe is due."""

    def begin(self, kind: Kind, now: datetime, until: datetime, why: str) -> object:
        """Record that a breaker opened, or opened once more."""

    def end(self, kind: Kind) -> object:
        """Record that a breaker closed."""


class CircuitBreaker:
    """The breaker of one channel for one run, shared by the channel's workers; thread-safe."""

    def __init__(self, kind: Kind, stored: OpenBreaker | None, store: BreakerStore, now: datetime) -> None:
        self._kind = kind
        self._store = store
        self._lock = Lock()
        self._is_stored = stored is not None
        self._failures = stored.times if stored else 0  # in a row, over all runs
        self._unanswered = 0  # in a row
        self._open_because = ""
        self._probe_over = Event()
        if stored and not has_passed(stored.until, now):
            self._open_because = _describe(stored.why, stored.until)

    @property
    def state(self) -> BreakerState:
        """The state; open never changes within a run."""
        if self._open_because:
            return BreakerState.OPEN
        return BreakerState.CLOSED if self._probe_over.is_set() else BreakerState.HALF_OPEN

    @property
    def open_because(self) -> str:
        """Why the breaker is open and until when, for people; empty unless it is open."""
        return self._open_because

    def wait_for_probe(self) -> None:
        """Block until the probe has succeeded, failed, or found nothing to send."""
        self._probe_over.wait()

    def end_probe(self) -> None:
        """Let the other workers go on, whatever the probe's outcome; ``state`` tells them."""
        self._probe_over.set()

    def record_success(self) -> None:
        """Close the breaker: a message was accepted."""
        with self._lock:
            was_stored = self._is_stored
            self._is_stored = False
            self._failures = 0
            self._unanswered = 0
        self._probe_over.set()
        # A record that this run has made stays: a message that was under way when the channel failed proves nothing.
        if was_stored:
            self._store.end(self._kind)

    def record_refusal(self) -> None:
        """Note a message that was neither accepted nor left unanswered."""
        with self._lock:
            self._unanswered = 0

    def record_unanswered(self, now: datetime) -> None:
        """Note a message of unknown outcome; several in a row open the breaker."""
        with self._lock:
            self._unanswered += 1
            is_too_many = self._unanswered >= MAX_UNANSWERED
        if is_too_many:
            self.trip(f"{MAX_UNANSWERED} messages in a row were sent and not answered", now)

    def trip(self, reason: str, now: datetime) -> None:
        """Open the breaker for a while that grows with each failure in a row (exponential backoff).

        Only the first of several workers that meet the same outage counts: it is one failure.
        """
        with self._lock:
            if self._open_because:
                return
            self._failures += 1
            until = now + breaker_timeout(self._failures)
            self._open_because = _describe(reason, until)
        self._store.begin(self._kind, now, until, reason)


def _describe(reason: str, until: datetime) -> str:
    return f"{reason}; circuit breaker open until {until:%Y-%m-%d %H:%M} UTC"
