"""Processes of ``paperbot`` as ``killed_at.py`` runs it, forked from one that has imported what they need.

A short run takes most of its processor time for imports. Each process has an environment, a folder, limits and signals
of its own, as one that is started anew.

    tests --request, descriptors--> parent --fork--> supervisor --fork--> paperbot
    tests <------- process id, exit code ------------ supervisor
"""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any

from support import ROOT

# Those with their libraries are what a run and `serve` import.
_IMPORTED = ("bot.serve", "bot.web.application", "bot.ranking.experts", "alembic.command", "uvicorn", "killed_at")
_BYTES = 65_536


class Forked:
    """A process, with what the tests use of ``subprocess.Popen``."""

    def __init__(self, parent: socket.socket, request: dict[str, Any]) -> None:
        ours, theirs = socket.socketpair()
        (out, into_out), (errors, into_errors) = os.pipe(), os.pipe()
        self.returncode: int | None = None
        self.stdout, self.stderr = os.fdopen(out), os.fdopen(errors)
        message = json.dumps(request).encode() + b"\n"
        socket.send_fds(parent, [message], [theirs.fileno(), into_out, into_errors])
        theirs.close()
        os.close(into_out)
        os.close(into_errors)
        self._supervisor = ours
        self.pid = self._answer()

    def _answer(self) -> int:
        line = self._supervisor.recv(_BYTES)
        assert line.endswith(b"\n"), "the supervisor ended before its process"
        return int(line)

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code, or the number of the signal that ended it, negative; TimeoutError after ``timeout``."""
        if self.returncode is None:
            self._supervisor.settimeout(timeout)
            self.returncode = self._answer()
            self._supervisor.close()
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait for the end; return the standard output and error, which must each fit into a pipe."""
        self.wait(timeout)
        with self.stdout, self.stderr:
            return self.stdout.read(), self.stderr.read()

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


Start = Callable[..., Forked]


@contextmanager
def forking() -> Iterator[Start]:
    """Yield a function that starts a process with these arguments, as ``subprocess.Popen`` would."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, __file__, str(theirs.fileno())]
    path = os.pathsep.join(map(str, (ROOT, ROOT / "tests")))
    environment = {**os.environ, "PYTHONPATH": path}
    with (
        ours,
        subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()]),
    ):
        theirs.close()

        def start(arguments: list[str], *, cwd: object, env: dict[str, str], file_size: int | None = None) -> Forked:
            request = {"arguments": arguments, "cwd": str(cwd), "env": env, "file_size": file_size}
            return Forked(ours, request)

        yield start
        ours.shutdown(socket.SHUT_RDWR)


def _serve(requests: socket.socket) -> None:
    """Fork a supervisor for each request; returns at the end of the tests, and in each process of ``paperbot``."""
    while True:
        message, descriptors, _, _ = socket.recv_fds(requests, _BYTES, 3)
        if not message:
            return
        while not message.endswith(b"\n"):
            message += requests.recv(_BYTES)
        if not os.fork():
            requests.close()
            _supervise(json.loads(message), *descriptors)
            return
        for descriptor in descriptors:
            os.close(descriptor)
        with suppress(ChildProcessError):  # supervisors that have ended
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _supervise(request: dict[str, Any], answers: int, out: int, errors: int) -> None:
    """Fork the process, and tell its id and how it ended; returns in that process only."""
    if not (process := os.fork()):
        os.close(answers)
        os.dup2(out, 1)
        os.dup2(errors, 2)
        for descriptor in (out, errors):
            os.close(descriptor)
        os.chdir(request["cwd"])
        os.environ.clear()
        os.environ.update(request["env"])
        if request["file_size"]:
            resource.setrlimit(resource.RLIMIT_FSIZE, (request["file_size"],) * 2)
        sys.argv = ["paperbot", *request["arguments"]]
        import killed_at

        killed_at.main()
        return
    for descriptor in (out, errors):
        os.close(descriptor)
    os.write(answers, b"%d\n" % process)
    _, status = os.waitpid(process, 0)
    os.write(answers, b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)


if __name__ == "__main__":
    for name in _IMPORTED:
        import_module(name)
    _serve(socket.socket(fileno=int(sys.argv[1])))
