"""The texts of a mail (RFC 5322, MIME), from a file (``.eml``) or a mailbox, however it is encoded.

Attachments are ignored, and of several HTML parts all but the first; AMP for Email counts where there is no HTML.

The standard library's parser has two quadratic costs. It takes n^2 steps for n parameters of one header field, and it
compares each line with the boundaries of all multiparts that are open around it. So fields are cut as they are read,
and parts are counted as they begin.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from email.errors import HeaderParseError
from email.feedparser import BytesFeedParser
from email.header import decode_header, make_header
from email.message import Message
from email.policy import Compat32
from email.utils import parseaddr, parsedate_to_datetime
from typing import Any

from bot import limits
from bot.decoding import charset, decode, tidy
from bot.digests.text import MAX_LINES
from bot.errors import DigestError

_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9-]{1,60}:(?:[ \t].*)?")
# Fields that are specific to mails; two of them are required, because "From: ..." also begins lines of ordinary text.
_MAIL_FIELDS = {
    "from",
    "received",
    "message-id",
    "return-path",
    "mime-version",
    "delivered-to",
    "dkim-signature",
}


_TEXT_TYPES = ("text/plain", "text/html", "text/x-amp-html")
# The prefixes of forwarded mails and replies in several languages.
_FORWARDED = re.compile(r"(?:(?:fwd?|re|wg|aw|tr|rv|i)\s*:\s*)+", re.IGNORECASE)


# Compat32, and not email.policy.default: crafted headers made the header grammar of the latter loop forever
# (bpo-37461), and nothing but content type, disposition and charset is read here.
class _CutFields(Compat32):
    """The standard library's legacy policy, with each header field cut."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        """Return name and value of the field in these lines."""
        name, value = super().header_source_parse(sourcelines)
        return name[: limits.ID], value[: limits.HEADER]


class _PartCounter:
    """Creates the parts of one mail; raises DigestError if there are too many."""

    def __init__(self) -> None:
        # BytesFeedParser calls the factory once without a policy, to try it out: that part is not of the mail.
        self._parts = -1
        self._multiparts = 0

    def create_part(self, policy: _CutFields | None = None) -> Message:
        """Return an empty part; the message factory of BytesFeedParser."""
        self._parts += 1
        if self._parts > limits.PARTS:
            raise DigestError(f"a mail of more than {limits.PARTS} parts; save its text as a file")
        return _Part(policy or _CutFields(), self)

    def count_multipart(self) -> None:
        """Count a part that has parts of its own."""
        self._multiparts += 1
        if self._multiparts > limits.MULTIPARTS:
            raise DigestError(
                f"a mail of more than {limits.MULTIPARTS} parts that have parts; save its text as a file"
            )


class _Part(Message):
    """One part of a mail."""

    def __init__(self, policy: _CutFields, counter: _PartCounter) -> None:
        super().__init__(policy)
        self._counter = counter

    def get_boundary(self, failobj: Any = None) -> Any:
        """Return the boundary; the parser asks for it exactly once, before it reads the parts inside."""
        self._counter.count_multipart()
        return super().get_boundary(failobj)

    def get_content_charset(self, failobj: Any = None) -> Any:
        """Return Python's name of the character set, if it is one: decoding "punycode" would take n^2 steps."""
        return charset(str(super().get_content_charset() or "")) or failobj


def is_mail(beginning: str) -> bool:
    """Return whether a file begins with a mail's header: at least two fields that are specific to mails."""
    names: set[str] = set()
    for line in beginning.splitlines():
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
        subject = _FORWARDED.sub("", self.subject, count=1)
        name, separator, kind = subject.rpartition(" - ")
        return (f"{name} ({kind})" if separator else subject)[: limits.TOPIC]


def read_mail(content: bytes) -> Mail:
    """Read a mail; raises DigestError if it can't be read."""
    # Counted before parsing: the parser keeps every line of a header or of a folded field as an object.
    if max(content.count(b"\n"), content.count(b"\r")) > MAX_LINES:
        raise DigestError(f"a mail of more than {MAX_LINES:,} lines; split it")
    parser = BytesFeedParser(_PartCounter().create_part, policy=_CutFields())
    texts: dict[str, list[str]] = {content_type: [] for content_type in _TEXT_TYPES}
    try:
        parser.feed(content)
        message = parser.close()
        for part in message.walk():
            content_type = part.get_content_type()
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
        return Mail(
            sender=address[: limits.ID],
            sender_name=name[: limits.TOPIC],
            subject=_field(message, "Subject")[: limits.TOPIC],
            date=_date(message),
            plain="\n".join(texts["text/plain"]),
            html=next(iter([*texts["text/html"], *texts["text/x-amp-html"]]), ""),
        )
    # Malformed mails make the standard library raise each of these.
    except (ValueError, LookupError, RecursionError, AttributeError, TypeError) as error:
        raise DigestError(f"a mail that can't be read ({error})") from None


def _field(message: Message, name: str) -> str:
    """Return a header field in plain Unicode (RFC 2047); as it is if its encoding is broken."""
    value = str(message.get(name) or "")
    try:
        return tidy(str(make_header(decode_header(value))))
    except (HeaderParseError, LookupError, ValueError):
        return tidy(value)


def _date(message: Message) -> date | None:
    try:
        return parsedate_to_datetime(str(message.get("Date") or "")[: limits.ID]).date()
    except (TypeError, ValueError, OverflowError, IndexError):
        return None
