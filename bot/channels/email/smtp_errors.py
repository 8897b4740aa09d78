"""What the errors of ``smtplib`` mean: the reply table of RFC 5321 and the enhanced status codes of RFC 3463.

| reply                                     | about                             |
|-------------------------------------------|-----------------------------------|
| no connection, TLS, login (RFC 4954)      | the channel                       |
| 4xx                                       | the message, tried again          |
| 5xx to MAIL, 5.7.x before the body        | the channel's policy              |
| 5xx to RCPT, 5.1.x                        | the reader: a hard bounce         |
| 5xx to DATA or after the body             | the message                       |
| none after the final dot                  | unknown                           |
"""

from __future__ import annotations

import re
import smtplib
import socket
import ssl
from enum import StrEnum

from bot.errors import DeliveryError, FailureScope

_MAX_REPLY = 300  # characters of a server's reply that are stored
_LOGIN_CODES = frozenset({530, 534, 535, 538})  # RFC 4954, 6: about the login, whatever the stage
# Too many connections or messages: 421 of most servers, 450 of Postfix and Exim, 454 of Amazon SES.
_THROTTLING_CODES = frozenset({421, 450, 454})
# RFC 3463, 3.2: about the sender's address, although many servers check it at RCPT only.
_SENDER_STATUS = frozenset({"5.1.7", "5.1.8"})


class Stage(StrEnum):
    """How far a message has come, in words for people."""

    CONNECT = "connecting to the mail server"
    MAIL = "naming the sender"
    RCPT = "naming the recipient"
    DATA = "asking to send the body"
    BODY = "sending the body"
    END = "waiting for the receipt"


def refusal_code(error: Exception) -> int | None:
    """Return the reply code if the server refused; None if it sent no reply that makes sense."""
    if isinstance(error, smtplib.SMTPResponseException) and 400 <= error.smtp_code < 600:
        return error.smtp_code
    return None


def translate(error: Exception, stage: Stage) -> DeliveryError:
    """Return what a failure at one stage means. No other place knows the exceptions of ``smtplib``."""
    if isinstance(error, smtplib.SMTPResponseException) and refusal_code(error):
        code = error.smtp_code
        text = readable(error.smtp_error)
        message = f"{stage}: {code} {text}"
        if code in _LOGIN_CODES:
            message += "; check email.username and PAPERBOT_EMAIL__PASSWORD"
        scope = _scope_of_refusal(code, text, stage)
        return DeliveryError(
            message,
            permanent=code >= 500,
            scope=scope,
            throttled=code in _THROTTLING_CODES,
            code=str(code),
        )
    if stage is Stage.END:
        message = f"{stage}: {readable(str(error))}"
        return DeliveryError(message, permanent=False, unknown=True, code="no answer")
    if isinstance(error, UnicodeError):
        # Without the error's own text, which quotes the password.
        message = f"{stage}: host, user name, password and sender must be plain ASCII"
        return DeliveryError(message, permanent=True, scope=FailureScope.CHANNEL, code="not ASCII")

    # No connection, or one that broke before the message could have been accepted.
    is_unsupported = isinstance(
        error, smtplib.SMTPNotSupportedError
    )  # STARTTLS or AUTH, which won't appear by itself
    return DeliveryError(
        f"{stage}: {readable(str(error)).rstrip('.')}; {_connection_remedy(error)}",
        permanent=is_unsupported,
        scope=FailureScope.CHANNEL if stage is Stage.CONNECT else FailureScope.MESSAGE,
        code="tls" if isinstance(error, ssl.SSLError) else "no connection",
    )


def _connection_remedy(error: Exception) -> str:
    """Return what to change in the settings if no connection that can be used comes about."""
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


def _scope_of_refusal(code: int, text: str, stage: Stage) -> FailureScope:
    """Return what a refusal is about; the enhanced status code is more exact than the stage."""
    status_match = re.match(r"5\.\d{1,3}\.\d{1,3}\b", text)
    status = status_match.group() if status_match else ""
    if stage is Stage.CONNECT or code in _LOGIN_CODES:
        return FailureScope.CHANNEL
    if code < 500:
        return FailureScope.MESSAGE
    if stage is Stage.MAIL or status in _SENDER_STATUS:
        return FailureScope.POLICY
    # Not after the body: there 5.7.x is a spam filter's verdict on one message, which must not stop all others.
    if status.startswith("5.7.") and stage is not Stage.END:
        return FailureScope.POLICY
    if status.startswith("5.1.") or stage is Stage.RCPT:
        return FailureScope.READER
    return FailureScope.MESSAGE


def readable(reply: bytes | str) -> str:
    """Return a server's reply as one line without control characters, which could drive a terminal."""
    text = reply.decode("utf-8", "replace") if isinstance(reply, bytes) else reply
    printable = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(printable.split())[:_MAX_REPLY]
