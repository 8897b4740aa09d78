"""Parts of Slack's Block Kit, within its documented limits.

All text is escaped in ``mrkdwn`` objects, so that a paper can neither mention a channel, forge a link nor turn bold.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from bot.rendering.text import shorten

# Characters of JSON. Slack documents 40,000 characters of text, but refuses blocks somewhere above
# 11,000 characters in all, which it documents nowhere.
MESSAGE_LIMIT = 9_000
BLOCK_LIMIT = 45  # per message; Slack's limit is 50
SECTION_LIMIT = 2_800  # below a section's 3,000
TITLE_LIMIT = 800
URL_LIMIT = 1_000
NOTIFICATION_LIMIT = 500
TEXT_LIMIT = 500
_HEADER_LIMIT = 150  # Slack's limit for a header's text
_CONTEXT_LIMIT = 10  # Slack's limit of elements in a context block

_WORD = r"[^\W_]"
# Slack formats only at a word's edge: the underscore of snake_case needs no escape.
_FORMATTING = re.compile(rf"(?<!{_WORD})[*_~`]|[*_~`](?!{_WORD})")
_CUT_ENTITY = re.compile(r"&[a-z]*$")

Block = dict[str, Any]

DIVIDER: Block = {"type": "divider"}


def escape(text: str, limit: int) -> str:
    """Return the text on one line as Slack shows it literally, at most ``limit`` characters after escaping."""
    escaped = literal(shorten(text, limit))
    # Escaping lengthens: "&" becomes five characters. A cut within "&amp;" would show its beginning.
    return escaped if len(escaped) <= limit else _CUT_ENTITY.sub("", escaped[: limit - 1]) + "…"


def literal(text: str) -> str:
    """Return text that Slack shows as it is."""
    # Slack documents these three escapes only. They also disarm <!channel>, <@user> and <url|label>.
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # For *bold* and the like there is no escape; between zero-width spaces the mark is shown as a character.
    return _FORMATTING.sub("\u200b\\g<0>\u200b", text)


def body(channel: str, notification: str, blocks: Sequence[Block]) -> str:
    """Return the arguments of ``chat.postMessage`` as JSON.

    ``notification`` is what notifications and screen readers use in place of the blocks; it must be escaped.
    """
    arguments = {
        "channel": channel,
        "text": notification,
        "blocks": list(blocks),
        # Ten previews of arXiv pages would bury the edition.
        "unfurl_links": False,
        "unfurl_media": False,
    }
    # A \uXXXX escape would count as six characters of the message's limit, for each character outside ASCII.
    return json.dumps(arguments, ensure_ascii=False)


def header(text: str) -> Block:
    """Return a title in large letters."""
    plain = {"type": "plain_text", "text": shorten(text, _HEADER_LIMIT), "emoji": False}
    return {"type": "header", "text": plain}


def section(markup: str) -> Block:
    """Return a paragraph; the markup must be escaped and not empty, or Slack refuses the message."""
    return {"type": "section", "text": _mrkdwn(markup)}


def context(texts: Iterable[str]) -> Block:
    """Return small print of the texts that are not empty; they are escaped here."""
    return context_markup(escape(text, TEXT_LIMIT) for text in texts if text)


def context_markup(markups: Iterable[str]) -> Block:
    """Return small print of markup that is escaped already."""
    return {"type": "context", "elements": [_mrkdwn(markup) for markup in markups][:_CONTEXT_LIMIT]}


def link(url: str, label: str) -> str:
    """Return a link as markup; the label must be escaped."""
    # "|" separates a link's address from its label and has no escape.
    return f"<{url.replace('&', '&amp;')}|{label.replace('|', '¦')}>"


def _mrkdwn(text: str) -> Block:
    return {"type": "mrkdwn", "text": text}
