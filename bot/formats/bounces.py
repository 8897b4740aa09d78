"""Reports on mails that were sent: delivery status notifications (RFC 3464) and feedback reports (ARF, RFC 5965).

    bytes --email--> message --kind, tags, reason--> BounceReport

What a notification says is found by flufl.bounce, which knows the standard and a dozen servers that don't follow it.
It takes an expired retry (``Action: failed`` with a status of 4.x.x) for permanent; such a reader is not stopped here.

What a report does to its reader is decided in ``bot/operate/ingest.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message

from flufl.bounce import all_failures

from bot.formats.format import UNWANTED
from bot.model import TAG, BounceKind, BounceReport, RawDigest
from bot.model.errors import DigestError

MAX_BYTES = 10_000_000
_MAX_TAGS = 20  # a report has two or three; each is one signature to verify
_MAX_REASON = 200  # characters
_MAX_TEXT = 1_000_000  # characters of a part that are searched for tags
# Where the address is that the report was sent to; it names the message more surely than what the report quotes.
_OWN_ADDRESS = ("To", "Delivered-To", "X-Original-To", "Envelope-To")
# Fields of a report that are shown, the most telling first.
_REASONS = ("Diagnostic-Code", "Status", "Feedback-Type")


def parse(raw: RawDigest) -> BounceReport:
    """Read a report; raises DigestError for a mail that can't be read."""
    if len(raw.content) > MAX_BYTES:
        raise DigestError(f"more than the {MAX_BYTES // 1_000_000} MB that a report may have")
    try:
        message = message_from_bytes(raw.content)
        parts = list(message.walk())
        kind = _kind(message, parts)
        tags = tuple(dict.fromkeys(tag.lower() for tag in _tags(message, parts)))[:_MAX_TAGS]
        stated = (str(value) for name in _REASONS for part in parts if (value := part.get(name)))
        reason = " ".join(UNWANTED.sub("", next(stated, "")).split())[:_MAX_REASON]
        return BounceReport(kind, tags, reason)
    # The email package and the detectors raise many exceptions for malformed mails.
    except Exception as error:
        raise DigestError(f"the report can't be read ({type(error).__name__})") from error


def _kind(message: Message, parts: list[Message]) -> BounceKind:
    feedback = [part for part in parts if part.get_content_type() == "message/feedback-report"]
    if feedback:
        words = " ".join(_text(part).lower() for part in feedback)
        is_approval = re.search(r"feedback-type:\s*not-spam", words)
        return BounceKind.OTHER if is_approval else BounceKind.COMPLAINT
    temporary, permanent = all_failures(message)
    statuses = [str(status) for part in parts for status in part.get_all("Status", [])]
    if permanent and not any(status.strip().startswith("4.") for status in statuses):
        return BounceKind.FAILURE
    return BounceKind.TRANSIENT if permanent or temporary else BounceKind.OTHER


def _tags(message: Message, parts: list[Message]) -> Iterator[str]:
    for name in _OWN_ADDRESS:
        for value in message.get_all(name, []):
            yield from TAG.findall(str(value))
    for part in parts:
        for _, value in part.items():
            yield from TAG.findall(str(value))
        # Fields of the returned message, quoted as text.
        if not part.is_multipart():
            yield from TAG.findall(_text(part))


def _text(part: Message) -> str:
    if part.is_multipart():
        return "\n".join(str(each) for each in part.get_payload())[:_MAX_TEXT]
    content = part.get_payload(decode=True)
    return content[:_MAX_TEXT].decode("ascii", "replace") if isinstance(content, bytes) else ""
