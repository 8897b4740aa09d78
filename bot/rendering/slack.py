"""Render an edition as Slack messages in Block Kit, within Slack's documented limits and its undocumented one.

All text is escaped in ``mrkdwn`` objects, so that a paper can neither mention a channel, forge a link nor turn bold.
An edition too long for one message is split between papers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from bot.domain import Edition, Pick, Role, Sentence, Vote
from bot.rendering import phrases
from bot.rendering.emphasis import GAP, pieces
from bot.rendering.facts import facts, facts_text, pdf
from bot.rendering.latex import readable
from bot.rendering.news import news
from bot.rendering.paper_links import Links, title_link
from bot.rendering.text import shorten

# Characters of JSON. Slack documents 40,000 characters of text, but refuses blocks somewhere above
# 11,000 characters in all, which it documents nowhere.
MESSAGE_LIMIT = 9_000
BLOCK_LIMIT = 45  # per message; Slack's limit is 50
_HEADER_LIMIT = 150  # Slack's limit for a header's text
_CONTEXT_LIMIT = 10  # Slack's limit of elements in a context block
# Characters of escaped text. A section may hold 3,000: title, URL and credits share one, and all of a pick's texts
# together have to fit into one message, because a pick is never split.
_TITLE_LIMIT = 800
_URL_LIMIT = 1_000
_CREDITS_LIMIT = 500
_FACTS_LIMIT = 600
_LIST_LIMIT = 2_800  # below a section's 3,000
_NOTIFIED_PICKS = 3
_SUMMARY_LIMIT = 900
_REASON_LIMIT = 500

_WORD = r"[^\W_]"
# Slack formats only at a word's edge: the underscore of snake_case needs no escape.
_FORMATTING = re.compile(rf"(?<!{_WORD})[*_~`]|[*_~`](?!{_WORD})")
_CUT_ENTITY = re.compile(r"&[a-z]*$")

Block = dict[str, Any]


def render_slack(edition: Edition, links: Links, *, channel: str, buttons: bool = True) -> list[bytes]:
    """Return the arguments of ``chat.postMessage`` as JSON, one item for each message of the edition, in order.

    ``buttons`` must be false if nothing receives interactions: Slack then shows an error for each click.
    """
    # "text" is what notifications and screen readers use in place of the blocks: what the first picks bring.
    brings = "; ".join(map(news, edition.picks[:_NOTIFIED_PICKS])) or phrases.subject(edition)
    headline = f"{edition.profile_title}, {phrases.tally(replace(edition, is_test=False))}: {brings}"
    notification = escape(f"Test: {headline}" if edition.is_test else headline, _CREDITS_LIMIT)
    header: list[Block] = [
        {
            "type": "header",
            "text": {
                "type": "plain_text",
                "text": shorten(edition.profile_title, _HEADER_LIMIT),
                "emoji": False,
            },
        },
        _context([f"{phrases.day(edition.date)} · {phrases.tally(edition)}"]),
        *_list_blocks(edition),
        {"type": "divider"},
    ]
    # Blocks that stay together: a header alone at the end of a message would be read as an empty edition.
    groups = [_pick_blocks(pick, number, buttons) for number, pick in enumerate(edition.picks, 1)]
    if not groups:
        groups = [[_section(escape(phrases.quiet(edition), _SUMMARY_LIMIT))]]
    groups[0] = header + groups[0]
    groups[-1] = groups[-1] + _footer_blocks(edition, links, buttons)
    messages: list[list[Block]] = [[]]
    for group in groups:
        extended = messages[-1] + group
        fits = len(extended) <= BLOCK_LIMIT and len(_body(channel, notification, extended)) <= MESSAGE_LIMIT
        if fits or not messages[-1]:
            messages[-1] = extended
        else:
            messages.append(group)
    return [_body(channel, notification, blocks).encode() for blocks in messages]


def escape(text: str, limit: int) -> str:
    """Return the text on one line as Slack shows it literally, at most ``limit`` characters after escaping."""
    escaped = _literal(shorten(text, limit))
    # Escaping lengthens: "&" becomes five characters. A cut within "&amp;" would show its beginning.
    return escaped if len(escaped) <= limit else _CUT_ENTITY.sub("", escaped[: limit - 1]) + "…"


def _literal(text: str) -> str:
    # Slack documents these three escapes only. They also disarm <!channel>, <@user> and <url|label>.
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # For *bold* and the like there is no escape; between zero-width spaces the mark is shown as a character.
    return _FORMATTING.sub("\u200b\\g<0>\u200b", text)


def _body(channel: str, notification: str, blocks: list[Block]) -> str:
    arguments = {
        "channel": channel,
        "text": notification,
        "blocks": blocks,
        # Ten previews of arXiv pages would bury the edition.
        "unfurl_links": False,
        "unfurl_media": False,
    }
    # A \uXXXX escape would count as six characters of the message's limit, for each character outside ASCII.
    return json.dumps(arguments, ensure_ascii=False)


def _list_blocks(edition: Edition) -> list[Block]:
    """Return the list of an edition of several picks; lines beyond a section's limit are counted instead."""
    if len(edition.picks) < 2:
        return []
    text = f"*{phrases.list_heading(edition)}*"
    for number, pick in enumerate(edition.picks, 1):
        line = f"\n{number}. {escape(news(pick), _TITLE_LIMIT)}"
        if len(text) + len(line) > _LIST_LIMIT:
            text += f"\nand {len(edition.picks) - number + 1} more"
            break
        text += line
    return [_section(text)]


def _pick_blocks(pick: Pick, number: int, buttons: bool) -> list[Block]:
    link = title_link(pick.paper)
    address = link.url.replace("&", "&amp;")
    # "|" separates a link's address from its label and has no escape.
    title = escape(phrases.title(pick.paper), _TITLE_LIMIT).replace("|", "¦")
    heading = f"*{title}*"
    # A cut address would lead elsewhere.
    if len(address) <= _URL_LIMIT:
        heading = f"{heading}  <{address}|Search arXiv>" if link.is_search else f"*<{address}|{title}>*"
    if (pdf_address := pdf(pick.paper)) and len(pdf_address) <= _FACTS_LIMIT:
        heading += f"  {_link(pdf_address, 'PDF')}"
    paper_credits = " · ".join(filter(None, [phrases.credits_of(pick), *phrases.seen(pick.paper)]))
    facts_line = " · ".join(
        f"<{fact.url.replace('&', '&amp;')}|{escape(fact.text, _REASON_LIMIT)}>"
        if fact.url
        else escape(fact.text, _REASON_LIMIT)
        for fact in facts(pick.paper, with_pdf=False)
    )
    if len(facts_line) > _FACTS_LIMIT:
        # Without links, for the same reason.
        facts_line = escape(facts_text(pick.paper), _FACTS_LIMIT)
    lines = [f"{number}. {heading}", escape(paper_credits, _CREDITS_LIMIT), facts_line]
    blocks = [_section("\n".join(line for line in lines if line))]
    strength = f"{phrases.strength(pick)} {phrases.label(pick)}"
    blocks.append(_context([strength, phrases.why(pick)]))
    # Slack refuses a section with empty text, and with it the whole message.
    if summary := _summary_text(pick.summary):
        blocks.append(_section(summary))
    if buttons:
        elements = [
            _button("👍 More like this", Vote.UP, pick),
            _button("👎 Less like this", Vote.DOWN, pick),
        ]
        # A block_id has to be unique within a message; an edition holds each paper once.
        blocks.append({"type": "actions", "block_id": f"thumbs-{pick.paper.ref}", "elements": elements})
    return [*blocks, {"type": "divider"}]


def _summary_text(summary: Sequence[Sentence]) -> str:
    """Return the sentences with the result bold and marked words in italics; unformatted if that is too long."""
    formatted: list[str] = []
    for sentence in summary:
        text = "".join(
            f"_{_literal(piece.text)}_" if piece.marked else _literal(piece.text)
            for piece in pieces(sentence)
        )
        if text and sentence.role is Role.RESULT:
            text = f"*{text}*"
        elif sentence.role is Role.TLDR:
            text = f"TL;DR: {text}"
        formatted.append(GAP + text if sentence.after_gap else text)
    joined = " ".join(formatted)
    if len(joined) <= _SUMMARY_LIMIT:
        return joined
    # A cut could separate an opening "*" from its end, which would format the rest of the text.
    plain = " ".join((GAP if sentence.after_gap else "") + readable(sentence.text) for sentence in summary)
    return escape(plain, _SUMMARY_LIMIT)


def _button(label: str, vote: Vote, pick: Pick) -> Block:
    text = {"type": "plain_text", "text": label, "emoji": True}
    return {"type": "button", "text": text, "action_id": f"thumb_{vote}", "value": pick.paper.ref}


def _footer_blocks(edition: Edition, links: Links, buttons: bool) -> list[Block]:
    purpose = "Your votes change the next edition of" if buttons else "This is an edition of"
    texts = [
        escape(f"{purpose} “{edition.profile_title}”.", _REASON_LIMIT),
        _link(links.me(), "Your preferences"),
    ]
    # In a channel one member must not unsubscribe the others.
    if not edition.reader.is_shared:
        texts.append(_link(links.unsubscribe(), "Unsubscribe"))
    return [{"type": "context", "elements": [_mrkdwn(text) for text in texts]}]


def _link(url: str, label: str) -> str:
    return f"<{url.replace('&', '&amp;')}|{label}>"


def _section(text: str) -> Block:
    return {"type": "section", "text": _mrkdwn(text)}


def _context(texts: Iterable[str]) -> Block:
    elements = [_mrkdwn(escape(text, _REASON_LIMIT)) for text in texts if text]
    return {"type": "context", "elements": elements[:_CONTEXT_LIMIT]}


def _mrkdwn(text: str) -> Block:
    return {"type": "mrkdwn", "text": text}
