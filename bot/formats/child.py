"""The child process: ``python -m bot.formats.child BYTES SECONDS``, with frames on standard input and output.

The first frame tells that the child is ready. A request has three: the kind of the bytes, their name, and the bytes.
The response is a JSON object with one of these:

    {"digests": [...]}, {"library": {...}}, ...   the result for a kind
    {"refused": "..."}      the message of a DigestError
    {"limit": "memory"}     the parser met the memory limit, and the child ends
    {"mistake": "...", "traceback": "..."}   an exception of a parser
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

from bot.formats import dump, read_frame, write_frames
from bot.model import RawDigest
from bot.model.errors import DigestError, unexpected_error

# Audit events (PEP 578) that no parser has a reason for. Native code raises none.
_FORBIDDEN_EVENTS = "socket.__new__ subprocess.Popen os.exec os.fork os.forkpty os.posix_spawn os.system".split()
_WATCH_STACK = 256 * 1024  # bytes; the usual 8 MB would count against the limit

# Modules and functions for the kinds. Most children need only the first.
_PARSERS = {
    b"digests": ("registry", "parse"),
    b"library": ("library", "parse"),
    b"programme": ("programme", "parse"),
    b"feeds": ("feed", "parse_list"),
    b"bounce": ("mail", "parse_report"),
    b"inspection": ("registry", "inspect"),
}

Parse = Callable[[RawDigest], object]


def main(arguments: Sequence[str], parse: Parse | None = None) -> None:
    """Answer requests until standard input or the memory ends. ``parse`` replaces the reader of digests."""
    max_bytes, seconds = map(int, arguments)
    responses = os.fdopen(os.dup(1), "wb")
    parent = os.getppid()

    def end_with_parent() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.stack_size(_WATCH_STACK)
    threading.Thread(target=end_with_parent, daemon=True).start()
    # Calendars have the tzdata package's rules, as in ``zone_named``, not the system's.
    zoneinfo.reset_tzpath(())
    # A library that prints must not write between the frames.
    os.dup2(2, 1)
    _limit(resource.RLIMIT_AS, max_bytes)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NOFILE, 64)  # late imports and codecs need some
    # RLIMIT_FSIZE comes later, since importing may write compiled modules.
    import_module("bot.formats.registry")
    _limit(resource.RLIMIT_FSIZE, 0)

    def refuse(event: str, _: object) -> None:
        if event in _FORBIDDEN_EVENTS:
            raise PermissionError(f"{event} is not allowed while a digest is parsed")

    sys.addaudithook(refuse)
    with suppress(BrokenPipeError):  # the parent has died
        response = b'{"ready": true}'
        while True:
            write_frames(responses, response)
            kind, name, content = (read_frame(sys.stdin.buffer) for _ in range(3))
            if kind is None or name is None or content is None:
                return
            # RLIMIT_CPU counts from the start of the process.
            _limit(resource.RLIMIT_CPU, math.ceil(time.process_time()) + seconds)
            raw = RawDigest("", name.decode(errors="replace"), content)
            try:
                module, function = _PARSERS[kind]
                parser = getattr(import_module(f"bot.formats.{module}"), function)
                if parse and kind == b"digests":
                    parser = parse
                response = dump({kind.decode(): parser(raw)})
            except Exception as error:
                if _is_caused_by_memory(error):
                    write_frames(responses, b'{"limit": "memory"}')
                    return
                if isinstance(error, DigestError):
                    response = dump({"refused": str(error)})
                else:
                    response = dump({"mistake": unexpected_error(error), "traceback": traceback.format_exc()})


def _is_caused_by_memory(error: BaseException | None) -> bool:
    """Return whether an error or one of its causes is a MemoryError."""
    seen: set[int] = set()  # chains can be circular
    while error is not None and id(error) not in seen:
        if isinstance(error, MemoryError):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def _limit(kind: int, soft: int) -> None:
    """Set a soft limit, at most the hard one."""
    # A lower hard limit could not be raised again for the next digest.
    _, hard = resource.getrlimit(kind)
    with suppress(ValueError, OSError):  # macOS has no RLIMIT_AS
        resource.setrlimit(kind, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


if __name__ == "__main__":
    main(sys.argv[1:])
