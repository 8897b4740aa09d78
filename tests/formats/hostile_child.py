"""A parser process for tests: besides digests it takes commands that do what hostile bytes may do to a parser."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bot.formats.child import main
from bot.formats.registry import parse
from bot.model import ParsedDigest, RawDigest
from bot.model.errors import DigestError


def spin() -> None:
    while True:
        pass


def fill() -> None:
    chunks = []
    while True:
        chunks.append(bytearray(10_000_000))


def fill_and_raise_another_error() -> None:
    try:
        fill()
    except MemoryError:
        raise DigestError("a feed that can't be read") from None


def leak() -> None:
    """Half of the memory, for good: the second such digest does not fit beside the first."""
    _LEAKED.append(bytearray(200_000_000))


def stop() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def leave() -> None:
    os._exit(3)


def environment() -> None:
    raise DigestError(f"{sorted(os.environ)} in {Path.cwd()}")


def report_interpreter_limits() -> None:
    raise DigestError(f"{sys.getrecursionlimit()} frames, {sys.get_int_max_str_digits()} digits")


def open_socket() -> None:
    socket.socket()


def start_process() -> None:
    subprocess.Popen(["true"])


def print_text() -> None:
    sys.stdout.write("not a frame")
    sys.stdout.flush()


def raise_index_error() -> None:
    raise IndexError("list index out of range")


_LEAKED: list[bytearray] = []
_COMMANDS = {
    f"!{command.__name__}": command
    for command in (
        *(spin, fill, fill_and_raise_another_error, leak, stop, crash, leave, environment),
        *(report_interpreter_limits, open_socket, start_process, print_text, raise_index_error),
    )
}


def parse_or_run(raw: RawDigest) -> Sequence[ParsedDigest]:
    if raw.content.startswith(b"!spin after telling "):
        Path(raw.content.removeprefix(b"!spin after telling ").decode()).write_text(str(os.getpid()))
        spin()
    if command := _COMMANDS.get(raw.content.decode(errors="replace").strip()):
        command()
        return (ParsedDigest("keyword", raw.name, None, ()),)
    return parse(raw)


if __name__ == "__main__":
    main(sys.argv[1:], parse_or_run)
