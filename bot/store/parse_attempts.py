"""Digests whose parsing was begun and not ended, and those that are refused because it killed its process.

A row is written before a digest is parsed and removed after it. One that is still there when the digest comes again was
left by a process that died meanwhile, perhaps of the digest: it is tried once more, and then refused.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select, update

from bot.store.engine import Database, Lock, insert_new
from bot.store.schema import parse_attempts

_MOST_ATTEMPTS = 2


class ParseAttempts:
    """Which bytes, by their hash, must not be parsed again."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, content_hash: str, now: datetime, *, again: bool = False) -> str | None:
        """Note that parsing begins; or return why it must not, and note nothing. ``again`` ignores earlier attempts."""
        row = parse_attempts.c.content_hash == content_hash
        # What a power cut undoes, no digest can have caused: nothing waits for the disk here.
        with self._database.writing(Lock.INGEST, durable=False) as connection:
            if again:
                connection.execute(delete(parse_attempts).where(row))
            known = connection.execute(select(parse_attempts).where(row)).one_or_none()
            if known is None:
                values = {"content_hash": content_hash, "attempts": 1, "problem": "", "at": now}
                connection.execute(insert_new(connection, parse_attempts).values(values))
            elif known.problem:
                return str(known.problem)
            elif known.attempts >= _MOST_ATTEMPTS:
                return f"Paperbot was killed {known.attempts} times while it was parsed"
            else:
                connection.execute(
                    update(parse_attempts).where(row).values(attempts=known.attempts + 1, at=now)
                )
        return None

    def refusal(self, content_hash: str) -> str | None:
        """Why these bytes are refused; None where they are not."""
        query = select(parse_attempts.c.problem).where(parse_attempts.c.content_hash == content_hash)
        with self._database.reading() as connection:
            return connection.scalar(query) or None

    def end(self, content_hash: str) -> None:
        """Note that parsing ended, whatever came of it."""
        with self._database.writing(Lock.INGEST, durable=False) as connection:
            connection.execute(delete(parse_attempts).where(parse_attempts.c.content_hash == content_hash))

    def refuse(self, content_hash: str, problem: str) -> None:
        """Note why these bytes, whose parsing was begun, must not be parsed again."""
        with self._database.writing(Lock.INGEST) as connection:
            row = parse_attempts.c.content_hash == content_hash
            connection.execute(update(parse_attempts).where(row).values(problem=problem))
