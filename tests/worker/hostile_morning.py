"""A morning of real workers under faults: tasks lost, repeated and delayed, processes killed, connections cut.

    tick, workers --tasks--> queue --Morning.move: lose, repeat, delay, shuffle--> queue "...-work" --proxy--> workers
                                                                                   workers --SMTP--> mail server

Faults happen at chosen numbers of accepted mails, while the mail server holds the body of one and has not replied: the
moment at which a kill costs most. Nothing sleeps: the loop waits for the next mail and ticks.
"""

import os
import random
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from threading import Event, Lock, Thread

from faults.home_with_mail_server import MailServer
from sqlalchemy import create_engine, text
from support import ROOT

from bot.app import open_app
from bot.model import State
from bot.serve import QueuedJobs
from bot.store.engine import parse_url
from bot.worker.tasks import HARD_LIMIT

_LOSSY_WORKER = Path(__file__).with_name("lossy_worker.py")

_ROUNDS = 10_000  # each waits for the next mail, and at most this long
_ROUND_SECONDS = 0.2
_PROCESSES = 2  # of a worker; each has one connection to the mail server


class Proxy:
    """Forwards connections to a broker, and drops them all when told to."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._sockets: set[socket.socket] = set()
        self._lock = Lock()
        self.dropped = 0

    @contextmanager
    def running(self) -> Iterator[int]:
        """Yield the port to connect to."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            thread = Thread(target=self._accept, args=(server,), daemon=True)
            thread.start()
            yield server.getsockname()[1]
            server.shutdown(socket.SHUT_RDWR)
        thread.join(5)
        self.drop()

    def drop(self) -> None:
        """Close every connection."""
        with self._lock:
            sockets, self._sockets = self._sockets, set()
        self.dropped += len(sockets)
        for each in sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def _accept(self, server: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = server.accept()
                try:
                    broker = socket.create_connection(self._target)
                except OSError:  # it restarts; the client tries again
                    client.close()
                    continue
                with self._lock:
                    self._sockets |= {client, broker}
                for source, sink in ((client, broker), (broker, client)):
                    Thread(target=self._forward, args=(source, sink), daemon=True).start()

    def _forward(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while chunk := source.recv(65_536):
                sink.sendall(chunk)
        for each in (source, sink):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        source.close()
        with self._lock:
            self._sockets.discard(source)


@dataclass
class Worker:
    """``paperbot worker`` in a process group of its own; ``environment`` are variables that it alone has."""

    home: Path
    environment: dict[str, str]
    process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(_LOSSY_WORKER), "worker", "--concurrency", str(_PROCESSES)],
            cwd=self.home,
            env={**os.environ, **self.environment, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def children(self) -> list[int]:
        """Return the processes that run tasks."""
        pid = self.process.pid
        with suppress(OSError):
            return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        return []

    def kill_child(self, chance: random.Random) -> int:
        """Kill one process that runs tasks; return how many were killed."""
        children = self.children()
        if children:
            with suppress(ProcessLookupError):
                os.kill(chance.choice(children), signal.SIGKILL)
        return len(children[:1])

    def kill(self) -> int:
        """Kill all processes and start anew; return how many ran tasks."""
        children = self.children()
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.start()
        return len(children)

    def stop(self) -> None:
        """End as an operator does, and with it its children."""
        self.process.terminate()
        try:
            self.process.wait(2 * HARD_LIMIT)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@dataclass
class Morning:
    """Drives ticks and faults until each reader is served or ``unknown``.

    ``faults`` are by the number of the accepted mail at which they happen; each returns how many senders it stopped.
    """

    home: Path
    jobs: QueuedJobs
    take: Callable[[], list[tuple[str, list[object]]]]
    put: Callable[[str, list[object]], None]
    readers: int
    chance: random.Random
    server: MailServer
    faults: dict[int, Callable[[], int]]
    # Raised by ``take`` and ``put`` while the broker is away; a task that can't be passed on is lost.
    broker_errors: tuple[type[Exception], ...] = ()
    stopped_senders: int = 0
    moved: Counter[str] = field(default_factory=Counter)
    _delayed: list[tuple[str, list[object]]] = field(default_factory=list)
    _mail_came: Event = field(default_factory=Event)
    _restarts: list[Thread] = field(default_factory=list)
    _restarting: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self.server.answer = self._on_mail

    def _on_mail(self, number: int) -> None:
        """Do what is to happen while the mail server has a body and has not replied."""
        if fault := self.faults.pop(number, None):
            self.stopped_senders += fault()
        self._mail_came.set()

    def move(self) -> None:
        """Pass the tasks of the tick on: each is lost, repeated or delayed with probability .2, in any order."""
        arrived = []
        taken = []
        with suppress(*self.broker_errors):
            taken = self.take()
        tasks, self._delayed = taken + self._delayed, []
        for task in tasks:
            fate = self.chance.choices(("lost", "delayed", "repeated", "passed"), (2, 2, 2, 4))[0]
            self.moved[fate] += 1
            if fate == "delayed":
                self._delayed.append(task)
            elif fate != "lost":
                arrived += [task] * (2 if fate == "repeated" else 1)
        self.chance.shuffle(arrived)
        for name, arguments in arrived:
            try:
                self.put(name, arguments)
            except self.broker_errors:
                self.moved["lost"] += 1

    def states(self) -> Counter[State]:
        """Return how many messages are in each state."""
        with open_app(self.home) as app:
            return Counter(app.store.outbox.counts())

    def tick_until(self, is_over: Callable[[], bool]) -> None:
        """Tick, as the scheduler does each minute, until something holds; AssertionError if it never does."""
        for _ in range(_ROUNDS):
            self.jobs.ingest()
            self.jobs.publish()
            self.move()
            self._mail_came.wait(_ROUND_SECONDS)
            self._mail_came.clear()
            if is_over():
                return
        raise AssertionError(f"not over after {_ROUNDS} rounds: {self.states()}, {self.moved}")

    def run(self, *workers: Worker) -> Counter[State]:
        """Let all faults happen, then a minute pass, and the rest be served, each once; return the final states.

        The leases of killed processes have half an hour left: nobody waits for them.
        """

        def is_quiet() -> bool:
            states = self.states()
            busy = (State.PENDING, State.CLAIMED, State.DATA_STARTED, State.RETRY)
            return sum(states.values()) == self.readers and not any(states[state] for state in busy)

        self.tick_until(lambda: not self.faults and not any(thread.is_alive() for thread in self._restarts))
        for worker in workers:
            worker.stop()
        self._let_retries_be_due()
        for worker in workers:
            worker.start()
        self.tick_until(is_quiet)
        states = self.states()
        assert self.moved["lost"] > 0
        assert set(self.server.accepted.values()) == {1}
        assert states[State.SENT] + states[State.UNKNOWN] == self.readers
        assert states[State.SENT] <= len(self.server.accepted)
        assert states[State.UNKNOWN] <= self.stopped_senders
        return states

    def aside(self, restart: Callable[[], None]) -> Callable[[], int]:
        """Return a fault that restarts a server while mails go on being sent; it stops no sender."""

        def restart_alone() -> None:
            with self._restarting:
                restart()

        def begin() -> int:
            self._restarts.append(Thread(target=restart_alone))
            self._restarts[-1].start()
            return 0

        return begin

    def _let_retries_be_due(self) -> None:
        """Let the time pass that messages wait whose connection was lost."""
        with open_app(self.home) as app, app.store._database.writing() as connection:
            values = {"past": timedelta(minutes=1)}
            connection.execute(
                text("UPDATE outbox SET not_before = not_before - :past WHERE not_before IS NOT NULL"), values
            )


def write_home(home: Path, profile: str, settings: str, readers: int, port: int) -> None:
    """Write a profile of many readers, and settings with a mail server."""
    addresses = "".join(f'[[readers]]\nemail = "r{n}@example.org"\n' for n in range(readers))
    (home / "profiles" / "owls.toml").write_text(profile + addresses)
    # One connection for each process: so a kill stops one message at most.
    mail = f'[email]\nhost = "127.0.0.1"\nport = {port}\nsecurity = "none"\nconnections = 1\n'
    (home / "paperbot.toml").write_text(settings + mail)


def cut_connections(url: str, application: str) -> int:
    """End the database's connections of an application, as its restart would; return how many there were."""
    engine = create_engine(parse_url(url), isolation_level="AUTOCOMMIT")
    cut = text(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
        "WHERE application_name = :name AND pid <> pg_backend_pid()"
    )
    with engine.connect() as connection:
        number: int = connection.scalar(cut, {"name": application})
    engine.dispose()
    return number
