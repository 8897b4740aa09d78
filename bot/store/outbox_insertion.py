"""Put messages into the outbox: those of an edition, or one that belongs to no edition."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from sqlalchemy import Connection, ScalarSelect, insert, select

from bot.domain import Edition, Kind, Message, OutboxKey, ReaderId, State
from bot.store.engine import insert_new
from bot.store.schema import outbox, outbox_bodies, readers


def insert_messages(
    connection: Connection, edition_id: int, edition: Edition, messages: Sequence[Message]
) -> list[int]:
    """Insert the messages of an edition that was stored in this transaction; return their ids, in their order."""
    if not messages:
        return []
    reader = edition.reader
    rows = [
        _pending_row(
            OutboxKey(str(edition_id), reader.id, reader.kind, message.part),
            message,
            reader_id=reader.id,
            kind=reader.kind,
            day=edition.date,
            now=edition.composed_at,
            edition_id=edition_id,
        )
        for message in messages
    ]
    # Without ``sort_by_parameter_order`` the order of RETURNING's rows is unspecified.
    put = insert(outbox).returning(outbox.c.id, sort_by_parameter_order=True)
    ids = list(connection.scalars(put, rows))
    bodies = [
        {"outbox_id": row_id, "body": message.body} for row_id, message in zip(ids, messages, strict=True)
    ]
    connection.execute(insert(outbox_bodies), bodies)
    return ids


def insert_message(
    connection: Connection, reader_id: ReaderId, message: Message, key: OutboxKey, now: datetime
) -> None:
    """Insert a message that belongs to no edition; a key that exists already is ignored."""
    kind = select(readers.c.kind).where(readers.c.id == reader_id).scalar_subquery()
    row = _pending_row(key, message, reader_id=reader_id, kind=kind, day=now.date(), now=now)
    row_id = connection.scalar(insert_new(connection, outbox).values(row).returning(outbox.c.id))
    if row_id is not None:
        connection.execute(insert(outbox_bodies).values(outbox_id=row_id, body=message.body))


def _pending_row(
    key: OutboxKey,
    message: Message,
    *,
    reader_id: ReaderId,
    kind: Kind | ScalarSelect[Kind],
    day: date,
    now: datetime,
    edition_id: int | None = None,
) -> dict[str, object]:
    return {
        # The idempotency key: unique, so that no message is put into the outbox twice.
        "key": str(key),
        "edition_id": edition_id,
        "reader_id": reader_id,
        "kind": kind,
        "part": message.part,
        "subject": message.subject,
        "date": day,
        "state": State.PENDING,
        "attempts": 0,
        "code": "",
        "detail": "",
        "created_at": now,
        "updated_at": now,
    }
