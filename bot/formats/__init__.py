"""Parsing in a sandboxed child process: hostile bytes can neither freeze nor fill the process that runs.

    RawDigest --Parser.parse--> request frame --stdin--> child: bot.formats.registry.parse, under limits
                                                              |
    ParsedDigest, DigestError or LimitError <-- response frame (JSON) --stdout--

One child serves many files. It has no environment, opens no socket and starts no process. Its limits (setrlimit(2)):

RLIMIT_AS      Address space, set before the parsers are imported. After a MemoryError the child ends, and is replaced.
RLIMIT_CPU     Processor time, so the same bytes give the same result on a busy machine. A deadline ten times as long
               ends a child that waits for something.
RLIMIT_FSIZE   0 after the imports, as RLIMIT_CORE is: a core dump would hold a reader's mail.

Two defaults of the interpreter limit the rest: 1,000 frames (RecursionError), and 4,300 digits of a number (ValueError,
since n digits take n^2 steps). Formats turn both into a DigestError.

Responses are JSON: unpickling the bytes of a compromised child would run its code.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import date, datetime
from pathlib import Path
from threading import Event, Lock, Timer
from typing import IO, Any, Self, cast

from bot.model import (
    BounceKind,
    BounceReport,
    Entry,
    Fact,
    FactKind,
    LibraryEntry,
    ParsedDigest,
    ParsedLibrary,
    RawDigest,
)
from bot.model.errors import DigestError, LimitError, ParserError
from bot.model.papers import Contribution, InspectedKind, Inspection, ListedFeed, ParsedFeeds, ParsedProgramme

log = logging.getLogger("paperbot")

MAX_FRAME = 200_000_000  # bytes; 10 MB in JSON with every character escaped have 60 MB
_START_SECONDS = 60.0  # wall-clock; an idle machine needs a fifth of a second
_PACKAGE_ROOT = Path(__file__).parents[2]
_LENGTH = struct.Struct(">I")


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """Limits for one digest. A feed of 10 MB at all caps of the formats takes two to eight seconds and 130 MB."""

    seconds: int = 30  # of processor time
    memory: int = 800_000_000  # bytes of address space
    deadline: float = 300.0  # wall-clock seconds


class Parser:
    """Parse files in a child process. Threads may share a parser. Its context ends the child.

    Every method raises DigestError if no format recognises the bytes, LimitError if they met a limit or killed the
    child, and ParserError if no child starts.
    """

    def __init__(
        self,
        limits: ParseLimits | None = None,
        *,
        waits: bool = True,
        module: str = "bot.formats.child",
        path: Sequence[Path] = (_PACKAGE_ROOT,),
    ) -> None:
        """Run ``module`` as the child. While it is busy, another thread ``waits`` or gets a DigestError."""
        self._limits = limits or ParseLimits()
        self._module = module
        self._path = path
        self._waits = waits
        self._lock = Lock()
        self._child: _Child | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        with self._lock:
            self._discard_child()

    def parse(self, raw: RawDigest) -> tuple[ParsedDigest, ...]:
        """Return the digests in the bytes, at least one."""
        return tuple(self._answer("digests", raw))

    def parse_library(self, raw: RawDigest) -> ParsedLibrary:
        return cast("ParsedLibrary", self._answer("library", raw))

    def parse_programme(self, raw: RawDigest) -> ParsedProgramme:
        return cast("ParsedProgramme", self._answer("programme", raw))

    def parse_feeds(self, raw: RawDigest) -> ParsedFeeds:
        return cast("ParsedFeeds", self._answer("feeds", raw))

    def inspect(self, raw: RawDigest) -> Inspection:
        return cast("Inspection", self._answer("inspection", raw))

    def parse_bounce(self, raw: RawDigest) -> BounceReport:
        return cast("BounceReport", self._answer("bounce", raw))

    def _answer(self, kind: str, raw: RawDigest) -> Any:
        if not self._lock.acquire(blocking=self._waits):
            raise DigestError("the parser is busy with another file; try again in a moment")
        try:
            response = None
            while response is None:
                is_new = self._child is None
                self._child = self._child or _Child(self._module, self._path, self._limits)
                try:
                    response = self._child.request(kind, raw)
                except _ChildDied as death:
                    self._discard_child()
                    # An old child may have been low on memory, or killed from outside.
                    if is_new or death.out_of_time:
                        raise LimitError(str(death)) from None
        finally:
            self._lock.release()
        if "mistake" in response:
            log.debug("%s/%s: %s", raw.source, raw.name, response.get("traceback"))
            raise DigestError(str(response["mistake"]))
        if "refused" in response:
            raise DigestError(str(response["refused"]))
        return response[kind]

    def _discard_child(self) -> None:
        if self._child:
            self._child.end()
            self._child = None


class _ChildDied(Exception):  # noqa: N818 - an event that the parent handles, not an error of its own
    """The child is gone. ``out_of_time``: a digest took too long."""

    def __init__(self, reason: str, *, out_of_time: bool = False) -> None:
        super().__init__(reason)
        self.out_of_time = out_of_time


class _Child:
    def __init__(self, module: str, path: Sequence[Path], limits: ParseLimits) -> None:
        """Start the process and wait until it is ready. Raises ParserError."""
        self._limits = limits
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own module, no shell
                # Import nothing from the current directory and the user's site-packages.
                [sys.executable, "-P", "-s", "-m", module, str(limits.memory), str(limits.seconds)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd="/",
                # The parent's has passwords and tokens.
                env={"PYTHONPATH": os.pathsep.join(map(str, path))},
                # Only the parent handles Ctrl-C.
                start_new_session=True,
            )
        except OSError as error:
            raise ParserError(f"the process that parses digests can't be started ({error})") from None
        try:
            self._exchange((), _START_SECONDS)
        except _ChildDied as death:
            self.end()
            raise ParserError(f"the process that parses digests doesn't start: {death}") from None

    def request(self, kind: str, raw: RawDigest) -> dict[str, Any]:
        """Return the response to a request. Raises _ChildDied."""
        frames = (kind.encode(), raw.name.encode(errors="replace"), raw.content)
        response = self._exchange(frames, self._limits.deadline)
        if "limit" in response:
            raise _ChildDied(f"parsing it needs more than {self._limits.memory / 1e6:.0f} MB of memory")
        return response

    def _exchange(self, request: Sequence[bytes], seconds: float) -> dict[str, Any]:
        """Write a request and read the response. At the deadline, kill the child and raise _ChildDied."""
        is_late = Event()

        def kill() -> None:
            is_late.set()
            self._process.kill()

        assert self._process.stdin  # noqa: S101 - both are pipes
        assert self._process.stdout  # noqa: S101
        # Killing the child ends a write to a full pipe as well as a read.
        timer = Timer(seconds, kill)
        timer.daemon = True
        timer.start()
        try:
            write_frames(self._process.stdin, *request)
            frame = read_frame(self._process.stdout)
        except OSError:
            frame = None
        finally:
            timer.cancel()
        if frame is not None:
            return load(frame)
        status = self.end()
        if is_late.is_set():
            raise _ChildDied(f"parsing it did not end within {seconds:.0f} s", out_of_time=True)
        if status == -signal.SIGXCPU:
            raise _ChildDied(f"parsing it takes more than {self._limits.seconds} s of processor time", out_of_time=True)
        cause = signal.Signals(-status).name if -status in signal.valid_signals() else f"status {status}"
        raise _ChildDied(f"the process that parsed it died ({cause})")

    def end(self) -> int:
        """End the process, and return its exit status."""
        for stream in filter(None, (self._process.stdin, self._process.stdout)):
            with suppress(OSError):  # closing flushes, and the buffered request has no reader
                stream.close()
        try:
            return self._process.wait(5.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()


def write_frames(stream: IO[bytes], *frames: bytes) -> None:
    """Write frames and flush. Raises OSError for a closed pipe."""
    for frame in frames:
        stream.write(_LENGTH.pack(len(frame)))
        stream.write(frame)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes | None:
    """Return the next frame. None for one that is cut off or longer than ``MAX_FRAME``."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > MAX_FRAME:
        return None
    frame = stream.read(length)
    return frame if len(frame) == length else None


_RESULTS = (
    *(BounceReport, Contribution, Entry, Fact, Inspection, LibraryEntry, ListedFeed),
    *(ParsedDigest, ParsedFeeds, ParsedLibrary, ParsedProgramme),
)
_TYPES: Mapping[str, Any] = {kind.__name__: kind for kind in (*_RESULTS, date, datetime)}
_KINDS: Mapping[type, Any] = {BounceReport: BounceKind, Fact: FactKind, Inspection: InspectedKind}


def dump(response: Mapping[str, object]) -> bytes:
    """Return a response as JSON, with results of parsers as their fields and the name of their type."""

    def named(value: Any) -> dict[str, Any]:
        kind = type(value)
        if isinstance(value, date):
            return {"type": kind.__name__, "iso": value.isoformat()}
        # dataclasses.asdict would copy deeply.
        return {"type": kind.__name__} | {field.name: getattr(value, field.name) for field in fields(kind)}

    return json.dumps(response, default=named).encode()


def load(frame: bytes) -> dict[str, Any]:
    """Return a response, with arrays of results as lists. Raises ValueError, TypeError or KeyError."""

    def restored(values: dict[str, Any]) -> Any:
        kind = _TYPES.get(values.pop("type", ""))
        if kind is None:
            return values
        if issubclass(kind, date):
            return kind.fromisoformat(values["iso"])
        typed = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
        if kind in _KINDS:
            typed["kind"] = _KINDS[kind](typed["kind"])
        return kind(**typed)

    return cast("dict[str, Any]", json.loads(frame, object_hook=restored))
