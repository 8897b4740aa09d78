"""What the dispatcher asks of the store and of its caller: no more than this.

The outbox alone knows who owns a row: where it says no, another worker has it by now.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from bot.domain import Delivery, Kind, Problem, ReaderId, State

Progress = Callable[[Delivery, State], None]
Timer = Callable[[], float]
Full = Callable[[], Sequence[Problem]]  # the disks without room to record what is sent


class Outbox(Protocol):
    """The store's side: each call is a short transaction, each ``bool`` says if the row was still ours."""

    def expire(self, now: datetime) -> int:
        """Call unknown the rows of dead workers whose body was going out; how many they were."""

    def claim(self, kind: Kind, now: datetime, lease: timedelta, limit: int) -> list[Delivery]:
        """Up to ``limit`` due rows of a kind become ours; ``attempts`` counts this one, so it begins at 1."""

    def release(self, delivery: Delivery, not_before: datetime | None, now: datetime) -> bool:
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


class ReaderSuppression(Protocol):
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


class StopSignal(Protocol):
    """Told by another thread that work is to end; ``threading.Event`` is one."""

    def is_set(self) -> bool:
        """Whether it was told."""

    def wait(self, timeout: float) -> object:
        """Wait so many seconds, or until told."""
