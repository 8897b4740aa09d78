"""Runs a worker: Celery's processes, each with the tasks over the home."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from celery import Celery

from bot.worker.broker import make_celery
from bot.worker.names import COMPOSE, DELIVER, INGEST, queue_name
from bot.worker.tasks import Tasks


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
