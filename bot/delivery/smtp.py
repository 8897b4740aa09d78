"""Mail over SMTP: the stored bytes, one recipient a message, one connection for many messages.

    connect, TLS, log in -> MAIL -> RCPT -> DATA -> 354 -> start_data() -> body -> final dot -> 250

Until the final dot has left, the message can't have been accepted, so that a broken connection is a reason to
try again; from then on only the server's answer tells, and without one the outcome is unknown.
"""

from __future__ import annotations

import io
import re
import smtplib
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from email.utils import parseaddr
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, cast

from bot.domain import Delivery
from bot.errors import ConfigError, DeliveryError, FailureScope
from bot.loopback import is_loopback

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Security = Literal["starttls", "tls", "none"]
Timer = Callable[[], float]

_GONE = (-1, 421)  # smtplib's for what is no reply, and the server's for a connection that it closes
_LONGEST_REPLY = 300  # characters of a server's reply that are kept
_AUTHENTICATION = frozenset({530, 534, 535, 538})  # RFC 4954: whatever the stage, they are about the login
_SENDER_STATUS = frozenset({"5.1.7", "5.1.8"})  # RFC 3463: the sender's address, though told at RCPT


class _Stage(StrEnum):
    """How far a message has come, in words for people."""

    CONNECT = "connecting to the mail server"
    MAIL = "naming the sender"
    RCPT = "naming the recipient"
    DATA = "asking to send the body"
    BODY = "sending the body"
    END = "waiting for the receipt"


class SmtpChannel:
    """Sends mail through one server.

    ``security``: ``starttls`` and ``tls`` verify the server's certificate and never fall back to plain text;
    ``none`` is for a loopback host only. ``context`` replaces the system's certificates. ``envelope_sender``
    is the bare address that bounces go to. ``timeout_seconds`` is for each read, ``session_seconds`` for all
    that comes before the final dot (a server that drips bytes meets every timeout), ``answer_seconds`` for
    the answer after it (RFC 5321 asks for ten minutes); ``timer`` gives the seconds they are measured in.
    Raises ``ConfigError`` where mail would go over a network in plain text.
    """

    def __init__(
        self,
        host: str,
        port: int,
        security: Security,
        *,
        envelope_sender: str,
        username: str = "",
        password: str | None = None,
        context: ssl.SSLContext | None = None,
        timeout_seconds: float = 30,
        session_seconds: float = 300,
        answer_seconds: float = 600,
        timer: Timer = time.monotonic,
    ) -> None:
        if security == "none" and not is_loopback(host):
            problem = f'"none" would send mail to {host} in plain text; write "starttls" or "tls"'
            raise ConfigError("paperbot.toml", "email.security", problem)
        self._host, self._port, self._security = host, port, security
        self._sender, self._username, self._password = envelope_sender, username, password or ""
        self._context = context
        self._timeout_seconds, self._session_seconds = timeout_seconds, session_seconds
        self._answer_seconds = answer_seconds
        self._deadline = _Deadline(timer)
        self._session: _Session | None = None
        self._amid_a_message = False

    def send(self, delivery: Delivery, start_data: Callable[[], None]) -> str:
        """Send one message to its reader's address; the receipt is the server's reply to the final dot."""
        address = _one_address(delivery.reader.address)
        self._deadline.allow(self._timeout_seconds, self._session_seconds)
        session = self._session_with_sender()
        with self._at(_Stage.RCPT):
            _expect(2, session.docmd("RCPT", f"TO:<{address}>"))
        with self._at(_Stage.DATA):
            _expect(3, session.docmd("DATA"))
        self._commit(start_data)
        with self._at(_Stage.BODY):
            session.send(_dot_stuffed(delivery.body))
        self._deadline.allow(self._answer_seconds, self._answer_seconds)
        with self._at(_Stage.END):
            session.send(b".\r\n")
            code, text = _expect(2, session.getreply())
        self._amid_a_message = False
        return f"{code} {_readable(text)}"

    def found(self, delivery: Delivery) -> None:
        """Mail can't be asked after."""

    def check(self) -> None:
        """Connect, encrypt and log in."""
        self._deadline.allow(self._timeout_seconds, self._session_seconds)
        with self._at(_Stage.CONNECT):
            if self._session is None or not self._still_answers(self._session):
                self._drop()
                self._session = self._connect()

    def close(self) -> None:
        """Say goodbye and hang up."""
        if self._session is None:
            return
        self._deadline.allow(self._timeout_seconds, self._timeout_seconds)
        with suppress(OSError):
            self._session.quit()
        self._drop()

    def _commit(self, start_data: Callable[[], None]) -> None:
        try:
            start_data()
        except BaseException:
            self._drop()  # the server waits for a body; hanging up is the one way not to send it
            raise

    def _session_with_sender(self) -> _Session:
        """A connection that has taken the sender's name: the open one if it still answers, else a new one."""
        reply = self._name_sender_again()
        if reply is None:
            self._drop()
            with self._at(_Stage.CONNECT):
                self._session = self._connect()
        with self._at(_Stage.MAIL):
            session = cast("_Session", self._session)
            _expect(2, reply or self._name_sender(session))
        return session

    def _name_sender_again(self) -> tuple[int, bytes] | None:
        """The answer over the open connection; None where there is none, or it has gone meanwhile."""
        session = self._session
        if session is None or (self._amid_a_message and not self._still_answers(session)):
            return None
        with suppress(OSError):
            reply = self._name_sender(session)
            return reply if reply[0] not in _GONE else None
        return None

    def _name_sender(self, session: _Session) -> tuple[int, bytes]:
        self._amid_a_message = True
        return session.docmd("MAIL", f"FROM:<{self._sender}>")

    def _still_answers(self, session: _Session) -> bool:
        """Whether it does; a message that was broken off is then forgotten."""
        with suppress(OSError):
            return session.rset()[0] == 250
        return False

    def _connect(self) -> _Session:
        session = self._dial()
        try:
            if self._security == "starttls":
                session.starttls(context=self._verifying())
            session.ehlo_or_helo_if_needed()
            if self._username:
                session.login(self._username, self._password)
        except BaseException:
            session.close()
            raise
        return session

    def _dial(self) -> _Session:
        if self._security == "tls":
            return _TlsSession(self._deadline, self._host, self._port, context=self._verifying())
        return _Session(self._deadline, self._host, self._port)

    def _verifying(self) -> ssl.SSLContext:
        return self._context or ssl.create_default_context()

    def _drop(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    @contextmanager
    def _at(self, stage: _Stage) -> Iterator[None]:
        """Translate what goes wrong; the connection outlives a refusal, but not 421 or silence."""
        try:
            yield
        except (OSError, UnicodeError) as error:  # every smtplib.SMTPException is an OSError
            if _refused(error) in (None, 421):
                self._drop()
            raise _translate(error, stage) from error


class _Deadline:
    """How long the other side may take: for each read, and for all reads until the next ``allow``."""

    def __init__(self, timer: Timer) -> None:
        self._timer = timer
        self.allow(0, 0)

    def allow(self, each: float, total: float) -> None:
        """Begin anew with so many seconds for each read and in all."""
        self._each, self._total, self._end = each, total, self._timer() + total

    def seconds_left(self) -> float:
        """The seconds that the next read may take; raises ``TimeoutError`` where none are left."""
        left = self._end - self._timer()
        if left <= 0:
            raise TimeoutError(f"the server took longer than {self._total:g} s")
        return min(self._each, left)


class _Session(smtplib.SMTP):
    """A connection whose replies have a deadline as a whole, not only from byte to byte."""

    def __init__(self, deadline: _Deadline, host: str, port: int, **options: Any) -> None:
        self._deadline = deadline
        super().__init__(host, port, timeout=deadline.seconds_left(), **options)
        connected = cast("socket.socket", self.sock)
        # The final dot is a packet of its own; it must not wait until the body's last one is acknowledged.
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def getreply(self) -> tuple[int, bytes]:
        """Read one reply; a line without end counts as no reply, where smtplib makes up a 500."""
        if self.file is None and self.sock is not None:
            self.file = io.BufferedReader(_DeadlineReader(self.sock, self._deadline))
        try:
            return super().getreply()
        except smtplib.SMTPResponseException as error:
            raise smtplib.SMTPServerDisconnected("the reply is too long") from error


class _TlsSession(_Session, smtplib.SMTP_SSL):
    """The same, encrypted from the first byte."""


class _DeadlineReader(io.RawIOBase):
    def __init__(self, sock: socket.socket, deadline: _Deadline) -> None:
        self._sock, self._deadline = sock, deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        self._sock.settimeout(self._deadline.seconds_left())
        return self._sock.recv_into(buffer)


def _one_address(address: str) -> str:
    """The address, if it is just one: ``smtplib`` would mail the first of several and forget the rest."""
    if address.isascii() and address.isprintable() and parseaddr(address)[1] == address and "@" in address:
        return address
    problem = f"{address!r} is not one plain ASCII mail address"
    raise DeliveryError(problem, permanent=True, blame=FailureScope.READER, code="bad address")


def _dot_stuffed(body: bytes) -> bytes:
    """A body as it goes over the wire, without the final dot (RFC 5321, 4.5.2).

    Line ends become CRLF first: a bare CR or LF before a dot could end the message early on some servers.
    """
    lines = body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\n", b"\r\n")
    if not lines.endswith(b"\r\n"):
        lines += b"\r\n"
    stuffed = lines.replace(b"\r\n.", b"\r\n..")
    return b"." + stuffed if stuffed.startswith(b".") else stuffed


def _expect(first_digit: int, reply: tuple[int, bytes]) -> tuple[int, bytes]:
    if reply[0] // 100 != first_digit:
        raise smtplib.SMTPResponseException(*reply)
    return reply


def _refused(error: Exception) -> int | None:
    """The reply code where the server said no; ``None`` where it said nothing that makes sense."""
    if isinstance(error, smtplib.SMTPResponseException) and 400 <= error.smtp_code < 600:
        return error.smtp_code
    return None


def _translate(error: Exception, stage: _Stage) -> DeliveryError:
    """What a failure at one stage means. No other place knows ``smtplib``'s exceptions."""
    if isinstance(error, smtplib.SMTPResponseException) and _refused(error):
        return _refusal(error.smtp_code, _readable(error.smtp_error), stage)
    if stage is _Stage.END:
        message = f"{stage}: {_readable(str(error))}"
        return DeliveryError(message, permanent=False, unknown=True, code="no answer")
    if isinstance(error, UnicodeError):  # its text would quote the password
        message = f"{stage}: host, user name, password and sender must be plain ASCII"
        return DeliveryError(message, permanent=True, blame=FailureScope.CHANNEL, code="not ASCII")
    return _silence(error, stage)


def _silence(error: Exception, stage: _Stage) -> DeliveryError:
    """No connection, or one that broke before the message could have been accepted."""
    not_on_offer = isinstance(error, smtplib.SMTPNotSupportedError)  # STARTTLS, or a login
    blame = FailureScope.CHANNEL if stage is _Stage.CONNECT else FailureScope.MESSAGE
    code = "tls" if isinstance(error, ssl.SSLError) else "no connection"
    message = f"{stage}: {_readable(str(error))}; check email.host, email.port and email.security"
    return DeliveryError(message, permanent=not_on_offer, blame=blame, code=code)


def _refusal(code: int, text: str, stage: _Stage) -> DeliveryError:
    message = f"{stage}: {code} {text}"
    if code in _AUTHENTICATION:
        message += "; check email.username and PAPERBOT_EMAIL__PASSWORD"
    return DeliveryError(message, permanent=code >= 500, blame=_blame(code, text, stage), code=str(code))


def _blame(code: int, text: str, stage: _Stage) -> FailureScope:
    """Whom a refusal is about.

    The enhanced status (RFC 3463) tells more than the stage, but for 5.7.x after the body: that is what spam
    filters say of one message, and one message must not stop all others.
    """
    status = re.match(r"5\.\d{1,3}\.\d{1,3}\b", text)
    detail = status.group() if status else ""
    if stage is _Stage.CONNECT or code in _AUTHENTICATION:
        return FailureScope.CHANNEL
    if code < 500:
        return FailureScope.MESSAGE
    if stage is _Stage.MAIL or detail in _SENDER_STATUS:
        return FailureScope.POLICY
    if detail.startswith("5.7.") and stage is not _Stage.END:
        return FailureScope.POLICY
    if detail.startswith("5.1.") or stage is _Stage.RCPT:
        return FailureScope.READER
    return FailureScope.MESSAGE


def _readable(reply: bytes | str) -> str:
    """A server's words on one line, fit for a terminal."""
    text = reply.decode("utf-8", "replace") if isinstance(reply, bytes) else reply
    printable = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(printable.split())[:_LONGEST_REPLY]
