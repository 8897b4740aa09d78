"""What catch-up editions cover, and the days of readers' last visits.

Both are only of readers who asked for it: nothing is stored for the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import Connection, and_, func, insert, or_, select, update

from bot.model import CatchUp, Edition, EditionId, EditionKind, PaperId, ReaderId, TopicGroup
from bot.store.engine import Aggregate, insert_new
from bot.store.schema import catch_ups, editions, picks, visits


class CatchUps(Aggregate):
    """What the catch-up editions cover; the editions themselves are among ``Editions``.

    ``upto`` as of ``until`` if given.
    """

    def get(self, edition_id: EditionId) -> CatchUp | None:
        """Return what an edition covers; None for one of another kind."""
        rows = self._rows(select(catch_ups).where(catch_ups.c.edition_id == edition_id))
        return next((_catch_up(row) for row in rows), None)

    def of_reader(self, reader_id: ReaderId) -> list[tuple[EditionId, date, CatchUp]]:
        """Return a reader's catch-up editions, each with its id and date, newest first."""
        query = select(catch_ups, editions.c.date).join(editions).where(catch_ups.c.reader_id == reader_id)
        rows = self._rows(query.order_by(catch_ups.c.edition_id.desc()))
        return [(row.edition_id, row.date, _catch_up(row)) for row in rows]

    def upto(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, PaperId]:
        """Return the highest id that each reader's catch-up editions considered; readers without one are left out."""
        query = select(catch_ups.c.reader_id, func.max(catch_ups.c.upto)).group_by(catch_ups.c.reader_id)
        if self._until is not None:
            query = query.join(editions).where(editions.c.composed_at < self._until)
        return {row[0]: row[1] for row in self._rows_in(query, catch_ups.c.reader_id, reader_ids)}

    def last_days(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, date]:
        """Return the date of each reader's last catch-up edition; readers without one are left out."""
        query = select(catch_ups.c.reader_id, func.max(editions.c.date)).join(editions).group_by(catch_ups.c.reader_id)
        return {row[0]: row[1] for row in self._rows_in(query, catch_ups.c.reader_id, reader_ids)}

    def shown_before(self, reader_id: ReaderId, time: datetime) -> set[PaperId]:
        """Return the papers that were shown to a reader before a time, or by a catch-up edition at any time."""
        is_before = editions.c.composed_at < time
        query = (
            select(picks.c.paper_id)
            .join(editions)
            .where(editions.c.reader_id == reader_id, or_(is_before, editions.c.kind == EditionKind.CATCH_UP))
        )
        return {row.paper_id for row in self._rows(query)}


class Visits(Aggregate):
    """The last day on which each reader opened a link to Paperbot, in the reader's time zone."""

    def note(self, reader_id: ReaderId, day: date) -> None:
        """Record a visit; one on the same day, or on an earlier one, changes nothing."""
        later = update(visits).where(and_(visits.c.reader_id == reader_id, visits.c.day < day)).values(day=day)
        if self.last([reader_id]).get(reader_id, date.min) >= day:
            return
        # Not durable: after a power failure the next visit is noted.
        with self._database.writing(durable=False) as connection:
            if not connection.execute(later).rowcount:
                connection.execute(insert_new(connection, visits).values(reader_id=reader_id, day=day))

    def last(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, date]:
        """Return the day of each reader's last visit; readers without one are left out."""
        return {row.reader_id: row.day for row in self._rows_in(select(visits), visits.c.reader_id, reader_ids)}


def insert_catch_ups(connection: Connection, stored: Sequence[tuple[EditionId, Edition]]) -> None:
    """Insert what editions cover that were stored in this transaction; those of another kind are passed over."""
    rows = [_row(edition_id, edition.reader.id, edition.catch_up) for edition_id, edition in stored if edition.catch_up]
    if rows:
        connection.execute(insert(catch_ups), rows)


def _row(edition_id: EditionId, reader_id: ReaderId, catch_up: CatchUp) -> dict[str, Any]:
    return {
        "edition_id": edition_id,
        "reader_id": reader_id,
        "since": catch_up.since,
        "until": catch_up.until,
        "arrived": catch_up.arrived,
        "good": catch_up.good,
        "upto": catch_up.upto,
        "topics": [[group.name, group.papers, list(group.picks)] for group in catch_up.groups],
        "skipped": [list(pair) for pair in catch_up.skipped],
        "is_automatic": catch_up.is_automatic,
    }


def _catch_up(row: Any) -> CatchUp:
    return CatchUp(
        since=row.since,
        until=row.until,
        arrived=row.arrived,
        good=row.good,
        upto=row.upto,
        groups=tuple(TopicGroup(name, papers, tuple(shown)) for name, papers, shown in row.topics),
        skipped=tuple((paper_id, probability) for paper_id, probability in row.skipped),
        is_automatic=row.is_automatic,
    )
