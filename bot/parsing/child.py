"""The child process: ``python -m bot.parsing.child BYTES SECONDS``, frames on standard input and output.

A request is two frames, the digest's name and its bytes. The response is one frame, a JSON object with one of these:

    {"digests": [...]}      what was parsed
    {"refused": "..."}      no digest, and why
    {"limit": "memory"}     the limit of memory was met; the child ends, as its memory is in pieces
    {"mistake": "...", "traceback": "..."}   an exception that no parser should raise

The first frame of all says that the child is ready.
"""

from __future__ import annotations

import json
import math
import os
import resource
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import IO

from bot.domain import ParsedDigest, RawDigest
from bot.errors import DigestError, mistake
from bot.parsing.frames import dump_digests, read_frame, write_frames

READY = b'{"ready": true}'
_OUT_OF_MEMORY = b'{"limit": "memory"}'
_FORBIDDEN = (
    "socket.__new__",
    "subprocess.Popen",
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.system",
)
_FILES = 64  # open at once: modules are imported, and codecs looked up, when they are first used

Parse = Callable[[RawDigest], Sequence[ParsedDigest]]


def main(arguments: Sequence[str], parse: Parse | None = None) -> None:
    """Answers requests until standard input ends; ``parse`` is by default ``bot.digests.parse``."""
    most_bytes, seconds = map(int, arguments)
    responses = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no response
    _limit(resource.RLIMIT_AS, most_bytes)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NOFILE, _FILES)
    if parse is None:
        import bot.digests  # under the limits already

        parse = bot.digests.parse
    _limit(resource.RLIMIT_FSIZE, 0)  # from here on: importing may write compiled modules
    sys.addaudithook(_refuse)
    with suppress(BrokenPipeError):  # the parent is gone
        write_frames(responses, READY)
        answer_requests(sys.stdin.buffer, responses, parse, lambda: _allow(seconds))


def answer_requests(
    requests: IO[bytes], responses: IO[bytes], parse: Parse, allow: Callable[[], None]
) -> None:
    """Answers each request until there are no more, or memory ran out; ``allow`` is called before each."""
    while (name := read_frame(requests)) is not None and (content := read_frame(requests)) is not None:
        allow()
        response = _response(RawDigest("", name.decode(errors="replace"), content), parse)
        write_frames(responses, response)
        if response is _OUT_OF_MEMORY:
            return


def _response(raw: RawDigest, parse: Parse) -> bytes:
    try:
        return b'{"digests": ' + dump_digests(parse(raw)) + b"}"
    except Exception as error:
        if _is_out_of_memory(error):
            return _OUT_OF_MEMORY
        if isinstance(error, DigestError):
            return json.dumps({"refused": str(error)}).encode()
        return json.dumps({"mistake": mistake(error), "traceback": traceback.format_exc()}).encode()


def _is_out_of_memory(error: BaseException | None) -> bool:
    """Whether the limit of memory is behind an error, though a parser may have raised another for it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, MemoryError):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def _limit(kind: int, soft: int) -> None:
    """Sets a soft limit, at most the hard one; not every system has each (macOS has no RLIMIT_AS)."""
    _, hard = resource.getrlimit(kind)
    with suppress(ValueError, OSError):
        resource.setrlimit(kind, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def _allow(seconds: int) -> None:
    """Processor time for one more request; the limit counts from the start of the process."""
    _limit(resource.RLIMIT_CPU, math.ceil(time.process_time()) + seconds)


def _refuse(event: str, _: object) -> None:
    """An audit hook: no parser has a reason to open a socket or to start a process."""
    if event in _FORBIDDEN:
        raise PermissionError(f"{event} is not allowed while a digest is parsed")


if __name__ == "__main__":
    main(sys.argv[1:])
