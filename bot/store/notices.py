"""What Paperbot told about itself: how far alerts have looked, and on which days the operator got mail."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import delete, select, update

from bot.domain import PaperId, ReaderId
from bot.store.engine import Database, insert_new
from bot.store.schema import alert_marks, notices


class AlertMarks:
    """The highest paper id that was looked at for each reader's alerts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, reader_id: ReaderId) -> PaperId | None:
        """Return how far was looked; None where never."""
        query = select(alert_marks.c.watermark).where(alert_marks.c.reader_id == reader_id)
        with self._database.reading() as connection:
            return connection.scalar(query)

    def move(self, reader_id: ReaderId, watermark: PaperId) -> None:
        """Note that papers up to this id were looked at."""
        moved = update(alert_marks).where(alert_marks.c.reader_id == reader_id).values(watermark=watermark)
        with self._database.writing() as connection:
            if not connection.execute(moved).rowcount:
                new = insert_new(connection, alert_marks)
                connection.execute(new.values(reader_id=reader_id, watermark=watermark))


class Notices:
    """The days on which the operator was told what needs a person."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def take(self, day: date, now: datetime) -> bool:
        """Take the day's one notice; False where it is taken already."""
        with self._database.writing() as connection:
            new = insert_new(connection, notices).values(day=day, sent_at=now)
            return connection.scalar(new.returning(notices.c.day)) is not None

    def release(self, day: date) -> None:
        """The day's notice could not be sent."""
        with self._database.writing() as connection:
            connection.execute(delete(notices).where(notices.c.day == day))
