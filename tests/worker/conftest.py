"""A home with a queue on each broker, and what takes its tasks."""

import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import pytest
from celery import Celery
from support import digest

from bot.app import App, open_app
from bot.serve import QueuedJobs
from bot.worker import TASKS
from bot.worker.tasks import Tasks, make_celery, queue_name, register

BROKERS = {"amqp": "amqp://guest:guest@127.0.0.1:5672//", "redis": "redis://127.0.0.1:6379/9"}
READERS = 7
PROFILE = """
title = "Owls"
interests = "owls"
[edition]
threshold = 0
[schedule]
at = "00:00"
days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
"""
SETTINGS = '[[sources]]\nname = "drop"\nkind = "folder"\npath = "drop"\n'

Task = tuple[str, list[object]]


@dataclass
class Broker:
    """The queues of one test, from which it takes the tasks itself: so it can lose, repeat and reorder them."""

    url: str
    name: str
    celery: Celery
    taken: list[Task] = field(default_factory=list)

    def take(self) -> list[Task]:
        """Take all tasks that are waiting, in their order."""
        tasks: list[Task] = []
        with self.celery.connection_for_read() as connection, connection.channel() as channel:
            for name in TASKS:
                queue = self.celery.amqp.queues[queue_name(self.name, name)].bind(channel)
                queue.declare()
                while message := queue.get(no_ack=True):
                    tasks.append((message.headers["task"], message.payload[0]))
        self.taken += tasks
        return tasks

    def delete(self) -> None:
        with self.celery.connection_for_write() as connection, connection.channel() as channel:
            for name in TASKS:
                self.celery.amqp.queues[queue_name(self.name, name)].bind(channel).delete()
        self.celery.close()


@pytest.fixture(params=sorted(BROKERS))
def broker(request: pytest.FixtureRequest) -> Iterator[Broker]:
    """Queues of the test's own on a real broker; without one the test is skipped, or fails in CI."""
    url = os.environ.get(f"PAPERBOT_TEST_{request.param.upper()}", BROKERS[request.param])
    broker = Broker(url, f"t{uuid4().hex}", make_celery(url, "paperbot"))
    broker.celery = make_celery(url, broker.name)
    try:
        broker.celery.connection_for_write().ensure_connection(max_retries=1, timeout=2).release()
    except Exception as error:
        reason = f"no broker at {request.param}: {error}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    yield broker
    broker.delete()


@pytest.fixture
def queued_home(bare: Path, broker: Broker, empty_schema_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home on PostgreSQL and a broker, with one profile of several readers, and two papers to come."""
    readers = "".join(f'[[readers]]\nemail = "r{n}@example.org"\n' for n in range(READERS))
    (bare / "profiles" / "owls.toml").write_text(PROFILE + readers)
    (bare / "paperbot.toml").write_text(SETTINGS)
    (bare / "drop").mkdir()
    (bare / "drop" / "day.txt").write_text(digest("Owls at Night", "Owls by Day"))
    monkeypatch.setenv("PAPERBOT_STORE__URL", empty_schema_url)
    monkeypatch.setenv("PAPERBOT_QUEUE__URL", broker.url)
    monkeypatch.setenv("PAPERBOT_QUEUE__NAME", broker.name)
    return bare


@pytest.fixture
def jobs(queued_home: Path, broker: Broker) -> QueuedJobs:
    """The jobs of the scheduler."""
    return QueuedJobs(queued_home, broker.url, broker.name)


@pytest.fixture
def run_tasks(queued_home: Path, broker: Broker) -> Iterator[Callable[[list[Task]], None]]:
    """Runs tasks as a process of a worker does."""
    tasks = Tasks(queued_home, broker.url, broker.name)
    register(broker.celery, tasks)

    def run(taken: list[Task]) -> None:
        for name, arguments in taken:
            broker.celery.tasks[name](*arguments)

    yield run
    tasks.close()


@pytest.fixture
def app(queued_home: Path) -> Iterator[App]:
    """The parts, for a look into the store."""
    with open_app(queued_home) as app:
        yield app


@pytest.fixture(params=[1, 2])
def chance(request: pytest.FixtureRequest) -> random.Random:
    """Chance that is the same in each run."""
    return random.Random(request.param)
