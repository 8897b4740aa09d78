"""A circuit breaker for each channel (Nygard, "Release It!"): what fails for every message is not tried for each.

    half-open --probe succeeds--> closed
    half-open | closed --the channel fails--> open --its time is over (a later run)--> half-open

Each run begins half-open: one worker probes the channel with a real message while the others wait, so that a wrong
password is tried once and not once per worker. An open breaker is stored, so that it outlives the run: a wrong password
tried again each minute by a new run would lock the account. Rows behind it are not claimed, so no attempt counts.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from threading import Event, Lock

from bot.clock import has_come
from bot.delivery.ports import BreakerStore, OpenBreaker
from bot.delivery.retry_policy import breaker_timeout
from bot.domain import Kind

# The number of messages in a row that may end without an answer. Each of them is lost or delivered, nobody knows
# which, so a server that accepts bodies and answers nothing must not use up the whole outbox.
MAX_UNANSWERED = 3


class BreakerState(StrEnum):
    """Whether messages pass."""

    CLOSED = "closed"  # all workers send
    HALF_OPEN = "half-open"  # one worker probes, the others wait
    OPEN = "open"  # nobody sends


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
        if stored and not has_come(stored.until, now):
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
