"""Mails (RFC 5322, MIME), files of several mails (mbox, RFC 4155), and reports on sent mails (RFC 3464, RFC 5965).

    bytes --split_mbox--> bytes of each --read_mail--> Mail, and those attached to it: plain text and HTML
    bytes --parse_report--> BounceReport

Other attachments are left out, and all HTML parts but the first.

The standard library takes n^2 steps for n parameters of one header field, and compares each line with the boundaries of
all open multiparts. So fields are cut, and parts are counted as they begin.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from email import message_from_bytes
from email.errors import HeaderParseError
from email.feedparser import BytesFeedParser
from email.header import decode_header, make_header
from email.message import Message
from email.policy import Compat32
from email.utils import parseaddr, parsedate_to_datetime
from functools import partial
from typing import Any

from bot.formats.format import MAX_LINES, UNWANTED, charset, date_in, decode, tidy
from bot.model import TAG, BounceKind, BounceReport, RawDigest, limits
from bot.model.errors import DigestError

_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9-]{1,60}:(?:[ \t].*)?")
# A mail has at least two of these, since "From: ..." also begins lines of ordinary text.
_MAIL_FIELDS = {"from", "received", "message-id", "return-path", "mime-version", "delivered-to", "dkim-signature"}
_OWN_FIELDS = {"from", "to", "subject"}  # what programs leave of a header that they save as text, beside the day
_DAY_FIELDS = ("Date", "Sent")  # Outlook's text has the second one
MAX_MAILS = 1_000  # in a mailbox file
_FIRST_SEPARATOR = re.compile(rb"\A>?From [^\r\n]*\r?\n")
# Lines of mails begin with "From", too. A separator has a time, and a header below it.
_MBOX_SEPARATOR = re.compile(
    rb"^From [^\r\n]{0,200}?\d:\d\d[^\r\n]{0,60}\r?\n(?=>?[A-Za-z][A-Za-z0-9-]{1,60}:)", re.MULTILINE
)
# Of forwarded mails and replies.
_FORWARDED = re.compile(r"(?:(?:fwd?|re|wg|aw|tr|rv|i)\s*:\s*)+", re.IGNORECASE)


# Not email.policy.default: crafted headers made its grammar loop forever (bpo-37461).
class _CutFields(Compat32):
    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name[: limits.ID], value[: limits.HEADER]


class _Part(Message):
    """A part of a mail. Raises DigestError for too many parts, which it adds to ``counts``."""

    def __init__(self, counts: Counter[str], policy: _CutFields) -> None:
        super().__init__(policy)
        self._counts = counts
        self._count("parts", limits.PARTS)

    def _count(self, noun: str, most: int) -> None:
        self._counts[noun] += 1
        if self._counts[noun] > most:
            raise DigestError(f"a mail of more than {most} {noun}; save its text as a file")

    def get_boundary(self, failobj: Any = None) -> Any:
        # The parser asks exactly once, before the parts inside.
        self._count("parts that have parts", limits.MULTIPARTS)
        return super().get_boundary(failobj)

    def get_content_charset(self, failobj: Any = None) -> Any:
        """Return Python's name of a real character set: "punycode" would take n^2 steps."""
        return charset(str(super().get_content_charset() or "")) or failobj


def is_mail(beginning: str) -> bool:
    """Return whether a file begins with a mail's header, perhaps below a separator."""
    names: set[str] = set()
    for number, line in enumerate(beginning.splitlines()):
        if number == 0 and line.startswith(("From ", ">From ")):
            continue
        if line.startswith((" ", "\t")) and names:  # a folded field (RFC 5322, 2.2.3)
            continue
        if not _FIELD.fullmatch(line):
            break
        names.add(line.partition(":")[0].lower())
    has_day = any(field.lower() in names for field in _DAY_FIELDS)
    return len(names & _MAIL_FIELDS) >= 2 or (has_day and names >= _OWN_FIELDS)


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail's header fields, and its text in two forms, perhaps without one of them."""

    sender: str  # the address
    sender_name: str
    subject: str
    date: date | None
    plain: str
    html: str

    def alert(self) -> str:
        """Return the reader's alert that a subject names, else the subject.

        >>> Mail("", "", "Fwd: Ada Lovelace - new citations", None, "", "").alert()
        'Ada Lovelace (new citations)'
        """
        name, separator, kind = self.own_subject.rpartition(" - ")
        return (f"{name} ({kind})" if separator else kind)[: limits.TOPIC]

    @property
    def own_subject(self) -> str:
        return _FORWARDED.sub("", self.subject, count=1)


def split_mbox(content: bytes) -> list[bytes]:
    """Return the mails of a file. Raises DigestError if there are too many."""
    content = content.lstrip(b"\xef\xbb\xbf \t\r\n")
    # A single mail may begin with a quoted separator: ">From ".
    unquoted, count = _FIRST_SEPARATOR.subn(b"", content, count=1)
    if not count or content.startswith(b">"):
        return [unquoted]
    if content.count(b"\nFrom ") > MAX_MAILS:
        raise DigestError(f"a mailbox of more than {MAX_MAILS:,} mails; split it")
    return [mail for mail in _MBOX_SEPARATOR.split(unquoted) if mail.strip()]


def read_mail(content: bytes) -> list[Mail]:
    """Read a mail, and those attached to it. Raises DigestError."""
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
    texts: dict[str, list[str]] = {"text/plain": [], "text/html": []}
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
        except ValueError:  # no charset, or a wrong one
            texts[content_type].append(decode(body))
    stated = next((str(message[field]) for field in _DAY_FIELDS if message[field]), "")[: limits.ID]
    sent = date_in(stated)
    with suppress(TypeError, ValueError, OverflowError, IndexError):
        sent = parsedate_to_datetime(stated).date()
    name, address = parseaddr(_field(message, "From"))
    mail = Mail(
        sender=address[: limits.ID],
        sender_name=name[: limits.TOPIC],
        subject=_field(message, "Subject")[: limits.TOPIC],
        date=sent,
        plain="\n".join(texts["text/plain"]),
        html=next(iter(texts["text/html"]), ""),
    )
    return [mail, *attached]


def _field(message: Message, name: str) -> str:
    """Return a header field in plain Unicode (RFC 2047)."""
    value = str(message.get(name) or "")
    try:
        parts = decode_header(value)
        is_readable = all(encoding is None or charset(encoding) for _, encoding in parts)
        return tidy(str(make_header(parts)) if is_readable else value)
    except (HeaderParseError, LookupError, ValueError):
        return tidy(value)


MAX_REPORT_BYTES = 10_000_000
_MAX_TAGS = 20  # a report has two or three, and each is one signature to verify
_MAX_TEXT = 1_000_000  # characters of a part that are searched for tags
# The report's own address names the message more surely than a quotation in the report.
_OWN_ADDRESS = ("To", "Delivered-To", "X-Original-To", "Envelope-To")
_REASONS = ("Diagnostic-Code", "Status", "Feedback-Type")  # the most telling first


def parse_report(raw: RawDigest) -> BounceReport:
    """Read a delivery status notification or a feedback report. Raises DigestError.

    flufl.bounce 6.0.0 takes an expired retry (``Action: failed`` with a status of 4.x.x) for permanent. Here it is not.
    """
    from flufl.bounce import all_failures

    if len(raw.content) > MAX_REPORT_BYTES:
        raise DigestError(f"more than the {MAX_REPORT_BYTES // 1_000_000} MB that a report may have")
    try:
        message = message_from_bytes(raw.content)
        parts = list(message.walk())
        feedback = [part for part in parts if part.get_content_type() == "message/feedback-report"]
        if feedback:
            is_approval = re.search(r"feedback-type:\s*not-spam", " ".join(_text(part).lower() for part in feedback))
            kind = BounceKind.OTHER if is_approval else BounceKind.COMPLAINT
        else:
            temporary, permanent = all_failures(message)
            statuses = [str(status) for part in parts for status in part.get_all("Status", [])]
            if permanent and not any(status.strip().startswith("4.") for status in statuses):
                kind = BounceKind.FAILURE
            else:
                kind = BounceKind.TRANSIENT if permanent or temporary else BounceKind.OTHER
        texts = [str(value) for name in _OWN_ADDRESS for value in message.get_all(name, [])]
        for part in parts:
            texts += map(str, part.values())
            # Fields of the returned message, quoted as text.
            texts += [] if part.is_multipart() else [_text(part)]
        tags = dict.fromkeys(tag.lower() for text in texts for tag in TAG.findall(text))
        stated = (str(value) for name in _REASONS for part in parts if (value := part.get(name)))
        return BounceReport(kind, tuple(tags)[:_MAX_TAGS], " ".join(UNWANTED.sub("", next(stated, "")).split())[:200])
    # The email package and the detectors raise many exceptions for malformed mails.
    except Exception as error:
        raise DigestError(f"the report can't be read ({type(error).__name__})") from error


def _text(part: Message) -> str:
    if part.is_multipart():
        return "\n".join(str(each) for each in part.get_payload())[:_MAX_TEXT]
    content = part.get_payload(decode=True)
    return content[:_MAX_TEXT].decode("ascii", "replace") if isinstance(content, bytes) else ""
