"""Sources: the state of each, the volume that it delivered, and a quarantine for digests that kill the parser."""

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


class Sources(Aggregate):
    """The states and deliveries of all sources; ``has_other`` as of ``until`` if given."""

    def states(self) -> dict[str, SourceState]:
        """Return the state of every source that was ever retrieved, by name."""
        return {row.name: SourceState(*row) for row in self._rows(select(source_states))}

    def record(self, state: SourceState) -> None:
        with self._database.writing(Lock.INGEST) as connection:
            replace_rows(connection, source_states, [asdict(state)])

    def activity(self) -> dict[str, SourceActivity]:
        """Return the deliveries of each source, by name."""
        query = select(
            digests.c.source,
            func.max(digests.c.received_at),
            func.max(digests.c.date),
            func.count(),
            # Papers that were new to the source, so that each counts once however often a feed lists it.
            func.sum(digests.c.fresh),
            func.max(digests.c.highest_id),
        ).group_by(digests.c.source)
        return {source: SourceActivity(*rest) for source, *rest in self._rows(query)}

    def has_other(self, names: Collection[str]) -> bool:
        """Return whether any source other than these has delivered a paper; conferences' programmes are none."""
        is_programme = digests.c.source.startswith(PROGRAMME_SOURCE, autoescape=True)
        is_other = digests.c.source.not_in(names) & ~is_programme & (digests.c.papers > 0)
        query = select(digests.c.id).where(is_other, self._by_then(digests.c.received_at)).limit(1)
        return self._scalar(query) is not None

    def arrivals(self, name: str, since: datetime) -> list[Arrival]:
        """Return the digests that a source has delivered since a time, oldest first."""
        query = (
            select(digests.c.received_at, digests.c.papers, digests.c.fresh)
            .where(digests.c.source == name, digests.c.received_at > since)
            .order_by(digests.c.id)
        )
        return [Arrival(*row) for row in self._rows(query)]


# Two, because the first process may have died of something else, such as a power failure or a shutdown.
_MAX_ATTEMPTS = 2


class ParseAttempts(Aggregate):
    """Attempts to parse digests, by the hash of their bytes.

    A row is written before a digest is parsed and deleted after it. A row that is there when the digest comes again was
    left by a process that died meanwhile, perhaps because of the digest: it is tried once more, and then refused.
    """

    def begin(self, content_hash: str, now: datetime, *, again: bool = False) -> str | None:
        """Record that parsing begins, and return None; or return why the digest is refused, and record nothing.

        ``again`` ignores earlier attempts.
        """
        row = parse_attempts.c.content_hash == content_hash
        # Not durable: no digest causes a power failure, so what that undoes need not be remembered.
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
        """Return why these bytes are refused; None if they are not."""
        query = select(parse_attempts.c.problem).where(parse_attempts.c.content_hash == content_hash)
        return self._scalar(query) or None

    def end(self, content_hash: str) -> None:
        """Record that parsing ended, with or without a result."""
        with self._database.writing(Lock.INGEST, durable=False) as connection:
            connection.execute(delete(parse_attempts).where(parse_attempts.c.content_hash == content_hash))

    def refuse(self, content_hash: str, problem: str) -> None:
        """Record why these bytes, whose parsing has begun, must not be parsed again."""
        with self._database.writing(Lock.INGEST) as connection:
            row = parse_attempts.c.content_hash == content_hash
            connection.execute(update(parse_attempts).where(row).values(problem=problem))
