"""Editions that are due and wait for a source that failed: since when."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import delete, insert, select

from bot.domain import ReaderId
from bot.store.engine import Database, in_chunks
from bot.store.schema import edition_waits


class EditionWaits:
    """One wait a reader at most, of the slot that is due."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def since(self, slots: Mapping[ReaderId, str], now: datetime) -> dict[ReaderId, datetime]:
        """Return since when the readers' slots wait; those that did not wait yet do so from now on."""
        began: dict[ReaderId, datetime] = {}
        with self._database.writing(durable=False) as connection:
            for reader_ids in in_chunks(list(slots)):
                theirs = edition_waits.c.reader_id.in_(reader_ids)
                rows = connection.execute(select(edition_waits).where(theirs)).all()
                began |= {row.reader_id: row.since for row in rows if row.slot == slots[row.reader_id]}
                new = [reader_id for reader_id in reader_ids if reader_id not in began]
                if new:
                    connection.execute(delete(edition_waits).where(edition_waits.c.reader_id.in_(new)))
                    values = [{"reader_id": i, "slot": slots[i], "since": now} for i in new]
                    connection.execute(insert(edition_waits), values)
        return {reader_id: began.get(reader_id, now) for reader_id in slots}
