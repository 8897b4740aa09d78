"""Render mails: editions, letters and confirmations, as HTML with inlined styles and as plain text."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from css_inline import CSSInliner

from bot.channels.email.mime import MailParts, mail_bytes, sender_domain
from bot.channels.kind import Renderer, RenderingParts
from bot.domain import Edition, Letter, Message, OutboxKey, Reader
from bot.reader_links import ReaderLinks
from bot.rendering import letter_phrases, phrases
from bot.rendering.emphasis import shortened
from bot.rendering.paper_links import Links
from bot.rendering.templates import render, render_part
from bot.rendering.text import oneline, visible

if TYPE_CHECKING:
    from jinja2 import Environment

# Bytes. Gmail clips a message at about 102 KB behind a link, with the last picks and the footer's unsubscribe link.
# Quoted-printable adds to the size: an equals sign takes three bytes.
HTML_BUDGET = 80_000
_SUMMARY_WIDTHS = (900, 450, 200, 0)  # characters, tried in turn until the HTML fits the budget


class MailRenderer(Renderer):
    """Makes mails; ``sender`` is their From field."""

    def __init__(self, sender: str, parts: RenderingParts) -> None:
        self._sender = sender
        self._domain = sender_domain(sender)
        self._parts = parts

    def edition(self, edition: Edition, slot: str) -> list[Message]:
        """Return the mail of an edition."""
        return [self._message(self._edition_parts(edition), edition, slot)]

    def letter(self, letter: Letter, slot: str) -> list[Message]:
        """Return the mail of a weekly letter."""
        return [self._message(self._letter_parts(letter), letter.edition, slot)]

    def confirmation(
        self, reader: Reader, title: str, key: OutboxKey, links: ReaderLinks, now: datetime
    ) -> Message:
        """Return the mail that asks an address to confirm its subscription (double opt-in)."""
        parts = render_confirmation(
            "subscribe",
            self._parts.templates,
            links=links,
            title=title,
            known=reader.stopped is None,
            public_url=links.public_url,
        )
        message_id = f"<{str(key).replace(':', '.')}@{self._domain}>"
        return self._finished(parts, reader, title, links, message_id=message_id, date=now)

    def preview(self, edition: Edition, form: str) -> str:
        """Return the HTML or the plain text of the edition's mail."""
        parts = self._edition_parts(edition)
        return parts.html if form == "html" else parts.text

    def preview_letter(self, letter: Letter, form: str) -> str:
        """Return the HTML or the plain text of the letter's mail."""
        parts = self._letter_parts(letter)
        return parts.html if form == "html" else parts.text

    def _edition_parts(self, edition: Edition) -> MailParts:
        return render_mail(self._parts.templates, edition, self._parts.links(edition.reader))

    def _letter_parts(self, letter: Letter) -> MailParts:
        return render_letter_mail(self._parts.templates, letter, self._parts.links(letter.edition.reader))

    def _message(self, parts: MailParts, edition: Edition, slot: str) -> Message:
        reader = edition.reader
        # Derived, not random: rendering the edition again gives the same Message-ID.
        message_id = f"<{slot}.{self._parts.tag(reader.id)}@{self._domain}>"
        links = self._parts.links(reader)
        return self._finished(
            parts, reader, edition.profile_title, links, message_id=message_id, date=edition.composed_at
        )

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
    html = _html(environment, edition, links)
    for width in _SUMMARY_WIDTHS:
        if len(html.encode()) <= HTML_BUDGET:
            break
        picks = (replace(pick, summary=shortened(pick.summary, width)) for pick in edition.picks)
        html = _html(environment, replace(edition, picks=tuple(picks)), links)
    # Programs that show the plain text don't clip it: it keeps the full summaries.
    text = visible(render(environment, "mail.txt.j2", edition, links))
    return MailParts(phrases.subject(edition), html, text)


def render_letter_mail(environment: Environment, letter: Letter, links: Links) -> MailParts:
    """Return the mail of a letter; raises TemplateProblem if a template has a mistake."""
    context = {"letter": letter, "links": links, "language": letter.edition.language}
    html = _inlined(render_part(environment, "letter/mail.html.j2", **context))
    text = visible(render_part(environment, "letter/mail.txt.j2", **context))
    return MailParts(letter_phrases.subject(letter), html, text)


def render_confirmation(name: str, environment: Environment, **context: object) -> MailParts:
    """Render ``confirmation/<name>.txt.j2``, whose first line is the subject, and ``confirmation/<name>.html.j2``.

    Raises TemplateProblem if a template has a mistake.
    """
    text = visible(render_part(environment, f"confirmation/{name}.txt.j2", **context))
    subject, _, body = text.lstrip().partition("\n")
    html = _inlined(render_part(environment, f"confirmation/{name}.html.j2", **context))
    return MailParts(oneline(subject), html, body.lstrip())


def _inlined(html: str) -> str:
    """Return a mail's HTML without invisible characters, with its style sheet as ``style`` attributes."""
    # Several mail programs ignore or strip style sheets, so the styles are inlined. Media queries can't be: they stay
    # in the head for programs that support narrow screens and dark mode. Nothing may be fetched while rendering.
    inliner = CSSInliner(keep_at_rules=True, load_remote_stylesheets=False)
    return inliner.inline(visible(html))


def _html(environment: Environment, edition: Edition, links: Links) -> str:
    return _inlined(render(environment, "mail.html.j2", edition, links))
