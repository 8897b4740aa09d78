"""Mails as files (``.eml``) or from a mailbox: their text, whatever way it is encoded.

The plain part is the digest; attachments and HTML are not looked into.
"""

from __future__ import annotations

import email
import re
from email.message import Message

from bot.digests.text import decode
from bot.errors import DigestError

_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9-]{1,60}:(?:[ \t].*)?")
_TELLING = {"from", "received", "message-id", "return-path", "mime-version", "delivered-to", "dkim-signature"}
_MOST_PARTS = 200


def is_mail(beginning: str) -> bool:
    """Whether a file begins with the header of a mail: fields, of which two are a mail's own."""
    names: set[str] = set()
    for line in beginning.splitlines():
        if line.startswith((" ", "\t")) and names:
            continue
        if not _FIELD.fullmatch(line):
            break
        names.add(line.partition(":")[0].lower())
    return len(names & _TELLING) >= 2


def text_of(content: bytes) -> str:
    """The plain text of a mail; DigestError where it has none."""
    try:
        parts = _plain_parts(email.message_from_bytes(content))
    except (ValueError, LookupError, RecursionError, AttributeError, TypeError) as error:
        raise DigestError(f"a mail that can't be read ({error})") from None
    if not parts:
        raise DigestError("a mail without a plain text part; ask its sender for one, or save its text")
    return "\n".join(parts)


def _plain_parts(message: Message) -> list[str]:
    found = []
    for number, part in enumerate(message.walk()):
        if number > _MOST_PARTS:
            raise DigestError(f"a mail of more than {_MOST_PARTS} parts")
        if part.get_content_type() != "text/plain" or part.get_content_disposition() == "attachment":
            continue
        body = part.get_payload(decode=True)
        if isinstance(body, bytes) and body.strip():
            found.append(_decoded(body, str(part.get_content_charset() or "")))
    return found


def _decoded(body: bytes, charset: str) -> str:
    """The text in the charset that the mail names; a wrong or unknown one is guessed."""
    try:
        return body.decode(charset)
    except (LookupError, ValueError):
        return decode(body)
