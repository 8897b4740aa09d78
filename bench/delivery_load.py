"""Delivery in numbers: ``make bench``.

1. 2,000 readers by SMTP on loopback, by turns: messages a second, processor time and statements a message, of the
   dispatcher with its outbox on SQLite (and in the empty PostgreSQL database that ``PAPERBOT_STORE__URL`` names), and
   of a loop of smtplib with one connection a message. The server is another process.
2. Memory of whole runs with few and with many readers.
3. A dozen runs killed (SIGKILL) among 300 readers: who got what.
4. The schedule over every time zone for two years, with random downtime.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, date, datetime
from pathlib import Path
from random import Random
from statistics import median

import schedule_years
from faults.home_with_mail_server import Home, MailServer, assert_once, create_home, kill_repeatedly
from sqlalchemy import delete
from support import ROOT
from yardsticks import count_statements, mail_server, smtplib_loop

from bot.channels import Route
from bot.channels.email.smtp import SmtpChannel
from bot.model import Edition, Message, State
from bot.model.clock import timezone_names
from bot.operate.dispatcher import Dispatcher
from bot.store import Store, open_store, schema

READERS = 2_000
TURNS = 3
NOW = datetime(2025, 5, 7, 7, tzinfo=UTC)
SENDER = "bot@example.org"
# As large as a mail of ten papers, lines as long as quoted-printable makes them.
BODY = (
    b"Subject: Papers\r\nTo: reader@example.org\r\n\r\n" + b"Of reward models and what they reward. %d\r\n" % 7 * 1_000
)


def addresses(number: int) -> list[str]:
    return [f"r{n}@example.org" for n in range(number)]


def fill(store: Store, readers: int) -> None:
    """One message for each reader into the outbox."""
    stored = store.readers.sync("rewards", [("email", address) for address in addresses(readers)], NOW)
    for reader in stored:
        edition = Edition(reader, "Rewards", date(2025, 5, 7), NOW, (), 0, 0, None)
        store.editions.save(edition, "2025-05-07", [Message(BODY, "Papers")])


def by_dispatcher(port: int, readers: int, url: str = "") -> int:
    with (
        tempfile.TemporaryDirectory() as folder,
        open_store(url or f"sqlite:///{folder}/bench.db") as store,
    ):
        fill(store, readers)
        channels = [SmtpChannel("127.0.0.1", port, "none", envelope_sender=SENDER) for _ in range(4)]
        dispatcher = Dispatcher(
            store.outbox,
            {"email": Route(channels)},
            store.readers,
            store.circuit_breakers,
            store.send_rates({}),
        )
        statements: list[int] = []
        count_statements(lambda: statements.append(1))
        measure = Measure()
        delivered = dispatcher.deliver_due(NOW).counts[State.SENT]
        for channel in channels:
            channel.close()
        measure.tell(delivered, statements=len(statements))
        if url:
            store.readers.sync("rewards", [], NOW)
            with store._database.writing() as connection:
                connection.execute(delete(schema.outbox))
                connection.execute(delete(schema.readers))
    return 0


def by_smtplib(port: int, readers: int) -> int:
    measure = Measure()
    smtplib_loop(port, readers, BODY)
    return measure.tell(readers)


class Measure:
    """Wall clock, processor time and peak memory from here on, told as JSON."""

    def __init__(self) -> None:
        self._wall, self._processor = time.perf_counter(), time.process_time()

    def tell(self, messages: int, **more: int) -> int:
        wall, processor = time.perf_counter() - self._wall, time.process_time() - self._processor
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        figures = {"messages": messages, "wall": wall, "processor": processor, "peak": peak}
        print(json.dumps(figures | more))
        return 0


def measured(way: str, port: int, readers: int, *more: str) -> dict[str, float]:
    command = [sys.executable, __file__, way, str(port), str(readers), *more]
    process = subprocess.run(command, capture_output=True, text=True, check=True, timeout=900)
    return json.loads(process.stdout)


def show_sending() -> None:
    print(f"Sending {READERS} mails of {len(BODY) // 1_000} kB on loopback, the median of {TURNS} turns")
    url = os.environ.get("PAPERBOT_STORE__URL", "")
    ways = {"smtplib": ["smtplib"], "dispatcher": ["dispatcher"]}
    if url:
        ways["on PostgreSQL"] = ["dispatcher", url]
    turns: dict[str, list[dict[str, float]]] = {name: [] for name in ways}
    with mail_server() as port:
        # By turns, so that a busy minute of the machine concerns all alike.
        for _ in range(TURNS):
            for name, (way, *more) in ways.items():
                turns[name].append(measured(way, port, READERS, *more))
    yardstick = turns["smtplib"]
    for name, results in turns.items():
        per_second = median(result["messages"] / result["wall"] for result in results)
        each = 1_000 * median(result["processor"] / result["messages"] for result in results)
        cost = median(ours["processor"] / theirs["processor"] for ours, theirs in zip(results, yardstick, strict=True))
        statements = results[0].get("statements", 0) / READERS
        print(
            f"  {name:14}{per_second:6.0f} a second {each:6.2f} ms of processor time each, {cost:.2f} x smtplib's; "
            f"{statements:.2f} statements each"
        )


def show_memory() -> None:
    print("Peak memory of a process that delivers, and of a whole `paperbot run`")
    with mail_server() as port:
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
        process = subprocess.run(
            command, cwd=home, env=environment, capture_output=True, text=True, check=True, timeout=900
        )
        assert json.loads(process.stdout)["delivered"] == readers
        return int(process.stderr) / 1_024


def show_kills() -> None:
    print("A dozen SIGKILLs among 300 readers")
    with tempfile.TemporaryDirectory() as folder, MailServer().running() as server:
        path = Path(folder) / "papers"
        create_home(path, 300, server.port)
        home = Home(path, server, call_process)
        states = kill_repeatedly(home, times=12, after=15)
        assert_once(home)
        twice = sum(count > 1 for count in server.accepted.values())
        summary = ", ".join(f"{count} {state}" for state, count in states.items())
        print(f"  {summary}; {len(server.accepted)} of 300 were served, {twice} twice")


class call_process:  # noqa: N801 - called like the function that tests have for it
    """Runs a command as a process of its own; ``json`` is what it printed."""

    def __init__(self, *arguments: object) -> None:
        command = [sys.executable, "-m", "bot", *map(str, arguments)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        process = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
        self.json = json.loads(process.stdout)


def show_schedule() -> None:
    zones = sorted(timezone_names())
    weekdays = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
    began = time.perf_counter()
    faults_by_zone = [schedule_years.count_faults(zone, weekdays, Random(zone)) for zone in zones]
    missed, twice = (sum(faults) for faults in zip(*faults_by_zone, strict=True))
    seconds = time.perf_counter() - began
    print(f"The schedule of two years in {len(zones)} zones: {missed} missed, {twice} twice ({seconds:.0f} s)")


def main(arguments: list[str]) -> int:
    if arguments:
        way, port, readers, *more = arguments
        return {"dispatcher": by_dispatcher, "smtplib": by_smtplib}[way](int(port), int(readers), *more)
    for show in (show_sending, show_memory, show_kills, show_schedule):
        show()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
