"""What a reader was shown so far: read for one claim about it, so that each query returns no more than it needs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Text, cast, exists, func, select

from bot.model import PaperId, ReaderId
from bot.store.engine import Aggregate, in_chunks
from bot.store.schema import editions, picks, readers


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
