"""Weights of the ranking's experts, for all readers and for each; derived data, a row for each fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func, insert, select

from bot.domain import ReaderId
from bot.store.engine import HistoricAggregate, in_chunks
from bot.store.schema import mixtures


@dataclass(frozen=True, slots=True)
class StoredMixture:
    """The weights of the experts and the offset, fitted to ``votes`` votes; without a reader, of all readers."""

    reader_id: ReaderId | None
    fitted_at: datetime
    votes: int
    weights: tuple[float, ...]
    offset: float


class Mixtures(HistoricAggregate):
    """The newest fit of each reader and of all readers together, as of ``until`` if given."""

    def of_home(self) -> StoredMixture | None:
        """Return the mixture of all readers; None before the first fit."""
        return next(iter(self._newest(mixtures.c.reader_id.is_(None))), None)

    def of(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, StoredMixture]:
        """Return the mixtures of these readers; readers without one are left out."""
        return {
            mixture.reader_id: mixture
            for chunk in in_chunks(reader_ids)
            for mixture in self._newest(mixtures.c.reader_id.in_(chunk))
            if mixture.reader_id is not None
        }

    def add(self, fitted: Sequence[StoredMixture]) -> None:
        """Store fits."""
        # Not durable: after a power failure they are fitted again.
        if fitted:
            with self._database.writing(durable=False) as connection:
                connection.execute(insert(mixtures), [asdict(mixture) for mixture in fitted])

    def _newest(self, condition: ColumnElement[bool]) -> list[StoredMixture]:
        newest = select(func.max(mixtures.c.id)).where(condition).group_by(mixtures.c.reader_id)
        if self._until:
            newest = newest.where(mixtures.c.fitted_at <= self._until)
        with self._database.reading() as connection:
            rows = connection.execute(select(mixtures).where(mixtures.c.id.in_(newest)))
            return [
                StoredMixture(row.reader_id, row.fitted_at, row.votes, tuple(row.weights), row.offset)
                for row in rows
            ]
