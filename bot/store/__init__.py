"""Store papers, readers, votes, editions and the outbox, on SQLite or PostgreSQL.

Only this package maps rows to the types of ``bot.model``.
"""

from __future__ import annotations

from bot.store.database import Store, open_store

__all__ = ["Store", "open_store"]
