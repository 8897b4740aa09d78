"""Group commit: threads that have something to commit at the same time share one transaction.

A commit waits for the disk (1 to 4 ms where it was measured), and SQLite has a single writer, for which others poll.
Threads that arrive during a commit wait for its end; then the first of them commits the changes of all that wait.
Changes of one kind are applied together, so that several rows cost one statement.

A server that restarts closes its connections. The same changes are then applied again over a new one: what a worker
knows of a message that was accepted would otherwise be lost with it, and the message be ``unknown``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

from sqlalchemy import Connection

from bot.errors import StoreConnectionLostError
from bot.store.engine import Database

# Seconds before each further attempt after a lost connection. PostgreSQL takes a second or two to restart, and a task
# of a worker has to end within 25 after its last message (``bot.worker.broker``).
_PAUSES = (0, 0.2, 0.5, 1, 2, 4, 6)

C = TypeVar("C")
R = TypeVar("R")
Apply = Callable[[Connection, Sequence[C]], Sequence[R]]


@dataclass(slots=True, eq=False)
class _Job:
    """One change, and its result; nobody waits for a job with ``on_result``."""

    apply: Apply[Any, Any]
    change: Any
    durable: bool
    on_result: Callable[[Any], None] | None = None
    result: Any = None
    error: BaseException | None = None
    is_done: bool = False


class GroupCommit:
    """Commits changes in shared transactions.

    A change goes to a function ``apply(connection, changes)``, which gets all changes that share a transaction and
    this function, and returns a result for each. It is called again, with the same changes, where the connection was
    lost; the earlier transaction may have been committed all the same.
    """

    def __init__(self, database: Database, sleep: Callable[[float], None] = time.sleep) -> None:
        self._database = database
        self._sleep = sleep
        # Without a lock of its own: append and pop of a list are atomic in CPython.
        self._queue: list[_Job] = []
        self._leader = Lock()

    def commit(self, apply: Apply[C, R], change: C, *, durable: bool) -> R:
        """Commit a change, perhaps with those of other threads, and return its result.

        Unless ``durable``, a power failure may undo it, as long as nothing durable was committed after it. If one
        change raises, the transaction is rolled back and each caller in it gets the error.
        """
        job = _Job(apply, change, durable)
        self._queue.append(job)
        with self._leader:
            # The leader before may have done it already.
            if not job.is_done:
                self._commit_queue()
        if job.error:
            raise job.error
        result: R = job.result
        return result

    def defer(self, apply: Apply[C, R], change: C, on_result: Callable[[R], None]) -> None:
        """Have the next commit, in whichever thread, begin with a change.

        ``on_result`` gets its result after that commit, in that thread. A change whose transaction fails is dropped:
        the error reaches those who wait for it.
        """
        self._queue.append(_Job(apply, change, durable=False, on_result=on_result))

    def flush(self) -> None:
        """Commit the deferred changes, if there are any."""
        if not self._queue:
            return
        with self._leader:
            jobs = self._commit_queue()
        for job in jobs:
            if job.error and job.on_result:
                raise job.error

    def _commit_queue(self) -> Sequence[_Job]:
        """Commit all changes that have arrived so far, and return them."""
        jobs = [self._queue.pop(0) for _ in range(len(self._queue))]
        if not jobs:
            return jobs
        # Deferred changes first: a claim in the same transaction finds the replies that a sent list has made due.
        jobs.sort(key=lambda job: job.on_result is None)
        try:
            self._apply(jobs)
        except BaseException as error:  # raised by ``commit`` in each caller's thread
            for job in jobs:
                job.error = error
        finally:
            for job in jobs:
                job.is_done = True
        for job in jobs:
            if job.on_result and not job.error:
                job.on_result(job.result)
        return jobs

    def _apply(self, jobs: Sequence[_Job]) -> None:
        """Apply all changes in one transaction, and again after a while for as long as the server is gone."""
        jobs_by_function: dict[Apply[Any, Any], list[_Job]] = {}
        for job in jobs:
            jobs_by_function.setdefault(job.apply, []).append(job)
        for pause in (*_PAUSES, None):
            try:
                # One change that must be durable makes the others so; a sync costs the same for all of them.
                with self._database.writing(durable=any(job.durable for job in jobs)) as connection:
                    for apply, group in jobs_by_function.items():
                        results = apply(connection, [job.change for job in group])
                        for job, result in zip(group, results, strict=True):
                            job.result = result
            except StoreConnectionLostError:
                if pause is None:
                    raise
                self._sleep(pause)
            else:
                return
