"""A mail server that accepts everything and counts mails by recipient, as a process of its own.

    python bench/mail_sink.py

It prints its port, answers each line of its input with the figures so far as JSON, and ends with its input. aiosmtpd
takes longer for a mail than Paperbot does; this reads a body as it comes and looks only for its end.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

_END = b"\r\n.\r\n"
_REPLIES = {b"EHLO": b"250-sink\r\n250 PIPELINING\r\n", b"DATA": b"354 go on\r\n", b"QUIT": b"221 bye\r\n"}


@dataclass
class Accepted:
    """What was accepted since the start; times are in seconds since the epoch."""

    recipients: Counter[bytes] = field(default_factory=Counter)
    bytes: int = 0
    first: float = 0
    last: float = 0

    def add(self, recipient: bytes, size: int) -> None:
        self.last = time.time()
        self.first = self.first or self.last
        self.recipients[recipient] += 1
        self.bytes += size

    def figures(self) -> dict[str, Any]:
        return {
            "mails": self.recipients.total(),
            "recipients": len(self.recipients),
            "twice": sum(count > 1 for count in self.recipients.values()),
            "bytes": self.bytes,
            "first": self.first,
            "last": self.last,
        }


class Session(asyncio.Protocol):
    """One connection: commands line by line, then a body until its dot."""

    def __init__(self, accepted: Accepted) -> None:
        self._accepted = accepted
        self._buffer = bytearray()
        self._in_body = False
        self._recipient = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport
        self._transport.write(b"220 sink\r\n")

    def data_received(self, data: bytes) -> None:
        searched = max(len(self._buffer) - len(_END), 0)
        self._buffer += data
        replies = bytearray()
        while True:
            if self._in_body:
                end = self._buffer.find(_END, searched)
                if end < 0:
                    break
                self._accepted.add(self._recipient, end)
                del self._buffer[: end + len(_END)]
                self._in_body = False
                replies += b"250 accepted\r\n"
            else:
                end = self._buffer.find(b"\r\n")
                if end < 0:
                    break
                line = bytes(self._buffer[:end])
                del self._buffer[: end + 2]
                command = line[:4].upper()
                if command == b"RCPT":
                    self._recipient = line.partition(b"<")[2].partition(b">")[0]
                self._in_body = command == b"DATA"
                replies += _REPLIES.get(command, b"250 ok\r\n")
            searched = 0
        if replies:
            self._transport.write(bytes(replies))


class MailSink:
    """The process, asked for its figures."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.pid = process.pid
        self.port = int(self._read())

    def figures(self) -> dict[str, Any]:
        assert self._process.stdin
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        figures: dict[str, Any] = json.loads(self._read())
        return figures

    def _read(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline()


@contextmanager
def mail_sink() -> Iterator[MailSink]:
    """Run a sink."""
    command = [sys.executable, __file__]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield MailSink(process)
        finally:
            process.terminate()


async def main() -> None:
    """Accept mails and answer lines until the input ends."""
    loop = asyncio.get_running_loop()
    accepted = Accepted()
    server = await loop.create_server(lambda: Session(accepted), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while await lines.readline():
        print(json.dumps(accepted.figures()), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
