"""The fitted corpus, shared by the machines of one store: fitted by one process, loaded by all, by its version.

Machines that each fitted their own would rank over different vocabularies, and would fit each other's stored models of
readers again in turns.
"""

from __future__ import annotations

from contextlib import AbstractContextManager

from sqlalchemy import delete, func, insert, select

from bot.store.engine import Aggregate, Lock
from bot.store.shared_schema import corpora

# The newest, and the one before, which another process may be about to read.
_KEPT = 2


class Corpora(Aggregate):
    """The last versions; version 0 stands for none."""

    def newest(self) -> int:
        """Return the newest version, 0 before the first."""
        with self._database.reading() as connection:
            return connection.scalar(select(func.max(corpora.c.version))) or 0

    def content(self, version: int) -> bytes | None:
        """Return the bytes of a version; None if there is none, or no longer."""
        with self._database.reading() as connection:
            return connection.scalar(select(corpora.c.content).where(corpora.c.version == version))

    def add(self, content: bytes) -> int:
        """Store a new version, and return it."""
        with self._database.writing(Lock.CORPUS) as connection:
            version = (connection.scalar(select(func.max(corpora.c.version))) or 0) + 1
            connection.execute(insert(corpora).values(version=version, content=content))
            connection.execute(delete(corpora).where(corpora.c.version <= version - _KEPT))
        return version

    def fitting(self) -> AbstractContextManager[bool]:
        """Hold the right to fit; yields False where another process is fitting."""
        return self._database.exclusively("fit the corpus")
