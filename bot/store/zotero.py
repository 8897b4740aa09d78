"""Readers' connections to Zotero: what is followed, and which liked papers were put into the outbox to be saved."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, insert, select, update

from bot.domain import Message, OutboxKey, ReaderId, SourceState, State, ZoteroConnection, ZoteroSave
from bot.store.engine import Aggregate, AnyRow, insert_new
from bot.store.library_schema import zotero_connections, zotero_saves
from bot.store.outbox_insertion import insert_message
from bot.store.schema import outbox

_WAITING = (State.PENDING, State.RETRY)


class Zotero(Aggregate):
    """At most one connection for each reader."""

    def connect(self, connection: ZoteroConnection) -> None:
        """Store a reader's connection in place of an earlier one, whose saves are no longer followed."""
        row = {
            "reader_id": connection.reader,
            "library": connection.library,
            "collections": connection.collections,
            "sealed_key": connection.sealed_key,
            "saves": connection.saves,
            "connected_at": connection.connected_at,
            "version": connection.version,
            **_poll_row(connection.poll),
        }
        with self._database.writing() as transaction:
            for table in (zotero_connections, zotero_saves):
                transaction.execute(delete(table).where(table.c.reader_id == connection.reader))
            transaction.execute(insert(zotero_connections), row)

    def disconnect(self, reader_id: ReaderId) -> bool:
        """Delete a reader's connection, and cancel what waits to be saved; return whether there was one."""
        with self._database.writing() as transaction:
            saves = select(zotero_saves.c.outbox_key).where(zotero_saves.c.reader_id == reader_id)
            transaction.execute(
                update(outbox)
                .where(outbox.c.key.in_(saves), outbox.c.state.in_(_WAITING))
                .values(state=State.CANCELLED)
            )
            transaction.execute(delete(zotero_saves).where(zotero_saves.c.reader_id == reader_id))
            of_reader = zotero_connections.c.reader_id == reader_id
            return transaction.execute(delete(zotero_connections).where(of_reader)).rowcount == 1

    def get(self, reader_id: ReaderId) -> ZoteroConnection | None:
        """Return a reader's connection."""
        query = select(zotero_connections).where(zotero_connections.c.reader_id == reader_id)
        with self._database.reading() as transaction:
            row = transaction.execute(query).one_or_none()
        return _connection(row) if row else None

    def all(self) -> list[ZoteroConnection]:
        """Return all connections, by reader."""
        query = select(zotero_connections).order_by(zotero_connections.c.reader_id)
        with self._database.reading() as transaction:
            return [_connection(row) for row in transaction.execute(query)]

    def record_poll(self, reader_id: ReaderId, poll: SourceState, version: int) -> None:
        """Record the outcome of a poll, and the version up to which the library is known."""
        of_reader = update(zotero_connections).where(zotero_connections.c.reader_id == reader_id)
        with self._database.writing() as transaction:
            transaction.execute(of_reader.values(version=version, **_poll_row(poll)))

    def saves(self, reader_id: ReaderId) -> list[ZoteroSave]:
        """Return which liked papers of a reader were put into the outbox, and not undone."""
        query = select(zotero_saves).where(zotero_saves.c.reader_id == reader_id)
        with self._database.reading() as transaction:
            rows = transaction.execute(query.order_by(zotero_saves.c.paper_id)).all()
        return [ZoteroSave(row.paper_id, row.item_key, row.outbox_key) for row in rows]

    def put_save(
        self, reader_id: ReaderId, save: ZoteroSave, message: Message, key: OutboxKey, now: datetime
    ) -> None:
        """Put a liked paper into the outbox, unless another process has done so."""
        row = {
            "reader_id": reader_id,
            "paper_id": save.paper,
            "item_key": save.item_key,
            "outbox_key": save.outbox_key,
        }
        with self._database.writing() as transaction:
            statement = insert_new(transaction, zotero_saves).values(row).returning(zotero_saves.c.paper_id)
            if transaction.scalar(statement) is not None:
                insert_message(transaction, reader_id, message, key, now)

    def undo_save(
        self, reader_id: ReaderId, save: ZoteroSave, message: Message, key: OutboxKey, now: datetime
    ) -> None:
        """Undo a save: one that still waits is cancelled; for any other, ``message`` is put into the outbox."""
        is_save = (zotero_saves.c.reader_id == reader_id) & (zotero_saves.c.paper_id == save.paper)
        is_waiting = (outbox.c.key == save.outbox_key) & outbox.c.state.in_(_WAITING)
        with self._database.writing() as transaction:
            if not transaction.execute(delete(zotero_saves).where(is_save)).rowcount:
                return
            cancelled = update(outbox).where(is_waiting).values(state=State.CANCELLED, updated_at=now)
            if not transaction.execute(cancelled).rowcount:
                insert_message(transaction, reader_id, message, key, now)

    def outcome(self, outbox_key: str) -> tuple[State, str] | None:
        """Return the state of a save, and its receipt if it was saved."""
        query = select(outbox.c.state, outbox.c.detail).where(outbox.c.key == outbox_key)
        with self._database.reading() as transaction:
            row = transaction.execute(query).one_or_none()
        return (row.state, row.detail) if row else None


def _poll_row(poll: SourceState) -> dict[str, object]:
    return {
        "checked_at": poll.checked_at,
        "failures": poll.failures,
        "problem": poll.problem,
        "not_before": poll.not_before,
    }


def _connection(row: AnyRow) -> ZoteroConnection:
    return ZoteroConnection(
        reader=row.reader_id,
        library=row.library,
        collections=tuple(row.collections),
        sealed_key=row.sealed_key,
        saves=row.saves,
        connected_at=row.connected_at,
        version=row.version,
        poll=SourceState(
            "zotero",
            checked_at=row.checked_at,
            failures=row.failures,
            problem=row.problem,
            not_before=row.not_before,
        ),
    )
