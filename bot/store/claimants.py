"""Which process holds a claim, and whether it is known to be dead: then its lease need not be waited for.

    9f2c41d07be3.4711.88213.5b1e...      machine, process, time of its start, and random digits: a claim's token

The machine's name is a hash of host, boot and PID namespace: in another container or after a restart the same number is
another process, of which nothing is known. Where there is no ``/proc``, no process is known to be dead.
"""

from __future__ import annotations

import os
import socket
from functools import cache
from hashlib import sha256
from pathlib import Path
from secrets import token_hex

_PROC = Path("/proc")
_UNKNOWN = "-"
# State and start time in /proc/PID/stat (proc_pid_stat(5)), counted from behind the name, which may hold blanks.
_STATE, _STARTED = 0, 19
_ENDED = frozenset("ZX")


def new_token() -> str:
    """Return the token of a new claim by this process."""
    return f"{_claimant(os.getpid())}.{token_hex(16)}"


def has_died(token: str | None) -> bool:
    """Return whether the process that made a token is known to have ended."""
    machine, *process = (token or "").split(".")
    if machine != _machine() or machine == _UNKNOWN or len(process) != 3:
        return False
    pid, started, _ = process
    return _started(pid) != started


@cache  # by process, as the pool of workers forks
def _claimant(pid: int) -> str:
    return f"{_machine()}.{pid}.{_started(str(pid))}"


@cache
def _machine() -> str:
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
        namespace = (_PROC / "self/ns/pid").readlink()
    except OSError:
        return _UNKNOWN
    return sha256(f"{socket.gethostname()} {boot} {namespace}".encode()).hexdigest()[:12]


def _started(pid: str) -> str:
    """Return when a process started, in ticks since the boot; empty for one that has ended."""
    try:
        fields = (_PROC / pid / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[_STATE] in _ENDED else fields[_STARTED]
