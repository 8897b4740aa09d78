"""A quarantine for poison digests, which killed the process that parsed them.

A row is written before a digest is parsed and deleted after it. A row that is there when the digest comes again was
left by a process that died meanwhile, perhaps because of the digest: it is tried once more, and then refused.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select, update

from bot.store.engine import Aggregate, Lock, insert_new
from bot.store.schema import parse_attempts

# Two, because the first process may have died of something else, such as a power failure or a shutdown.
_MAX_ATTEMPTS = 2


class ParseAttempts(Aggregate):
    """Attempts to parse digests, by the hash of their bytes."""

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
        with self._database.reading() as connection:
            return connection.scalar(query) or None

    def end(self, content_hash: str) -> None:
        """Record that parsing ended, with or without a result."""
        with self._database.writing(Lock.INGEST, durable=False) as connection:
            connection.execute(delete(parse_attempts).where(parse_attempts.c.content_hash == content_hash))

    def refuse(self, content_hash: str, problem: str) -> None:
        """Record why these bytes, whose parsing has begun, must not be parsed again."""
        with self._database.writing(Lock.INGEST) as connection:
            row = parse_attempts.c.content_hash == content_hash
            connection.execute(update(parse_attempts).where(row).values(problem=problem))
