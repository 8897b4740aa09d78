"""Render mails: editions, letters and confirmations, as HTML with inlined styles and as plain text.

    edition --templates--> ``MailParts`` --``mail_bytes``--> multipart/alternative, 7-bit, with exactly these headers

Python's email package rewrites some header values. An encoded word (RFC 2047) in a subject is decoded, line breaks
included, and can inject a ``Bcc`` header; a long List-Unsubscribe is written as encoded words, which mail programs
don't decode there. So the mail is put together here, line by line: subject, sender and title are folded by the package
and parsed again, once for each value; all other values are plain ASCII on one line. The bodies can't change the
structure: quoted-printable has no line that begins with the boundary. This also takes a tenth of the time.
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


# Bytes. Gmail clips a message at about 102 KB behind a link, with the last picks and the footer's unsubscribe link.
# Quoted-printable adds to the size: an equals sign takes three bytes.
HTML_BUDGET = 80_000
# A mail of the usual picks has at most 700 words; of more, which a profile asks for, as many for each.
_USUAL_PICKS = 5
_WORDS_A_PICK = 140
# What a sentence in a long mail is worth by its role; the finding stays.
_WORTHS = {Role.CONCLUSION: 1.3, Role.IDEA: 1.0, Role.TASK: 1.0, None: 0.8, Role.BACKGROUND: 0.4}
_SUMMARY_WIDTHS = (900, 450, 200, 0)  # characters, tried in turn until the HTML fits the budget
# RFC 5322, section 2.1.1: a line has at most 998 characters, and the header's name counts.
_MAX_VALUE_LENGTH = 900
_LONG_WORD = 60  # characters
_WITHOUT_QUOTES = str.maketrans("", "", '"\\')
_REGISTRY = HeaderRegistry()
# A header on one or more lines of printable ASCII, of which each but the first begins with a blank and holds more.
_HEADER_LINE = re.compile(r"[!-9;-~]+:( [ -~]{0,990})?(\r\n[ \t](?=.*[!-~])[ -~]{1,990})*")


@dataclass(frozen=True, slots=True)
class MailParts:
    """The content of a mail, independent of its recipient."""

    subject: str
    html: str
    text: str


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
    # The same mail has the same boundary. Quoted-printable never holds "=_" (RFC 2045, section 6.7), so that no paper's
    # text can contain it.
    boundary = f"=_{hashlib.sha256(message_id.encode()).hexdigest()[:32]}"
    headers = [
        *_envelope_headers(parts.subject, sender, recipient, message_id, date),
        # RFC 2919: filters compare the identifier in angle brackets only; the title before it is for people.
        _list_id(list_id),
        *_unsubscribe_headers(unsubscribe_url),
        # RFC 3834: vacation responders don't answer mail with this header.
        "Auto-Submitted: auto-generated",
        "MIME-Version: 1.0",
        f'Content-Type: multipart/alternative; boundary="{boundary}"',
    ]
    begin = f"--{boundary}\r\n".encode("ascii")
    # RFC 2046, section 5.1.4: a program shows the last alternative that it can display, so text comes first.
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


def _unsubscribe_headers(url: str) -> list[str]:
    """Return how mail programs unsubscribe: by a page, by a mail (RFC 2369), or, without an address, not at all."""
    if not url:
        return []
    header = _verbatim("List-Unsubscribe", f"<{url}>")
    # RFC 8058 wants both headers: a POST of this body to the HTTPS address unsubscribes without a further page.
    # A GET must not unsubscribe, as mail scanners follow every link; the page it shows has a button instead.
    return [header] if url.startswith("mailto:") else [header, "List-Unsubscribe-Post: List-Unsubscribe=One-Click"]


def notice_bytes(subject: str, text: str, *, sender: str, recipient: str, message_id: str, date: datetime) -> bytes:
    """Return a plain text mail to the operator; arguments and errors are those of ``mail_bytes``."""
    headers = [
        *_envelope_headers(subject, sender, recipient, message_id, date),
        "Auto-Submitted: auto-generated",
        "MIME-Version: 1.0",
    ]
    return "\r\n".join([*headers, ""]).encode("ascii") + _part("plain", text)


def _envelope_headers(subject: str, sender: str, recipient: str, message_id: str, date: datetime) -> list[str]:
    # A list such as "a@x,b@x" must not pass: the envelope has one recipient, and the other would silently get nothing.
    if not is_one_address(recipient):
        raise DeliveryError(f"not one mail address: {recipient!r}", permanent=True, scope=FailureScope.READER)
    return [
        _subject(subject),
        _folded("From", sender),
        # The package would fold an address of more than 78 characters into encoded words, which RFC 2047, section 5,
        # forbids within an address.
        _verbatim("To", recipient),
        f"Date: {format_datetime(date)}",
        # The same delivery has the same Message-ID, so that servers and people recognise a copy.
        _verbatim("Message-ID", message_id),
    ]


def _part(subtype: str, text: str) -> bytes:
    """Return a text as a part in quoted-printable, with its headers; its last line ends."""
    headers = f'Content-Type: text/{subtype}; charset="utf-8"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n'
    lines = visible(text).replace("\r\n", "\n").replace("\r", "\n")
    if lines and not lines.endswith("\n"):
        lines += "\n"
    return headers.encode("ascii") + b2a_qp(lines.replace("\n", "\r\n").encode(), istext=True)


# Many mails of a batch have the same subject and all have the same sender.
@lru_cache(maxsize=1_000)
def _folded(name: str, value: str) -> str:
    """Return a header line, folded and in encoded words where needed; raises DeliveryError if it holds another."""
    # Assigning "=?utf-8?q?a=0d=0aBcc:_x@y?=" to a header decodes it, and the generator writes the line break as such:
    # a Bcc header chosen by a paper's title. Since the fix of CVE-2024-6923 (Python 3.11.10, 3.12.5) it raises
    # HeaderWriteError instead, which would stop the whole mail because of one title. A zero-width space prevents both.
    safe = oneline(value).replace("=?", "=\u200b?")
    folded: str = policy.SMTP.fold(name, _REGISTRY(name, safe))
    line = folded.removesuffix("\r\n")
    _verify_header(name, line)
    return line


@lru_cache(maxsize=1_000)
def _subject(text: str) -> str:
    """Return the header line of a subject, as ``_folded`` does."""
    safe = oneline(text).replace("=?", "=\u200b?")
    # The policy's folding adds a blank before an encoded word on a line of its own; this one decodes to the same text.
    # A word that is longer than a line is encoded, too, to be divided.
    is_plain = safe.isascii() and all(len(word) < _LONG_WORD for word in safe.split())
    charset = "us-ascii" if is_plain else "utf-8"
    line = "Subject: " + Header(safe, charset, maxlinelen=76, header_name="Subject").encode(linesep="\r\n")
    _verify_header("Subject", line)
    return line


def _verify_header(name: str, line: str) -> None:
    """Parse a header line as its receiver will; raises DeliveryError unless it is this header and nothing else."""
    # Defence in depth: whatever else the email package does to a value, an injected header never leaves.
    message = message_from_bytes(f"{line}\r\n\r\n".encode("ascii", "replace"), policy=policy.compat32)
    if message.keys() != [name] or message.get_payload() or not _HEADER_LINE.fullmatch(line):
        raise _refusal(f"{name} can't hold {line[:80]!r}")


def _verbatim(name: str, value: str) -> str:
    """Return a header line with the value unchanged; raises DeliveryError for a value that can't be written so.

    The package folds a value longer than 78 characters that has no blank into encoded words, and a mail program that
    doesn't decode them in an address or identifier ignores the header.
    """
    if not (value.isascii() and value.isprintable() and len(value) < _MAX_VALUE_LENGTH):
        raise _refusal(f"{name} can't hold {value[:80]!r}")
    return f"{name}: {value}"


@lru_cache(maxsize=1_000)
def _list_id(list_id: str) -> str:
    """Return the header of ``Title <slug.host>``: the title quoted or as encoded words, the identifier unchanged."""
    title, _, identifier = list_id.rpartition("<")
    title = shorten(title, 60)
    if title.isascii():
        phrase = f'"{title.translate(_WITHOUT_QUOTES)}"'
    else:
        # RFC 2047, section 2: an encoded word has at most 75 characters.
        phrase = Header(title, "utf-8", maxlinelen=75).encode(linesep="")
    return _verbatim("List-Id", f"{phrase} <{identifier}")


def _refusal(problem: str) -> DeliveryError:
    return DeliveryError(f"not sent: {problem}", permanent=True, scope=FailureScope.MESSAGE)


class MailRenderer(Renderer):
    """Makes mails; ``sender`` is their From field."""

    def __init__(self, sender: str, parts: RenderingParts) -> None:
        self._sender = sender
        self._domain = sender_domain(sender)
        self._parts = parts

    def messages(self, content: Edition | Letter, slot: str) -> list[Message]:
        edition = edition_in(content)
        # Derived, not random: rendering the edition again gives the same Message-ID.
        message_id = f"<{slot}.{self._parts.tag(edition.reader.id)}@{self._domain}>"
        links = self._parts.links(edition.reader)
        # One set of links for all parts of a mail, so that a token is the same in each.
        parts, date = self._mail(content, links), edition.composed_at
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
        parts = self._mail(content, self._parts.links(edition_in(content).reader))
        return parts.html if form == "html" else parts.text

    def _mail(self, content: Edition | Letter, links: Links) -> MailParts:
        if isinstance(content, Letter):
            return render_letter_mail(self._parts.templates, content, links)
        return render_mail(self._parts.templates, content, links)

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


def render_mail(environment: Environment, edition: Edition, links: Links) -> MailParts:
    """Return the mail of an edition; raises TemplateProblem if a template has a mistake.

    If the HTML exceeds its budget, the summaries are shortened step by step and finally omitted; no pick is dropped.
    """
    edition = _within_words(edition)
    html = _inlined(render(environment, "mail.html.j2", edition, links))
    for width in _SUMMARY_WIDTHS:
        if len(html.encode()) <= HTML_BUDGET:
            break
        picks = tuple(replace(pick, summary=shortened(pick.summary, width)) for pick in edition.picks)
        html = _inlined(render(environment, "mail.html.j2", replace(edition, picks=picks), links))
    # Programs that show the plain text don't clip it.
    text = visible(render(environment, "mail.txt.j2", edition, links))
    return MailParts(wording.subject(edition), html, text)


def _within_words(edition: Edition) -> Edition:
    """Return the edition without the sentences that are longest for what they are worth, so that it is read in minutes.

    What was found stays, and while there is another way, two sentences of each summary; the page has all of them.
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
        # One ellipsis is enough.
        is_gap = place > 0 and not summary[place - 1].text.endswith("…")
        summary[place : place + 2] = [replace(after, after_gap=is_gap) for after in summary[place + 1 : place + 2]]
        excess -= words
    picks = zip(edition.picks, summaries, strict=True)
    return replace(edition, picks=tuple(replace(pick, summary=tuple(summary)) for pick, summary in picks))


def render_letter_mail(environment: Environment, letter: Letter, links: Links) -> MailParts:
    """Return the mail of a letter; raises TemplateProblem if a template has a mistake."""
    context = {"letter": letter, "links": links, "language": letter.edition.language}
    html = _inlined(render_part(environment, "letter/mail.html.j2", **context))
    text = visible(render_part(environment, "letter/mail.txt.j2", **context))
    return MailParts(wording.letter_subject(letter), html, text)


def render_confirmation(environment: Environment, **context: object) -> MailParts:
    """Return a confirmation mail, whose text begins with its subject; raises TemplateProblem as ``render_mail``."""
    text = visible(render_part(environment, "confirmation/subscribe.txt.j2", **context))
    subject, _, body = text.lstrip().partition("\n")
    html = _inlined(render_part(environment, "confirmation/subscribe.html.j2", **context))
    return MailParts(oneline(subject), html, body.lstrip())


def _inlined(html: str) -> str:
    """Return a mail's HTML without invisible characters, with its style sheet as ``style`` attributes."""
    # Several mail programs ignore or strip style sheets, so the styles are inlined. Media queries can't be: they stay
    # in the head for programs that support narrow screens and dark mode. Nothing may be fetched while rendering.
    inliner = CSSInliner(keep_at_rules=True, load_remote_stylesheets=False)
    return inliner.inline(visible(html))
