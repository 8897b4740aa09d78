"""The hostile morning with 6,000 readers and servers that really restart: ``make bench-hostile``, some minutes.

PostgreSQL and RabbitMQ are the test's own, from Debian's packages, so that it may restart them: the database once, as
an operator does, and the broker twice, by SIGKILL, all while mails go out.
"""

import random
from functools import partial

import pytest
from faults.home_with_mail_server import MailServer
from kombu.exceptions import OperationalError
from kombu.utils.url import parse_url
from own_servers import own_postgres, own_rabbitmq

import bot.serve
from bot.serve import QueuedJobs
from bot.worker.tasks import make_celery, queue_name

from .conftest import PROFILE, SETTINGS, Broker, digest
from .hostile_morning import Morning, Proxy, Worker, write_home

pytestmark = pytest.mark.hostile

READERS = 6_000


@pytest.fixture
def servers():
    """A database cluster and a broker of the test's own."""
    with own_postgres() as postgres, own_rabbitmq() as rabbitmq:
        yield postgres, rabbitmq


def test_each_of_6000_readers_is_served_once_or_unknown_although_all_servers_restart(bare, servers, monkeypatch):
    chance = random.Random(6_000)
    postgres, rabbitmq = servers
    monkeypatch.setattr(bot.serve, "_READERS_A_TASK", 50)
    monkeypatch.setenv("PAPERBOT_STORE__URL", postgres.url)
    monkeypatch.setenv("PAPERBOT_QUEUE__URL", rabbitmq.url)
    monkeypatch.setenv("PAPERBOT_QUEUE__NAME", "tick")
    broker = Broker(rabbitmq.url, "tick", make_celery(rabbitmq.url, "tick"))
    work = make_celery(rabbitmq.url, "work")
    connection = work.connection_for_write()
    parts = parse_url(rabbitmq.url)
    proxy = Proxy(parts["hostname"], parts["port"])
    server = MailServer()
    with proxy.running() as port, server.running():
        (bare / "drop").mkdir()
        (bare / "drop" / "day.txt").write_text(digest("Owls at Night", "Owls by Day"))
        write_home(bare, PROFILE, SETTINGS, READERS, server.port)
        environment = {
            "PAPERBOT_QUEUE__URL": rabbitmq.url.replace(f":{parts['port']}", f":{port}"),
            "PAPERBOT_QUEUE__NAME": "work",
            "PAPERBOT_TEST_ENQUEUE_AT": "tick",
        }
        workers = [Worker(bare, environment) for _ in range(2)]
        morning = Morning(
            home=bare,
            jobs=QueuedJobs(bare, rabbitmq.url, "tick"),
            take=broker.take,
            put=lambda task, arguments: work.send_task(task, arguments, queue=queue_name("work", task)),
            readers=READERS,
            chance=chance,
            server=server,
            faults={},
            broker_errors=(OperationalError, *connection.connection_errors, *connection.channel_errors),
        )
        happenings = [
            *(partial(worker.kill_child, chance) for worker in workers for _ in range(4)),
            *(worker.kill for worker in workers),
            morning.aside(postgres.restart),
            morning.aside(rabbitmq.restart),
            morning.aside(rabbitmq.restart),
        ]
        chance.shuffle(happenings)
        numbers = sorted(chance.sample(range(2, READERS * 3 // 4), len(happenings)))
        morning.faults.update(zip(numbers, happenings, strict=True))
        try:
            states = morning.run(*workers)
        finally:
            for worker in workers:
                worker.stop()
            broker.celery.close()
            work.close()

    # The figures of ``make bench-hostile``.
    counts = {str(state): number for state, number in states.items() if number}
    print(f"{counts}; {morning.stopped_senders} senders killed; tasks: {dict(morning.moved)}")  # noqa: T201
