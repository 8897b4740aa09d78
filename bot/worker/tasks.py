"""Set up Celery, enqueue and count tasks, and run them.

Each task looks up its due work in the store, and may run any number of times:

- ingest polls one due source under a lock.
- compose makes due alerts and editions of some readers. Slots in the store prevent duplicates.
- deliver sends messages of one channel for some seconds.
"""

from __future__ import annotations

import logging
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from threading import Event, Timer

from celery import Celery
from kombu.entity import Queue
from kombu.exceptions import OperationalError

from bot.app import App, open_app
from bot.channels import channel, channels
from bot.editions.due import StoredProfiles
from bot.model import Kind, Problem
from bot.model.errors import ProblemLog, QueueError
from bot.store.readers import IdRange
from bot.worker import COMPOSE, DELIVER, INGEST, TASKS

# In seconds: interrupt a task, kill its process.
SOFT_LIMIT = 45
HARD_LIMIT = 55
# In seconds. Redis redelivers by this time alone, so a shorter one would run slow tasks twice.
REDELIVERED_AFTER = 10 * HARD_LIMIT


def queue_name(name: str, task: str) -> str:
    return f"{name}.{task}"


def make_celery(url: str, name: str) -> Celery:
    """Return a Celery application. ``name`` prefixes its queues."""
    celery = Celery(name, broker=url, set_as_current=False)
    celery.conf.update(
        # Redis: the visibility timeout. RabbitMQ: ``x-consumer-timeout`` below, after which it closes the channel
        # (celery #6760). Versions before 3.12 use the node's 30 minutes, and classic queues have no limit from 4.3 on.
        broker_transport_options={
            "visibility_timeout": REDELIVERED_AFTER,
            "confirm_publish": True,
            "socket_keepalive": True,
            "health_check_interval": 10,
        },
        task_queues=[
            Queue(  # type: ignore[no-untyped-call]  # kombu has types for a part of its modules
                queue_name(name, task),
                routing_key=queue_name(name, task),
                queue_arguments={"x-consumer-timeout": REDELIVERED_AFTER * 1_000},
            )
            for task in TASKS
        ],
        task_create_missing_queues=False,
        task_default_queue=queue_name(name, COMPOSE),
        task_serializer="json",
        accept_content=["json"],
        task_ignore_result=True,
        # If a process is killed, another worker gets its task.
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        worker_prefetch_multiplier=1,
        task_soft_time_limit=SOFT_LIMIT,
        task_time_limit=HARD_LIMIT,
        # A killed delivery would be ``unknown``.
        worker_cancel_long_running_tasks_on_connection_loss=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        # On a busy machine, importing takes longer than the default of 4 seconds.
        worker_proc_alive_timeout=60,
        worker_hijack_root_logger=False,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
    )
    return celery


class TaskQueue:
    """The tasks at the broker. Raises QueueError if it can't be reached."""

    def __init__(self, url: str, name: str) -> None:
        self._celery = make_celery(url, name)
        self._name = name

    def ingest(self, source: str) -> None:
        self._send(INGEST, source)

    def compose(self, profile: str, ids: IdRange) -> None:
        self._send(COMPOSE, profile, ids.first, ids.last)

    def deliver(self, kind: Kind) -> None:
        self._send(DELIVER, kind)

    def deliver_all(self) -> None:
        for kind in channels():
            if kind.is_queued:
                self.deliver(kind.name)

    def waiting(self, task: str) -> int:
        with self._translated(), self._celery.connection_for_write() as connection:
            queue = self._celery.amqp.queues[queue_name(self._name, task)]
            with connection.channel() as channel:
                _, messages, _ = queue.bind(channel).queue_declare()
        return int(messages)

    def depths(self) -> dict[str, int]:
        return {task: self.waiting(task) for task in TASKS}

    def close(self) -> None:
        self._celery.close()

    def _send(self, task: str, *arguments: object) -> None:
        with self._translated():
            self._celery.send_task(task, arguments, queue=queue_name(self._name, task), ignore_result=True)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        connection = self._celery.connection_for_write()
        try:
            yield
        except (OperationalError, *connection.connection_errors, *connection.channel_errors) as error:
            reason = " ".join(str(error).split())
            raise QueueError(f"queue.url: {connection.as_uri()}: {reason}; is the broker running?") from error


# Well below a task's limit, because a stopping task finishes its message.
_DELIVERY_SECONDS = 20
_DELIVERIES_WAITING = 4


class TaskInterrupted(BaseException):
    """The soft limit was reached. A BaseException, because no reader or digest is at fault."""


class Tasks:
    """The tasks over one home, with connections, profiles and ranker kept between them."""

    def __init__(self, home: Path, url: str, name: str) -> None:
        self._home = home
        self._url = url
        self._name = name
        self._log = ProblemLog()

    # Made at first use: a worker's process is a fork and must not share connections with its parent.

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
        with self._task(f"compose {profile}") as problems:
            self._profiles.catch_up()
            problems.extend(self._profiles.problems.values())
            self._app.refresh()
            current = {slug: each for slug, each in self._profiles.profiles.items() if slug == profile}
            job = self._app.daily_job_for(current)
            problems.extend(job.compose(IdRange(first, last), datetime.now(UTC)))
            if self._queue.waiting(DELIVER) < _DELIVERIES_WAITING:
                self._queue.deliver_all()

    def deliver(self, kind: Kind) -> None:
        with self._task(f"deliver {kind}") as problems:
            is_exclusive = channel(kind).is_exclusive
            time_over = Event()
            timer = Timer(_DELIVERY_SECONDS, time_over.set)
            timer.daemon = True
            dispatcher = self._app.dispatcher_of([kind], time_over)
            lock = self._app.store.exclusively(f"deliver {kind}") if is_exclusive else nullcontext([kind])
            with lock as has_lock:
                if not has_lock:
                    return
                timer.start()
                problems.extend(dispatcher.deliver_due(datetime.now(UTC)).problems)
            timer.cancel()
            if time_over.is_set():
                self._queue.deliver(kind)

    def close(self) -> None:
        if "_app" in self.__dict__:
            self._app.__exit__(None, None, None)
        if "_queue" in self.__dict__:
            self._queue.close()

    @contextmanager
    def _task(self, name: str) -> Iterator[list[Problem]]:
        """Yield a list for a task's problems. Work that the soft limit interrupts stays due."""

        def interrupt(_number: int, _frame: object) -> None:
            raise TaskInterrupted

        with self._log.problems_of(name) as problems:
            # Celery's own Exception would be reported as a problem of each reader.
            before = signal.signal(signal.SIGUSR1, interrupt)
            try:
                yield problems
            except TaskInterrupted:
                problems.append(Problem(name, "took too long; the next task does the rest"))
            finally:
                signal.signal(signal.SIGUSR1, before)


def register(celery: Celery, tasks: Tasks) -> None:
    for name, task in {INGEST: tasks.ingest, COMPOSE: tasks.compose, DELIVER: tasks.deliver}.items():
        # ``typing`` would miss the ``self`` of a method.
        celery.task(task, name=name, shared=False, typing=False)


def run_worker(home: Path, url: str, name: str, *, concurrency: int, queues: Sequence[str]) -> int:
    """Run tasks of these queues until SIGTERM or SIGINT, and return the exit code."""
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
