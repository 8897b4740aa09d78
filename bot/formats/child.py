"""The child process: ``python -m bot.formats.child BYTES SECONDS``, with frames on standard input and output.

A request is three frames: what the bytes are, their name, and the bytes. The response is one frame, a JSON object with
one of these:

    {"digests": [...]}      what was parsed
    {"library": {...}}      the same of a reader's library
    {"programme": {...}}    a conference's programme
    {"feeds": {...}}        a list of feeds
    {"bounce": {...}}       what a report on a sent mail says
    {"inspection": {...}}   what any of these files holds
    {"refused": "..."}      no digest, and why
    {"limit": "memory"}     the memory limit was met; the child ends
    {"mistake": "...", "traceback": "..."}   an exception that no parser should raise

The first frame of all says that the child is ready.
"""

from __future__ import annotations

import math
import os
import resource
import sys
import threading
import time
import traceback
import zoneinfo
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import IO

from bot.formats import dump, read_frame, write_frames
from bot.model import RawDigest
from bot.model.errors import DigestError, unexpected_error

READY = b'{"ready": true}'
_OUT_OF_MEMORY = b'{"limit": "memory"}'
# Audit events (PEP 578) of what no parser has a reason to do. A second line of defence and no sandbox by itself: native
# code raises no audit events.
_FORBIDDEN_EVENTS = (
    "socket.__new__",
    "subprocess.Popen",
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.system",
)
_MAX_OPEN_FILES = 64  # not fewer: modules are imported, and codecs looked up, when they are first used
_PARENT_SECONDS = 0.5
_WATCH_STACK = 256 * 1024  # bytes; the usual 8 MB would count against the limit

# The modules that parse other kinds of bytes.
_OTHER_PARSERS = {
    b"library": "library",
    b"programme": "programme",
    b"feeds": "feed_list",
    b"bounce": "bounces",
    b"inspection": "inspection",
}

Parse = Callable[[RawDigest], object]


def main(arguments: Sequence[str], parse: Parse | None = None) -> None:
    """Answer requests until standard input ends; ``parse`` reads digests, as ``bot.formats.registry`` by default."""
    max_bytes, seconds = map(int, arguments)
    responses = os.fdopen(os.dup(1), "wb")
    _end_with(os.getppid())
    # Libraries that read calendars take the tzdata package's rules, as ``zone_named`` does, not the system's.
    zoneinfo.reset_tzpath(())
    # Whatever a library prints goes to standard error, and not between the frames.
    os.dup2(2, 1)
    _limit(resource.RLIMIT_AS, max_bytes)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NOFILE, _MAX_OPEN_FILES)
    if parse is None:
        # Imported under the limits. RLIMIT_FSIZE comes afterwards, because importing may write compiled modules.
        from bot.formats.registry import parse as parse_digest

        parse = parse_digest
    _limit(resource.RLIMIT_FSIZE, 0)

    def refuse(event: str, _: object) -> None:
        if event in _FORBIDDEN_EVENTS:
            raise PermissionError(f"{event} is not allowed while a digest is parsed")

    sys.addaudithook(refuse)

    def allow_one_digest() -> None:
        # RLIMIT_CPU counts from the start of the process.
        _limit(resource.RLIMIT_CPU, math.ceil(time.process_time()) + seconds)

    with suppress(BrokenPipeError):  # the parent has died
        write_frames(responses, READY)
        answer_requests(sys.stdin.buffer, responses, parse, allow_one_digest)


def _end_with(parent: int) -> None:
    """End this process within a second of its parent, also in the middle of a digest."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_PARENT_SECONDS)
        os._exit(1)

    threading.stack_size(_WATCH_STACK)
    threading.Thread(target=watch, daemon=True).start()


def answer_requests(requests: IO[bytes], responses: IO[bytes], parse: Parse, before_each: Callable[[], None]) -> None:
    """Answer requests until there are no more, or memory runs out; ``before_each`` raises the time limit."""
    while True:
        kind, name, content = (read_frame(requests) for _ in range(3))
        if kind is None or name is None or content is None:
            return
        before_each()
        raw = RawDigest("", name.decode(errors="replace"), content)
        try:
            # Modules of other kinds are imported with their first request: most children never see one.
            parser = parse if kind == b"digests" else import_module(f"bot.formats.{_OTHER_PARSERS[kind]}").parse
            response = dump({kind.decode(): parser(raw)})
        except Exception as error:
            # A parser may have caught the MemoryError and raised an exception of its own.
            if _is_caused_by_memory(error):
                write_frames(responses, _OUT_OF_MEMORY)
                return
            if isinstance(error, DigestError):
                response = dump({"refused": str(error)})
            else:
                response = dump({"mistake": unexpected_error(error), "traceback": traceback.format_exc()})
        write_frames(responses, response)


def _is_caused_by_memory(error: BaseException | None) -> bool:
    """Whether an error or one of its causes is a MemoryError."""
    # Chains of exceptions can be circular: "raise a from b" where b's context is a.
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, MemoryError):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def _limit(kind: int, soft: int) -> None:
    """Set a soft limit, at most the hard one."""
    # The hard limit stays: a process without privileges could not raise RLIMIT_CPU again for the next digest.
    _, hard = resource.getrlimit(kind)
    with suppress(ValueError, OSError):  # macOS has no RLIMIT_AS
        resource.setrlimit(kind, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


if __name__ == "__main__":
    main(sys.argv[1:])
