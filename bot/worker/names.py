"""The names of tasks, apart from Celery, which a home without a broker need not have installed."""

from __future__ import annotations

INGEST = "ingest"
COMPOSE = "compose"
DELIVER = "deliver"
TASKS = (INGEST, COMPOSE, DELIVER)


def queue_name(name: str, task: str) -> str:
    """Return the name of a task's queue at the broker; ``name`` tells installations on one broker apart."""
    return f"{name}.{task}"
