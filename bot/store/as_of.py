"""What was known at a time: papers, thumbs, and the editions of one reader had they been others.

Only reading is changed; these are the store's own aggregates in all else.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TypeVarTuple

from sqlalchemy import Select, Subquery

from bot.domain import Edition, PaperId, ReaderId
from bot.store.editions import Editions, StoredEdition
from bot.store.engine import Database
from bot.store.feedback import Feedback, current_thumbs
from bot.store.new_papers import AsOf, NewsCursor, new_papers_of, revisions_of
from bot.store.papers import Papers
from bot.store.schema import papers

Columns = TypeVarTuple("Columns")


class PapersAsOf(Papers):
    """The papers known at a time; what stands in editions ``instead`` is no news."""

    def __init__(self, database: Database, then: AsOf, instead: Sequence[Edition]) -> None:
        super().__init__(database)
        self._then, self._instead = then, instead

    def new_papers_of(self, horizons: Sequence[NewsCursor], upto: PaperId) -> dict[ReaderId, list[PaperId]]:
        """Return for each reader the papers that were news beyond the horizon, oldest first."""
        told = {pick.paper.id for edition in self._instead for pick in edition.picks}
        with self._database.reading() as connection:
            news = new_papers_of(connection, horizons, upto, self._then)
        return {reader_id: [paper for paper in ids if paper not in told] for reader_id, ids in news.items()}

    def revisions_of(self, since: Mapping[ReaderId, datetime]) -> dict[ReaderId, list[PaperId]]:
        """Return for each reader the liked papers of which a later version had come since, oldest first."""
        with self._database.reading() as connection:
            return revisions_of(connection, since, self._then)

    def _known(self, query: Select[*Columns]) -> Select[*Columns]:
        return query.where(papers.c.first_seen <= self._then.at)


class FeedbackAsOf(Feedback):
    """The thumbs given by then."""

    def __init__(self, database: Database, at: datetime) -> None:
        super().__init__(database)
        self._at = at

    def _current(self, reader_ids: Collection[ReaderId], paper_id: PaperId | None = None) -> Subquery:
        return current_thumbs(reader_ids, paper_id, until=self._at)


class EditionsAsOf(Editions):
    """The editions really sent until a time, and one reader's others instead of those after it."""

    def __init__(self, database: Database, since: datetime, instead: Sequence[Edition]) -> None:
        super().__init__(database)
        self._since, self._instead = since, instead

    def last_by_reader(self, reader_ids: Sequence[ReaderId] | None = None) -> dict[ReaderId, StoredEdition]:
        """Return each of these readers' last edition: the last one instead, or the last real one."""
        ids = reader_ids or ()
        if self._instead:
            return dict.fromkeys(ids, _as_stored(self._instead[-1], ids[0]))
        last = {reader_id: self.last(reader_id, before=self._since) for reader_id in ids}
        return {reader_id: edition for reader_id, edition in last.items() if edition}


def _as_stored(edition: Edition, reader_id: ReaderId) -> StoredEdition:
    return StoredEdition(
        id=0,
        reader_id=reader_id,
        slot=edition.date.isoformat(),
        date=edition.date,
        composed_at=edition.composed_at,
        considered=edition.considered,
        watermark=edition.watermark,
        quiet=edition.quiet,
        kind=edition.kind,
        picks=len(edition.picks),
    )
