"""A mail as the bytes that are sent: multipart/alternative, 7-bit, with exactly the intended headers.

Python's email package rewrites some header values. An encoded word (RFC 2047) in a subject is decoded, line breaks
included, and can inject a ``Bcc`` header; a long List-Unsubscribe is written as encoded words, which mail programs
don't decode there. Both are prevented here, and the finished bytes are parsed again to verify it.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from email import message_from_bytes, policy
from email.errors import HeaderParseError
from email.header import Header
from email.headerregistry import Address, BaseHeader, HeaderRegistry, UnstructuredHeader
from email.message import EmailMessage
from email.policy import Policy
from email.utils import parseaddr
from typing import Any

from bot.errors import DeliveryError, FailureScope
from bot.rendering.mail import MailParts
from bot.rendering.text import oneline, shorten, visible

_NOTICE_HEADERS = (
    *("Subject", "From", "To", "Date", "Message-ID", "Auto-Submitted"),
    *("MIME-Version", "Content-Type", "Content-Transfer-Encoding"),
)
_MAIL_HEADERS = (
    *("Subject", "From", "To", "Date", "Message-ID", "Auto-Submitted"),
    *("List-Id", "List-Unsubscribe", "List-Unsubscribe-Post"),
    *("MIME-Version", "Content-Type"),
)
# RFC 5322, section 2.1.1: a line has at most 998 characters, and the header's name counts.
_MAX_VALUE_LENGTH = 900
_WITHOUT_QUOTES = str.maketrans("", "", '"\\')


def sender_domain(sender: str) -> str:
    """Return the domain of a ``From`` value, for Message-ID and List-Id; ``localhost`` without an address.

    >>> sender_domain("Paperbot <paperbot@example.org>"), sender_domain("")
    ('example.org', 'localhost')
    """
    return parseaddr(sender)[1].rpartition("@")[2] or "localhost"


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
    """Return the finished mail; the same arguments give the same bytes.

    ``sender`` may have a display name, ``recipient`` is a bare address, ``list_id`` is ``Title <slug.host>``,
    ``message_id`` includes its angle brackets. Raises a permanent DeliveryError if a value fits no correct mail.
    """
    message = _new_message(parts.subject, sender, recipient, message_id, date)
    # RFC 2919: filters compare the identifier in angle brackets only; the title before it is for people.
    message["List-Id"] = _list_id(list_id)
    # RFC 8058 wants both headers: a POST of this body to the HTTPS address unsubscribes without a further page.
    # A GET must not unsubscribe, as mail scanners follow every link; the page it shows has a button instead.
    message["List-Unsubscribe"] = _verbatim("List-Unsubscribe", f"<{unsubscribe_url}>")
    message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    # RFC 3834: vacation responders don't answer mail with this header.
    message["Auto-Submitted"] = "auto-generated"
    # RFC 2046, section 5.1.4: a program shows the last alternative that it can display, so text comes first.
    # Quoted-printable also breaks long lines, which RFC 5322 limits and some servers cut or reject.
    message.set_content(visible(parts.text), cte="quoted-printable")
    message.add_alternative(visible(parts.html), subtype="html", cte="quoted-printable")
    # The package's random boundary would change the bytes at each call. Quoted-printable never holds "=_"
    # (RFC 2045, section 6.7), so that no paper's text can contain this one.
    message.set_boundary(f"=_{hashlib.sha256(message_id.encode()).hexdigest()[:32]}")
    content = message.as_bytes()
    _verify(content, recipient, _MAIL_HEADERS)
    return content


def notice_bytes(
    subject: str, text: str, *, sender: str, recipient: str, message_id: str, date: datetime
) -> bytes:
    """Return a plain text mail to the operator; arguments and errors are those of ``mail_bytes``."""
    message = _new_message(subject, sender, recipient, message_id, date)
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(visible(text), cte="quoted-printable")
    content = message.as_bytes()
    _verify(content, recipient, _NOTICE_HEADERS)
    return content


class _VerbatimHeader(UnstructuredHeader, BaseHeader):
    """A header written unchanged on one line, neither folded nor encoded."""

    @classmethod
    def parse(cls, value: str, kwds: dict[str, Any]) -> None:
        """Keep the value unchanged; the base class needs the parse tree."""
        super().parse(value, kwds)
        kwds["decoded"] = value

    def fold(self, *, policy: Policy) -> str:
        """Return the header on one line."""
        return f"{self.name}: {self}{policy.linesep}"


# The package folds a value longer than 78 characters that has no blank into encoded words, which RFC 2047, section 5,
# forbids within an address or an identifier: a mail program that doesn't decode it there ignores the header.
_HEADER_REGISTRY = HeaderRegistry()
for _name in ("to", "list-unsubscribe", "list-id", "message-id"):
    _HEADER_REGISTRY.map_to_type(_name, _VerbatimHeader)
# 7-bit needs no 8BITMIME extension of any server on the way (RFC 6152).
_POLICY = policy.SMTP.clone(cte_type="7bit", header_factory=_HEADER_REGISTRY)


def _new_message(subject: str, sender: str, recipient: str, message_id: str, date: datetime) -> EmailMessage:
    message = EmailMessage(policy=_POLICY)
    message["Subject"] = _without_encoded_words(subject)
    message["From"] = _without_encoded_words(sender)
    message["To"] = _bare_address(recipient)
    message["Date"] = date
    # The same delivery has the same Message-ID, so that servers and people recognise a copy.
    message["Message-ID"] = _verbatim("Message-ID", message_id)
    return message


def _without_encoded_words(text: str) -> str:
    """Return the text on one line, with a zero-width space in each ``=?``."""
    # Assigning "=?utf-8?q?a=0d=0aBcc:_x@y?=" to a header decodes it, and the generator writes the line break as such:
    # a Bcc header chosen by a paper's title. Since the fix of CVE-2024-6923 (Python 3.11.10, 3.12.5) it raises
    # HeaderWriteError instead, which would stop the whole mail because of one title.
    return oneline(text).replace("=?", "=\u200b?")


def _verbatim(name: str, value: str) -> str:
    """Return a value that can be written unchanged; raises DeliveryError for any other."""
    if not (value.isascii() and value.isprintable() and len(value) < _MAX_VALUE_LENGTH):
        raise _refusal(f"{name} can't hold {value[:80]!r}")
    return value


def _bare_address(recipient: str) -> str:
    """Return the recipient if it is a bare ASCII address (RFC 5322 addr-spec); raises DeliveryError otherwise."""
    # A list such as "a@x,b@x" must not pass: the envelope has one recipient, and the other would silently get nothing.
    try:
        is_ascii = recipient.isascii() and recipient.isprintable()
        if is_ascii and Address(addr_spec=recipient).addr_spec == recipient:
            return recipient
    except (ValueError, IndexError, HeaderParseError):
        # The email package's parser raises any of these for a malformed address, IndexError for an empty one.
        pass
    raise DeliveryError(f"not one mail address: {recipient!r}", permanent=True, scope=FailureScope.READER)


def _list_id(list_id: str) -> str:
    """Return ``Title <slug.host>`` with the title quoted or as encoded words, the identifier unchanged."""
    title, _, identifier = list_id.rpartition("<")
    title = shorten(title, 60)
    if title.isascii():
        phrase = f'"{title.translate(_WITHOUT_QUOTES)}"'
    else:
        # RFC 2047, section 2: an encoded word has at most 75 characters.
        phrase = Header(title, "utf-8", maxlinelen=75).encode(linesep="")
    return _verbatim("List-Id", f"{phrase} <{identifier}")


def _verify(content: bytes, recipient: str, headers: tuple[str, ...]) -> None:
    """Parse the finished mail as its receiver will; raises DeliveryError if headers or recipient differ."""
    # Defence in depth: whatever else the email package does to a value, an injected header never leaves.
    message = message_from_bytes(content, policy=policy.default)
    if sorted(message.keys()) != sorted(headers):
        raise _refusal(f"the mail has unexpected headers: {', '.join(message.keys())}")
    if [address.addr_spec for address in message["To"].addresses] != [recipient]:
        raise _refusal(f"the mail is addressed to {message['To']!r} instead of {recipient!r}")


def _refusal(problem: str) -> DeliveryError:
    return DeliveryError(f"not sent: {problem}", permanent=True, scope=FailureScope.MESSAGE)
