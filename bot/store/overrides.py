"""Overrides: what readers have set on their own page, in place of values in the profile's file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy import delete, insert, select

from bot.domain import Override, ReaderId
from bot.store.engine import Aggregate, AnyRow, in_chunks
from bot.store.schema import overrides


class Overrides(Aggregate):
    """At most one override for each reader."""

    def get(self, reader_id: ReaderId) -> Override:
        """Return a reader's override; an empty one if nothing is set."""
        return self.of([reader_id]).get(reader_id, Override())

    def of(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, Override]:
        """Return the overrides of these readers; readers without one are left out."""
        with self._database.reading() as connection:
            return {
                row.reader_id: _override(row)
                for chunk in in_chunks(reader_ids)
                for row in connection.execute(select(overrides).where(overrides.c.reader_id.in_(chunk)))
            }

    def all(self) -> dict[ReaderId, Override]:
        """Return the overrides of all readers; readers without one are left out."""
        with self._database.reading() as connection:
            return {row.reader_id: _override(row) for row in connection.execute(select(overrides))}

    def set(self, reader_id: ReaderId, override: Override) -> None:
        """Replace a reader's override."""
        with self._database.writing() as connection:
            connection.execute(delete(overrides).where(overrides.c.reader_id == reader_id))
            # No row for an empty override: the profile's file alone decides again.
            if override != Override():
                connection.execute(insert(overrides), {"reader_id": reader_id, **asdict(override)})


def _override(row: AnyRow) -> Override:
    return Override(
        size=row.size,
        at=row.at,
        days=_tuple(row.days),
        ignored=tuple(row.ignored),
        timezone=row.timezone,
        interests=row.interests,
        keywords=_tuple(row.keywords),
        authors=_tuple(row.authors),
        mute=_tuple(row.mute),
        language=row.language,
    )


def _tuple(listed: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if listed is None else tuple(listed)
