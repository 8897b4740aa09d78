"""Mails (RFC 5322, MIME), and files of several mails (mbox, RFC 4155): their header fields and texts.

    bytes --split_mbox--> bytes of each --read_mail--> Mail, and those attached to it: plain text and HTML

Attachments that are no mails are ignored, and of several HTML parts all but the first.

The standard library's parser has two quadratic costs. It takes n^2 steps for n parameters of one header field, and it
compares each line with the boundaries of all multiparts that are open around it. So fields are cut as they are read,
and parts are counted as they begin.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import date
from email.errors import HeaderParseError
from email.feedparser import BytesFeedParser
from email.header import decode_header, make_header
from email.message import Message
from email.policy import Compat32
from email.utils import parseaddr, parsedate_to_datetime
from functools import partial
from typing import Any

from bot.formats.format import MAX_LINES, charset, decode, tidy
from bot.model import limits
from bot.model.errors import DigestError

_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9-]{1,60}:(?:[ \t].*)?")
# Fields that are specific to mails; two of them are required, because "From: ..." also begins lines of ordinary text.
_MAIL_FIELDS = {"from", "received", "message-id", "return-path", "mime-version", "delivered-to", "dkim-signature"}
MAX_MAILS = 1_000  # in a mailbox file
_FIRST_SEPARATOR = re.compile(rb"\A>?From [^\r\n]*\r?\n")
# A line of a mail may begin with "From", too: a separator has a time, and a header below it.
_MBOX_SEPARATOR = re.compile(
    rb"^From [^\r\n]{0,200}?\d:\d\d[^\r\n]{0,60}\r?\n(?=>?[A-Za-z][A-Za-z0-9-]{1,60}:)", re.MULTILINE
)
_TEXT_TYPES = ("text/plain", "text/html")
# The prefixes of forwarded mails and replies in several languages.
_FORWARDED = re.compile(r"(?:(?:fwd?|re|wg|aw|tr|rv|i)\s*:\s*)+", re.IGNORECASE)


# Compat32, and not email.policy.default: crafted headers made the header grammar of the latter loop forever
# (bpo-37461), and nothing but content type, disposition and charset is read here.
class _CutFields(Compat32):
    """The standard library's legacy policy, with each header field cut."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name[: limits.ID], value[: limits.HEADER]


class _Part(Message):
    """One part of a mail; raises DigestError if the mail has too many. ``counts`` are those of the whole mail."""

    def __init__(self, counts: Counter[str], policy: _CutFields) -> None:
        super().__init__(policy)
        self._counts = counts
        self._count("parts", limits.PARTS)

    def _count(self, noun: str, most: int) -> None:
        self._counts[noun] += 1
        if self._counts[noun] > most:
            raise DigestError(f"a mail of more than {most} {noun}; save its text as a file")

    def get_boundary(self, failobj: Any = None) -> Any:
        """Return the boundary; the parser asks for it exactly once, before it reads the parts inside."""
        self._count("parts that have parts", limits.MULTIPARTS)
        return super().get_boundary(failobj)

    def get_content_charset(self, failobj: Any = None) -> Any:
        """Return Python's name of the character set, if it is one: decoding "punycode" would take n^2 steps."""
        return charset(str(super().get_content_charset() or "")) or failobj


def is_mail(beginning: str) -> bool:
    """Whether a file begins with a mail's header: at least two fields that are specific to mails.

    The separator of a mailbox file may stand above it.
    """
    names: set[str] = set()
    for number, line in enumerate(beginning.splitlines()):
        if number == 0 and line.startswith(("From ", ">From ")):
            continue
        if line.startswith((" ", "\t")) and names:  # a folded field (RFC 5322, 2.2.3)
            continue
        if not _FIELD.fullmatch(line):
            break
        names.add(line.partition(":")[0].lower())
    return len(names & _MAIL_FIELDS) >= 2


@dataclass(frozen=True, slots=True)
class Mail:
    """What is read of a mail: header fields, and its text in two forms, either of which may be empty."""

    sender: str  # the address
    sender_name: str
    subject: str
    date: date | None
    plain: str
    html: str

    def alert(self) -> str:
        """Return the alert that the subject names, ``Ada Lovelace (new citations)``; the subject if it has no parts.

        >>> Mail("", "", "Fwd: Ada Lovelace - new citations", None, "", "").alert()
        'Ada Lovelace (new citations)'
        """
        name, separator, kind = self.own_subject.rpartition(" - ")
        return (f"{name} ({kind})" if separator else kind)[: limits.TOPIC]

    @property
    def own_subject(self) -> str:
        """The subject without what forwarding put before it."""
        return _FORWARDED.sub("", self.subject, count=1)


def split_mbox(content: bytes) -> list[bytes]:
    """Return the mails of a mailbox file; the only one without its separator, if it is a single mail.

    Raises DigestError if there are too many.
    """
    content = content.lstrip(b"\xef\xbb\xbf \t\r\n")
    # A single mail may begin with a quoted separator: ">From ".
    unquoted, count = _FIRST_SEPARATOR.subn(b"", content, count=1)
    if not count or content.startswith(b">"):
        return [unquoted]
    if content.count(b"\nFrom ") > MAX_MAILS:
        raise DigestError(f"a mailbox of more than {MAX_MAILS:,} mails; split it")
    return [mail for mail in _MBOX_SEPARATOR.split(unquoted) if mail.strip()]


def read_mail(content: bytes) -> list[Mail]:
    """Read a mail and those attached to it, itself first; raises DigestError if it can't be read."""
    # Counted before parsing: the parser keeps every line of a header or of a folded field as an object.
    if max(content.count(b"\n"), content.count(b"\r")) > MAX_LINES:
        raise DigestError(f"a mail of more than {MAX_LINES:,} lines; split it")
    parser = BytesFeedParser(policy=_CutFields(message_factory=partial(_Part, Counter())))
    try:
        parser.feed(content)
        return _mails(parser.close())
    # Malformed mails make the standard library raise each of these.
    except (ValueError, LookupError, RecursionError, AttributeError, TypeError) as error:
        raise DigestError(f"a mail that can't be read ({error})") from None


def _mails(message: Message) -> list[Mail]:
    """Return a mail and those attached to it, without their texts in its own."""
    texts: dict[str, list[str]] = {content_type: [] for content_type in _TEXT_TYPES}
    attached: list[Mail] = []
    pending = [message]
    while pending:
        part = pending.pop()
        content_type = part.get_content_type()
        payload = part.get_payload()
        inner = [each for each in payload if isinstance(each, Message)] if isinstance(payload, list) else []
        if content_type == "message/rfc822":
            attached += [mail for each in inner for mail in _mails(each)]
        else:
            pending += reversed(inner)
        if content_type not in texts or part.get_content_disposition() == "attachment":
            continue
        body = part.get_payload(decode=True)
        if not isinstance(body, bytes) or not body.strip():
            continue
        try:
            texts[content_type].append(body.decode(str(part.get_content_charset() or "") or "undefined"))
        except ValueError:  # the declared charset is missing, unknown or wrong
            texts[content_type].append(decode(body))
    name, address = parseaddr(_field(message, "From"))
    mail = Mail(
        sender=address[: limits.ID],
        sender_name=name[: limits.TOPIC],
        subject=_field(message, "Subject")[: limits.TOPIC],
        date=_date(message),
        plain="\n".join(texts["text/plain"]),
        html=next(iter(texts["text/html"]), ""),
    )
    return [mail, *attached]


def _field(message: Message, name: str) -> str:
    """Return a header field in plain Unicode (RFC 2047); as it is if its encoding is broken."""
    value = str(message.get(name) or "")
    try:
        parts = decode_header(value)
        is_readable = all(encoding is None or charset(encoding) for _, encoding in parts)
        return tidy(str(make_header(parts)) if is_readable else value)
    except (HeaderParseError, LookupError, ValueError):
        return tidy(value)


def _date(message: Message) -> date | None:
    try:
        return parsedate_to_datetime(str(message.get("Date") or "")[: limits.ID]).date()
    except (TypeError, ValueError, OverflowError, IndexError):
        return None
