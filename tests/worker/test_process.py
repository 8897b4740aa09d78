"""``paperbot worker`` as a process, and what it refuses."""

import os
import signal
import subprocess
import sys
from threading import Event

from servers import Page

from bot.worker.tasks import HARD_LIMIT, REDELIVERED_AFTER, SOFT_LIMIT, make_celery

FEED = b"<rss version='2.0'><channel><title>Blog</title><item><title>Owls at Night</title></item></channel></rss>"


def test_a_worker_that_is_stopped_ends_its_task_first(jobs, queued_home, app, web):
    polled, go_on = Event(), Event()

    def serve(_request):
        polled.set()
        go_on.wait(60)
        return Page(FEED)

    web.pages["/feed"] = serve
    feed = f'[[sources]]\nname = "blog"\nkind = "feed"\nurl = "{web.url}/feed"\n'
    (queued_home / "paperbot.toml").write_text(feed + '[fetch]\nprivate_hosts = ["127.0.0.1"]\n')
    jobs.ingest()
    command = [sys.executable, "-m", "bot", "worker", "--concurrency", "1"]
    process = subprocess.Popen(command, cwd=queued_home, env=os.environ, stderr=subprocess.PIPE, text=True)
    try:
        assert polled.wait(60)
        process.send_signal(signal.SIGTERM)
        go_on.set()
        assert process.wait(60) == 0
        assert "Traceback" not in process.stderr.read()
    finally:
        process.kill()
        process.communicate()
    assert app.store.papers.count() == 1


def test_a_task_counts_as_done_when_it_has_ended_and_long_before_it_is_given_to_another():
    conf = make_celery("redis://127.0.0.1:1/0", "x").conf
    assert (conf.task_acks_late, conf.task_reject_on_worker_lost, conf.worker_prefetch_multiplier) == (True, True, 1)
    assert (conf.task_soft_time_limit, conf.task_time_limit) == (SOFT_LIMIT, HARD_LIMIT)
    assert SOFT_LIMIT < HARD_LIMIT < 60
    assert conf.broker_transport_options["visibility_timeout"] == REDELIVERED_AFTER >= 10 * HARD_LIMIT
    assert {queue.queue_arguments["x-consumer-timeout"] for queue in conf.task_queues} == {REDELIVERED_AFTER * 1_000}
    assert conf.result_backend is None


def test_an_unknown_queue_is_refused(home, paperbot):
    answer = paperbot("worker", "--queues", "compose,send")
    assert answer.code == 2
    assert "'send' is not a queue; known queues: ingest, compose, deliver" in answer.err


def test_an_address_that_is_not_a_brokers_is_refused_without_showing_its_password(home, paperbot, monkeypatch):
    monkeypatch.setenv("PAPERBOT_QUEUE__URL", "http://me:secret@broker")
    answer = paperbot("status")
    assert answer.code == 2
    assert "is not the address of a broker; write it like amqp://" in answer.err
    assert "secret" not in answer.err
