"""An edition as Slack messages in Block Kit, within the limits that Slack writes down and those it doesn't.

All text goes into ``mrkdwn`` objects escaped, so that a paper can neither mention a channel, forge a link nor
turn bold. An edition that is too long for one message is split between papers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bot.domain import Edition, Pick, Role, Sentence, Vote
from bot.rendering import phrases
from bot.rendering.emphasis import GAP, pieces
from bot.rendering.latex import readable
from bot.rendering.paper_links import Links, title_link
from bot.rendering.text import shorten

MESSAGE_LIMIT = 9_000  # characters of JSON; Slack refuses messages somewhere above 11,000
BLOCK_LIMIT = 45  # a message; Slack's own is 50
_HEADER_LIMIT = 150
_CONTEXT_LIMIT = 10  # elements
# Characters of escaped text: together far below a section's 3,000 and small enough for one pick a message.
_TITLE_LIMIT = 800
_URL_LIMIT = 1_000
_ABOUT_LIMIT = 500
_SUMMARY_LIMIT = 900
_REASON_LIMIT = 250

_WORD = r"[^\W_]"
_FORMATTING = re.compile(rf"(?<!{_WORD})[*_~`]|[*_~`](?!{_WORD})")
_CUT_ENTITY = re.compile(r"&[a-z]*$")

Block = dict[str, Any]


def render_slack(edition: Edition, links: Links, *, channel: str, buttons: bool = True) -> list[bytes]:
    """The arguments of ``chat.postMessage`` as JSON, one for each message of the edition, in order.

    Without ``buttons`` there are none under the papers, as Slack answers a button that nobody receives with an error.
    """
    headline = f"{edition.profile_title}, {phrases.day(edition.date)}: {phrases.subject(edition)}"
    envelope = _Envelope(channel, escape(headline, _ABOUT_LIMIT))
    messages: list[list[Block]] = [[]]
    for unit in _units(edition, links, buttons):
        longer = messages[-1] + unit
        if messages[-1] and (len(longer) > BLOCK_LIMIT or len(envelope.seal(longer)) > MESSAGE_LIMIT):
            messages.append(unit)
        else:
            messages[-1] = longer
    return [envelope.seal(blocks).encode() for blocks in messages]


def escape(text: str, limit: int) -> str:
    """Text on one line that Slack shows as it is, in at most ``limit`` characters after escaping.

    Slack knows no escape for ``*bold*`` and the like; zero-width spaces around such a mark disarm it.
    """
    text = _literal(shorten(text, limit))
    return text if len(text) <= limit else _CUT_ENTITY.sub("", text[: limit - 1]) + "…"


@dataclass(frozen=True, slots=True)
class _Envelope:
    """What all messages of an edition have in common."""

    channel: str
    text: str

    def seal(self, blocks: list[Block]) -> str:
        return json.dumps(
            {
                "channel": self.channel,
                "text": self.text,
                "blocks": blocks,
                "unfurl_links": False,
                "unfurl_media": False,
            },
            ensure_ascii=False,
        )


def _units(edition: Edition, links: Links, buttons: bool) -> list[list[Block]]:
    """Blocks that stay together: each pick's, the header with the first, the footer with the last."""
    units = [_pick(pick, buttons) for pick in edition.picks] or [
        [_section(escape(phrases.quiet(edition), _SUMMARY_LIMIT))]
    ]
    units[0] = [*_header(edition), *units[0]]
    units[-1] = [*units[-1], *_footer(edition, links, buttons)]
    return units


def _header(edition: Edition) -> list[Block]:
    title = {"type": "plain_text", "text": shorten(edition.profile_title, _HEADER_LIMIT), "emoji": False}
    day = _context([f"{phrases.day(edition.date)} · {phrases.tally(edition)}"])
    return [{"type": "header", "text": title}, day, {"type": "divider"}]


def _pick(pick: Pick, buttons: bool) -> list[Block]:
    about = " · ".join(part for part in (phrases.credits_of(pick), *phrases.seen(pick.paper)) if part)
    texts = [f"{_title(pick)}\n{escape(about, _ABOUT_LIMIT)}", _summary(pick.summary)]
    why = _context([phrases.label(pick), *phrases.reasons(pick)])
    thumbs = [_thumbs(pick)] if buttons else []
    return [*map(_section, filter(None, texts)), why, *thumbs, {"type": "divider"}]


def _summary(summary: Sequence[Sentence]) -> str:
    """The sentences, the result bold and marked words in italics; all of it plain where that would be too long."""
    text = " ".join(_gap(sentence) + _sentence(sentence) for sentence in summary)
    if len(text) <= _SUMMARY_LIMIT:
        return text
    plain = " ".join(_gap(sentence) + readable(sentence.text) for sentence in summary)
    return escape(plain, _SUMMARY_LIMIT)


def _gap(sentence: Sentence) -> str:
    return GAP if sentence.after_gap else ""


def _sentence(sentence: Sentence) -> str:
    found = pieces(sentence)
    text = "".join(f"_{_literal(piece.text)}_" if piece.marked else _literal(piece.text) for piece in found)
    if text and sentence.role is Role.RESULT:
        return f"*{text}*"
    return f"TL;DR: {text}" if sentence.role is Role.TLDR else text


def _literal(text: str) -> str:
    """Text that Slack shows as it is."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _FORMATTING.sub("\u200b\\g<0>\u200b", text)


def _title(pick: Pick) -> str:
    """The title as a bold link; ``|`` would end the link's address, so none stands in its label."""
    link = title_link(pick.paper)
    address = link.url.replace("&", "&amp;")
    title = escape(phrases.title(pick.paper), _TITLE_LIMIT).replace("|", "¦")
    if len(address) > _URL_LIMIT:
        return f"*{title}*"
    mark = " (search)" if link.is_search else ""
    return f"*<{address}|{title}>*{mark}"


def _thumbs(pick: Pick) -> Block:
    buttons = [_button("👍 More like this", Vote.UP, pick), _button("👎 Less like this", Vote.DOWN, pick)]
    return {"type": "actions", "block_id": f"thumbs-{pick.paper.ref}", "elements": buttons}


def _button(label: str, vote: Vote, pick: Pick) -> Block:
    text = {"type": "plain_text", "text": label, "emoji": True}
    return {"type": "button", "text": text, "action_id": f"thumb_{vote}", "value": pick.paper.ref}


def _footer(edition: Edition, links: Links, buttons: bool) -> list[Block]:
    shapes = "Your thumbs shape the next edition of" if buttons else "This is an edition of"
    why = escape(f"{shapes} “{edition.profile_title}”.", _REASON_LIMIT)
    learned = _link(links.me(), "What I have learned, when and how much")
    texts = [why, learned]
    if not edition.reader.is_shared:  # one member does not stop a channel for the others
        texts.append(_link(links.unsubscribe(), "Stop these editions"))
    return [{"type": "context", "elements": [_mrkdwn(text) for text in texts]}]


def _link(url: str, label: str) -> str:
    return f"<{url.replace('&', '&amp;')}|{label}>"


def _section(text: str) -> Block:
    return {"type": "section", "text": _mrkdwn(text)}


def _context(texts: Iterable[str]) -> Block:
    elements = [_mrkdwn(escape(text, _REASON_LIMIT)) for text in texts]
    return {"type": "context", "elements": elements[:_CONTEXT_LIMIT]}


def _mrkdwn(text: str) -> Block:
    return {"type": "mrkdwn", "text": text}
