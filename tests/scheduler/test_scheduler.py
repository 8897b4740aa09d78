"""The clock's tick, and the whole of ``paperbot serve`` as a process."""

import logging
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event

import pytest
import time_machine

from bot.ranking import Corpus
from bot.scheduler import Jobs, make_scheduler
from bot.sources.folder import FolderSource

WEDNESDAY = "2025-05-07T08:00:00+02:00"


@pytest.fixture
def clockwork(home):
    return Jobs(home, Event())


def tick(clockwork):
    clockwork.ingest()
    clockwork.publish()


def outbox(home):
    return sorted((home / "state" / "outbox").rglob("*.eml"))


def test_a_tick_delivers_what_is_due_and_the_next_one_nothing_more(home, clockwork, caplog):
    caplog.set_level(logging.INFO, "paperbot")
    with time_machine.travel(WEDNESDAY, tick=False):
        tick(clockwork)
        tick(clockwork)
    assert caplog.messages == ["176 new papers", "1 editions, 0 alerts, 1 delivered"]
    assert len(outbox(home)) == 1


def test_the_first_tick_learns_the_words_even_if_nothing_new_comes(home, clockwork):
    clockwork.ingest()
    learned = home / "state" / "corpus.npz"
    before = learned.stat().st_ino
    clockwork.ingest()
    assert learned.stat().st_ino == before
    learned.write_bytes(b"of another version")
    Jobs(home, Event()).ingest()
    with learned.open("rb") as file:
        Corpus.load(file)


def test_a_profile_edited_meanwhile_counts_from_the_next_tick_on(home, clockwork):
    with time_machine.travel(WEDNESDAY, tick=False):
        tick(clockwork)
        profile = home / "profiles" / "reward-models.toml"
        profile.write_text(profile.read_text() + '\n[[readers]]\nemail = "bob@example.org"\n')
        tick(clockwork)
    assert len(outbox(home)) == 2


def test_what_goes_wrong_in_a_tick_is_logged_once_and_the_next_one_comes(home, clockwork, caplog):
    (home / "profiles" / "bad.toml").write_text("titel = 1")
    tick(clockwork)
    clockwork.publish()
    (home / "paperbot.toml").write_text("[emial]\n")
    clockwork.publish()
    assert caplog.messages[0].startswith("profiles/bad.toml:1: titel: unknown key; did you mean")
    assert caplog.messages[1:] == ["publish: paperbot.toml:1: emial: unknown key; did you mean 'email'?"]


def test_each_job_comes_at_once_and_by_its_own_turns_and_never_twice_at_a_time(clockwork):
    jobs = make_scheduler(clockwork, 20).get_jobs()
    assert {job.trigger.interval for job in jobs} == {timedelta(minutes=20), timedelta(minutes=1)}
    for job in jobs:
        assert job.next_run_time is not None
        assert (job.max_instances, job.coalesce, job.misfire_grace_time) == (1, True, None)


def test_the_first_editions_wait_for_the_first_papers(home, clockwork):
    with time_machine.travel(WEDNESDAY, tick=False), ThreadPoolExecutor(2) as pool:
        published = pool.submit(clockwork.publish)
        pool.submit(clockwork.ingest).result()
        published.result()
    assert len(outbox(home)) == 1


def test_a_source_that_is_slow_delays_no_edition(home, clockwork, monkeypatch):
    """While one ingest hangs, what is due goes out."""
    entered, go_on = Event(), Event()

    def hang(_self, _visit):
        entered.set()
        go_on.wait(60)
        return iter(())

    with time_machine.travel(WEDNESDAY, tick=False), ThreadPoolExecutor(1) as pool:
        clockwork.ingest()
        monkeypatch.setattr(FolderSource, "retrieve", hang)
        hanging = pool.submit(clockwork.ingest)
        entered.wait(60)
        clockwork.publish()
        assert len(outbox(home)) == 1
        assert not hanging.done()
        go_on.set()


def test_once_told_to_stop_no_job_begins(home):
    stop = Event()
    stop.set()
    clockwork = Jobs(home, stop)
    with time_machine.travel(WEDNESDAY, tick=False):
        tick(clockwork)
    assert outbox(home) == []


@pytest.fixture
def server(home):
    command = [sys.executable, "-m", "bot", "serve", "--port", "0"]
    process = subprocess.Popen(command, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.communicate()


def test_serve_answers_pages_and_stops_cleanly_when_told(server):
    line = server.stdout.readline()
    url = re.search(r"http://127\.0\.0\.1:\d+", line).group()
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"{url}/thumb/none", timeout=30)
    assert caught.value.code == 404
    assert "This link doesn't work" in caught.value.read().decode()
    server.send_signal(signal.SIGTERM)
    assert server.wait(timeout=30) == 0
    assert "Traceback" not in server.stderr.read()


def test_a_port_that_is_taken_is_told_in_one_line(home, paperbot):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        answer = paperbot("serve", "--port", taken.getsockname()[1])
    assert answer.code == 2
    assert answer.err.startswith("paperbot: can't listen on 127.0.0.1:")
    assert os.linesep not in answer.err.strip()
