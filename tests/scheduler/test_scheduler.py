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
from datetime import timedelta

import pytest
import time_machine

from bot.scheduler import make_scheduler, tick

WEDNESDAY = "2025-05-07T08:00:00+02:00"


def test_a_tick_delivers_what_is_due_and_the_next_one_nothing_more(home, caplog):
    caplog.set_level(logging.INFO, "paperbot")
    with time_machine.travel(WEDNESDAY, tick=False):
        tick(home)
        tick(home)
    assert caplog.messages == ["1 editions, 1 delivered"]
    assert len(list((home / "state" / "outbox").rglob("*.eml"))) == 1


def test_a_profile_edited_meanwhile_counts_from_the_next_tick_on(home, caplog):
    with time_machine.travel(WEDNESDAY, tick=False):
        tick(home)
        profile = home / "profiles" / "reward-models.toml"
        profile.write_text(profile.read_text() + '\n[[readers]]\nemail = "bob@example.org"\n')
        tick(home)
    assert len(list((home / "state" / "outbox").rglob("*.eml"))) == 2


def test_what_goes_wrong_in_a_tick_is_logged_and_the_next_one_comes(home, caplog):
    (home / "profiles" / "bad.toml").write_text("titel = 1")
    tick(home)
    (home / "paperbot.toml").write_text("[emial]\n")
    tick(home)
    assert caplog.messages[0].startswith("profiles/bad.toml:1: titel: unknown key; did you mean")
    assert caplog.messages[1] == "paperbot.toml:1: emial: unknown key; did you mean 'email'?"


def test_ticks_come_at_once_and_every_minute_and_never_two_at_a_time(home):
    (job,) = make_scheduler(home).get_jobs()
    assert job.trigger.interval == timedelta(minutes=1)
    assert job.next_run_time is not None
    assert (job.max_instances, job.coalesce, job.misfire_grace_time) == (1, True, None)


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
    assert server.wait(timeout=30) in (0, -signal.SIGTERM)
    assert "Traceback" not in server.stderr.read()


def test_a_port_that_is_taken_is_told_in_one_line(home, paperbot):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        answer = paperbot("serve", "--port", taken.getsockname()[1])
    assert answer.code == 2
    assert answer.err.startswith("paperbot: can't listen on 127.0.0.1:")
    assert os.linesep not in answer.err.strip()
