"""An edition as a mail: subject, preheader, HTML with its styles inlined, and text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from css_inline import CSSInliner
from jinja2 import Environment

from bot.domain import Edition
from bot.rendering import phrases
from bot.rendering.emphasis import shortened
from bot.rendering.paper_links import Links
from bot.rendering.templates import render
from bot.rendering.text import visible

HTML_BUDGET = 80_000  # bytes; Gmail cuts a mail off at about 102 KB
_SUMMARY_WIDTHS = (900, 450, 200, 0)  # characters, tried in turn where an edition is over the budget


@dataclass(frozen=True, slots=True)
class MailParts:
    """What a mail says, before it has a recipient."""

    subject: str
    preheader: str
    html: str
    text: str


def render_mail(edition: Edition, links: Links, environment: Environment) -> MailParts:
    """The mail of an edition; raises TemplateProblem where a template has a mistake.

    HTML over the budget gets shorter summaries, at last none; every pick stays, however many there are.
    """
    for candidate in _ever_shorter(edition):
        html = _html(candidate, links, environment)
        if len(html.encode()) <= HTML_BUDGET:
            break
    return MailParts(
        subject=phrases.subject(edition),
        preheader=phrases.preheader(edition),
        html=html,
        text=visible(render(environment, "mail.txt.j2", edition, links)),
    )


def _html(edition: Edition, links: Links, environment: Environment) -> str:
    """Inlined, as some programs ignore style sheets; the media queries stay for those that don't."""
    inliner = CSSInliner(keep_at_rules=True, load_remote_stylesheets=False)
    return inliner.inline(visible(render(environment, "mail.html.j2", edition, links)))


def _ever_shorter(edition: Edition) -> Iterator[Edition]:
    yield edition
    for width in _SUMMARY_WIDTHS:
        picks = (replace(pick, summary=shortened(pick.summary, width)) for pick in edition.picks)
        yield replace(edition, picks=tuple(picks))
