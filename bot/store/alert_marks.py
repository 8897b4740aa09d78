"""The watermarks of alerts."""

from __future__ import annotations

from sqlalchemy import select, update

from bot.domain import PaperId, ReaderId
from bot.store.engine import Aggregate, insert_new
from bot.store.schema import alert_marks


class AlertMarks(Aggregate):
    """A watermark for each reader: the highest paper id that was checked for alerts."""

    def get(self, reader_id: ReaderId) -> PaperId | None:
        """Return a reader's watermark; None before the first check."""
        query = select(alert_marks.c.watermark).where(alert_marks.c.reader_id == reader_id)
        with self._database.reading() as connection:
            return connection.scalar(query)

    def move(self, reader_id: ReaderId, watermark: PaperId) -> None:
        """Record that papers up to and including this id were checked."""
        moved = update(alert_marks).where(alert_marks.c.reader_id == reader_id).values(watermark=watermark)
        with self._database.writing() as connection:
            # An upsert in two statements; the second is needed once for each reader.
            if not connection.execute(moved).rowcount:
                new = insert_new(connection, alert_marks)
                connection.execute(new.values(reader_id=reader_id, watermark=watermark))
