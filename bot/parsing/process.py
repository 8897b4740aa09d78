"""The parent's side of the parser process: starts it, asks it, and replaces it when it dies."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock, Timer
from typing import Any, Self

from bot.domain import ParsedDigest, RawDigest
from bot.errors import DigestError, LimitError, ParserError
from bot.parsing.frames import load_digests, read_frame, write_frames

log = logging.getLogger("paperbot")

_STARTING = 60.0  # seconds by the clock; it takes a fifth of one
_ENDING = 5.0
_PACKAGE_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one digest may use: seconds of processor time, bytes of address space, seconds by the clock.

    At the caps of the formats themselves, a feed of 10 MB needs two to eight seconds, by the machine, and 130 MB.
    """

    seconds: int = 30
    memory: int = 800_000_000
    deadline: float = 300.0


class Parser:
    """Parses digests in a child process; threads may share it. Close it when done (it is a context manager)."""

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        module: str = "bot.parsing.child",
        path: Sequence[Path] = (_PACKAGE_ROOT,),
    ) -> None:
        """``module`` is run as the child, and found in ``path`` or among the installed packages."""
        self._limits = limits or Limits()
        self._module, self._path = module, path
        self._lock = Lock()
        self._child: _Child | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the child, if there is one; a later digest starts another."""
        with self._lock:
            self._discard()

    def parse(self, raw: RawDigest) -> tuple[ParsedDigest, ...]:
        """The digests in the bytes, in their order, at least one.

        Raises DigestError where no format recognises them, LimitError where parsing them met a limit or ended the
        child, and ParserError where no child can be started.
        """
        with self._lock:
            answer = self._ask(raw)
        if "mistake" in answer:
            log.debug("%s/%s: %s", raw.source, raw.name, answer.get("traceback"))
            raise DigestError(str(answer["mistake"]))
        if "refused" in answer:
            raise DigestError(str(answer["refused"]))
        return load_digests(answer["digests"])

    def _ask(self, raw: RawDigest) -> dict[str, Any]:
        """The child's answer.

        A child that served other digests may be low on memory because of them, or may have been ended from outside
        meanwhile. So where it dies of anything but the time that this digest took, a new child gets the digest once.
        """
        if self._child:
            try:
                return self._child.ask(raw)
            except _Death as death:
                self._discard()
                if death.is_of_time:
                    raise LimitError(str(death)) from None
        self._child = _Child(self._module, self._path, self._limits)
        try:
            return self._child.ask(raw)
        except _Death as death:
            self._discard()
            raise LimitError(str(death)) from None

    def _discard(self) -> None:
        if self._child:
            self._child.end()
            self._child = None


class _Death(Exception):  # noqa: N818 - an event that the parent handles, and no error of its own
    """The child is of no more use; ``is_of_time``: because a digest took too much of that."""

    def __init__(self, reason: str, *, is_of_time: bool = False) -> None:
        super().__init__(reason)
        self.is_of_time = is_of_time


class _Child:
    """One process."""

    def __init__(self, module: str, path: Sequence[Path], limits: Limits) -> None:
        """Starts it and waits until it is ready; raises ParserError."""
        self._limits = limits
        arguments = [str(limits.memory), str(limits.seconds)]
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own module, no shell
                # -P and -s: nothing is imported from the current directory or the user's own packages.
                [sys.executable, "-P", "-s", "-m", module, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={"PYTHONPATH": os.pathsep.join(map(str, path))},
                start_new_session=True,  # Ctrl-C is for the parent, which then closes the child's input
            )
        except OSError as error:
            raise ParserError(f"the process that parses digests can't be started ({error})") from None
        try:
            self._exchange((), _STARTING)
        except _Death as death:
            self.end()
            raise ParserError(f"the process that parses digests doesn't start: {death}") from None

    def ask(self, raw: RawDigest) -> dict[str, Any]:
        """The answer to a request; raises _Death."""
        name = raw.name.encode(errors="replace")
        answer = self._exchange((name, raw.content), self._limits.deadline)
        if "limit" in answer:
            raise _Death(f"parsing it needs more than {self._limits.memory / 1e6:.0f} MB of memory")
        return answer

    def _exchange(self, request: Sequence[bytes], seconds: float) -> dict[str, Any]:
        """Writes a request and reads the answer, before a deadline."""
        is_late = Event()

        def give_up() -> None:
            is_late.set()
            self._process.kill()

        assert self._process.stdin  # noqa: S101 - both are pipes
        assert self._process.stdout  # noqa: S101
        timer = Timer(seconds, give_up)
        timer.daemon = True
        timer.start()
        try:
            write_frames(self._process.stdin, *request)
            frame = read_frame(self._process.stdout)
        except OSError:
            frame = None
        finally:
            timer.cancel()
        if frame is None:
            raise self._death(seconds if is_late.is_set() else None)
        answer: dict[str, Any] = json.loads(frame)
        return answer

    def _death(self, late_after: float | None) -> _Death:
        status = self.end()
        if late_after is not None:
            return _Death(f"parsing it did not end within {late_after:.0f} s", is_of_time=True)
        if status == -signal.SIGXCPU:
            return _Death(
                f"parsing it takes more than {self._limits.seconds} s of processor time", is_of_time=True
            )
        how = signal.Signals(-status).name if -status in signal.valid_signals() else f"status {status}"
        return _Death(f"the process that parsed it died ({how})")

    def end(self) -> int:
        """Ends the process, and returns its exit status."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream and not stream.closed:
                try:
                    stream.close()
                except OSError:  # what was still to be written has no reader
                    continue
        try:
            return self._process.wait(_ENDING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
