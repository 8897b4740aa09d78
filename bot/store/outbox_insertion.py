"""Put messages into the outbox: those of an edition, or one that belongs to no edition."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from itertools import islice

from sqlalchemy import Connection, insert

from bot.model import Edition, Message, OutboxKey, ReaderId, State
from bot.store.engine import insert_new
from bot.store.schema import outbox, outbox_bodies


def insert_messages(
    connection: Connection, editions: Sequence[tuple[int, Edition, Sequence[Message]]]
) -> list[list[int]]:
    """Insert the messages of editions that were stored in this transaction, given with the editions' ids.

    Returns the ids of each edition's messages, in their order.
    """
    rows = [
        _pending_row(
            OutboxKey(str(edition_id), edition.reader.id, edition.reader.kind, message.part),
            message,
            reader_id=edition.reader.id,
            day=edition.date,
            now=edition.composed_at,
            edition_id=edition_id,
        )
        for edition_id, edition, messages in editions
        for message in messages
    ]
    if not rows:
        return [[] for _ in editions]
    # The order of RETURNING's rows is unspecified; to have them sorted, SQLAlchemy inserts row by row on SQLite.
    put = insert(outbox).returning(outbox.c.key, outbox.c.id)
    id_by_key = {row.key: row.id for row in connection.execute(put, rows)}
    ids = [id_by_key[str(row["key"])] for row in rows]
    bodies = [message.body for _, _, messages in editions for message in messages]
    connection.execute(
        insert(outbox_bodies), [{"outbox_id": row_id, "body": body} for row_id, body in zip(ids, bodies, strict=True)]
    )
    remaining = iter(ids)
    return [list(islice(remaining, len(messages))) for _, _, messages in editions]


def insert_message(
    connection: Connection, reader_id: ReaderId, message: Message, key: OutboxKey, now: datetime
) -> None:
    """Insert a message that belongs to no edition; a key that exists already is ignored."""
    row = _pending_row(key, message, reader_id=reader_id, day=now.date(), now=now)
    row_id = connection.scalar(insert_new(connection, outbox).values(row).returning(outbox.c.id))
    if row_id is not None:
        connection.execute(insert(outbox_bodies).values(outbox_id=row_id, body=message.body))


def _pending_row(
    key: OutboxKey, message: Message, *, reader_id: ReaderId, day: date, now: datetime, edition_id: int | None = None
) -> dict[str, object]:
    return {
        # The idempotency key: unique, so that no message is put into the outbox twice.
        "key": str(key),
        "edition_id": edition_id,
        "reader_id": reader_id,
        "kind": key.kind,
        "part": message.part,
        "subject": message.subject,
        "date": day,
        "state": State.HELD if message.in_thread else State.PENDING,
        "attempts": 0,
        "code": "",
        "detail": "",
        "created_at": now,
        "updated_at": now,
    }
