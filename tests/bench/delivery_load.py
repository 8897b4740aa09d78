"""Delivery in numbers: ``make bench``.

1. 2,000 readers by SMTP on loopback: messages a second and processor time a message, of the dispatcher with its
   outbox on SQLite, and of a loop of smtplib with one connection a message. The server is another process.
2. Memory of whole runs with few and with many readers.
3. A dozen runs killed (SIGKILL) among 300 readers: who got what.
4. The schedule over every time zone for two years, with random downtime.
"""

from __future__ import annotations

import json
import os
import resource
import smtplib
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from random import Random
from zoneinfo import available_timezones

import schedule_years
from faults.home_with_mail_server import Home, MailServer, assert_once, create_home, kill_repeatedly
from support import ROOT

from bot.delivery import Route
from bot.delivery.dispatcher import Dispatcher
from bot.delivery.smtp import SmtpChannel
from bot.domain import Edition, Kind, Message
from bot.store import Store, open_store

READERS = 2_000
NOW = datetime(2025, 5, 7, 7, tzinfo=UTC)
SENDER = "bot@example.org"
# As large as a mail of ten papers, lines as long as quoted-printable makes them.
BODY = (
    b"Subject: Papers\r\nTo: reader@example.org\r\n\r\n"
    + b"Of reward models and what they reward. %d\r\n" % 7 * 1_000
)


def addresses(number: int) -> list[str]:
    return [f"r{n}@example.org" for n in range(number)]


def fill(store: Store, readers: int) -> None:
    """One message for each reader into the outbox."""
    stored = store.readers.sync("rewards", [(Kind.EMAIL, address) for address in addresses(readers)], NOW)
    for reader in stored:
        edition = Edition(reader, "Rewards", date(2025, 5, 7), NOW, (), 0, 0, None)
        store.editions.save(edition, "2025-05-07", [Message(BODY, "Papers")])


def by_dispatcher(port: int, readers: int) -> int:
    with tempfile.TemporaryDirectory() as folder, open_store(f"sqlite:///{folder}/bench.db") as store:
        fill(store, readers)
        channels = [SmtpChannel("127.0.0.1", port, "none", envelope_sender=SENDER) for _ in range(4)]
        dispatcher = Dispatcher(
            store.outbox, {Kind.EMAIL: Route(channels)}, store.readers, store.circuit_breakers
        )
        measure = Measure()
        delivered = dispatcher.deliver_due(NOW).delivered
        for channel in channels:
            channel.close()
        return measure.tell(delivered)


def by_smtplib(port: int, readers: int) -> int:
    measure = Measure()
    for address in addresses(readers):
        with smtplib.SMTP("127.0.0.1", port) as connection:
            connection.sendmail(SENDER, [address], BODY)
    return measure.tell(readers)


class Measure:
    """Wall clock, processor time and peak memory from here on, told as JSON."""

    def __init__(self) -> None:
        self._wall, self._processor = time.perf_counter(), time.process_time()

    def tell(self, messages: int) -> int:
        wall, processor = time.perf_counter() - self._wall, time.process_time() - self._processor
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(json.dumps({"messages": messages, "wall": wall, "processor": processor, "peak": peak}))
        return 0


def serve() -> int:
    """A mail server that takes everything, until its input ends."""
    with MailServer().running() as server:
        print(server.port, flush=True)
        sys.stdin.read()
        print(sum(server.accepted.values()))
    return 0


@contextmanager
def server_process():
    command = [sys.executable, __file__, "serve"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    port = int(process.stdout.readline())
    yield port
    process.stdin.close()
    process.wait(30)


def measured(way: str, port: int, readers: int) -> dict[str, float]:
    command = [sys.executable, __file__, way, str(port), str(readers)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=900)
    return json.loads(done.stdout)


def show_sending() -> None:
    print(f"Sending {READERS} mails of {len(BODY) // 1_000} kB on loopback")
    results = {}
    with server_process() as port:
        for way in ("smtplib", "dispatcher"):
            result = results[way] = measured(way, port, READERS)
            per_second = result["messages"] / result["wall"]
            each = 1_000 * result["processor"] / result["messages"]
            print(f"  {way:12}{per_second:8.0f} a second {each:8.2f} ms of processor time each")
    ours = results["dispatcher"]
    theirs = results["smtplib"]
    speed, cost = theirs["wall"] / ours["wall"], ours["processor"] / theirs["processor"]
    print(f"  the dispatcher is {speed:.2f} times as fast, at {cost:.2f} times the processor time")


def show_memory() -> None:
    print("Peak memory of a process that delivers, and of a whole `paperbot run`")
    with server_process() as port:
        for readers in (READERS // 10, READERS):
            print(
                f"  delivering to {readers:5} readers: {measured('dispatcher', port, readers)['peak'] / 1_024:6.0f} MB"
            )
    for readers in (50, 500):
        print(f"  a whole run for {readers:4} readers: {peak_of_a_run(readers):6.0f} MB")


def peak_of_a_run(readers: int) -> float:
    """Megabytes; messages go to files."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "papers"
        create_home(home, readers, 25)
        settings = home / "paperbot.toml"
        settings.write_text(settings.read_text().replace('host = "127.0.0.1"', 'host = ""'))
        code = (
            "import resource, sys; from bot.cli.main import invoke; "
            "assert invoke(sys.argv[1:]) == 0; "
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
        )
        command = [sys.executable, "-c", code, "run", "--json", "--now", NOW.isoformat()]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            command, cwd=home, env=environment, capture_output=True, text=True, check=True, timeout=900
        )
        assert json.loads(done.stdout)["delivered"] == readers
        return int(done.stderr) / 1_024


def show_kills() -> None:
    print("A dozen SIGKILLs among 300 readers")
    with tempfile.TemporaryDirectory() as folder, MailServer().running() as server:
        path = Path(folder) / "papers"
        create_home(path, 300, server.port)
        home = Home(path, server, call_process)
        states = kill_repeatedly(home, times=12, after=15)
        assert_once(home)
        twice = sum(count > 1 for count in server.accepted.values())
        told = ", ".join(f"{count} {state}" for state, count in states.items())
        print(f"  {told}; {len(server.accepted)} of 300 were served, {twice} twice")


class call_process:  # noqa: N801 - called like the function that tests have for it
    """Runs a command as a process of its own; ``json`` is what it printed."""

    def __init__(self, *arguments: object) -> None:
        command = [sys.executable, "-m", "bot", *map(str, arguments)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=300
        )
        self.json = json.loads(done.stdout)


def show_schedule() -> None:
    zones = sorted(available_timezones())
    weekdays = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
    began = time.perf_counter()
    faults_by_zone = [schedule_years.count_faults(zone, weekdays, Random(zone)) for zone in zones]
    missed, twice = (sum(faults) for faults in zip(*faults_by_zone, strict=True))
    seconds = time.perf_counter() - began
    print(
        f"The schedule of two years in {len(zones)} zones: {missed} missed, {twice} twice ({seconds:.0f} s)"
    )


def main(arguments: list[str]) -> int:
    if arguments == ["serve"]:
        return serve()
    if arguments:
        way, port, readers = arguments
        return {"dispatcher": by_dispatcher, "smtplib": by_smtplib}[way](int(port), int(readers))
    for show in (show_sending, show_memory, show_kills, show_schedule):
        show()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
