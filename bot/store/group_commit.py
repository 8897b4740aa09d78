"""Group commit: threads that have something to commit at the same time share one transaction.

A commit waits for the disk (1 to 4 ms where it was measured), and SQLite has a single writer, for which others poll.
Threads that arrive during a commit wait for its end; then the first of them commits the work of all that wait.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

from sqlalchemy import Connection

from bot.store.engine import Database

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class _Job:
    """One thread's work, and its result."""

    work: Callable[[Connection], Any]
    durable: bool
    result: Any = None
    error: BaseException | None = None
    is_done: bool = False


class GroupCommit:
    """Runs short pieces of work, each committed before its caller goes on."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # Without a lock of its own: append and pop of a list are atomic in CPython.
        self._queue: list[_Job] = []
        self._leader = Lock()

    def commit(self, work: Callable[[Connection], T], *, durable: bool) -> T:
        """Do the work in a transaction, perhaps with that of other threads, and return its result.

        Unless ``durable``, a power failure may undo it, as long as nothing durable was committed after it. If one
        piece of work raises, the transaction is rolled back and each caller in it gets the error.
        """
        job = _Job(work, durable)
        self._queue.append(job)
        with self._leader:
            # The leader before may have done it already.
            if not job.is_done:
                self._commit_queue()
        if job.error:
            raise job.error
        result: T = job.result
        return result

    def _commit_queue(self) -> None:
        """Commit all jobs that have arrived so far."""
        jobs = [self._queue.pop(0) for _ in range(len(self._queue))]
        try:
            # One job that must be durable makes the others so; a sync costs the same for all of them.
            with self._database.writing(durable=any(job.durable for job in jobs)) as connection:
                for job in jobs:
                    job.result = job.work(connection)
        except BaseException as error:  # raised by ``commit`` in each caller's thread
            for job in jobs:
                job.error = error
        finally:
            for job in jobs:
                job.is_done = True
