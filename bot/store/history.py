"""What readers were shown so far, what their catch-up editions cover, and the days of their last visits.

``History`` is read for one claim at a time, so that each query returns no more than it needs. Catch-ups and visits are
only of readers who asked for them: nothing is stored for the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Text, and_, cast, exists, func, insert, or_, select, update

from bot.model import CatchUp, Edition, EditionId, EditionKind, PaperId, ReaderId, TopicGroup
from bot.store.engine import Aggregate, in_chunks, insert_new
from bot.store.schema import catch_ups, editions, picks, readers, visits


class SentPapers(NamedTuple):
    """The papers that a reader was sent, of all editions from ``since`` on."""

    papers: set[PaperId]
    since: datetime


class History(Aggregate):
    """The picks of readers' editions, alerts and letters, before a time."""

    def recent_reasons(
        self, reader_ids: Sequence[ReaderId], *, began: datetime, since: datetime, before: datetime
    ) -> dict[ReaderId, str]:
        """Return the reasons of each reader's picks from ``since`` on, as stored, a line of JSON for each pick.

        Of the readers who had an edition by ``began``; empty for one who had no pick since.
        """
        reasons: dict[ReaderId, str] = {}
        had_edition = exists().where(editions.c.reader_id == readers.c.id, editions.c.composed_at <= began)
        with self._database.reading() as connection:
            for chunk in in_chunks(reader_ids):
                ids = connection.scalars(select(readers.c.id).where(readers.c.id.in_(chunk), had_edition)).all()
                reasons |= dict.fromkeys(ids, "")
                # Put together by the database: rows of a hundred picks for each reader took five times as long.
                query = (
                    select(editions.c.reader_id, func.aggregate_strings(cast(picks.c.reasons, Text), "\n"))
                    .join(picks)
                    .where(editions.c.reader_id.in_(ids), editions.c.composed_at >= since)
                    .where(editions.c.composed_at < before)
                    .group_by(editions.c.reader_id)
                )
                if ids:
                    reasons |= {row[0]: row[1] for row in connection.execute(query)}
        return reasons

    def sent(self, reader_id: ReaderId, before: datetime) -> SentPapers | None:
        """Return what a reader was sent before a time; None without a stored pick."""
        # In one row, as the ids above: rows with the time of each pick took six times as long.
        query = (
            select(func.aggregate_strings(cast(picks.c.paper_id, Text), ","), func.min(editions.c.composed_at))
            .join(editions)
            .where(editions.c.reader_id == reader_id, editions.c.composed_at < before)
        )
        with self._database.reading() as connection:
            papers, since = connection.execute(query).one()
        return SentPapers(set(map(int, papers.split(","))), since) if papers else None

    def first_sent(self, reader_id: ReaderId, paper_id: PaperId) -> datetime | None:
        """Return when a reader was first sent a paper; None if never."""
        query = select(func.min(editions.c.composed_at)).join(picks)
        return self._scalar(query.where(editions.c.reader_id == reader_id, picks.c.paper_id == paper_id))


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
