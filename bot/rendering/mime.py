"""A mail as the bytes that go out: multipart/alternative, seven bits wide, with exactly the headers meant.

Python's email package writes some headers so that they say something else: a subject that holds an encoded
word can bring a ``Bcc`` of its own, a long List-Unsubscribe comes out encoded and is then ignored. Both are
prevented here, and the finished bytes are read again to see that nothing came in.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from email import message_from_bytes, policy
from email.errors import HeaderParseError
from email.header import Header
from email.headerregistry import Address, BaseHeader, HeaderRegistry, UnstructuredHeader
from email.message import EmailMessage
from email.policy import EmailPolicy, Policy
from typing import Any

from bot.errors import DeliveryError, FailureScope
from bot.rendering.mail import MailParts
from bot.rendering.text import oneline, shorten, visible

_VERBATIM = ("To", "List-Unsubscribe", "List-Id", "Message-ID")
_HEADERS = sorted(
    [
        *("Subject", "From", "To", "Date", "Message-ID", "Auto-Submitted"),
        *("List-Id", "List-Unsubscribe", "List-Unsubscribe-Post"),
        *("MIME-Version", "Content-Type"),
    ]
)
_NOTICE_HEADERS = sorted(
    [
        *("Subject", "From", "To", "Date", "Message-ID", "Auto-Submitted"),
        *("MIME-Version", "Content-Type", "Content-Transfer-Encoding"),
    ]
)
_LINE_LIMIT = 900  # characters; a line of a mail may have 998 with its header's name
_UNQUOTED = str.maketrans("", "", '"\\')


def mail_bytes(
    parts: MailParts,
    *,
    sender: str,
    recipient: str,
    unsubscribe_url: str,
    list_id: str,
    message_id: str,
    date: datetime,
) -> bytes:
    """The finished mail; the same arguments give the same bytes.

    ``sender`` may have a display name, ``recipient`` is one bare address, ``list_id`` is
    ``Title <slug.host>``, ``message_id`` has its angle brackets. Raises DeliveryError, permanent, where that
    makes no correct mail.
    """
    message = EmailMessage(policy=_policy())
    message["Subject"] = _header_text(parts.subject)
    message["From"] = _header_text(sender)
    message["To"] = _address(recipient)
    message["Date"] = date
    message["Message-ID"] = _verbatim("Message-ID", message_id)
    message["List-Id"] = _list_id(list_id)
    message["List-Unsubscribe"] = _verbatim("List-Unsubscribe", f"<{unsubscribe_url}>")
    message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(visible(parts.text), cte="quoted-printable")
    message.add_alternative(visible(parts.html), subtype="html", cte="quoted-printable")
    # Quoted-printable never holds "=_", so the boundary can't stand in a part whatever a paper says.
    message.set_boundary(f"=_{hashlib.sha256(message_id.encode()).hexdigest()[:32]}")
    content = message.as_bytes()
    _assert_as_meant(content, recipient, _HEADERS)
    return content


def notice_bytes(
    subject: str, text: str, *, sender: str, recipient: str, message_id: str, date: datetime
) -> bytes:
    """A plain text mail to whoever runs Paperbot; the arguments are those of ``mail_bytes``."""
    message = EmailMessage(policy=_policy())
    message["Subject"] = _header_text(subject)
    message["From"] = _header_text(sender)
    message["To"] = _address(recipient)
    message["Date"] = date
    message["Message-ID"] = _verbatim("Message-ID", message_id)
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(visible(text), cte="quoted-printable")
    content = message.as_bytes()
    _assert_as_meant(content, recipient, _NOTICE_HEADERS)
    return content


class _Verbatim(UnstructuredHeader, BaseHeader):
    """A header that is written as it stands, on one line: neither folded nor encoded."""

    @classmethod
    def parse(cls, value: str, kwds: dict[str, Any]) -> None:
        """Keep the value as it is; the parse tree is wanted by the base class."""
        super().parse(value, kwds)
        kwds["decoded"] = value

    def fold(self, *, policy: Policy) -> str:
        """The header's one line."""
        return f"{self.name}: {self}{policy.linesep}"


def _policy() -> EmailPolicy[EmailMessage]:
    headers = HeaderRegistry()
    for name in _VERBATIM:
        headers.map_to_type(name.lower(), _Verbatim)
    return policy.SMTP.clone(cte_type="7bit", header_factory=headers)


def _header_text(text: str) -> str:
    """Text for a header that gets encoded: one line, and no ``=?`` that would be read as an encoded word."""
    return oneline(text).replace("=?", "=\u200b?")


def _verbatim(name: str, value: str) -> str:
    """A value that may be written as it stands; raises DeliveryError where it may not."""
    if not (value.isascii() and value.isprintable() and len(value) < _LINE_LIMIT):
        raise _refusal(f"{name} can't hold {value[:80]!r}")
    return value


def _address(recipient: str) -> str:
    """One bare ASCII address; of ``a@x,b@x`` only the first would get the mail, and nobody would say so."""
    try:
        is_plain = recipient.isascii() and recipient.isprintable()
        if is_plain and Address(addr_spec=recipient).addr_spec == recipient:
            return recipient
    except (ValueError, IndexError, HeaderParseError):
        pass  # how the email package says that it can't read an address
    raise DeliveryError(f"not one mail address: {recipient!r}", permanent=True, blame=FailureScope.READER)


def _list_id(list_id: str) -> str:
    """``Title <slug.host>`` with the title as RFC 2047 has it, the id itself untouched."""
    title, _, identifier = list_id.rpartition("<")
    title = shorten(title, 60)
    plain = f'"{title.translate(_UNQUOTED)}"'
    phrase = plain if title.isascii() else Header(title, "utf-8", maxlinelen=75).encode(linesep="")
    return _verbatim("List-Id", f"{phrase} <{identifier}")


def _assert_as_meant(content: bytes, recipient: str, headers: list[str]) -> None:
    """Read the finished mail as its receiver will; raises DeliveryError where it is not the one meant."""
    message = message_from_bytes(content, policy=policy.default)
    if sorted(message.keys()) != headers:
        raise _refusal(f"a mail with other headers than meant: {', '.join(message.keys())}")
    if [address.addr_spec for address in message["To"].addresses] != [recipient]:
        raise _refusal(f"a mail to {message['To']!r} instead of {recipient!r}")


def _refusal(problem: str) -> DeliveryError:
    return DeliveryError(f"not sent: {problem}", permanent=True, blame=FailureScope.MESSAGE)
