"""What a worker does for each task. Each reads from the store what is due, and may run any number of times.

ingest    polls one source, if it is due; the source is locked meanwhile, so that it is not polled twice at once
compose   composes the due alerts and editions of some readers; the slots in the store decide who of several did it
deliver   claims messages of one channel until nothing is due, the rate is used up, or its time is over

``run_worker`` runs Celery's processes, each with the tasks over the home.
"""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from threading import Event

from celery import Celery

from bot.app import App, open_app
from bot.channels.registry import channel
from bot.editions.due import StoredProfiles
from bot.model import Kind, Problem
from bot.model.errors import ProblemLog
from bot.store.readers import IdRange
from bot.worker import COMPOSE, DELIVER, INGEST
from bot.worker.queue import TaskQueue, make_celery, queue_name

# How long one task delivers. A task that is told to stop waits for the message under way, so this is well below the
# limit of a task.
_DELIVERY_SECONDS = 20
# Tasks for one channel that wait at a time: more would only find nothing due.
_DELIVERIES_WAITING = 4


class TimeBudget:
    """A stop signal that is set when its seconds are over."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._never = Event()

    def is_set(self) -> bool:
        return time.monotonic() >= self._end

    def wait(self, timeout: float) -> None:
        self._never.wait(min(timeout, max(self._end - time.monotonic(), 0)))


class TaskInterrupted(BaseException):
    """Raised in a task that has reached the soft limit; a BaseException, as it is no reader's or digest's fault."""


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let the signal of the soft limit raise TaskInterrupted.

    Celery's own exception is an Exception, which the daily job would report as a problem of one reader after another.
    """

    def interrupt(_number: int, _frame: object) -> None:
        raise TaskInterrupted

    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGUSR1, before)


class Tasks:
    """The tasks over one home, with what a process keeps between them: connections, profiles, and the ranker."""

    def __init__(self, home: Path, url: str, name: str) -> None:
        self._home = home
        self._url = url
        self._name = name
        self._log = ProblemLog()

    # Made at their first use: a worker's process is a fork, and connections must not be shared with its parent.

    @cached_property
    def _app(self) -> App:
        return open_app(self._home)

    @cached_property
    def _profiles(self) -> StoredProfiles:
        return StoredProfiles(self._app.store)

    @cached_property
    def _queue(self) -> TaskQueue:
        return TaskQueue(self._url, self._name)

    def ingest(self, source: str) -> None:
        with self._task(f"ingest {source}") as problems:
            configured = next((each for each in self._app.sources if each.name == source), None)
            if configured is None:
                problem = "is not a source of this machine's paperbot.toml; make it the same everywhere"
                problems.append(Problem(source, problem))
                return
            with self._app.store.exclusively(f"ingest {source}") as has_lock:
                if has_lock:
                    report = self._app.daily_job.ingest(datetime.now(UTC), [configured])
                    problems.extend(report.problems)

    def compose(self, profile: str, first: int, last: int) -> None:
        """Compose what is due for a profile's readers with the ids from ``first`` to ``last``."""
        with self._task(f"compose {profile}") as problems:
            self._profiles.catch_up()
            problems.extend(self._profiles.problems)
            # The ranker alone: this process has no files to read again.
            self._app.refresh()
            # None of a profile that was withdrawn meanwhile.
            current = {slug: each for slug, each in self._profiles.profiles.items() if slug == profile}
            job = self._app.daily_job_for(current)
            problems.extend(job.compose(IdRange(first, last), datetime.now(UTC)))
            # Messages are sent now instead of after the next tick.
            if self._queue.waiting(DELIVER) < _DELIVERIES_WAITING:
                self._queue.deliver_all()

    def deliver(self, kind: Kind) -> None:
        """Deliver what is due for a kind of channel."""
        with self._task(f"deliver {kind}") as problems:
            is_exclusive = channel(kind).is_exclusive
            budget = TimeBudget(_DELIVERY_SECONDS)
            dispatcher = self._app.dispatcher_of([kind], budget)
            lock = self._app.store.exclusively(f"deliver {kind}") if is_exclusive else nullcontext(True)
            with lock as has_lock:
                if not has_lock:
                    return
                problems.extend(dispatcher.deliver_due(datetime.now(UTC)).problems)
            if budget.is_set():
                self._queue.deliver(kind)

    def close(self) -> None:
        if "_app" in self.__dict__:
            self._app.__exit__(None, None, None)
        if "_queue" in self.__dict__:
            self._queue.close()

    @contextmanager
    def _task(self, name: str) -> Iterator[list[Problem]]:
        """Yield a list for a task's problems; one that takes too long ends, and what is left of it is due still."""
        with self._log.problems_of(name) as problems:
            try:
                with _interruptible():
                    yield problems
            except TaskInterrupted:
                problems.append(Problem(name, "took too long; what is left is done by the next task"))


def register(celery: Celery, tasks: Tasks) -> None:
    """Let Celery call the tasks by their names."""

    # Functions, as Celery checks a task's arguments by its signature, which for a method has ``self``.
    def ingest(source: str) -> None:
        tasks.ingest(source)

    def compose(profile: str, first: int, last: int) -> None:
        tasks.compose(profile, first, last)

    def deliver(channel: str) -> None:
        tasks.deliver(channel)

    for name, task in {INGEST: ingest, COMPOSE: compose, DELIVER: deliver}.items():
        celery.task(task, name=name, shared=False)


def run_worker(home: Path, url: str, name: str, *, concurrency: int, queues: Sequence[str]) -> int:
    """Take tasks from these queues until SIGTERM or SIGINT; then end those under way, and return the exit code."""
    # Its banner and task lines repeat what the log says already.
    logging.getLogger("celery").setLevel(logging.WARNING)
    celery = make_celery(url, name)
    register(celery, Tasks(home, url, name))
    worker = celery.Worker(
        concurrency=concurrency,
        queues=[queue_name(name, queue) for queue in queues],
        loglevel="WARNING",
        quiet=True,
        without_gossip=True,
        without_mingle=True,
    )
    worker.start()
    return int(worker.exitcode or 0)
