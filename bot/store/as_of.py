"""The store as of a time, for replays: papers, editions and models, with other editions for one reader.

These override how rows are selected; everything else is inherited from the aggregates of the present. The aggregates
whose rows have a time of their own (votes, libraries, mixtures, digests) take it as ``until``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from bot.domain import Edition, PaperId, ReaderId
from bot.store.editions import Editions, StoredEdition
from bot.store.engine import Database
from bot.store.new_papers import AsOf, NewsCursor, new_papers_of, revisions_of
from bot.store.papers import Papers
from bot.store.reader_models import ReaderModels, StoredModel


class PapersAsOf(Papers):
    """The papers that had arrived; those shown in the editions ``instead`` are not new any more."""

    def __init__(self, database: Database, as_of: AsOf, instead: Sequence[Edition]) -> None:
        super().__init__(database, as_of.at)
        self._as_of = as_of
        self._shown = {pick.paper.id for edition in instead for pick in edition.picks}

    def new_papers_of(self, cursors: Sequence[NewsCursor], upto: PaperId) -> dict[ReaderId, list[PaperId]]:
        """Return for each reader the papers that were new beyond their cursor, oldest first."""
        with self._database.reading() as connection:
            new = new_papers_of(connection, cursors, upto, self._as_of)
        return {
            reader_id: [paper_id for paper_id in ids if paper_id not in self._shown]
            for reader_id, ids in new.items()
        }

    def revisions_of(self, since: Mapping[ReaderId, datetime]) -> dict[ReaderId, list[PaperId]]:
        """Return for each reader the liked papers that had a later version at that time, oldest first."""
        with self._database.reading() as connection:
            return revisions_of(connection, since, self._as_of)


class EditionsAsOf(Editions):
    """The editions composed before ``since``, and one reader's editions ``instead`` of the real later ones."""

    def __init__(self, database: Database, since: datetime, instead: Sequence[Edition]) -> None:
        super().__init__(database)
        self._since = since
        self._instead = instead

    def last_by_reader(self, reader_ids: Sequence[ReaderId] | None = None) -> dict[ReaderId, StoredEdition]:
        """Return each reader's last edition: the last of ``instead``, or the last real one before ``since``."""
        ids = reader_ids or ()
        if not self._instead:
            before = {reader_id: self.last(reader_id, before=self._since) for reader_id in ids}
            return {reader_id: edition for reader_id, edition in before.items() if edition}
        last = self._instead[-1]
        stored = StoredEdition(
            id=0,
            reader_id=ids[0],
            slot=last.date.isoformat(),
            date=last.date,
            composed_at=last.composed_at,
            considered=last.considered,
            watermark=last.watermark,
            quiet=last.quiet,
            kind=last.kind,
            picks=len(last.picks),
        )
        return dict.fromkeys(ids, stored)


class ReaderModelsAsOf(ReaderModels):
    """No models: the stored ones were fitted to today's votes, so those of the time are fitted again."""

    def of(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, StoredModel]:  # noqa: ARG002 - the base's signature
        """Return no models."""
        return {}
