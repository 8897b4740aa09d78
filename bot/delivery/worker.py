"""Lanes: threads that share the outbox as their queue.

    claim a few -> for each: its address's turn? -> settle it -> until nothing is due

Each lane claims rows for itself, so that no row is in two lanes. The first lane of a channel goes ahead alone
until one message went through, so that a wrong password is tried once and not once a lane. A lane that is told
to stop, or whose channel is paused, gives back what it has claimed and not begun.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.delivery import Channel
from bot.delivery.attempt import LEASE, DeliveryAttempts
from bot.delivery.ports import Outbox, StopSignal
from bot.delivery.run import Run
from bot.domain import Delivery, Kind
from bot.errors import DeliveryError, FailureScope

# Rows claimed at once: so many a killed worker leaves behind, for each lane, until their lease is over.
BATCH = 4
PATIENCE = timedelta(seconds=5)  # a row that is due so soon is waited for; a later one is the next run's
_SHORTEST_WAIT = 0.05  # seconds


@dataclass(slots=True)
class Worker:
    """One channel at work in one thread; ``spacing`` is the least time between messages to one address."""

    kind: Kind
    channel: Channel
    spacing: timedelta
    is_first: bool
    outbox: Outbox
    settler: DeliveryAttempts
    run: Run
    stop: StopSignal
    _is_closed: bool = field(default=False, init=False)
    _last: dict[str, datetime] = field(
        default_factory=dict, init=False
    )  # when the last message to an address went

    def work(self) -> None:
        """Send until nothing is due, or it is told not to."""
        try:
            if not self.is_first:
                self.run.proven[self.kind].wait()
            self._empty()
        finally:
            self.run.proven[self.kind].set()

    def _empty(self) -> None:
        while self._is_open():
            batch = self.outbox.claim(self.kind, self.run.now(), LEASE, BATCH)
            if not batch and not self._wait_for_more():
                return
            for delivery in batch:
                self._next(delivery)

    def _is_open(self) -> bool:
        told_to_end = self.run.broken or self.stop.is_set() or not self.run.has_room()
        return not (told_to_end or self.kind in self.run.paused or self._is_closed)

    def _wait_for_more(self) -> bool:
        """Whether a row comes due within the patience; it does by the end of this call."""
        due, now = self.outbox.next_due(self.kind), self.run.now()
        if due is None or due > now + PATIENCE:
            return False
        self.stop.wait(max((due - now).total_seconds(), _SHORTEST_WAIT))
        return True

    def _next(self, delivery: Delivery) -> None:
        if not self._is_open():
            self.outbox.release(delivery, None, self.run.now())
        elif turn := self._turn(delivery.reader.address, self.run.now()):
            self.outbox.release(delivery, turn, self.run.now())
        elif failure := self.settler.deliver(delivery, self.channel):
            self._stop_after(failure)

    def _turn(self, address: str, now: datetime) -> datetime | None:
        """When an address may get its next message; None where that is now, which is then taken."""
        turn = self._last[address] + self.spacing if address in self._last else now
        if turn > now:
            return turn
        if self.spacing:
            self._last[address] = now
        return None

    def _stop_after(self, failure: DeliveryError) -> None:
        """Pause the channel if it is the channel's failure.

        Where the first lane got through and another one doesn't, the server wants fewer connections.
        """
        if failure.blame is FailureScope.CHANNEL and not (self.is_first or failure.permanent):
            self._is_closed = True
        elif failure.blame in (FailureScope.CHANNEL, FailureScope.POLICY):
            self.settler.pause(self.kind, str(failure))
