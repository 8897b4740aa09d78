"""IMAP connections that a server can neither keep open nor fill: a deadline for all of it, a cap on each answer.

imaplib reads a literal of any size, and any number of lines, and each of its reads may last until the timeout; a byte
before each timeout keeps it waiting for ever. These clients read for themselves.
"""

from __future__ import annotations

import imaplib
import ssl
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from imap_tools import BaseMailBox

if TYPE_CHECKING:
    import socket

    from _typeshed import ReadableBuffer

_CHUNK = 65_536
_LONGEST_LINE = 1_000_000  # bytes; a search that finds 100,000 mails


class Bounds:
    """Until when a connection may last, and how many bytes a server may send after each command."""

    def __init__(
        self, seconds: float, most_bytes: int, *, step: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """``step`` is the timeout of one read or write, in seconds."""
        self._clock, self._ends = clock, clock() + seconds
        self.most_bytes, self._step, self._seconds = most_bytes, step, seconds

    def timeout(self) -> float:
        """Seconds that the next step may take; raises TimeoutError where none are left."""
        left = self._ends - self._clock()
        if left <= 0:
            raise TimeoutError(f"not done after {self._seconds:.0f} s; the rest comes with the next visit")
        return min(left, self._step)


class _Bounded(imaplib.IMAP4):
    """Reads from the socket itself; ``read``, ``readline`` and ``send`` are imaplib's documented seams."""

    bounds: Bounds
    _buffer: bytearray
    _read_from: socket.socket | None = None
    _received = 0

    def read(self, size: int) -> bytes:
        """Exactly ``size`` bytes, fewer at the end; raises ``abort`` for more than the cap."""
        if size > self.bounds.most_bytes:
            raise self.abort(f"the server announces {size:,} bytes, more than the cap")
        while len(self._unread()) < size and self._receive():
            pass
        return self._taken(size)

    def readline(self) -> bytes:
        """One line with its end; the rest at the end."""
        searched = 0
        while (end := self._unread().find(b"\n", searched)) < 0:
            searched = len(self._unread())
            if searched > _LONGEST_LINE:
                raise self.abort("the server sends a line without an end")
            if not self._receive():
                break
        return self._taken(end + 1 if end >= 0 else len(self._unread()))

    def send(self, data: ReadableBuffer) -> None:
        """Sends a command; what the server may answer is counted from here."""
        self._received = 0
        self.sock.settimeout(self.bounds.timeout())
        super().send(data)

    def _unread(self) -> bytearray:
        """What was received and not read; nothing from before the connection was encrypted."""
        if self._read_from is not self.sock:
            self._buffer, self._read_from = bytearray(), self.sock
        return self._buffer

    def _receive(self) -> bool:
        self.sock.settimeout(self.bounds.timeout())
        chunk = self.sock.recv(_CHUNK)
        self._received += len(chunk)
        if self._received > self.bounds.most_bytes + _LONGEST_LINE:
            raise self.abort("the server answers a command with more than the cap")
        self._unread().extend(chunk)
        return bool(chunk)

    def _taken(self, size: int) -> bytes:
        taken = bytes(self._unread()[:size])
        del self._buffer[:size]
        return taken


class _Plain(_Bounded):
    def __init__(self, host: str, port: int, bounds: Bounds) -> None:
        self.bounds = bounds
        super().__init__(host, port, timeout=bounds.timeout())


class _Tls(_Bounded, imaplib.IMAP4_SSL):
    def __init__(self, host: str, port: int, bounds: Bounds) -> None:
        self.bounds = bounds
        context = ssl.create_default_context()
        super().__init__(host, port, ssl_context=context, timeout=bounds.timeout())


class Mailbox(BaseMailBox):
    """imap-tools' mailbox over such a connection."""

    def __init__(
        self, host: str, port: int, security: Literal["tls", "starttls", "none"], bounds: Bounds
    ) -> None:
        """Connects; raises OSError and imaplib's errors."""
        self._address, self._security, self._bounds = (host, port), security, bounds
        super().__init__()

    def _get_mailbox_client(self) -> imaplib.IMAP4:
        if self._security == "tls":
            return _Tls(*self._address, self._bounds)
        client = _Plain(*self._address, self._bounds)
        if self._security == "starttls":
            try:
                client.starttls(ssl.create_default_context())
            except BaseException:
                client.shutdown()
                raise
        return client
