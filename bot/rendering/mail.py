"""Render an edition as a mail: subject, preheader, HTML with inlined styles, and plain text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from css_inline import CSSInliner
from jinja2 import Environment

from bot.domain import Edition, Sentence
from bot.rendering import phrases
from bot.rendering.emphasis import shortened, summary_text
from bot.rendering.fragments import Fragments, serialized_attribute, serialized_text
from bot.rendering.paper_links import Links
from bot.rendering.quoted_printable import decoded, encoded
from bot.rendering.templates import is_shipped, render, summary_html
from bot.rendering.text import visible

# Bytes. Gmail clips a message at about 102 KB behind a link, with the last picks and the footer's unsubscribe link.
# Quoted-printable adds to the size: an equals sign takes three bytes.
HTML_BUDGET = 80_000
_HTML, _TEXT, _STYLES = "mail.html.j2", "mail.txt.j2", "_mail.css.j2"
_SUMMARY_WIDTHS = (900, 450, 200, 0)  # characters, tried in turn until the HTML fits the budget


@dataclass(frozen=True, slots=True)
class MailParts:
    """The content of a mail, independent of its recipient; both parts in quoted-printable, as they are sent."""

    subject: str
    encoded_html: bytes
    encoded_text: bytes

    @classmethod
    def of(cls, subject: str, html: str, text: str) -> MailParts:
        """Return the content of a mail whose parts are not encoded yet."""
        return cls(subject, encoded(html), encoded(text))

    @property
    def html(self) -> str:
        """The HTML part."""
        return decoded(self.encoded_html)

    @property
    def text(self) -> str:
        """The plain text part."""
        return decoded(self.encoded_text)


class MailRenderer:
    """Renders mails; what they say of a paper is rendered once, where the templates are the shipped ones."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._html_fragments = self._text_fragments = None
        if is_shipped(environment, _HTML):
            escapes = serialized_text, serialized_attribute
            self._html_fragments = Fragments(
                environment, _HTML, _inlined, escapes, _inlined_summary(environment)
            )
        if is_shipped(environment, _TEXT):
            self._text_fragments = Fragments(environment, _TEXT, str, (str, str), summary_text)

    def render(self, edition: Edition, links: Links) -> MailParts:
        """Return the mail of an edition; raises TemplateProblem if a template has a mistake.

        If the HTML exceeds its budget, the summaries are shortened step by step and finally omitted; no pick is
        dropped.
        """
        html = self._html(edition, links)
        for width in _SUMMARY_WIDTHS:
            # Encoded text is never shorter than the text.
            if len(html) <= HTML_BUDGET or len(decoded(html).encode()) <= HTML_BUDGET:
                break
            picks = (replace(pick, summary=shortened(pick.summary, width)) for pick in edition.picks)
            html = self._html(replace(edition, picks=tuple(picks)), links)
        # Programs that show the plain text don't clip it: it keeps the full summaries.
        return MailParts(phrases.subject(edition), html, self._text(edition, links))

    def _html(self, edition: Edition, links: Links) -> bytes:
        if edition.picks and self._html_fragments:
            return self._html_fragments.render(edition, links)
        return encoded(_inlined(render(self._environment, _HTML, edition, links)))

    def _text(self, edition: Edition, links: Links) -> bytes:
        if edition.picks and self._text_fragments:
            return self._text_fragments.render(edition, links)
        return encoded(render(self._environment, _TEXT, edition, links))


def _inlined(html: str) -> str:
    # Several mail programs ignore or strip style sheets, so the styles are inlined. Media queries can't be: they stay
    # in the head for programs that support narrow screens and dark mode. Nothing may be fetched while rendering.
    inliner = CSSInliner(keep_at_rules=True, load_remote_stylesheets=False)
    return inliner.inline(visible(html))


def _inlined_summary(environment: Environment) -> Callable[[tuple[Sentence, ...]], str]:
    """Return a function that returns what the inlined HTML of a mail holds of a summary."""
    inliner = CSSInliner(load_remote_stylesheets=False)
    styles = environment.get_template(_STYLES).render()

    # Readers of a paper have few different summaries.
    @lru_cache(maxsize=2_000)
    def html(summary: tuple[Sentence, ...]) -> str:
        return inliner.inline_fragment(visible(summary_html(environment, summary)), styles)

    return html
