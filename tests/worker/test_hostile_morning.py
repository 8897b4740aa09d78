"""Real workers under kills, cut connections and a hostile broker: each reader is served once, or ``unknown``."""

import random
from functools import partial

import pytest
from faults.home_with_mail_server import MailServer
from kombu.utils.url import parse_url
from sqlalchemy import make_url

import bot.serve
from bot.serve import QueuedJobs
from bot.worker import TASKS
from bot.worker.tasks import make_celery, queue_name

from .conftest import PROFILE, SETTINGS
from .hostile_morning import Morning, Proxy, Worker, cut_connections, write_home

READERS = 120


@pytest.fixture
def work_queue(broker):
    """The queues of the workers, apart from those of the tick."""
    name = f"{broker.name}-work"
    celery = make_celery(broker.url, name)
    yield name, celery
    with celery.connection_for_write() as connection, connection.channel() as channel:
        for task in TASKS:
            celery.amqp.queues[queue_name(name, task)].bind(channel).delete()
    celery.close()


def test_each_reader_is_served_once_or_unknown_whatever_is_killed_and_lost(
    queued_home, broker, work_queue, empty_schema_url, monkeypatch
):
    chance = random.Random(16)
    application = broker.name
    url = make_url(empty_schema_url).update_query_dict({"application_name": application})
    monkeypatch.setattr(bot.serve, "_READERS_A_TASK", 25)
    name, work = work_queue
    parts = parse_url(broker.url)
    proxy = Proxy(parts["hostname"], parts["port"])
    server = MailServer()
    jobs = QueuedJobs(queued_home, broker.url, broker.name)
    with proxy.running() as port, server.running():
        write_home(queued_home, PROFILE, SETTINGS, READERS, server.port)
        worker = Worker(
            queued_home,
            {
                "PAPERBOT_STORE__URL": url.render_as_string(hide_password=False),
                "PAPERBOT_QUEUE__URL": broker.url.replace(f":{parts['port']}", f":{port}"),
                "PAPERBOT_QUEUE__NAME": name,
                "PAPERBOT_TEST_ENQUEUE_AT": broker.name,
            },
        )

        def drop() -> int:
            proxy.drop()
            return 0

        def cut() -> int:
            assert cut_connections(empty_schema_url, application) > 0
            return 0  # a sender knows what became of its message, and stores it over the next connection

        happenings = [
            partial(worker.kill_child, chance),
            drop,
            worker.kill,
            partial(worker.kill_child, chance),
            cut,
            drop,
            partial(worker.kill_child, chance),
        ]
        numbers = sorted(chance.sample(range(2, READERS // 2), len(happenings)))
        morning = Morning(
            home=queued_home,
            jobs=jobs,
            take=broker.take,
            put=lambda task, arguments: work.send_task(task, arguments, queue=queue_name(name, task)),
            readers=READERS,
            chance=chance,
            server=server,
            faults=dict(zip(numbers, happenings, strict=True)),
        )
        try:
            morning.run(worker)
        finally:
            worker.stop()

    assert proxy.dropped > 0
