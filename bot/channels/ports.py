"""What delivery needs of the store and of its caller, as protocols.

The outbox alone decides who owns a row. A claim is a lease with a random token; where a call below returns False,
the lease ran out and another worker may own the row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from bot.model import Delivery, Kind, Problem, ReaderId, SendGrant, State

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


class Rates(Protocol):
    """How fast messages may go out, over all processes."""

    def take(self, kind: Kind, most: int, now: datetime) -> SendGrant:
        """Reserve up to ``most`` messages of a kind."""

    def release(self, kind: Kind, count: int, now: datetime) -> object:
        """Give back the reservation of messages that were not attempted."""

    def slow_down(self, kind: Kind, now: datetime) -> object:
        """Lower the rate of a kind for a while, as the other side throttles."""


class BreakerStore(Protocol):
    """Where open circuit breakers outlive a run."""

    def all(self) -> Mapping[Kind, OpenBreaker]:
        """Return the records of all breakers that have not closed, also where the probe is due."""

    def begin(self, kind: Kind, now: datetime, until: datetime, why: str) -> object:
        """Record that a breaker opened, or opened once more."""

    def end(self, kind: Kind) -> object:
        """Record that a breaker closed."""


class StopSignal(Protocol):
    """A request by another thread to end early; ``threading.Event`` is one."""

    def is_set(self) -> bool:
        """Whether the run is to end."""

    def wait(self, timeout: float) -> object:
        """Wait ``timeout`` seconds, or until the run is to end."""
