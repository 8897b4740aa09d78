"""Overrides: what readers have set for themselves on a page, over what their profile's file says."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, insert, select

from bot.domain import Override, ReaderId
from bot.store.engine import AnyRow, Database, in_chunks
from bot.store.schema import overrides


class Overrides:
    """One at most for each reader."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, reader_id: ReaderId) -> Override:
        """Return what a reader has set; an empty override where that is nothing."""
        return self.of([reader_id]).get(reader_id, Override())

    def of(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, Override]:
        """Return the overrides of those among these readers who have one."""
        with self._database.reading() as connection:
            return {
                row.reader_id: _override(row)
                for some in in_chunks(reader_ids)
                for row in connection.execute(select(overrides).where(overrides.c.reader_id.in_(some)))
            }

    def all(self) -> dict[ReaderId, Override]:
        """Return the overrides of all readers who have one."""
        with self._database.reading() as connection:
            return {row.reader_id: _override(row) for row in connection.execute(select(overrides))}

    def set(self, reader_id: ReaderId, override: Override) -> None:
        """Keep this in place of what the reader had set before."""
        row = {
            "reader_id": reader_id,
            "size": override.size,
            "at": override.at,
            "days": override.days,
            "ignored": override.ignored,
        }
        with self._database.writing() as connection:
            connection.execute(delete(overrides).where(overrides.c.reader_id == reader_id))
            if override != Override():
                connection.execute(insert(overrides), row)


def _override(row: AnyRow) -> Override:
    days = None if row.days is None else tuple(row.days)
    return Override(row.size, row.at, days, tuple(row.ignored))
