"""What was known at a time: papers, thumbs, and the editions of one reader had they been others.

Only reading is changed; these are the store's own aggregates in all else.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TypeVarTuple

from sqlalchemy import Select, select

from bot.domain import Edition, PaperId, ReaderId, Thumb
from bot.store.editions import Editions, StoredEdition
from bot.store.engine import AnySelect, Database
from bot.store.feedback import Feedback, current_thumbs
from bot.store.papers import Papers, revised
from bot.store.schema import editions, papers, picks

Columns = TypeVarTuple("Columns")


class PastPapers(Papers):
    """The papers known at a time."""

    def __init__(self, database: Database, at: datetime, since: datetime, instead: Sequence[Edition]) -> None:
        super().__init__(database)
        self._at, self._since, self._instead = at, since, instead

    def revised(self, reader_id: ReaderId, since: datetime) -> list[PaperId]:
        """Return the liked papers of which a later version had come in since, oldest first."""
        with self._database.reading() as connection:
            return list(connection.scalars(revised(reader_id, since, (self._at, self._since))))

    def _known(self, query: Select[*Columns]) -> Select[*Columns]:
        return query.where(papers.c.first_seen <= self._at)

    def _settled(self, reader_id: ReaderId) -> Sequence[AnySelect]:
        sent = select(picks.c.paper_id).join(editions).where(editions.c.reader_id == reader_id)
        sent = sent.where(editions.c.composed_at < self._since)
        judged = select(current_thumbs(reader_id, until=self._at).c.paper_id)
        return sent, judged, *self._sent_instead()

    def _sent_instead(self) -> list[AnySelect]:
        ids = [pick.paper.id for edition in self._instead for pick in edition.picks]
        return [select(papers.c.id).where(papers.c.id.in_(ids))] if ids else []


class PastFeedback(Feedback):
    """The thumbs given by then."""

    def __init__(self, database: Database, at: datetime) -> None:
        super().__init__(database)
        self._at = at

    def votes(self, reader_id: ReaderId, paper_id: PaperId | None = None) -> list[Thumb]:
        """Return the last word of each voter by then on each paper, or on one, in the order given."""
        return self._read_current(current_thumbs(reader_id, paper_id, until=self._at))


class PastEditions(Editions):
    """The editions really sent until a time, and others instead of those after it."""

    def __init__(self, database: Database, since: datetime, instead: Sequence[Edition]) -> None:
        super().__init__(database)
        self._since, self._instead = since, instead

    def last(self, reader_id: ReaderId, before: datetime | None = None) -> StoredEdition | None:  # noqa: ARG002 - nothing is later here
        """Return the reader's last edition: one instead, or the last real one."""
        if not self._instead:
            return super().last(reader_id, before=self._since)
        last = self._instead[-1]
        return StoredEdition(
            id=0,
            reader_id=reader_id,
            slot=last.date.isoformat(),
            date=last.date,
            composed_at=last.composed_at,
            considered=last.considered,
            watermark=last.watermark,
            quiet=last.quiet,
            kind=last.kind,
            picks=len(last.picks),
        )
