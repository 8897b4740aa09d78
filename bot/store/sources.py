"""Sources: states, delivered volume, and a quarantine for digests that kill the parser."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import date, datetime

from sqlalchemy import delete, func, select, update

from bot.model import SourceState
from bot.model.papers import PROGRAMME_SOURCE
from bot.store.engine import Aggregate, Lock, insert_new, replace_rows
from bot.store.schema import digests, parse_attempts, source_states


@dataclass(frozen=True, slots=True)
class SourceActivity:
    """A source's deliveries so far. ``latest`` is a digest's newest date."""

    received_at: datetime
    latest: date | None
    digests: int
    papers: int
    highest_id: str | None = None  # of arXiv


@dataclass(frozen=True, slots=True)
class Arrival:
    """A digest's arrival. ``fresh`` papers were new to its source."""

    at: datetime
    papers: int
    fresh: int


class Sources(Aggregate):
    """States and deliveries of all sources. ``has_other`` is as of ``until`` if given."""

    def states(self) -> dict[str, SourceState]:
        return {row.name: SourceState(*row) for row in self._rows(select(source_states))}

    def record(self, state: SourceState) -> None:
        with self._database.writing(Lock.INGEST) as connection:
            replace_rows(connection, source_states, [asdict(state)])

    def activity(self) -> dict[str, SourceActivity]:
        query = select(
            digests.c.source,
            func.max(digests.c.received_at),
            func.max(digests.c.date),
            func.count(),
            func.sum(digests.c.fresh),
            func.max(digests.c.highest_id),
        ).group_by(digests.c.source)
        return {source: SourceActivity(*rest) for source, *rest in self._rows(query)}

    def has_other(self, names: Collection[str]) -> bool:
        """Return whether another source has delivered a paper, programmes excepted."""
        is_programme = digests.c.source.startswith(PROGRAMME_SOURCE, autoescape=True)
        is_other = digests.c.source.not_in(names) & ~is_programme & (digests.c.papers > 0)
        query = select(digests.c.id).where(is_other, self._by_then(digests.c.received_at)).limit(1)
        return self._scalar(query) is not None

    def arrivals(self, name: str, since: datetime) -> list[Arrival]:
        query = (
            select(digests.c.received_at, digests.c.papers, digests.c.fresh)
            .where(digests.c.source == name, digests.c.received_at > since)
            .order_by(digests.c.id)
        )
        return [Arrival(*row) for row in self._rows(query)]


# Something else may have ended the first process, such as a shutdown.
_MAX_ATTEMPTS = 2


class ParseAttempts(Aggregate):
    """Attempts to parse digests, by hash of their bytes. A row is left over if the process died."""

    def begin(self, content_hash: str, now: datetime, *, again: bool = False) -> str | None:
        """Record that parsing begins and return None, or return why the digest is refused."""
        row = parse_attempts.c.content_hash == content_hash
        with self._database.writing(Lock.INGEST, durable=False) as connection:
            if again:
                connection.execute(delete(parse_attempts).where(row))
            earlier = connection.execute(select(parse_attempts).where(row)).one_or_none()
            if earlier is None:
                values = {"content_hash": content_hash, "attempts": 1, "problem": "", "at": now}
                connection.execute(insert_new(connection, parse_attempts).values(values))
            elif earlier.problem:
                return str(earlier.problem)
            elif earlier.attempts >= _MAX_ATTEMPTS:
                return f"Paperbot was killed {earlier.attempts} times while it was parsed"
            else:
                attempts = earlier.attempts + 1
                connection.execute(update(parse_attempts).where(row).values(attempts=attempts, at=now))
        return None

    def refusal(self, content_hash: str) -> str | None:
        query = select(parse_attempts.c.problem).where(parse_attempts.c.content_hash == content_hash)
        return self._scalar(query) or None

    def end(self, content_hash: str) -> None:
        with self._database.writing(Lock.INGEST, durable=False) as connection:
            connection.execute(delete(parse_attempts).where(parse_attempts.c.content_hash == content_hash))

    def refuse(self, content_hash: str, problem: str) -> None:
        with self._database.writing(Lock.INGEST) as connection:
            refused = update(parse_attempts).where(parse_attempts.c.content_hash == content_hash)
            connection.execute(refused.values(problem=problem))
