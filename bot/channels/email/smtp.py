"""Mail over SMTP (RFC 5321): one recipient per message, one connection for many messages.

Before the final dot the server can't have accepted the message, so a broken connection is retried. After it, a missing
reply means ``unknown`` (RFC 1047).

Reply codes (RFC 5321) and enhanced status codes (RFC 3463) give a failure's scope:

| reply                                     | about                             |
|-------------------------------------------|-----------------------------------|
| no connection, TLS, login (RFC 4954)      | the channel                       |
| 4xx                                       | the message, tried again          |
| 5xx to MAIL, 5.7.x before the body        | the channel's policy              |
| 5.1.1, 5.1.6, 5.1.10, 5.2.1               | the reader: a hard bounce         |
| 5.2.2 and 552 to RCPT: a full mailbox     | the message, tried again          |
| other 5xx to RCPT                         | the reader or the channel         |
| 5xx to DATA or after the body             | the message                       |
| none after the final dot                  | unknown                           |
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
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

from bot.channels import Channel
from bot.model import Delivery, ReaderId
from bot.model.addresses import is_loopback, is_one_address
from bot.model.clock import Deadline, Timer
from bot.model.errors import ConfigError, DeliveryError, FailureScope

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


_MAX_REPLY = 300  # characters
_LOGIN_CODES = frozenset({530, 534, 535, 538})  # RFC 4954, 6
# 4.7.x asks for fewer messages, except greylisting of one mailbox.
_THROTTLING_STATUS = re.compile(r"4\.7\.\d{1,3}\b(?!.*gr[ae]y.?list)", re.IGNORECASE)
# RFC 3463, 3.2 and 3.3, and RFC 7505: no such mailbox, moved, no mail for the domain, disabled.
_MAILBOX_STATUS = frozenset({"5.1.1", "5.1.6", "5.1.10", "5.2.1"})
_PERMANENT_STATUS = re.compile(r"5\.\d{1,3}\.\d{1,3}\b")
_FULL_MAILBOX_STATUS = "5.2.2"
# RFC 3463, 3.2: the sender's address.
_SENDER_STATUS = frozenset({"5.1.7", "5.1.8"})


class Stage(StrEnum):
    """The progress of a message, in words for people."""

    CONNECT = "connecting to the mail server"
    MAIL = "naming the sender"
    RCPT = "naming the recipient"
    DATA = "asking to send the body"
    BODY = "sending the body"
    END = "waiting for the receipt"


def refusal_code(error: Exception) -> int | None:
    if isinstance(error, smtplib.SMTPResponseException) and 400 <= error.smtp_code < 600:
        return error.smtp_code
    return None


def translate(error: Exception, stage: Stage) -> DeliveryError:
    if isinstance(error, smtplib.SMTPResponseException) and refusal_code(error):
        code = error.smtp_code
        text = readable(error.smtp_error)
        message = f"{stage}: {code} {text}"
        if code in _LOGIN_CODES:
            message += "; check email.username and PAPERBOT_EMAIL__PASSWORD"
        status_match = _PERMANENT_STATUS.match(text)
        status = status_match[0] if status_match else ""
        is_full = status == _FULL_MAILBOX_STATUS or (code == 552 and not status and stage is Stage.RCPT)
        scope = FailureScope.MESSAGE if is_full else _scope_of_refusal(code, status, stage)
        is_throttled = code == 421 or bool(_THROTTLING_STATUS.match(text))
        is_permanent = code >= 500 and not is_full
        return DeliveryError(message, permanent=is_permanent, scope=scope, throttled=is_throttled, code=str(code))
    if stage is Stage.END:
        message = f"{stage}: {readable(str(error))}"
        return DeliveryError(message, permanent=False, unknown=True, code="no answer")
    if isinstance(error, UnicodeError):
        # The error's own text quotes the password.
        message = f"{stage}: host, user name, password and sender must be plain ASCII"
        return DeliveryError(message, permanent=True, scope=FailureScope.CHANNEL, code="not ASCII")

    is_unsupported = isinstance(error, smtplib.SMTPNotSupportedError)  # STARTTLS or AUTH
    return DeliveryError(
        f"{stage}: {readable(str(error)).rstrip('.')}; {_connection_remedy(error)}",
        permanent=is_unsupported,
        scope=FailureScope.CHANNEL if stage is Stage.CONNECT else FailureScope.MESSAGE,
        code="tls" if isinstance(error, ssl.SSLError) else "no connection",
    )


def _connection_remedy(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPNotSupportedError):
        if "STARTTLS" in str(error):
            return 'set email.security = "tls" and the port for it, usually 465'
        return "leave email.username empty, or set the port that takes logins, usually 587"
    if isinstance(error, ssl.SSLError) and "WRONG_VERSION" in str(error):
        return 'the port is not for TLS from the start: set email.security = "starttls"'
    if isinstance(error, ConnectionRefusedError):
        return "no mail server listens there: check email.host and email.port"
    if isinstance(error, socket.gaierror):
        return "check email.host"
    return "check email.host, email.port and email.security"


def _scope_of_refusal(code: int, status: str, stage: Stage) -> FailureScope:
    """Return a refusal's scope, by the table above."""
    if stage is Stage.CONNECT or code in _LOGIN_CODES:
        return FailureScope.CHANNEL
    if code < 500:
        return FailureScope.MESSAGE
    if stage is Stage.MAIL or status in _SENDER_STATUS:
        return FailureScope.POLICY
    # After the body, 5.7.x is a spam filter's verdict on one message.
    if status.startswith("5.7.") and stage is not Stage.END:
        return FailureScope.POLICY
    if status in _MAILBOX_STATUS:
        return FailureScope.READER
    return FailureScope.RECIPIENT if stage is Stage.RCPT else FailureScope.MESSAGE


def readable(reply: bytes | str) -> str:
    """Return one line without control characters."""
    text = reply.decode("utf-8", "replace") if isinstance(reply, bytes) else reply
    printable = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(printable.split())[:_MAX_REPLY]


Reply = tuple[int, bytes]

# smtplib returns -1 without a reply. Servers send 421 before they close (RFC 5321, 3.8).
_CLOSED = (-1, 421)


@dataclass(eq=False)
class SmtpChannel(Channel):
    """Sends mail through one server.

    ``starttls`` and ``tls`` verify the certificate and never fall back to plain text. Bounces go to
    ``envelope_sender``, or with ``bounce_tag`` to ``local+tag@domain`` (VERP). ``timeout_seconds`` bounds each read,
    ``session_seconds`` everything before the final dot, ``answer_seconds`` its reply. Raises ``ConfigError`` if mail
    would cross a network in plain text.
    """

    host: str
    port: int
    security: Literal["starttls", "tls", "none"]
    _: KW_ONLY
    envelope_sender: str
    bounce_tag: Callable[[ReaderId, int], str] | None = None
    username: str = ""
    password: str | None = field(default=None, repr=False)
    context: ssl.SSLContext | None = None
    timeout_seconds: float = 30
    session_seconds: float = 300
    # RFC 5321, 4.5.3.2.6. Giving up earlier makes duplicates.
    answer_seconds: float = 600
    timer: Timer = time.monotonic
    _session: _Session | None = field(default=None, init=False, repr=False)
    _in_transaction: bool = field(default=False, init=False)  # MAIL was sent without an accepted message after it

    def __post_init__(self) -> None:
        if self.security == "none" and not is_loopback(self.host):
            problem = f'"none" would send mail to {self.host} in plain text; write "starttls" or "tls"'
            raise ConfigError("paperbot.toml", "email.security", problem)

    def send(self, delivery: Delivery, start_data: Callable[[], None]) -> str:
        """Send one message. The receipt is the server's reply to the final dot."""
        address = delivery.reader.address
        # smtplib sends "a@x,b@x" only to the first.
        if not is_one_address(address):
            problem = f"{address!r} is not one plain ASCII mail address"
            raise DeliveryError(problem, permanent=True, scope=FailureScope.READER, code="bad address")

        sender = self.envelope_sender
        if self.bounce_tag is not None:
            # The envelope sender identifies a bounce's message.
            local, _, domain = sender.rpartition("@")
            sender = f"{local}+{self.bounce_tag(delivery.reader.id, delivery.id)}@{domain}"
        session = self._open_envelope(sender, address, Deadline(self.session_seconds, self.timer))
        try:
            start_data()
        except BaseException:
            self._drop()  # only closing the connection avoids sending a body
            raise
        with self._translated(Stage.BODY):
            # All line ends become CRLF: some servers end a message at a bare LF and a dot (SMTP smuggling,
            # CVE-2023-51764). A leading dot is doubled (RFC 5321, 4.5.2).
            lines = (b"." * line.startswith(b".") + line + b"\r\n" for line in delivery.body.splitlines())
            # In one write: if it fails, the final dot has not left.
            session.send(b"".join(lines) + b".\r\n")
        session.limit(self.answer_seconds, Deadline(self.answer_seconds, self.timer))
        with self._translated(Stage.END):
            code, text = _expect(2, session.getreply())
        self._in_transaction = False
        receipt = readable(text)
        return (
            f"{code} {receipt}" if receipt and "\ufffd" not in receipt else f"{code} (the reply's text can't be read)"
        )

    def check(self) -> None:
        deadline = Deadline(self.session_seconds, self.timer)
        with self._translated(Stage.CONNECT):
            if self._session is not None:
                self._session.limit(self.timeout_seconds, deadline)
            if self._session is None or not _reset(self._session):
                self._drop()
                self._session = self._connect(deadline)

    def close(self) -> None:
        if self._session is None:
            return
        self._session.limit(self.timeout_seconds, Deadline(self.timeout_seconds, self.timer))
        with suppress(OSError):
            self._session.quit()
        self._drop()

    def _open_envelope(self, sender: str, address: str, deadline: Deadline) -> _Session:
        """Send MAIL, RCPT and DATA, and return the session."""
        session, is_clean = self._session, not self._in_transaction
        self._in_transaction = True
        reply: Reply | None = None
        if session is not None:
            session.limit(self.timeout_seconds, deadline)
            # A server may close an idle connection at any time.
            if is_clean or _reset(session):
                with suppress(OSError):
                    reply = session.docmd("MAIL", f"FROM:<{sender}>")
        if session is None or reply is None or reply[0] in _CLOSED:
            self._drop()
            with self._translated(Stage.CONNECT):
                session = self._session = self._connect(deadline)
            with self._translated(Stage.MAIL):
                reply = session.docmd("MAIL", f"FROM:<{sender}>")
        with self._translated(Stage.MAIL):
            _expect(2, reply)
        with self._translated(Stage.RCPT):
            _expect(2, session.docmd("RCPT", f"TO:<{address}>"))
        with self._translated(Stage.DATA):
            _expect(3, session.docmd("DATA"))
        return session

    def _connect(self, deadline: Deadline) -> _Session:
        session_class = _TlsSession if self.security == "tls" else _Session
        options = {"context": self._tls_context()} if self.security == "tls" else {}
        session = session_class(self.host, self.port, self.timeout_seconds, deadline, **options)
        try:
            if self.security == "starttls":
                session.starttls(context=self._tls_context())
            session.ehlo_or_helo_if_needed()
            if self.username:
                session.login(self.username, self.password or "")
        except BaseException:
            session.close()
            raise
        return session

    def _tls_context(self) -> ssl.SSLContext:
        # smtplib's default accepts any certificate.
        return self.context or ssl.create_default_context()

    def _drop(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    @contextmanager
    def _translated(self, stage: Stage) -> Iterator[None]:
        """Drop the connection after 421 or without a reply."""
        try:
            yield
        except (OSError, UnicodeError) as error:  # every smtplib.SMTPException is an OSError
            if refusal_code(error) in (None, 421):
                self._drop()
            raise translate(error, stage) from error


class _Session(smtplib.SMTP):
    """A connection with a deadline for whole replies.

    smtplib's timeout bounds single reads only.
    """

    def __init__(self, host: str, port: int, read_seconds: float, deadline: Deadline, **options: Any) -> None:
        self.limit(read_seconds, deadline)
        super().__init__(host, port, timeout=self.seconds_left(), **options)
        connected = self.sock
        if connected is None:
            raise smtplib.SMTPServerDisconnected("no connection")
        # Nagle's algorithm could delay the final dot by 40 ms.
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def limit(self, read_seconds: float, deadline: Deadline) -> None:
        self._read_seconds = read_seconds
        self._deadline = deadline

    def seconds_left(self) -> float:
        return self._deadline.remaining(self._read_seconds)

    def getreply(self) -> Reply:
        """Read one reply. An overlong line counts as no reply."""
        if self.file is None and self.sock is not None:
            self.file = io.BufferedReader(_DeadlineReader(self.sock, self.seconds_left))
        try:
            return super().getreply()
        except smtplib.SMTPResponseException as error:
            # smtplib's own 500 would look like a permanent refusal.
            raise smtplib.SMTPServerDisconnected("the reply is too long") from error


class _TlsSession(_Session, smtplib.SMTP_SSL):
    """A session that is encrypted from the first byte (RFC 8314)."""


class _DeadlineReader(io.RawIOBase):
    def __init__(self, sock: socket.socket, seconds_left: Callable[[], float]) -> None:
        self._sock = sock
        self._seconds_left = seconds_left

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        self._sock.settimeout(self._seconds_left())
        return self._sock.recv_into(buffer)


def _reset(session: _Session) -> bool:
    """Send RSET, and return whether the connection works."""
    with suppress(OSError):
        return session.rset()[0] == 250
    return False


def _expect(first_digit: int, reply: Reply) -> Reply:
    if reply[0] // 100 != first_digit:
        raise smtplib.SMTPResponseException(*reply)
    return reply
