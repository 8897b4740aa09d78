"""Mails as files (``.eml``) or from a mailbox: their text, whatever way it is encoded.

The plain part is the digest; attachments and HTML are not looked into.

The standard library's reader takes n^2 steps for many parameters in one field of a header, and looks at each line once
for every part that is open around it. So fields are cut as they are read, and parts are counted as they begin.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from email.feedparser import BytesFeedParser
from email.message import Message
from email.policy import Compat32
from itertools import count
from typing import Any

from bot import limits
from bot.digests.text import MAX_LINES, charset, decode
from bot.errors import DigestError

_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9-]{1,60}:(?:[ \t].*)?")
_TELLING = {"from", "received", "message-id", "return-path", "mime-version", "delivered-to", "dkim-signature"}


class _Policy(Compat32):
    """The library's reading of old, with each field of a header cut."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        """Name and value of the field in these lines."""
        name, value = super().header_source_parse(sourcelines)
        return name[: limits.ID], value[: limits.HEADER]


class _Mail:
    """One mail while it is read: makes its parts, and raises DigestError where there are too many."""

    def __init__(self) -> None:
        self._parts, self._multiparts = count(0), count(1)  # the library makes one part to try the factory

    def part(self, policy: _Policy | None = None) -> Message:
        """A part that begins."""
        if next(self._parts) > limits.PARTS:
            raise DigestError(f"a mail of more than {limits.PARTS} parts; save its text as a file")
        return _Part(policy or _Policy(), self)

    def begin_multipart(self) -> None:
        """Notes that the parts of a part begin."""
        if next(self._multiparts) > limits.MULTIPARTS:
            raise DigestError(
                f"a mail of more than {limits.MULTIPARTS} parts that have parts; save its text as a file"
            )


class _Part(Message):
    """A part of a mail; the library asks for its boundary once, when it begins to read the parts inside."""

    def __init__(self, policy: _Policy, mail: _Mail) -> None:
        super().__init__(policy)
        self._mail = mail

    def get_boundary(self, failobj: Any = None) -> Any:
        """What parts the parts."""
        self._mail.begin_multipart()
        return super().get_boundary(failobj)

    def get_content_charset(self, failobj: Any = None) -> Any:
        """Python's name of the character set, where it is one: others would be slow to decode."""
        return charset(str(super().get_content_charset() or "")) or failobj


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
    if max(content.count(b"\n"), content.count(b"\r")) > MAX_LINES:
        raise DigestError(f"a mail of more than {MAX_LINES:,} lines; split it")
    try:
        parts = _plain_parts(_read(content).walk())
    except (ValueError, LookupError, RecursionError, AttributeError, TypeError) as error:
        raise DigestError(f"a mail that can't be read ({error})") from None
    if not parts:
        raise DigestError("a mail without a plain text part; ask its sender for one, or save its text")
    return "\n".join(parts)


def _read(content: bytes) -> Message:
    parser = BytesFeedParser(_Mail().part, policy=_Policy())
    parser.feed(content)
    return parser.close()


def _plain_parts(parts: Iterable[Message]) -> list[str]:
    found = []
    for part in parts:
        if part.get_content_type() != "text/plain" or part.get_content_disposition() == "attachment":
            continue
        body = part.get_payload(decode=True)
        if isinstance(body, bytes) and body.strip():
            found.append(_decoded(body, str(part.get_content_charset() or "")))
    return found


def _decoded(body: bytes, encoding: str) -> str:
    """The text in the charset that the mail names; a wrong or unknown one is guessed."""
    try:
        return body.decode(encoding or "undefined")
    except ValueError:
        return decode(body)
