"""Render an edition as a mail: subject, preheader, HTML with inlined styles, and plain text."""

from __future__ import annotations

from dataclasses import dataclass, replace

from css_inline import CSSInliner
from jinja2 import Environment

from bot.domain import Edition
from bot.rendering import phrases
from bot.rendering.emphasis import shortened
from bot.rendering.paper_links import Links
from bot.rendering.templates import render
from bot.rendering.text import visible

# Bytes. Gmail clips a message at about 102 KB behind a link, with the last picks and the footer's unsubscribe link.
# Quoted-printable adds to the size: an equals sign takes three bytes.
HTML_BUDGET = 80_000
_SUMMARY_WIDTHS = (900, 450, 200, 0)  # characters, tried in turn until the HTML fits the budget


@dataclass(frozen=True, slots=True)
class MailParts:
    """The content of a mail, independent of its recipient."""

    subject: str
    html: str
    text: str


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


def inlined(html: str) -> str:
    """Return a mail's HTML without invisible characters, with its style sheet as ``style`` attributes."""
    # Several mail programs ignore or strip style sheets, so the styles are inlined. Media queries can't be: they stay
    # in the head for programs that support narrow screens and dark mode. Nothing may be fetched while rendering.
    inliner = CSSInliner(keep_at_rules=True, load_remote_stylesheets=False)
    return inliner.inline(visible(html))


def _html(environment: Environment, edition: Edition, links: Links) -> str:
    return inlined(render(environment, "mail.html.j2", edition, links))
