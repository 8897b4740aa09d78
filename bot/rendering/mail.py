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
    preheader: str
    html: str
    text: str


def render_mail(edition: Edition, links: Links, environment: Environment) -> MailParts:
    """Return the mail of an edition; raises TemplateProblem if a template has a mistake.

    If the HTML exceeds its budget, the summaries are shortened step by step and finally omitted; no pick is dropped.
    """
    html = _html(edition, links, environment)
    for width in _SUMMARY_WIDTHS:
        if len(html.encode()) <= HTML_BUDGET:
            break
        picks = (replace(pick, summary=shortened(pick.summary, width)) for pick in edition.picks)
        html = _html(replace(edition, picks=tuple(picks)), links, environment)
    return MailParts(
        subject=phrases.subject(edition),
        preheader=phrases.preheader(edition),
        html=html,
        # Programs that show the plain text don't clip it: it keeps the full summaries.
        text=visible(render(environment, "mail.txt.j2", edition, links)),
    )


def _html(edition: Edition, links: Links, environment: Environment) -> str:
    # Several mail programs ignore or strip style sheets, so the styles are inlined. Media queries can't be: they stay
    # in the head for programs that support narrow screens and dark mode. Nothing may be fetched while rendering.
    inliner = CSSInliner(keep_at_rules=True, load_remote_stylesheets=False)
    return inliner.inline(visible(render(environment, "mail.html.j2", edition, links)))
