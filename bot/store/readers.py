"""Readers: the addresses that receive a profile, and whether they still want to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, bindparam, select, true, update

from bot.domain import Kind, Reader, ReaderId
from bot.store.engine import AnyRow, Database, insert_new
from bot.store.schema import readers

REMOVED = "removed from the profile"
REFUSED = "refused: "  # begins the reason where the other side doesn't take messages for the address


class Readers:
    """The readers known, by profile; one who leaves a profile keeps id, thumbs and past editions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def sync(self, profile: str, addresses: Sequence[tuple[Kind, str]], now: datetime) -> list[Reader]:
        """Make the readers of a profile those its file names; returns these, in the file's order.

        One no longer named is stopped, and goes on when named again. One who stopped for another reason
        stays stopped, whatever the file says.
        """
        new = [
            {"profile": profile, "kind": kind, "address": address, "since": now}
            for kind, address in addresses
        ]
        with self._database.writing() as connection:
            if new:
                connection.execute(insert_new(connection, readers), new)
            known = {reader.address: reader for reader in _select(connection, readers.c.profile == profile)}
            named = {address: known.pop(address) for _, address in addresses}
            _set_stopped(connection, (r.id for r in known.values() if not r.stopped), REMOVED)
            _set_stopped(connection, (r.id for r in named.values() if r.stopped == REMOVED), None)
        return [replace(r, stopped=None) if r.stopped == REMOVED else r for r in named.values()]

    def get(self, profile: str, address: str) -> Reader | None:
        """Return the reader with this address of this profile, if there is one."""
        with self._database.reading() as connection:
            found = _select(connection, (readers.c.profile == profile) & (readers.c.address == address))
        return found[0] if found else None

    def of_profile(self, profile: str) -> list[Reader]:
        """Return all readers a profile ever had, the stopped ones too, in the order they came."""
        with self._database.reading() as connection:
            return _select(connection, readers.c.profile == profile)

    def all(self) -> list[Reader]:
        """Return all readers, the stopped ones too, in the order they came."""
        with self._database.reading() as connection:
            return _select(connection, true())

    def stop(self, reader_id: ReaderId, why: str) -> None:
        """Send this reader nothing more, what waits in the outbox included."""
        self._stopped(reader_id, why)

    def refuse(self, reader_id: ReaderId, why: str) -> None:
        """Stop a reader whose address was refused for good."""
        self._stopped(reader_id, REFUSED + why)

    def resume(self, reader_id: ReaderId) -> None:
        """Send to this reader again."""
        self._stopped(reader_id, None)

    def _stopped(self, reader_id: ReaderId, why: str | None) -> None:
        with self._database.writing() as connection:
            _set_stopped(connection, [reader_id], why)


def reader_of(row: AnyRow, reader_id: ReaderId) -> Reader:
    """Read the reader from a row that has the columns of ``readers``; its ``id`` may be another table's."""
    return Reader(reader_id, row.profile, row.kind, row.address, row.stopped)


def _select(connection: Connection, which: ColumnElement[bool]) -> list[Reader]:
    rows = connection.execute(select(readers).where(which).order_by(readers.c.id))
    return [reader_of(row, row.id) for row in rows]


def _set_stopped(connection: Connection, ids: Iterable[ReaderId], why: str | None) -> None:
    statement = update(readers).where(readers.c.id == bindparam("reader_id")).values(stopped=why)
    if values := [{"reader_id": reader_id} for reader_id in ids]:
        connection.execute(statement, values)
