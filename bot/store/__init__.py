"""What Paperbot remembers: papers, readers, their thumbs, editions, and the outbox.

One file an aggregate, each a class that holds a ``Database`` and opens one transaction a call; rows become
the types of ``bot.domain`` here and nowhere else.
"""

from __future__ import annotations

from bot.store.database import Store, open_store

__all__ = ["Store", "open_store"]
