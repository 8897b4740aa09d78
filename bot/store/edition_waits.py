"""Since when due editions have been waiting for a source that failed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import delete, insert, select

from bot.domain import ReaderId
from bot.store.engine import Aggregate, in_chunks
from bot.store.schema import edition_waits


class EditionWaits(Aggregate):
    """At most one wait for each reader, that of the slot that is due."""

    def since(self, slots: Mapping[ReaderId, str], now: datetime) -> dict[ReaderId, datetime]:
        """Return since when the readers' slots have been waiting; a wait begins with the first call for its slot."""
        started: dict[ReaderId, datetime] = {}
        # Not durable: after a power failure the wait begins again, which delays an edition and loses nothing.
        with self._database.writing(durable=False) as connection:
            for chunk in in_chunks(list(slots)):
                of_chunk = edition_waits.c.reader_id.in_(chunk)
                rows = connection.execute(select(edition_waits).where(of_chunk)).all()
                started |= {row.reader_id: row.since for row in rows if row.slot == slots[row.reader_id]}
                new = [reader_id for reader_id in chunk if reader_id not in started]
                if new:
                    # Waits of earlier slots are over, however they ended.
                    connection.execute(delete(edition_waits).where(edition_waits.c.reader_id.in_(new)))
                    values = [{"reader_id": i, "slot": slots[i], "since": now} for i in new]
                    connection.execute(insert(edition_waits), values)
        return {reader_id: started.get(reader_id, now) for reader_id in slots}
