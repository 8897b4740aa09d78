"""IMAP connections with a deadline for the session and a maximum size for each response.

imaplib reads literals of any size, and its timeout holds for single reads. Import this late: it takes long.
"""

from __future__ import annotations

import imaplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from imap_tools import AND, BaseMailBox
from imap_tools.errors import ImapToolsError

from bot.model.clock import Deadline
from bot.model.errors import SourceError

if TYPE_CHECKING:
    import socket

    from _typeshed import ReadableBuffer

    from bot.sources.mailbox import MailFolderOptions

_CHUNK = 65_536
_MAX_LINE = 1_000_000  # bytes, for a search response of 100,000 mails
_MAX_DIGITS = 10  # IMAP's numbers have 32 bits
_STEP_SECONDS = 30.0  # one read or write


class _Bounded(imaplib.IMAP4):
    """A connection over which the server may send ``max_bytes`` after each command."""

    _buffer: bytearray
    _read_from: socket.socket | None = None
    _received = 0

    def __init__(self, host: str, port: int, deadline: Deadline, max_bytes: int, **options: Any) -> None:
        self.deadline = deadline
        self.max_bytes = max_bytes
        super().__init__(host, port, timeout=self._step_seconds(), **options)

    def _step_seconds(self) -> float:
        try:
            return self.deadline.remaining(_STEP_SECONDS)
        except TimeoutError as error:
            raise TimeoutError(f"{error}; the rest comes with the next poll") from None

    # imaplib documents that subclasses override the next two.
    def read(self, size: int) -> bytes:
        if size > self.max_bytes:
            raise self.abort(f"the server announces {size:,} bytes, more than the cap")
        while len(self._buffered()) < size and self._receive():
            pass
        return self._take(size)

    def readline(self) -> bytes:
        searched = 0
        while (end := self._buffered().find(b"\n", searched)) < 0:
            searched = len(self._buffered())
            if searched > _MAX_LINE:
                raise self.abort("the server sends a line without an end")
            if not self._receive():
                break
        return self._take(end + 1 if end >= 0 else len(self._buffered()))

    def send(self, data: ReadableBuffer) -> None:
        self._received = 0
        self.sock.settimeout(self._step_seconds())
        super().send(data)

    def _buffered(self) -> bytearray:
        if self._read_from is not self.sock:  # drop what came before encryption
            self._buffer, self._read_from = bytearray(), self.sock
        return self._buffer

    def _receive(self) -> bool:
        self.sock.settimeout(self._step_seconds())
        chunk = self.sock.recv(_CHUNK)
        self._received += len(chunk)
        if self._received > self.max_bytes + _MAX_LINE:
            raise self.abort("the server answers a command with more than the cap")
        self._buffered().extend(chunk)
        return bool(chunk)

    def _take(self, size: int) -> bytes:
        content = bytes(self._buffered()[:size])
        del self._buffer[:size]
        return content


class _BoundedTls(_Bounded, imaplib.IMAP4_SSL):
    pass


class Mailbox(BaseMailBox):
    """imap-tools' mailbox over a bounded connection."""

    def __init__(self, options: MailFolderOptions, deadline: Deadline, max_bytes: int) -> None:
        self._options = options
        self._limits = deadline, max_bytes
        super().__init__()

    def _get_mailbox_client(self) -> imaplib.IMAP4:
        options = self._options
        if options.security == "tls":
            return _BoundedTls(options.host, options.port, *self._limits, ssl_context=ssl.create_default_context())
        client = _Bounded(options.host, options.port, *self._limits)
        if options.security == "starttls":
            try:
                client.starttls(ssl.create_default_context())
            except BaseException:
                client.shutdown()
                raise
        return client

    def unread(self, *, sender: str | None = None, subject: str | None = None) -> list[str]:
        uids = self.uids(AND(seen=False, deleted=False, from_=sender, subject=subject))
        return [uid for uid in uids if uid.isdecimal() and len(uid) <= _MAX_DIGITS]

    def uid_validity(self) -> str:
        """Return UIDVALIDITY, which voids earlier UIDs when it changes (RFC 3501, 2.3.1.1)."""
        _, values = self.client.response("UIDVALIDITY")
        value = values[0] if values else None
        text = value.decode(errors="replace") if isinstance(value, bytes) else ""
        return text if text.isdecimal() and len(text) <= _MAX_DIGITS else ""

    # BODY.PEEK downloads without marking as read.
    def header(self, uid: str, max_bytes: int, names: str = "FROM DATE") -> bytes:
        fields = f"(BODY.PEEK[HEADER.FIELDS ({names})]<0.{max_bytes}>)"
        return _literal(self.client.uid("FETCH", uid, fields)[1]) or b""

    def content(self, uid: str) -> bytes | None:
        return _literal(self.client.uid("FETCH", uid, "(BODY.PEEK[])")[1])

    def size(self, uid: str) -> int:
        """Return the bytes from a response such as ``1 (UID 7 RFC822.SIZE 1234)``, else 0."""
        _, answer = self.client.uid("FETCH", uid, "(RFC822.SIZE)")
        text = next((item.decode(errors="replace") for item in answer if isinstance(item, bytes)), "")
        digits = text.rstrip(") ").rpartition(" ")[2]
        # int() refuses thousands of digits.
        return int(digits[:_MAX_DIGITS]) if digits.isdecimal() else 0

    def mark_as_read(self, uid: str, moved_to: str) -> None:
        """Mark a mail as read, and move it if the server has MOVE (RFC 6851).

        Expunging after a copy would remove all mails that the owner marked as deleted.
        """
        self.client.uid("STORE", uid, "+FLAGS.SILENT", "(\\Seen)")
        if moved_to and "MOVE" in self.client.capabilities:
            self.move(uid, moved_to)


@contextmanager
def open_folder(options: MailFolderOptions, password: str, deadline: Deadline, max_bytes: int) -> Iterator[Mailbox]:
    """Connect, log in and select the folder. Raises SourceError."""
    try:
        mailbox = Mailbox(options, deadline, max_bytes)
        try:
            mailbox.login(options.username, password, initial_folder=options.folder)
            yield mailbox
        finally:
            mailbox.client.shutdown()
    # ValueError for 8-bit words and for numbers of thousands of digits.
    except (ImapToolsError, imaplib.IMAP4.error, OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:300].replace(password or "\0", "***")
        remedy = "check host, port, security, username and password of this source"
        raise SourceError(f"{options.host}:{options.port}: {reason}; {remedy}") from None


def _literal(answer: list[object]) -> bytes | None:
    content = next((part[1] for part in answer if isinstance(part, tuple)), None)
    return content if isinstance(content, bytes) else None
