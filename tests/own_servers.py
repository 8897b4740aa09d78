"""PostgreSQL and RabbitMQ of a test's or benchmark's own, from Debian's packages, to be restarted and killed."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

_PROGRAMS = "/usr/lib/postgresql/*/bin"
_RABBITMQ = "/usr/lib/rabbitmq/bin/rabbitmq-server"


def free_port() -> int:
    """Return a port of loopback on which nothing listens now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


@dataclass(frozen=True, slots=True)
class PostgresCluster:
    """A database cluster in a folder of its own; ``url`` is that of its only database."""

    folder: Path
    port: int
    programs: Path
    settings: Mapping[str, str]

    @property
    def url(self) -> str:
        return f"postgresql://paperbot@127.0.0.1:{self.port}/postgres"

    @property
    def log(self) -> Path:
        return self.folder / "log"

    @property
    def pid(self) -> int:
        """The process that all others of the server are children of."""
        return int((self.folder / "data" / "postmaster.pid").read_text().split()[0])

    def create(self) -> None:
        self._call("initdb", "-D", "data", "-U", "paperbot", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
        self.start()

    def start(self) -> None:
        values = {
            "port": str(self.port),
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": str(self.folder),
            **self.settings,
        }
        options = " ".join(f"-c {name}={value}" for name, value in values.items())
        self._call("pg_ctl", "-D", "data", "-l", "log", "-o", options, "-w", "start")

    def stop(self, mode: str = "fast") -> None:
        self._call("pg_ctl", "-D", "data", "-m", mode, "-w", "stop")

    def restart(self, mode: str = "fast") -> None:
        """Restart as an operator does (``fast``), or as after a crash (``immediate``)."""
        self.stop(mode)
        self.start()

    def _call(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(self.programs / program), *arguments],
            cwd=self.folder,
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # PostgreSQL refuses to run as root.
            user="postgres" if os.geteuid() == 0 else None,
        )


@contextmanager
def own_postgres(**settings: str) -> Iterator[PostgresCluster]:
    """Make a cluster with these settings, and remove it at the end; raises FileNotFoundError without PostgreSQL."""
    installed = sorted(Path("/").glob(_PROGRAMS.lstrip("/")))
    if not installed:
        raise FileNotFoundError(f"no PostgreSQL in {_PROGRAMS}; install Debian's package postgresql")
    folder = Path(mkdtemp(prefix="paperbot-postgres-"))
    if os.geteuid() == 0:
        owner = pwd.getpwnam("postgres")
        os.chown(folder, owner.pw_uid, owner.pw_gid)
    cluster = PostgresCluster(folder, free_port(), installed[-1], settings)
    try:
        cluster.create()
        yield cluster
    finally:
        if (folder / "data" / "postmaster.pid").exists():
            cluster.stop("immediate")
        shutil.rmtree(folder)


@dataclass(slots=True)
class RabbitNode:
    """A RabbitMQ node in a folder of its own."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@127.0.0.1:{self.port}//"

    def start(self) -> None:
        """Start the node, and return when it takes connections."""
        names = {
            "RABBITMQ_NODENAME": f"paperbot-{self.port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_MNESIA_BASE": str(self.folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(self.folder / "log"),
            "RABBITMQ_CONFIG_FILE": str(self.folder / "none"),
            "RABBITMQ_CONF_ENV_FILE": str(self.folder / "none"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "plugins"),
            "HOME": str(self.folder),  # for an Erlang cookie of its own
        }
        self.process = subprocess.Popen(
            [_RABBITMQ],
            env={**os.environ, **names},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        while not _accepts(self.port):
            if self.process.poll() is not None:
                raise OSError(f"{_RABBITMQ} ended with {self.process.returncode}; see {self.folder / 'log'}")
            time.sleep(0.1)

    def kill(self) -> None:
        """End the node as a crash does; what it has on disk stays."""
        if self.process:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def restart(self) -> None:
        """Kill the node and start it again."""
        self.kill()
        self.start()


@contextmanager
def own_rabbitmq() -> Iterator[RabbitNode]:
    """Start a node, and remove it at the end; raises FileNotFoundError without RabbitMQ."""
    if not Path(_RABBITMQ).exists():
        raise FileNotFoundError(f"no {_RABBITMQ}; install Debian's package rabbitmq-server")
    folder = Path(mkdtemp(prefix="paperbot-rabbitmq-"))
    node = RabbitNode(folder, free_port())
    try:
        node.start()
        yield node
    finally:
        node.kill()
        shutil.rmtree(folder)


def _accepts(port: int) -> bool:
    """Whether something on a port answers an AMQP greeting; the node listens before it can."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 5) as connection:
        connection.sendall(b"AMQP\x00\x00\x09\x01")
        return bool(connection.recv(1))
    return False
