"""Rate limits with fixed windows, counted in the database so that all processes share them.

The keys name people (addresses, network addresses), so they are stored as keyed hashes and deleted after two days.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import case, delete, or_

from bot.store.engine import Aggregate, Database, dialect_insert
from bot.store.keyed import keyed_hash
from bot.store.shared_schema import rate_limits

_RETENTION = timedelta(days=2)  # longer than any window in use


class RateLimits(Aggregate):
    """Counters whose window begins with the first event."""

    def __init__(self, database: Database, secret: bytes) -> None:
        super().__init__(database)
        self._secret = secret

    def allow(self, action: str, actor: str, limit: int, per: timedelta, now: datetime) -> bool:
        """Count one event; return whether it is among the first ``limit`` of its window of length ``per``."""
        key = f"{action}:{keyed_hash(self._secret, actor)[:32]}"
        began = rate_limits.c.began_at
        # A window that begins in the future was written by a clock that ran ahead; it would last until then.
        is_over = or_(began <= now - per, began > now + per)
        with self._database.writing() as connection:
            new = dialect_insert(connection, rate_limits).values(key=key, began_at=now, count=1)
            # One upsert: read and write in two statements would let concurrent requests past the limit.
            upsert = new.on_conflict_do_update(
                index_elements=[rate_limits.c.key],
                set_={
                    "count": case((is_over, 1), else_=rate_limits.c.count + 1),
                    "began_at": case((is_over, new.excluded.began_at), else_=began),
                },
            )
            count = connection.scalar(upsert.returning(rate_limits.c.count))
            connection.execute(delete(rate_limits).where(began < now - _RETENTION))
        return count is not None and count <= limit
