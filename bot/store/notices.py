"""The watermarks of alerts, and the days on which the operator was sent a notice."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import delete, select, update

from bot.domain import PaperId, ReaderId
from bot.store.engine import Database, insert_new
from bot.store.schema import alert_marks, notices


class AlertMarks:
    """A watermark for each reader: the highest paper id that was checked for alerts."""

    def __init__(self, database: Database) -> None:
        self._database = database

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


class Notices:
    """At most one notice to the operator a day, however many processes run."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def take(self, day: date, now: datetime) -> bool:
        """Claim the day's notice; False if it was claimed already."""
        # Claimed before it is sent, so that of two processes one sends it; ``release`` gives it back on failure.
        with self._database.writing() as connection:
            new = insert_new(connection, notices).values(day=day, sent_at=now)
            return connection.scalar(new.returning(notices.c.day)) is not None

    def release(self, day: date) -> None:
        """Give back the day's notice, which could not be sent."""
        with self._database.writing() as connection:
            connection.execute(delete(notices).where(notices.c.day == day))
