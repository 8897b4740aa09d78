"""Render mails: editions, letters and confirmations, as HTML with inlined styles and as plain text.

Python's email package decodes encoded words (RFC 2047) in a subject, line breaks included, which could inject a ``Bcc``
header. It also encodes a long List-Unsubscribe, which mail programs don't decode. So this module writes the mail line
by line. The package folds only subject, sender and title, and each result is parsed again.
"""

from __future__ import annotations

import hashlib
import re
from binascii import b2a_qp
from dataclasses import dataclass, replace
from datetime import datetime
from email import message_from_bytes, policy
from email.header import Header
from email.headerregistry import HeaderRegistry
from email.utils import format_datetime, parseaddr
from functools import lru_cache
from typing import TYPE_CHECKING

from css_inline import CSSInliner

from bot import wording
from bot.channels import Renderer, RenderingParts, edition_in
from bot.channels.papers import Links, ReaderLinks, shortened
from bot.channels.templates import render, render_part
from bot.model import Edition, Letter, Message, OutboxKey, Reader, Role
from bot.model.addresses import is_one_address
from bot.model.errors import DeliveryError, FailureScope
from bot.model.wording import oneline, shorten, visible

if TYPE_CHECKING:
    from jinja2 import Environment


# Bytes. Gmail clips messages at about 102 KB, with the unsubscribe link.
HTML_BUDGET = 80_000
# 700 words for the usual picks, as many per pick in larger editions.
_USUAL_PICKS = 5
_WORDS_A_PICK = 140
# What was made or studied is read first.
_WORTHS = {Role.IDEA: 3.0, Role.CONCLUSION: 1.3, None: 1.0, Role.BACKGROUND: 0.4}
_SUMMARY_WIDTHS = (900, 450, 200, 0)  # characters, tried in turn until the HTML fits
# RFC 5322, section 2.1.1: 998 characters a line, with the header's name.
_MAX_VALUE_LENGTH = 900
_LONG_WORD = 60  # characters
_WITHOUT_QUOTES = str.maketrans("", "", '"\\')
_REGISTRY = HeaderRegistry()
# Continuation lines begin with a blank and aren't empty.
_HEADER_LINE = re.compile(r"[!-9;-~]+:( [ -~]{0,990})?(\r\n[ \t](?=.*[!-~])[ -~]{1,990})*")


@dataclass(frozen=True, slots=True)
class MailParts:
    """The content of a mail, independent of its recipient."""

    subject: str
    html: str
    text: str


def sender_domain(sender: str) -> str:
    """Return the domain of a ``From`` value for Message-ID and List-Id, or ``localhost``.

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
    """Return the finished mail. The same arguments give the same bytes.

    ``sender`` may have a display name, ``recipient`` is a bare address, ``list_id`` is ``Title <slug.host>``, and
    ``message_id`` includes angle brackets. Raises a permanent DeliveryError for an invalid value.
    """
    # Quoted-printable never holds "=_" (RFC 2045, section 6.7).
    boundary = f"=_{hashlib.sha256(message_id.encode()).hexdigest()[:32]}"
    unsubscribe = [_verbatim("List-Unsubscribe", f"<{unsubscribe_url}>")] if unsubscribe_url else []  # RFC 2369
    if unsubscribe_url and not unsubscribe_url.startswith("mailto:"):
        # RFC 8058 wants both headers: a POST of this body unsubscribes.
        unsubscribe.append("List-Unsubscribe-Post: List-Unsubscribe=One-Click")
    headers = [
        *_envelope_headers(parts.subject, sender, recipient, message_id, date),
        _list_id(list_id),
        *unsubscribe,
        # RFC 3834: vacation responders don't answer.
        "Auto-Submitted: auto-generated",
        "MIME-Version: 1.0",
        f'Content-Type: multipart/alternative; boundary="{boundary}"',
    ]
    begin = f"--{boundary}\r\n".encode("ascii")
    return b"".join(
        (
            "\r\n".join([*headers, "", ""]).encode("ascii"),
            begin,
            _part("plain", parts.text),
            b"\r\n",
            begin,
            _part("html", parts.html),
            f"\r\n--{boundary}--\r\n".encode("ascii"),
        )
    )


def notice_bytes(subject: str, text: str, *, sender: str, recipient: str, message_id: str, date: datetime) -> bytes:
    """Return a plain text mail to the operator. Raises as ``mail_bytes``."""
    headers = [
        *_envelope_headers(subject, sender, recipient, message_id, date),
        "Auto-Submitted: auto-generated",
        "MIME-Version: 1.0",
    ]
    return "\r\n".join([*headers, ""]).encode("ascii") + _part("plain", text)


def _envelope_headers(subject: str, sender: str, recipient: str, message_id: str, date: datetime) -> list[str]:
    # The second address of "a@x,b@x" would get nothing.
    if not is_one_address(recipient):
        raise DeliveryError(f"not one mail address: {recipient!r}", permanent=True, scope=FailureScope.READER)
    return [
        _subject(subject),
        _folded("From", sender),
        # The package would fold long addresses into encoded words, against RFC 2047, section 5.
        _verbatim("To", recipient),
        f"Date: {format_datetime(date)}",
        _verbatim("Message-ID", message_id),
    ]


def _part(subtype: str, text: str) -> bytes:
    headers = f'Content-Type: text/{subtype}; charset="utf-8"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n'
    lines = visible(text).replace("\r\n", "\n").replace("\r", "\n")
    if lines and not lines.endswith("\n"):
        lines += "\n"
    return headers.encode("ascii") + b2a_qp(lines.replace("\n", "\r\n").encode(), istext=True)


@lru_cache(maxsize=1_000)
def _folded(name: str, value: str) -> str:
    # The package decodes "=?utf-8?q?a=0d=0aBcc:_x@y?=" to a line break and a Bcc header. Since CVE-2024-6923 (Python
    # 3.11.10, 3.12.5) it raises HeaderWriteError, which would lose the mail. A zero-width space prevents both.
    safe = oneline(value).replace("=?", "=\u200b?")
    folded: str = policy.SMTP.fold(name, _REGISTRY(name, safe))
    line = folded.removesuffix("\r\n")
    _verify_header(name, line)
    return line


@lru_cache(maxsize=1_000)
def _subject(text: str) -> str:
    safe = oneline(text).replace("=?", "=\u200b?")
    # The policy's folding adds a blank before an encoded word.
    is_plain = safe.isascii() and all(len(word) < _LONG_WORD for word in safe.split())
    charset = "us-ascii" if is_plain else "utf-8"
    line = "Subject: " + Header(safe, charset, maxlinelen=76, header_name="Subject").encode(linesep="\r\n")
    _verify_header("Subject", line)
    return line


def _verify_header(name: str, line: str) -> None:
    """Raise DeliveryError unless the line is exactly this header."""
    message = message_from_bytes(f"{line}\r\n\r\n".encode("ascii", "replace"), policy=policy.compat32)
    if message.keys() != [name] or message.get_payload() or not _HEADER_LINE.fullmatch(line):
        raise _refusal(f"{name} can't hold {line[:80]!r}")


def _verbatim(name: str, value: str) -> str:
    """Return a header line with the value unchanged. Raises DeliveryError."""
    if not (value.isascii() and value.isprintable() and len(value) < _MAX_VALUE_LENGTH):
        raise _refusal(f"{name} can't hold {value[:80]!r}")
    return f"{name}: {value}"


@lru_cache(maxsize=1_000)
def _list_id(list_id: str) -> str:
    title, _, identifier = list_id.rpartition("<")
    title = shorten(title, 60)
    if title.isascii():
        phrase = f'"{title.translate(_WITHOUT_QUOTES)}"'
    else:
        # RFC 2047, section 2: at most 75 characters.
        phrase = Header(title, "utf-8", maxlinelen=75).encode(linesep="")
    return _verbatim("List-Id", f"{phrase} <{identifier}")


def _refusal(problem: str) -> DeliveryError:
    return DeliveryError(f"not sent: {problem}", permanent=True, scope=FailureScope.MESSAGE)


class MailRenderer(Renderer):
    """Makes mails. ``sender`` is their From field."""

    def __init__(self, sender: str, parts: RenderingParts) -> None:
        self._sender = sender
        self._domain = sender_domain(sender)
        self._parts = parts

    def messages(self, content: Edition | Letter, slot: str) -> list[Message]:
        edition = edition_in(content)
        message_id = f"<{slot}.{self._parts.tag(edition.reader.id)}@{self._domain}>"
        links = self._parts.links(edition.reader)
        parts, date = render_mail(self._parts.templates, content, links), edition.composed_at
        return [self._finished(parts, edition.reader, edition.profile_title, links, message_id=message_id, date=date)]

    def confirmation(self, reader: Reader, title: str, key: OutboxKey, links: ReaderLinks, now: datetime) -> Message:
        parts = render_confirmation(
            self._parts.templates,
            links=links,
            title=title,
            known=reader.stopped is None,
            public_url=links.public_url,
        )
        message_id = f"<{str(key).replace(':', '.')}@{self._domain}>"
        return self._finished(parts, reader, title, links, message_id=message_id, date=now)

    def preview(self, content: Edition | Letter, form: str) -> str:
        parts = render_mail(self._parts.templates, content, self._parts.links(edition_in(content).reader))
        return parts.html if form == "html" else parts.text

    def _finished(
        self, parts: MailParts, reader: Reader, title: str, links: Links, *, message_id: str, date: datetime
    ) -> Message:
        body = mail_bytes(
            parts,
            sender=self._sender,
            recipient=reader.address,
            unsubscribe_url=links.unsubscribe(),
            list_id=f"{title} <{reader.profile}.{self._domain}>",
            message_id=message_id,
            date=date,
        )
        return Message(body, parts.subject)


def render_mail(environment: Environment, content: Edition | Letter, links: Links) -> MailParts:
    """Render an edition or a letter. HTML over budget gets shorter summaries, but keeps all picks.

    Raises TemplateProblem.
    """
    if isinstance(content, Letter):
        context = {"letter": content, "links": links, "language": content.edition.language}
        html = _inlined(render_part(environment, "letter/mail.html.j2", **context))
        text = visible(render_part(environment, "letter/mail.txt.j2", **context))
        return MailParts(wording.letter_subject(content), html, text)
    edition = _within_words(content)
    html = _inlined(render(environment, "mail.html.j2", edition, links))
    for width in _SUMMARY_WIDTHS:
        if len(html.encode()) <= HTML_BUDGET:
            break
        picks = tuple(replace(pick, summary=shortened(pick.summary, width)) for pick in edition.picks)
        html = _inlined(render(environment, "mail.html.j2", replace(edition, picks=picks), links))
    text = visible(render(environment, "mail.txt.j2", edition, links))
    return MailParts(wording.subject(edition), html, text)


def _within_words(edition: Edition) -> Edition:
    """Drop the longest sentences of least value, to bound the reading time.

    Findings stay, and two sentences of each summary if possible.
    """
    excess = wording.word_count(edition) - _WORDS_A_PICK * max(_USUAL_PICKS, len(edition.picks))
    summaries = [list(pick.summary) for pick in edition.picks]
    while excess > 0:
        most = max(map(len, summaries), default=0)
        droppable = [
            (len(sentence.text.split()), sentence, summary)
            for summary in summaries
            if len(summary) > 2 or len(summary) == most == 2
            for sentence in summary
            if sentence.role in _WORTHS
        ]
        if not droppable:
            break
        words, dropped, summary = max(droppable, key=lambda drop: drop[0] / _WORTHS[drop[1].role])
        place = summary.index(dropped)
        is_gap = place > 0 and not summary[place - 1].text.endswith("…")
        summary[place : place + 2] = [replace(after, after_gap=is_gap) for after in summary[place + 1 : place + 2]]
        excess -= words
    picks = zip(edition.picks, summaries, strict=True)
    return replace(edition, picks=tuple(replace(pick, summary=tuple(summary)) for pick, summary in picks))


def render_confirmation(environment: Environment, **context: object) -> MailParts:
    """Render a confirmation. Its text begins with the subject. Raises TemplateProblem."""
    text = visible(render_part(environment, "confirmation/subscribe.txt.j2", **context))
    subject, _, body = text.lstrip().partition("\n")
    html = _inlined(render_part(environment, "confirmation/subscribe.html.j2", **context))
    return MailParts(oneline(subject), html, body.lstrip())


def _inlined(html: str) -> str:
    # Several mail programs ignore style sheets.
    inliner = CSSInliner(keep_at_rules=True, load_remote_stylesheets=False)
    return inliner.inline(visible(html))
