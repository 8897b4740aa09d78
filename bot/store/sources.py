"""Sources: the state of each, and the volume that it delivered over time."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import date, datetime

from sqlalchemy import delete, func, insert, select

from bot.domain import SourceState
from bot.store.engine import HistoricAggregate, Lock
from bot.store.schema import digests, source_states


@dataclass(frozen=True, slots=True)
class SourceActivity:
    """What a source has delivered so far; ``latest`` is the newest date of a digest."""

    received_at: datetime
    latest: date | None
    digests: int
    papers: int  # each counted once
    highest_id: str | None = None  # the highest arXiv id


@dataclass(frozen=True, slots=True)
class Arrival:
    """The arrival of a digest: its number of papers, and how many were new to its source."""

    at: datetime
    papers: int
    fresh: int


class Sources(HistoricAggregate):
    """The states and deliveries of all sources; ``has_other`` as of ``until`` if given."""

    def states(self) -> dict[str, SourceState]:
        """Return the state of every source that was ever retrieved, by name."""
        with self._database.reading() as connection:
            return {row.name: SourceState(*row) for row in connection.execute(select(source_states))}

    def record(self, state: SourceState) -> None:
        """Replace a source's state."""
        with self._database.writing(Lock.INGEST) as connection:
            connection.execute(delete(source_states).where(source_states.c.name == state.name))
            connection.execute(insert(source_states).values(asdict(state)))

    def activity(self) -> dict[str, SourceActivity]:
        """Return what each source has delivered, by name."""
        query = select(
            digests.c.source,
            func.max(digests.c.received_at),
            func.max(digests.c.date),
            func.count(),
            # Papers that were new to the source, so that each counts once however often a feed lists it.
            func.sum(digests.c.fresh),
            func.max(digests.c.highest_id),
        ).group_by(digests.c.source)
        with self._database.reading() as connection:
            return {source: SourceActivity(*rest) for source, *rest in connection.execute(query)}

    def has_other(self, names: Collection[str]) -> bool:
        """Return whether any source other than these has delivered a paper."""
        query = select(digests.c.id).where(digests.c.source.not_in(names), digests.c.papers > 0).limit(1)
        if self._until:
            query = query.where(digests.c.received_at <= self._until)
        with self._database.reading() as connection:
            return connection.scalar(query) is not None

    def arrivals(self, name: str, since: datetime) -> list[Arrival]:
        """Return the digests that a source has delivered since a time, oldest first."""
        query = (
            select(digests.c.received_at, digests.c.papers, digests.c.fresh)
            .where(digests.c.source == name, digests.c.received_at > since)
            .order_by(digests.c.id)
        )
        with self._database.reading() as connection:
            return [Arrival(*row) for row in connection.execute(query)]
