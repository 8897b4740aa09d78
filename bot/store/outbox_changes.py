"""What workers change of the outbox: a type for each change; those of several workers are committed together."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Update

from bot.domain import Delivery, Kind


@dataclass(frozen=True, slots=True)
class Claim:
    """Up to ``limit`` due messages of a kind, each for the time of ``lease``."""

    kind: Kind
    now: datetime
    lease: timedelta
    limit: int


@dataclass(slots=True)
class Start:
    """The start of a message's body; it ``may_be_committed`` once it was tried over a connection that was lost."""

    delivery: Delivery
    now: datetime
    until: datetime
    may_be_committed: bool = False


@dataclass(frozen=True, slots=True)
class Sent:
    """A message that was accepted, with the other side's receipt."""

    delivery: Delivery
    now: datetime
    receipt: str


@dataclass(frozen=True, slots=True)
class Decision:
    """An update of one claimed row, and its parameters."""

    statement: Update
    values: dict[str, object]
