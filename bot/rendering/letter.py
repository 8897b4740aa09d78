"""Render the weekly letter as a mail, and as a Slack message."""

from __future__ import annotations

from jinja2 import Environment

from bot.domain import Letter
from bot.rendering import letter_phrases, phrases
from bot.rendering.block_kit import (
    NOTIFICATION_LIMIT,
    SECTION_LIMIT,
    TEXT_LIMIT,
    TITLE_LIMIT,
    Block,
    body,
    context,
    escape,
    header,
    section,
)
from bot.rendering.mail import MailParts, inlined
from bot.rendering.paper_links import Links
from bot.rendering.slack import footer_block, linked, pick_blocks
from bot.rendering.templates import render_part
from bot.rendering.text import visible

# Ten liked papers with their links, in one section of 3,000 characters.
_LIKED_LIMIT = 150


def render_letter_mail(environment: Environment, letter: Letter, links: Links) -> MailParts:
    """Return the mail of a letter; raises TemplateProblem if a template has a mistake."""
    context = {"letter": letter, "links": links, "language": letter.edition.language}
    html = inlined(render_part(environment, "letter/mail.html.j2", **context))
    text = visible(render_part(environment, "letter/mail.txt.j2", **context))
    return MailParts(letter_phrases.subject(letter), html, text)


def render_letter_slack(letter: Letter, links: Links, *, channel: str, buttons: bool) -> bytes:
    """Return the arguments of ``chat.postMessage`` as JSON; ``buttons`` as for an edition."""
    edition = letter.edition
    liked = [
        f"• {linked(paper, escape(phrases.title(paper), _LIKED_LIMIT))}"
        for paper in letter_phrases.liked(letter)
    ]
    blocks: list[Block] = [
        header(f"Your week in {edition.profile_title}"),
        context([letter_phrases.week(letter)]),
        *_paragraph("What you liked", [*liked, escape(letter_phrases.votes(letter), TEXT_LIMIT)]),
    ]
    if learned := [escape(sentence, TITLE_LIMIT) for sentence in letter_phrases.learned(letter)]:
        blocks += _paragraph("What your votes have taught it", learned)
    blocks += _paragraph("One you missed", [escape(letter_phrases.missed(letter), TEXT_LIMIT)])
    for pick in edition.picks:
        blocks += pick_blocks(pick, None, edition.language, buttons)
    if letter.record:
        blocks += _paragraph("How well it predicts", [escape(letter_phrases.record(letter), TEXT_LIMIT)])
    blocks.append(footer_block(edition, links, buttons))
    notification = escape(
        f"{letter_phrases.subject(letter)}. {letter_phrases.preheader(letter)}", NOTIFICATION_LIMIT
    )
    return body(channel, notification, blocks).encode()


def _paragraph(heading: str, lines: list[str]) -> list[Block]:
    # A link may have 1,000 characters, and a section 3,000: a line too many is left out, not cut.
    text = f"*{heading}*"
    for line in lines:
        if len(text) + len(line) < SECTION_LIMIT:
            text += f"\n{line}"
    return [section(text)]
