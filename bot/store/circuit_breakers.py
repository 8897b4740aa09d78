"""Open circuit breakers: channels through which nothing is sent for a while, because they failed for every message.

A record outlives the run that met the failure, so that a wrong password is not tried again each minute. The first
success deletes it; each further failure makes its time longer (exponential backoff, ``bot.delivery.retry_policy``).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select, update

from bot.domain import Kind
from bot.store.engine import Aggregate, insert_new
from bot.store.shared_schema import circuit_breakers


@dataclass(frozen=True, slots=True)
class OpenBreaker:
    """Why a channel's breaker is open, since when and until when; ``times`` counts the failures in a row."""

    since: datetime
    until: datetime
    times: int
    why: str


class CircuitBreakers(Aggregate):
    """At most one record for each kind of address."""

    def all(self) -> dict[Kind, OpenBreaker]:
        """Return the records. One whose time is over (half-open) stays until a message was accepted."""
        with self._database.reading() as connection:
            return {row.kind: OpenBreaker(*row[1:]) for row in connection.execute(select(circuit_breakers))}

    def begin(self, kind: Kind, now: datetime, until: datetime, why: str) -> None:
        """Record that a breaker opened, or opened once more."""
        reopened = update(circuit_breakers).where(circuit_breakers.c.kind == kind)
        reopened = reopened.values(until=until, times=circuit_breakers.c.times + 1, why=why)
        with self._database.writing() as connection:
            if not connection.execute(reopened).rowcount:
                # Another process may have inserted its record meanwhile: both met the same outage, so one is enough.
                new = insert_new(connection, circuit_breakers)
                connection.execute(new.values(kind=kind, since=now, until=until, times=1, why=why))

    def end(self, kind: Kind) -> None:
        """Record that a breaker closed."""
        with self._database.writing() as connection:
            connection.execute(delete(circuit_breakers).where(circuit_breakers.c.kind == kind))
