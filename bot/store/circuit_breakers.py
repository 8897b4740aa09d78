"""Pauses: channels that nothing is sent through for a while, because they failed for every message.

A pause outlives the run that met the failure, so that a wrong password is not tried again each minute for
each message. The first success ends it; each further failure makes it longer.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select, update

from bot.domain import Kind
from bot.store.engine import Database, insert_new
from bot.store.schema import pauses


@dataclass(frozen=True, slots=True)
class Pause:
    """Why a channel is paused, since when and until when; ``times`` counts the failures in a row."""

    since: datetime
    until: datetime
    times: int
    why: str


class Pauses:
    """At most one pause for each kind of address."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> dict[Kind, Pause]:
        """Return the pauses on record; one whose time is over stands until a message went through."""
        with self._database.reading() as connection:
            return {row.kind: Pause(*row[1:]) for row in connection.execute(select(pauses))}

    def begin(self, kind: Kind, now: datetime, until: datetime, why: str) -> None:
        """Pause a channel, or make its pause longer."""
        longer = update(pauses).where(pauses.c.kind == kind)
        longer = longer.values(until=until, times=pauses.c.times + 1, why=why)
        with self._database.writing() as connection:
            if not connection.execute(longer).rowcount:
                new = insert_new(connection, pauses)
                connection.execute(new.values(kind=kind, since=now, until=until, times=1, why=why))

    def end(self, kind: Kind) -> None:
        """Send through this channel again."""
        with self._database.writing() as connection:
            connection.execute(delete(pauses).where(pauses.c.kind == kind))
