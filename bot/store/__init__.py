"""Store papers, readers, votes, editions and the outbox, on SQLite or PostgreSQL.

Each aggregate is a class with a file of its own. A method call is one transaction. Only this package maps rows to the
types of ``bot.model``.
"""

from __future__ import annotations

from bot.store.database import Store, open_store

__all__ = ["Store", "open_store"]
