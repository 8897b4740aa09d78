"""Enqueues tasks, and counts those that are waiting."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kombu.exceptions import OperationalError

from bot.channels.registry import channels
from bot.domain import Kind
from bot.errors import QueueError
from bot.store.active_readers import IdRange
from bot.worker.broker import make_celery
from bot.worker.names import COMPOSE, DELIVER, INGEST, TASKS, queue_name


class TaskQueue:
    """The tasks at the broker; raises QueueError where it can't be reached."""

    def __init__(self, url: str, name: str) -> None:
        self._celery = make_celery(url, name)
        self._name = name

    def ingest(self, source: str) -> None:
        """Have a source polled, if it is due."""
        self._send(INGEST, source)

    def compose(self, profile: str, ids: IdRange) -> None:
        """Have the due alerts and editions of a profile's readers with these ids composed."""
        self._send(COMPOSE, profile, ids.first, ids.last)

    def deliver(self, kind: Kind) -> None:
        """Have what is due for a kind of address delivered."""
        self._send(DELIVER, kind)

    def deliver_all(self) -> None:
        """Have what is due for every kind of channel delivered."""
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
        """Return how many tasks of each kind no worker has taken yet."""
        return {task: self.waiting(task) for task in TASKS}

    def close(self) -> None:
        """Close the connections."""
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
