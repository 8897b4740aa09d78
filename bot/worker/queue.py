"""How Celery is set up (queues, acknowledgement, time limits), and ``TaskQueue``, which enqueues and counts tasks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from celery import Celery
from kombu.entity import Queue
from kombu.exceptions import OperationalError

from bot.channels.registry import channels
from bot.model import Kind
from bot.model.errors import QueueError
from bot.store.readers import IdRange
from bot.worker import COMPOSE, DELIVER, INGEST, TASKS

# Seconds after which a task is interrupted, and its process is killed. Tasks are made to end long before.
SOFT_LIMIT = 45
HARD_LIMIT = 55
# After which a broker gives a task that was not acknowledged to another worker. Redis goes by this time alone, so that
# one near the limit would run tasks twice on a busy machine.
REDELIVERED_AFTER = 10 * HARD_LIMIT


def queue_name(name: str, task: str) -> str:
    return f"{name}.{task}"


def make_celery(url: str, name: str) -> Celery:
    """Return Celery on the broker at ``url``; ``name`` tells the queues of several installations apart."""
    celery = Celery(name, broker=url, set_as_current=False)
    celery.conf.update(
        # Redis: the visibility timeout. RabbitMQ: ``x-consumer-timeout`` below, after which it closes the channel
        # (celery #6760). Versions before 3.12 ignore it and take the node's 30 minutes; classic queues have no
        # limit from 4.3 on.
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
        # A task is acknowledged when it has ended; one whose process was killed goes to another worker.
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        worker_prefetch_multiplier=1,
        task_soft_time_limit=SOFT_LIMIT,
        task_time_limit=HARD_LIMIT,
        # A task under way ends although its broker is gone: killed in the middle, its message would be ``unknown``.
        worker_cancel_long_running_tasks_on_connection_loss=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        # Importing takes longer than the default of 4 seconds on a busy machine, and then the process is killed.
        worker_proc_alive_timeout=60,
        worker_hijack_root_logger=False,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
    )
    return celery


class TaskQueue:
    """The tasks at the broker; raises QueueError where it can't be reached."""

    def __init__(self, url: str, name: str) -> None:
        self._celery = make_celery(url, name)
        self._name = name

    def ingest(self, source: str) -> None:
        self._send(INGEST, source)

    def compose(self, profile: str, ids: IdRange) -> None:
        """Have the due alerts and editions of a profile's readers with these ids composed."""
        self._send(COMPOSE, profile, ids.first, ids.last)

    def deliver(self, kind: Kind) -> None:
        self._send(DELIVER, kind)

    def deliver_all(self) -> None:
        for kind in channels():
            if kind.is_queued:
                self.deliver(kind.name)

    def waiting(self, task: str) -> int:
        """Return how many tasks no worker has taken yet."""
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
            # The address with its password masked.
            raise QueueError(f"queue.url: {connection.as_uri()}: {reason}; is the broker running?") from error
