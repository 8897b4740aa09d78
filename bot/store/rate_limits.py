"""Rate limits: how often something was done, in the database, so that every process counts alike.

Keys of people (addresses, network addresses) are kept as keyed hashes, and a day longer than they are needed.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import case, delete, or_
from sqlalchemy.dialects import postgresql, sqlite

from bot.store.engine import Database
from bot.store.keyed import keyed_hash
from bot.store.schema import rate_limits

_KEPT = timedelta(days=2)  # longer than any window that is asked for


class RateLimits:
    """Counts in windows that begin with the first time."""

    def __init__(self, database: Database, secret: bytes) -> None:
        self._database, self._secret = database, secret

    def allow(self, what: str, who: str, limit: int, per: timedelta, now: datetime) -> bool:
        """Count one more time; whether that is within ``limit`` times in the current window of length ``per``."""
        key = f"{what}:{keyed_hash(self._secret, who)[:32]}"
        with self._database.writing() as connection:
            dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
            began = rate_limits.c.began_at
            over = or_(began <= now - per, began > now + per)  # the latter by a clock that ran ahead
            put = dialect.insert(rate_limits).values(key=key, began_at=now, count=1)
            again = put.on_conflict_do_update(
                index_elements=[rate_limits.c.key],
                set_={
                    "count": case((over, 1), else_=rate_limits.c.count + 1),
                    "began_at": case((over, put.excluded.began_at), else_=rate_limits.c.began_at),
                },
            )
            count = connection.scalar(again.returning(rate_limits.c.count))
            connection.execute(delete(rate_limits).where(rate_limits.c.began_at < now - _KEPT))
        return count is not None and count <= limit
