"""Faulty servers, disks, clocks and other processes: each edition is sent once, and its state is right."""

import re
import resource
import shutil
import signal
import socket
import subprocess
import urllib.request
from threading import Event, Thread

import pytest
import time_machine
from support import digest

from bot.serve import Jobs

from .home_with_mail_server import WEDNESDAY, assert_once

LATER = "2025-05-07T11:00:00+02:00"


def test_a_server_that_sometimes_refuses_or_disconnects(make_home, mails, monkeypatch):
    """Of each five mails one is refused for now, one accepted without a reply, one late, one refused for good."""
    monkeypatch.setenv("PAPERBOT_EMAIL__CONNECTIONS", "2")
    answers = ["451 later", "drop", "late", None, "554 no"]
    mails.answer = lambda number: answers[number % 5] if number <= 10 else None
    home = make_home(20)
    first = home.run(WEDNESDAY)
    assert first["unknown"] == 2
    states = assert_once(home)
    assert (states["failed"], states["retry"], states["unknown"]) == (2, 2, 2)
    home.run(LATER)
    assert assert_once(home) == {"sent": 16, "failed": 2, "unknown": 2}


def test_an_unreachable_server_loses_no_edition(make_home):
    home = make_home(5)
    settings = home.path / "paperbot.toml"
    text = settings.read_text()
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    settings.write_text(re.sub(r"port = \d+", f"port = {port}", text))
    (problem,) = home.run(WEDNESDAY)["problems"]
    assert (problem["source"], "5 waiting" in problem["problem"]) == ("email", True)
    row = home.status()["readers"][0]
    assert row["late"].startswith("the circuit breaker for email is open: connecting to the mail server")
    settings.write_text(text)
    assert home.run(LATER)["delivered"] == 5
    assert assert_once(home) == {"sent": 5}


def test_a_full_disk_sends_nothing_twice_and_delivery_goes_on_when_space_is_free(make_home):
    """The store's files may not grow beyond a limit; without it, the next run sends the rest."""
    home = make_home(12)
    assert home.call("ingest", "--home", home.path).code == 0
    size = max(path.stat().st_size for path in (home.path / "state").iterdir())
    for free in (4_096, 65_536, 131_072):

        def limit_file_size(limit=size + free):
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        process = home.start_run(WEDNESDAY, preexec_fn=limit_file_size)
        _, errors = process.communicate(timeout=60)
        assert process.returncode in (0, 1, 2)
        assert "Traceback" not in errors
        assert_once(home)
    home.run(LATER)
    states = assert_once(home)
    assert states["sent"] + states["unknown"] == 12


class SmallDisk:
    """A file system of its own, mounted at a folder."""

    def __init__(self, folder):
        self._filler = folder / "filler"

    def fill(self):
        self._filler.write_bytes(b"x" * 20_000_000)

    def free(self):
        self._filler.unlink()


@pytest.fixture
def small_disk(tmp_path):
    """80 MB for the home's state: enough free space, until 20 of them are used."""
    state = tmp_path / "papers" / "state"
    state.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=80m", "tmpfs", state]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a small disk")
    yield SmallDisk(state)
    subprocess.run(["umount", "--lazy", state], check=True)


def test_no_run_starts_on_a_nearly_full_disk_and_the_operator_is_notified(small_disk, make_home, mails):
    home = make_home(3)
    settings = home.path / "paperbot.toml"
    settings.write_text('[bot]\noperator = "op@example.org"\n' + settings.read_text())
    small_disk.fill()
    full = home.call("run", "--now", WEDNESDAY, "--json", "--home", home.path)
    (problem,) = full.json["problems"]
    assert (full.code, full.json["digests"], full.json["delivered"]) == (1, 0, 0)
    assert problem["source"] == str(home.path / "state")
    assert mails.accepted == {"op@example.org": 1}
    assert "nearly full" in str(home.status()["problems"])
    small_disk.free()
    assert home.run(WEDNESDAY)["delivered"] == 3


def test_a_disk_that_fills_up_during_a_run_ends_it_at_the_next_message(small_disk, make_home, mails, monkeypatch):
    monkeypatch.setenv("PAPERBOT_EMAIL__CONNECTIONS", "1")
    home = make_home(5)
    mails.answer = lambda number: small_disk.fill() if number == 2 else None
    report = home.run(WEDNESDAY)
    assert (report["editions"], report["delivered"], len(report["problems"])) == (5, 2, 1)
    assert assert_once(home) == {"sent": 2, "pending": 3}
    small_disk.free()
    home.run(WEDNESDAY)
    assert assert_once(home) == {"sent": 5}


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_two_concurrent_runs_send_each_edition_once(make_home, store, request):
    home = make_home(12, request.getfixturevalue("schema_url") if store == "postgresql" else "")
    home.call("ingest", "--home", home.path)
    processes = [home.start_run(WEDNESDAY) for _ in range(2)]
    for process in processes:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
    assert assert_once(home) == {"sent": 12}


def tick(home, moment, news=""):
    """Do what ``serve`` does at a time, with one new paper."""
    if news:
        (home.path / "seeds" / f"{news}.txt").write_text(digest(f"Reward models for {news} at night"))
    jobs = Jobs(home.path, Event())
    with time_machine.travel(moment, tick=False):
        jobs.ingest()
        jobs.publish()


def test_a_clock_a_year_ahead_for_one_run_loses_no_later_edition(make_home):
    home = make_home(1)
    for number, (moment, news) in enumerate(
        (
            ("2025-05-07T09:00+02:00", "cats"),
            ("2026-05-07T09:00+02:00", "owls"),  # the run with the fast clock
            ("2025-05-08T09:00+02:00", "ants"),
            ("2025-05-09T09:00+02:00", "bees"),
            ("2025-05-12T09:00+02:00", "eels"),
        ),
        start=1,
    ):
        tick(home, moment, news)
        tick(home, moment)
        assert home.server.accepted["r0@example.org"] == number
    tick(home, "2026-05-06T09:00+02:00", "apes")
    tick(home, "2026-05-08T09:00+02:00", "cows")
    assert home.server.accepted["r0@example.org"] == 7


def test_after_days_of_downtime_one_edition_is_sent(make_home):
    home = make_home(2)
    home.run("2025-05-09T09:00:00+02:00")
    for day, subject in ((10, "violins"), (11, "glaciers"), (12, "taxes"), (13, "bread")):
        titles = [f"Reward models in {subject}", f"A history of {subject}"]
        (home.path / "seeds" / f"{day}.txt").write_text(digest(*titles))
    report = home.run("2025-05-13T09:30:00+02:00")
    assert (report["editions"], report["delivered"], report["new"]) == (2, 2, 8)
    (row, _) = home.status()["readers"]
    assert (row["last_edition"], row["last_picks"]) == ("2025-05-13", 2)
    assert home.run("2025-05-13T21:00:00+02:00")["editions"] == 0


@pytest.fixture
def serving(make_home):
    """Starts ``paperbot serve`` in a home; kills the processes at the end."""
    started = []

    def serve(home):
        process = home.start("serve", "--port", "0")
        started.append(process)
        url = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline()).group()
        # It listens before it takes signals: its first answer says that it does.
        with urllib.request.urlopen(f"{url}/style.css", timeout=120):
            return process

    yield serve
    for process in started:
        process.kill()
        process.communicate()


def always_due(home):
    profile = home.path / "profiles" / "rewards.toml"
    days = 'days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]\nat = "00:00"'
    profile.write_text(profile.read_text().replace("[schedule]", f"[schedule]\n{days}"))


def test_two_serves_side_by_side_send_each_edition_once(make_home, mails, serving):
    home = make_home(6)
    always_due(home)
    all_accepted = Event()
    mails.answer = lambda number: all_accepted.set() if number >= 6 else None
    processes = [serving(home) for _ in range(2)]
    assert all_accepted.wait(120)
    for process in processes:
        process.send_signal(signal.SIGTERM)
    for process in processes:
        assert process.wait(120) == 0
    assert assert_once(home) == {"sent": 6}


def test_serve_stops_whatever_the_mail_server_does(make_home, serving, monkeypatch):
    """Without a reply to the final dot that message is unknown; the others are sent after the next start."""
    monkeypatch.setenv("PAPERBOT_EMAIL__CONNECTIONS", "1")
    home = make_home(5)
    always_due(home)
    with SilentServer() as silent:
        settings = home.path / "paperbot.toml"
        text = settings.read_text()
        settings.write_text(re.sub(r"port = \d+", f"port = {silent.port}", text))
        process = serving(home)
        assert silent.received.wait(120)
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 0
    settings.write_text(text)
    states = assert_once(home)
    assert (states["data_started"], states["claimed"] + states["pending"]) == (1, 4)


class SilentServer:
    """Accepts one mail, and doesn't reply."""

    def __init__(self):
        self.received = Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]

    def __enter__(self):
        Thread(target=self._talk, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._listener.close()

    def _talk(self):
        connection, _ = self._listener.accept()
        with connection, connection.makefile("rwb", buffering=0) as file:
            file.write(b"220 here\r\n")
            while line := file.readline():
                if line.upper().startswith(b"DATA"):
                    file.write(b"354 go\r\n")
                elif line == b".\r\n":
                    self.received.set()
                elif line[:4].upper() in (b"EHLO", b"MAIL", b"RCPT", b"RSET"):
                    file.write(b"250 OK\r\n")
