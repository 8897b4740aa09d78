"""Persistence of papers, readers, votes, editions and the outbox, on SQLite or PostgreSQL.

Each aggregate is a class in a file of its own, holds a ``Database`` and opens one transaction a call. Rows are mapped
to the types of ``bot.model`` in this package only.
"""

from __future__ import annotations

from bot.store.database import Store, open_store

__all__ = ["Store", "open_store"]
