"""Readers: the addresses that receive a profile, and whether they still want to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256

from sqlalchemy import ColumnElement, Connection, bindparam, delete, func, select, true, update

from bot.domain import STOPPED_BY_READER, Kind, Origin, Reader, ReaderId, StopReason
from bot.store.engine import AnyRow, Database, in_chunks, insert_new
from bot.store.keyed import keyed_hash
from bot.store.schema import forgotten, outbox, readers

CONFIRM_WITHIN = timedelta(hours=48)


class Readers:
    """The readers known, by profile; one who leaves a profile keeps id, thumbs and past editions."""

    def __init__(self, database: Database, secrets: Sequence[bytes]) -> None:
        """``secrets``: the keys of hashes of addresses, oldest first: the newest makes them, all find them."""
        self._database, self._secrets = database, secrets

    def sync(self, profile: str, addresses: Sequence[tuple[Kind, str]], now: datetime) -> list[Reader]:
        """Make the readers of a profile those its file names, beside those who subscribed by themselves.

        Returns them all, those of the file first and in its order. One no longer named is stopped, and goes on
        when named again; one who stopped by themselves, or was refused, stays stopped, whatever the file says; one who
        wanted to be forgotten stays forgotten. Who did not confirm in time is forgotten, too.
        """
        with self._database.writing() as connection:
            gone = self._forgotten(connection, profile, [address for _, address in addresses])
            named = _named(connection, profile, [pair for pair in addresses if pair[1] not in gone], now)
            others = [r for r in _select(connection, readers.c.profile == profile) if r.address not in named]
            left = [r.id for r in others if r.origin is Origin.FILE and not r.stopped]
            _set_stopped(connection, left, StopReason.REMOVED)
            connection.execute(delete(readers).where(_overdue(profile, now)))
            return [*named.values(), *_select(connection, _by_web(profile))]

    def get(self, profile: str, address: str) -> Reader | None:
        """Return the reader with this address of this profile, if there is one."""
        with self._database.reading() as connection:
            found = _select(connection, (readers.c.profile == profile) & (readers.c.address == address))
        return found[0] if found else None

    def by_id(self, reader_id: ReaderId) -> Reader | None:
        """Return the reader with this id, if there still is one."""
        with self._database.reading() as connection:
            found = _select(connection, readers.c.id == reader_id)
        return found[0] if found else None

    def of_profile(self, profile: str) -> list[Reader]:
        """Return all readers a profile ever had, the stopped ones too, in the order they came."""
        with self._database.reading() as connection:
            return _select(connection, readers.c.profile == profile)

    def at_address(self, address: str) -> list[Reader]:
        """Return the readers of all profiles with this very address, in the order they came."""
        with self._database.reading() as connection:
            return _select(connection, readers.c.address == address)

    def all(self) -> list[Reader]:
        """Return all readers, the stopped ones too, in the order they came."""
        with self._database.reading() as connection:
            return _select(connection, true())

    def since(self, reader_id: ReaderId) -> datetime | None:
        """Return when a reader came."""
        with self._database.reading() as connection:
            return connection.scalar(select(readers.c.since).where(readers.c.id == reader_id))

    def since_of(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, datetime]:
        """Return when each of these readers came."""
        with self._database.reading() as connection:
            return {
                reader_id: since
                for chunk in in_chunks(reader_ids)
                for reader_id, since in connection.execute(
                    select(readers.c.id, readers.c.since).where(readers.c.id.in_(chunk))
                )
            }

    def ask(self, profile: str, kind: Kind, address: str, now: datetime) -> Reader:
        """Return the reader of a profile at an address, upper and lower case aside.

        One not known yet is new, and waits for a confirmation.
        """
        same = (readers.c.profile == profile) & (func.lower(readers.c.address) == address.lower())
        row = {"profile": profile, "kind": kind, "address": address, "since": now}
        with self._database.writing() as connection:
            if not (found := _select(connection, same)):
                asking = insert_new(connection, readers).values(
                    {**row, "stopped": StopReason.AWAITING, "origin": Origin.WEB}
                )
                connection.execute(asking)
                found = _select(connection, same)
        return found[0]

    def confirm(self, reader_id: ReaderId) -> bool:
        """Send to a reader who says at last, or again, that they want it; False where that isn't theirs to say."""
        return self._change(reader_id, None, (StopReason.AWAITING, *STOPPED_BY_READER))

    def come_back(self, reader_id: ReaderId) -> bool:
        """Send again to a reader who stopped by themselves; False where somebody else stopped them."""
        return self._change(reader_id, None, STOPPED_BY_READER)

    def leave(self, reader_id: ReaderId, why: StopReason) -> bool:
        """Stop a reader at their own wish: paused or unsubscribed; False where somebody else has stopped them."""
        return self._change(reader_id, why, STOPPED_BY_READER)

    def stop(self, reader_id: ReaderId, why: StopReason = StopReason.OPERATOR) -> None:
        """Send this reader nothing more, what waits in the outbox included, whatever stopped them before."""
        with self._database.writing() as connection:
            _set_stopped(connection, [reader_id], why)

    def refuse(self, reader_id: ReaderId, why: str) -> None:
        """Stop a reader whose address was refused for good, in the other side's words."""
        with self._database.writing() as connection:
            _set_stopped(connection, [reader_id], StopReason.REFUSED, why)

    def resume(self, reader_id: ReaderId) -> None:
        """Send to this reader again, as the operator wants it, whatever stopped them."""
        with self._database.writing() as connection:
            _set_stopped(connection, [reader_id], None)

    def forget(self, reader: Reader, now: datetime) -> None:
        """Remove a reader with all that is kept of it.

        Of one whom a file names a hash stays, so that the file doesn't bring it back.
        """
        with self._database.writing() as connection:
            # Rows of the outbox first: they belong to editions as well, which go with the reader.
            connection.execute(delete(outbox).where(outbox.c.reader_id == reader.id))
            connection.execute(delete(readers).where(readers.c.id == reader.id))
            if reader.origin is Origin.FILE:
                key = self._forgotten_keys(reader.profile, reader.address)[-1]
                connection.execute(insert_new(connection, forgotten).values(key=key, at=now))

    def remember(self, profile: str, address: str) -> None:
        """Let an address be a reader again that was forgotten."""
        with self._database.writing() as connection:
            keys = self._forgotten_keys(profile, address)
            connection.execute(delete(forgotten).where(forgotten.c.key.in_(keys)))

    def forgotten(self, profile: str, address: str) -> bool:
        """Tell whether an address wanted to be forgotten."""
        with self._database.reading() as connection:
            return bool(self._forgotten(connection, profile, [address]))

    def _change(self, reader_id: ReaderId, to: StopReason | None, stopped: Sequence[StopReason]) -> bool:
        """One statement, so that an operator's stop at the same moment is not undone."""
        changeable = readers.c.stopped.is_(None) | readers.c.stopped.in_(stopped)
        change = (
            update(readers).where(readers.c.id == reader_id, changeable).values(stopped=to, stop_detail="")
        )
        with self._database.writing() as connection:
            return connection.execute(change).rowcount == 1

    def _forgotten_keys(self, profile: str, address: str) -> list[str]:
        """What an address is remembered by as forgotten, by each of the keys."""
        plain = sha256(f"{profile}/{address.lower()}".encode()).hexdigest()
        return [keyed_hash(secret, plain) for secret in self._secrets]

    def _forgotten(self, connection: Connection, profile: str, addresses: Sequence[str]) -> set[str]:
        """Those of the addresses that wanted to be forgotten."""
        address_of = {key: a for a in addresses for key in self._forgotten_keys(profile, a)}
        stored: set[str] = set()
        for keys in in_chunks(list(address_of)):
            stored.update(connection.scalars(select(forgotten.c.key).where(forgotten.c.key.in_(keys))))
        return {address_of[key] for key in stored}


def reader_of(row: AnyRow, reader_id: ReaderId) -> Reader:
    """Read the reader from a row that has the columns of ``readers``; its ``id`` may be another table's."""
    return Reader(reader_id, row.profile, row.kind, row.address, row.stopped, row.origin, row.stop_detail)


def _named(
    connection: Connection, profile: str, addresses: Sequence[tuple[Kind, str]], now: datetime
) -> dict[str, Reader]:
    """The readers that a file names, made where they are new, by address and in its order."""
    new = [
        {"profile": profile, "kind": kind, "address": address, "since": now} for kind, address in addresses
    ]
    if new:
        connection.execute(insert_new(connection, readers), new)
    known = {reader.address: reader for reader in _select(connection, readers.c.profile == profile)}
    named = {address: known[address] for _, address in addresses}
    ended_by_file = (
        StopReason.REMOVED,
        StopReason.OPERATOR,
        StopReason.AWAITING,
    )  # the operator wants to send to them after all
    back = [reader.id for reader in named.values() if reader.stopped in ended_by_file]
    _set_stopped(connection, back, None)
    adopted = [reader.id for reader in named.values() if reader.origin is not Origin.FILE]
    if adopted:
        connection.execute(update(readers).where(readers.c.id.in_(adopted)).values(origin=Origin.FILE))
    return {
        address: replace(r, stopped=None if r.id in back else r.stopped, origin=Origin.FILE)
        for address, r in named.items()
    }


def _by_web(profile: str) -> ColumnElement[bool]:
    return (readers.c.profile == profile) & (readers.c.origin == Origin.WEB)


def _overdue(profile: str, now: datetime) -> ColumnElement[bool]:
    return (
        _by_web(profile)
        & (readers.c.stopped == StopReason.AWAITING)
        & (readers.c.since < now - CONFIRM_WITHIN)
    )


def _select(connection: Connection, which: ColumnElement[bool]) -> list[Reader]:
    rows = connection.execute(select(readers).where(which).order_by(readers.c.id))
    return [reader_of(row, row.id) for row in rows]


def _set_stopped(
    connection: Connection, ids: Iterable[ReaderId], why: StopReason | None, detail: str = ""
) -> None:
    which = readers.c.id == bindparam("reader_id")
    if values := [{"reader_id": reader_id} for reader_id in ids]:
        connection.execute(update(readers).where(which).values(stopped=why, stop_detail=detail), values)
