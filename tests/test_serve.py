"""The scheduler's jobs, and ``paperbot serve`` as a process."""

import logging
import platform
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from threading import Event

import pytest
import time_machine
from support import digest, outbox

from bot.ranking.corpus import Corpus
from bot.serve import Jobs, make_scheduler, publish_soon
from bot.sources.folder import FolderSource

WEDNESDAY = "2025-05-07T08:00:00+02:00"


@pytest.fixture
def jobs(home):
    return Jobs(home, Event())


def tick(jobs):
    jobs.ingest()
    jobs.publish()


def test_a_tick_delivers_what_is_due_and_the_next_tick_nothing_more(home, jobs, caplog):
    caplog.set_level(logging.INFO, "paperbot")
    with time_machine.travel(WEDNESDAY, tick=False):
        tick(jobs)
        tick(jobs)
    assert caplog.messages == ["176 new papers", "1 editions, 0 alerts, 1 delivered"]
    assert len(outbox(home)) == 1


def test_the_first_ingest_builds_the_vocabulary_even_without_new_papers(home, jobs):
    jobs.ingest()
    learned = home / "state" / "corpus.npz"
    before = learned.stat().st_ino
    jobs.ingest()
    assert learned.stat().st_ino == before
    learned.write_bytes(b"of another version")
    Jobs(home, Event()).ingest()
    with learned.open("rb") as file:
        Corpus.load(file)


def test_an_edited_profile_counts_from_the_next_tick_on(home, jobs):
    with time_machine.travel(WEDNESDAY, tick=False):
        tick(jobs)
        profile = home / "profiles" / "reward-models.toml"
        profile.write_text(profile.read_text() + '\n[[readers]]\nemail = "bob@example.org"\n')
        tick(jobs)
    assert len(outbox(home)) == 2


def test_a_lasting_problem_is_logged_once_and_does_not_stop_later_ticks(home, jobs, caplog):
    (home / "profiles" / "bad.toml").write_text("titel = 1\ninterests = 'x'")
    tick(jobs)
    jobs.publish()
    (home / "paperbot.toml").write_text("[emial]\n")
    jobs.publish()
    problem, *others = [record.message for record in caplog.records if record.levelname != "INFO"]
    assert problem.startswith("profiles/bad.toml:1: titel: unknown key; did you mean")
    assert others == ["publish: paperbot.toml:1: emial: unknown key; did you mean 'email'?"]


def test_each_job_runs_at_start_in_its_interval_and_never_concurrently(jobs):
    scheduled = make_scheduler(jobs, 20).get_jobs()
    assert {job.trigger.interval for job in scheduled} == {timedelta(minutes=20), timedelta(minutes=1)}
    for job in scheduled:
        assert job.next_run_time is not None
        assert (job.max_instances, job.coalesce, job.misfire_grace_time) == (1, True, None)


def test_publishing_soon_runs_that_job_now_and_no_other(jobs):
    scheduler = make_scheduler(jobs, 20)
    scheduler.start(paused=True)
    try:
        with time_machine.travel(WEDNESDAY, tick=False):
            publish_soon(scheduler)
        times = {job.id: job.next_run_time for job in scheduler.get_jobs()}
    finally:
        scheduler.shutdown()
    assert times["publish"] == datetime.fromisoformat(WEDNESDAY)
    assert times["ingest"] != times["publish"]


def test_the_first_editions_wait_for_the_first_papers(home, jobs):
    with time_machine.travel(WEDNESDAY, tick=False), ThreadPoolExecutor(2) as pool:
        published = pool.submit(jobs.publish)
        pool.submit(jobs.ingest).result()
        published.result()
    assert len(outbox(home)) == 1


def test_after_a_sleep_of_the_machine_editions_wait_for_new_papers(home, jobs, monkeypatch):
    class LateIngest(Event):
        """The ingest that is late, too, begins while the editions wait for it."""

        def wait(self, timeout=None):
            return self.is_set() or jobs.ingest() or super().wait(timeout)

    monkeypatch.setattr(jobs, "_ingest_done", LateIngest())
    with time_machine.travel("2025-05-06T20:00:00+02:00", tick=False):
        jobs.ingest()
    (home / "seeds" / "night.txt").write_text(digest("Reward models of the night", header="LLM-RL - 2025-05-07"))
    with time_machine.travel(WEDNESDAY, tick=False):
        jobs.publish()
    (mail,) = outbox(home)
    assert b"Reward models of the night" in mail.read_bytes()


def test_a_slow_source_delays_no_edition(home, jobs, monkeypatch):
    """While one ingest hangs, what is due goes out."""
    entered, go_on = Event(), Event()

    def hang(_self, _visit):
        entered.set()
        go_on.wait(60)
        return iter(())

    with time_machine.travel(WEDNESDAY, tick=False), ThreadPoolExecutor(1) as pool:
        jobs.ingest()
        monkeypatch.setattr(FolderSource, "retrieve", hang)
        hanging = pool.submit(jobs.ingest)
        entered.wait(60)
        jobs.publish()
        assert len(outbox(home)) == 1
        assert not hanging.done()
        go_on.set()


def test_no_job_starts_after_the_stop_signal(home):
    stop = Event()
    stop.set()
    jobs = Jobs(home, stop)
    with time_machine.travel(WEDNESDAY, tick=False):
        tick(jobs)
    assert outbox(home) == []


@pytest.fixture
def server(home):
    command = [sys.executable, "-m", "bot", "serve", "--port", "0"]
    process = subprocess.Popen(command, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.communicate()


@pytest.mark.slow
def test_serve_answers_requests_and_stops_cleanly_on_sigterm(server):
    line = server.stdout.readline()
    url = re.search(r"http://127\.0\.0\.1:\d+", line).group()
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"{url}/thumb/none", timeout=120)
    assert caught.value.code == 404
    assert "This didn't work" in caught.value.read().decode()
    server.send_signal(signal.SIGTERM)
    assert server.wait(timeout=120) == 0
    assert "Traceback" not in server.stderr.read()


# Sends the signal when the scheduler runs, and uvicorn has not installed its handlers yet.
_SIGNALLED_EARLY = """
import signal
from pathlib import Path
from bot import serve

make_web = serve.make_web

def make_web_after_signal(*arguments):
    signal.raise_signal(signal.SIGTERM)
    return make_web(*arguments)

serve.make_web = make_web_after_signal
with serve.listen("127.0.0.1", 0) as listener:
    serve.serve(Path(), listener)
"""


@pytest.mark.slow
def test_serve_stops_on_a_signal_that_comes_before_the_web_server_handles_signals(home):
    command = [sys.executable, "-c", _SIGNALLED_EARLY]
    served = subprocess.run(command, cwd=home, capture_output=True, text=True, timeout=120, check=False)
    assert served.returncode == 0
    assert "Traceback" not in served.stderr


ARENAS = """
import ctypes, re, sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from bot.serve import share_one_arena

if sys.argv[1] == "shared":
    share_one_arena()
start = Barrier(8)

def allocate(_):
    start.wait()
    return [bytes(2_000) for _ in range(1_000)]

with ThreadPoolExecutor(8) as threads:
    kept = list(threads.map(allocate, range(8)))
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
file = ctypes.c_void_p(libc.fopen(sys.argv[2].encode(), b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
print(len(re.findall("<heap nr=", open(sys.argv[2]).read())))
"""


@pytest.mark.slow
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has arenas")
def test_the_threads_of_the_server_share_one_arena(tmp_path):
    # glibc 2.10 and later give each thread an arena, which keeps the memory that its largest page needed.
    def arenas(how):
        command = [sys.executable, "-c", ARENAS, how, tmp_path / "arenas.xml"]
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    assert arenas("by default") > 1
    assert arenas("shared") == 1
