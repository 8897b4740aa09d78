"""A home with many readers, a mail server that counts what it accepted, and ``paperbot`` as a process."""

import asyncio
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from support import ROOT, digest

KILLER = Path(__file__).with_name("killed_at.py")
CONNECTIONS = 4  # email.connections by default
WEDNESDAY = "2025-05-07T09:00:00+02:00"
TITLES = [f"Reward models for {animal}" for animal in ("cats", "dogs", "owls", "ants", "bees", "eels")]


class _OnAnyPort(Controller):
    def _trigger_server(self):
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


@dataclass
class MailServer:
    """Accepts mails, and counts them by recipient; ``answer`` decides on each by its number.

    ``None`` accepts it, a reply refuses it, ``"drop"`` accepts it and closes the connection without a reply, ``"late"``
    accepts it and replies late.
    """

    answer: Callable[[int], str | None] = lambda _number: None
    accepted: Counter = field(default_factory=Counter)
    number: int = 0

    @contextmanager
    def running(self):
        controller = _OnAnyPort(self, hostname="127.0.0.1", port=0, decode_data=False)
        controller.start()
        try:
            self.port = controller.port
            yield self
        finally:
            controller.stop()

    async def handle_EHLO(self, server, session, envelope, hostname, responses):  # noqa: N802 - aiosmtpd's name
        # aiosmtpd reads commands line by line, so that it takes several in one write without announcing it.
        session.host_name = hostname
        greeting, *extensions = responses
        return [greeting, "250-PIPELINING", *extensions]

    async def handle_DATA(self, server, session, envelope):  # noqa: N802 - aiosmtpd's name
        self.number += 1
        answer = self.answer(self.number)
        if answer and answer[0].isdigit():
            return answer
        self.accepted.update(envelope.rcpt_tos)
        if answer == "late":
            await asyncio.sleep(0.2)
        if answer == "drop":
            server.transport.abort()
        return "250 accepted"


@dataclass
class Home:
    """A home directory whose mail goes to ``server``; ``call`` runs a command in this process."""

    path: Path
    server: MailServer
    call: Callable[..., Any]

    def start(self, *arguments: object, kill: str = "", **popen) -> subprocess.Popen[str]:
        """Start a command as a process of its own, which is killed at the point ``kill`` if that is set."""
        return subprocess.Popen(
            [sys.executable, KILLER, *map(str, arguments)],
            cwd=self.path,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PAPERBOT_TEST_KILL": kill},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **popen,
        )

    def start_run(self, now: str, kill: str = "", **popen) -> subprocess.Popen[str]:
        """Start ``paperbot run``."""
        return self.start("run", "--now", now, "--json", kill=kill, **popen)

    def run(self, now: str) -> Any:
        """Run ``paperbot run`` in this process, without faults; return its JSON."""
        return self.call("run", "--now", now, "--json", "--home", self.path).json

    def status(self) -> Any:
        """Return the JSON of ``paperbot status``."""
        return self.call("status", "--json", "--home", self.path).json


def create_home(path: Path, readers: int, port: int) -> None:
    """Make a home with one small digest, and ``readers`` readers of one profile."""
    for folder in ("seeds", "profiles"):
        (path / folder).mkdir(parents=True)
    (path / "seeds" / "day.txt").write_text(digest(*TITLES))
    (path / "paperbot.toml").write_text(
        f'[email]\nhost = "127.0.0.1"\nport = {port}\nsecurity = "none"\n'
        '[[sources]]\nname = "seeds"\nkind = "folder"\npath = "seeds"\n'
    )
    addresses = "".join(f'[[readers]]\nemail = "r{n}@example.org"\n' for n in range(readers))
    (path / "profiles" / "rewards.toml").write_text(
        f'title = "Rewards"\ninterests = "reward models"\n[edition]\nsize = 2\nexplore = 0\nthreshold = 0\n'
        f'[schedule]\ntimezone = "Europe/Berlin"\n{addresses}'
    )


def assert_once(home: Home) -> Counter:
    """Assert for each reader: accepted at most once, and as the state says; ``unknown`` may be either.

    Returns the number of readers in each state.
    """
    readers = home.status()["readers"]
    states = {row["reader"].partition("/")[2]: ",".join(row["last_states"]) for row in readers}
    for address, state in states.items():
        accepted = home.server.accepted[address]
        assert accepted <= 1, f"{address} received {accepted}"
        if state == "sent":
            assert accepted == 1, f"{address} received nothing, but the state is {state}"
        elif state not in ("unknown", "data_started"):
            assert accepted == 0, f"{address} received one, but the state is {state}"
    return Counter(states.values())


def kill_repeatedly(home: Home, times: int, after: int) -> Counter:
    """Kill ``times`` runs, an hour apart, each after ``after`` messages; then let one run finish.

    Returns the number of readers in each state.
    """
    morning = datetime.fromisoformat(WEDNESDAY)
    for number in range(times):
        point = ("final dot sent", "start committed", "end committed", "claimed")[number % 4]
        now = morning + timedelta(hours=number)
        process = home.start_run(now.isoformat(), kill=f"{point}:{after}")
        process.communicate(timeout=300)
        assert process.returncode == -signal.SIGKILL
    home.run((morning + timedelta(hours=times)).isoformat())
    return assert_once(home)
