"""Render an edition as a mail: subject, preheader, HTML with inlined styles, and plain text."""

from __future__ import annotations

from dataclasses import dataclass, replace

from css_inline import CSSInliner
from jinja2 import Environment

from bot.domain import Edition
from bot.rendering import phrases
from bot.rendering.emphasis import shortened
from bot.rendering.fragments import Fragments, plain, serialized
from bot.rendering.paper_links import Links
from bot.rendering.templates import is_shipped, render
from bot.rendering.text import visible

# Bytes. Gmail clips a message at about 102 KB behind a link, with the last picks and the footer's unsubscribe link.
# Quoted-printable adds to the size: an equals sign takes three bytes.
HTML_BUDGET = 80_000
_HTML, _TEXT = "mail.html.j2", "mail.txt.j2"
_SUMMARY_WIDTHS = (900, 450, 200, 0)  # characters, tried in turn until the HTML fits the budget


@dataclass(frozen=True, slots=True)
class MailParts:
    """The content of a mail, independent of its recipient."""

    subject: str
    preheader: str
    html: str
    text: str


class MailRenderer:
    """Renders mails; what they say of a paper is rendered once, where the templates are the shipped ones."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._html_fragments = self._text_fragments = None
        if is_shipped(environment, _HTML):
            self._html_fragments = Fragments(environment, _HTML, _inlined, serialized, is_markup=True)
        if is_shipped(environment, _TEXT):
            self._text_fragments = Fragments(environment, _TEXT, visible, plain, is_markup=False)

    def render(self, edition: Edition, links: Links) -> MailParts:
        """Return the mail of an edition; raises TemplateProblem if a template has a mistake.

        If the HTML exceeds its budget, the summaries are shortened step by step and finally omitted; no pick is
        dropped.
        """
        html = self._html(edition, links)
        for width in _SUMMARY_WIDTHS:
            if len(html.encode()) <= HTML_BUDGET:
                break
            picks = (replace(pick, summary=shortened(pick.summary, width)) for pick in edition.picks)
            html = self._html(replace(edition, picks=tuple(picks)), links)
        # Programs that show the plain text don't clip it: it keeps the full summaries.
        if edition.picks and self._text_fragments:
            text = self._text_fragments.render(edition, links)
        else:
            text = visible(render(self._environment, _TEXT, edition, links))
        return MailParts(
            subject=phrases.subject(edition),
            preheader=phrases.preheader(edition),
            html=html,
            text=text,
        )

    def _html(self, edition: Edition, links: Links) -> str:
        if edition.picks and self._html_fragments:
            return self._html_fragments.render(edition, links)
        return _inlined(render(self._environment, _HTML, edition, links))


def _inlined(html: str) -> str:
    # Several mail programs ignore or strip style sheets, so the styles are inlined. Media queries can't be: they stay
    # in the head for programs that support narrow screens and dark mode. Nothing may be fetched while rendering.
    inliner = CSSInliner(keep_at_rules=True, load_remote_stylesheets=False)
    return inliner.inline(visible(html))
