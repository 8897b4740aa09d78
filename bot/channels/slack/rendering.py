"""Render for Slack in Block Kit: a message with the list, and a reply in its thread for each pick.

Answers to ``/papers`` can't have a thread, so they hold the whole edition, split between papers if it is too long.
All text is escaped, so a paper can neither mention a channel, forge a link nor turn bold.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from bot import wording
from bot.channels import Renderer, edition_in
from bot.channels.papers import GAP, LABELS, Links, facts, facts_text, pdf, pieces, title_link
from bot.channels.slack import SLACK
from bot.model import Edition, Letter, Message, Paper, Pick, Reader, Role, Sentence, Vote
from bot.model.wording import long_date, shorten
from bot.text.latex import readable
from bot.wording import FOLLOW_UPS, Span, follow_ups

# Characters of JSON. Slack refuses blocks of more than about 11,000 in all.
MESSAGE_LIMIT = 9_000
BLOCK_LIMIT = 45  # Slack's limit is 50
SECTION_LIMIT = 2_800  # below Slack's 3,000
TITLE_LIMIT = 800
URL_LIMIT = 1_000
NOTIFICATION_LIMIT = 500
TEXT_LIMIT = 500
_HEADER_LIMIT = 150  # Slack's limit
_CONTEXT_LIMIT = 10  # Slack's limit

# Escaped. Title, URL and credits share a section, and a pick must fit into one message.
_CREDITS_LIMIT = 500
_FACTS_LIMIT = 600
_NOTIFIED_PICKS = 3
_SUMMARY_LIMIT = 900
_LIST_LIMIT = MESSAGE_LIMIT - 4_000
# Ten liked papers with links fill a section.
_LIKED_LIMIT = 150
_THREAD_IN_PREVIEW = "the ts of the first message"
_WORD = r"[^\W_]"
# Slack formats only at a word's edge, so snake_case needs no escape.
_FORMATTING = re.compile(rf"(?<!{_WORD})[*_~`]|[*_~`](?!{_WORD})")
_CUT_ENTITY = re.compile(r"&[a-z]*$")

Block = dict[str, Any]

DIVIDER: Block = {"type": "divider"}


def escape(text: str, limit: int) -> str:
    """Return one line as Slack shows it, at most ``limit`` characters after escaping."""
    escaped = literal(shorten(text, limit))
    # A cut within "&amp;" would show.
    return escaped if len(escaped) <= limit else _CUT_ENTITY.sub("", escaped[: limit - 1]) + "…"


def literal(text: str) -> str:
    # They also disarm <!channel>, <@user> and <url|label>.
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # Zero-width spaces disarm formatting, which has no escape.
    return _FORMATTING.sub("\u200b\\g<0>\u200b", text)


def body(edition: Edition, notification: str, blocks: Sequence[Block]) -> str:
    """Return the arguments of ``chat.postMessage`` as JSON.

    ``notification``, already escaped, replaces the blocks in notifications and screen readers.
    """
    arguments = {
        "channel": edition.reader.address,
        "text": notification,
        "blocks": list(blocks),
        # Ten previews of arXiv pages would bury the edition.
        "unfurl_links": False,
        "unfurl_media": False,
    }
    # \uXXXX would count as six characters.
    return json.dumps(arguments, ensure_ascii=False)


def header(text: str) -> Block:
    plain = {"type": "plain_text", "text": shorten(text, _HEADER_LIMIT), "emoji": False}
    return {"type": "header", "text": plain}


def section(markup: str) -> Block:
    """Return a paragraph of escaped markup, which must not be empty."""
    return {"type": "section", "text": _mrkdwn(markup)}


def context(texts: Iterable[str]) -> Block:
    return context_markup(escape(text, TEXT_LIMIT) for text in texts if text)


def context_markup(markups: Iterable[str]) -> Block:
    """Return small print of escaped markup."""
    return {"type": "context", "elements": [_mrkdwn(markup) for markup in markups][:_CONTEXT_LIMIT]}


def link(url: str, label: str) -> str:
    """Return a link as markup. The label must be escaped."""
    # "|" separates a link's address from its label and has no escape.
    return f"<{url.replace('&', '&amp;')}|{label.replace('|', '¦')}>"


def _mrkdwn(text: str) -> Block:
    return {"type": "mrkdwn", "text": text}


class SlackRenderer(Renderer):
    """Without a receiver of interactions ``has_buttons`` must be false, because each click would show an error."""

    def __init__(self, links: Callable[[Reader], Links], *, has_buttons: bool) -> None:
        self._links = links
        self._has_buttons = has_buttons

    def messages(self, content: Edition | Letter, _slot: str) -> list[Message]:
        subject = wording.letter_subject(content) if isinstance(content, Letter) else content.profile_title
        bodies = enumerate(self._bodies(content), 1)
        return [Message(body, subject, part, in_thread=part > 1) for part, body in bodies]

    def preview(self, content: Edition | Letter, _form: str) -> str:
        """Return JSON, one line per message. Replies have a ``thread_ts``."""
        first, *replies = (json.loads(body) for body in self._bodies(content))
        messages = [first, *(reply | {"thread_ts": _THREAD_IN_PREVIEW} for reply in replies)]
        return "\n".join(json.dumps(message, ensure_ascii=False) for message in messages)

    def _bodies(self, content: Edition | Letter) -> list[bytes]:
        links = self._links(edition_in(content).reader)
        if isinstance(content, Letter):
            return [render_letter_slack(content, links, buttons=self._has_buttons)]
        return render_thread(content, links, buttons=self._has_buttons)


def render_answers(edition: Edition, links: Links) -> list[dict[str, Any]]:
    messages = render_slack(edition, links)
    return [{name: json.loads(body)[name] for name in ("text", "blocks")} for body in messages]


def render_thread(edition: Edition, links: Links, *, buttons: bool = True) -> list[bytes]:
    if len(edition.picks) < 2:
        return render_slack(edition, links, buttons=buttons)
    in_thread = "Each paper has a reply in this message's thread: why it is here, its summary"
    hint = f"{in_thread}, and the buttons to vote." if buttons else f"{in_thread}."
    skipped = escape(wording.skipped(edition), TEXT_LIMIT)
    page = links.skipped(edition.date) if skipped else ""
    catch_up = [escape(wording.catch_up_note(edition), TEXT_LIMIT), link(page, skipped) if page else ""]
    blocks = [
        *_heading_blocks(edition),
        *_list_blocks(edition, _LIST_LIMIT),
        *([context_markup(filter(None, catch_up))] if any(catch_up) else []),
        *_follow_ups(edition),
        *_liked_elsewhere(edition),
        context([hint]),
        _footer_block(edition, links, buttons),
    ]
    replies = [
        body(
            edition,
            escape(f"{number}. {wording.title(pick.paper)}", NOTIFICATION_LIMIT),
            _pick_blocks(edition, pick, number, buttons),
        )
        for number, pick in enumerate(edition.picks, 1)
    ]
    return [text.encode() for text in [body(edition, _notification(edition), blocks), *replies]]


def render_slack(edition: Edition, links: Links, *, buttons: bool = True) -> list[bytes]:
    groups = [[*_pick_blocks(edition, pick, number, buttons), DIVIDER] for number, pick in enumerate(edition.picks, 1)]
    if not groups:
        words = escape(wording.quiet(edition), _SUMMARY_LIMIT)
        if edition.closest:
            words = "\n".join([f"{words} The closest:", *map(_listed, edition.closest)])
        groups = [[section(words)]]
    groups[0] = [*_heading_blocks(edition), *_list_blocks(edition, SECTION_LIMIT), DIVIDER, *groups[0]]
    groups[-1] = [
        *groups[-1],
        *_follow_ups(edition),
        *_liked_elsewhere(edition),
        _footer_block(edition, links, buttons),
    ]
    notification = _notification(edition)
    messages: list[list[Block]] = [[]]
    for group in groups:
        extended = messages[-1] + group
        fits = len(extended) <= BLOCK_LIMIT and len(body(edition, notification, extended)) <= MESSAGE_LIMIT
        if fits or not messages[-1]:
            messages[-1] = extended
        else:
            messages.append(group)
    return [body(edition, notification, blocks).encode() for blocks in messages]


def _follow_ups(edition: Edition) -> list[Block]:
    def marked(span: Span) -> str:
        # ``escape`` strips the blanks at both ends.
        words = escape(span.text, _SUMMARY_LIMIT)
        if not words:
            return " " if span.text else ""
        words = _linked(span.paper, words) if span.paper else f"*{words}*" if span.is_new else words
        return f"{' ' * span.text.startswith(' ')}{words}{' ' * span.text.endswith(' ')}"

    return _paragraph(FOLLOW_UPS, ["• " + "".join(map(marked, spans)) for spans in follow_ups(edition)])


def _liked_elsewhere(edition: Edition) -> list[Block]:
    likes = wording.liked_elsewhere(edition)
    return _paragraph(
        wording.LIKED_ELSEWHERE, [f"{_listed(paper)} ({escape(names, _LIKED_LIMIT)})" for paper, names in likes]
    )


def render_letter_slack(letter: Letter, links: Links, *, buttons: bool) -> bytes:
    edition = letter.edition
    liked = map(_listed, wording.letter_liked(letter))
    learned = [escape(sentence, TITLE_LIMIT) for sentence in wording.lessons(letter.raised, letter.lowered)]
    blocks: list[Block] = [
        header(f"Your week in {edition.profile_title}"),
        context([wording.letter_week(letter)]),
        *_paragraph("What you liked", [*liked, escape(wording.letter_votes(letter), TEXT_LIMIT)]),
        *_paragraph("What you saved", list(map(_listed, wording.letter_saved(letter)))),
        *_paragraph("What was learned from your votes", learned),
        *_paragraph(wording.LEAVING, [escape(sentence, TITLE_LIMIT) for sentence in wording.leaving(letter)]),
    ]
    for pick in edition.picks:
        blocks += _paragraph("One you missed", [wording.LETTER_MISSED])
        blocks += _pick_blocks(edition, pick, None, buttons)
    if letter.record:
        blocks += _paragraph("How well it predicts", [escape(wording.letter_record(letter), TEXT_LIMIT)])
    blocks.append(_footer_block(edition, links, buttons))
    notification = escape(f"{wording.letter_subject(letter)}. {wording.letter_preheader(letter)}", NOTIFICATION_LIMIT)
    return body(edition, notification, blocks).encode()


def _paragraph(heading: str, lines: Sequence[str]) -> list[Block]:
    if not lines:
        return []
    # A link may have 1,000 characters, so extra lines are left out, not cut.
    text = f"*{heading}*"
    for line in lines:
        if len(text) + len(line) < SECTION_LIMIT:
            text += f"\n{line}"
    return [section(text)]


def _notification(edition: Edition) -> str:
    """Return ``Reward models, 3 papers: ...`` with the first picks' news, escaped."""
    new = [wording.news(pick).removesuffix(".") for pick in edition.picks[:_NOTIFIED_PICKS]]
    brings = "; ".join(new) or wording.subject(replace(edition, is_test=False))
    headline = f"{edition.profile_title}, {wording.picked(edition)}: {brings}"
    return escape(f"Test: {headline}" if edition.is_test else headline, NOTIFICATION_LIMIT)


def _heading_blocks(edition: Edition) -> list[Block]:
    return [
        header(edition.profile_title),
        context([f"{long_date(edition.date, edition.language)} · {wording.tally(edition)}"]),
    ]


def _list_blocks(edition: Edition, limit: int) -> list[Block]:
    """Return the blocks of the list. Lines beyond the limit are counted."""
    if len(edition.picks) < 2:
        return []
    texts = [f"*{wording.list_heading(edition)}*"]
    left = len(edition.picks)
    for group in wording.groups(edition):
        heading = f"_{escape(group.topic, TEXT_LIMIT)}_\n" if group.topic else ""
        for number, pick in group.picks:
            line = f"{number}. {_linked(pick.paper, escape(wording.news(pick), TITLE_LIMIT))}  {wording.strength(pick)}"
            if sum(map(len, texts)) + len(heading + line) > limit:
                return [section(text) for text in [*texts[:-1], f"{texts[-1]}\nand {left} more"]]
            if len(texts[-1]) + len(heading + line) < SECTION_LIMIT:
                texts[-1] += f"\n{heading}{line}"
            else:
                texts.append(heading + line)
            heading = ""
            left -= 1
    return [section(text) for text in texts]


def _linked(paper: Paper, label: str) -> str:
    address = title_link(paper)
    # A cut address would lead elsewhere.
    return label if address.is_search or not _fits(address.url) else link(address.url, label)


def _listed(paper: Paper) -> str:
    return f"• {_linked(paper, escape(wording.title(paper), _LIKED_LIMIT))}"


def _fits(url: str) -> bool:
    return len(url.replace("&", "&amp;")) <= URL_LIMIT


def _pick_blocks(edition: Edition, pick: Pick, number: int | None, buttons: bool) -> list[Block]:
    title = escape(wording.title(pick.paper), TITLE_LIMIT).replace("|", "¦")
    heading = f"*{_linked(pick.paper, title)}*"
    address = title_link(pick.paper)
    if address.is_search and _fits(address.url):
        heading += f"  {link(address.url, f'Search {address.site}')}"
    if (pdf_address := pdf(pick.paper)) and len(pdf_address) <= _FACTS_LIMIT:
        heading += f"  {link(pdf_address, 'PDF')}"
    paper_credits = " · ".join(filter(None, [wording.credits_of(pick), *wording.seen(pick.paper, edition.language)]))
    facts_line = " · ".join(
        link(fact.url, escape(fact.text, TEXT_LIMIT)) if fact.url else escape(fact.text, TEXT_LIMIT)
        for fact in facts(pick.paper, with_pdf=False)
    )
    if len(facts_line) > _FACTS_LIMIT:
        facts_line = escape(facts_text(pick.paper), _FACTS_LIMIT)
    lines = [f"{number}. {heading}" if number else heading, escape(paper_credits, _CREDITS_LIMIT), facts_line]
    blocks = [section("\n".join(line for line in lines if line))]
    strength = f"{wording.strength(pick)} {wording.label(pick)}"
    blocks.append(context([strength, wording.why(pick), wording.liked_by(edition, pick.paper)]))
    if summary := _summary_text(pick.summary):
        blocks.append(section(summary))
    if buttons:
        labels = {Vote.UP: "👍 More like this", Vote.DOWN: "👎 Less like this", Vote.SAVE: "🔖 Save"}
        elements = [
            {
                "type": "button",
                "text": {"type": "plain_text", "text": label, "emoji": True},
                "action_id": f"thumb_{vote}",
                "value": pick.paper.ref,
            }
            for vote, label in labels.items()
        ]
        # A block_id must be unique within a message.
        blocks.append({"type": "actions", "block_id": f"thumbs-{pick.paper.ref}", "elements": elements})
    return blocks


def _summary_text(summary: Sequence[Sentence]) -> str:
    formatted: list[str] = []
    for sentence in summary:
        label = LABELS.get(sentence.role, "")
        text = label + "".join(
            f"_{literal(piece.text)}_" if piece.marked else literal(piece.text) for piece in pieces(sentence)
        )
        if text and sentence.role is Role.RESULT:
            text = f"*{text}*"
        formatted.append(GAP + text if sentence.after_gap else text)
    joined = " ".join(formatted)
    if len(joined) <= _SUMMARY_LIMIT:
        return joined
    # A cut could separate "*" from its end.
    plain = " ".join((GAP if sentence.after_gap else "") + readable(sentence.text) for sentence in summary)
    return escape(plain, _SUMMARY_LIMIT)


def _footer_block(edition: Edition, links: Links, buttons: bool) -> Block:
    purpose = "Your votes change the next edition of" if buttons else "This is an edition of"
    texts = [escape(f"{purpose} “{edition.profile_title}”.", TEXT_LIMIT)]
    if edition.more and (page := links.more(edition.date)):
        texts.append(f"{link(page, escape(wording.more(edition), TEXT_LIMIT))}. {wording.MORE_LATER}")
    if links.me():
        texts.append(link(links.me(), "Your preferences"))
    # No member of a channel may unsubscribe the others.
    if links.unsubscribe() and not SLACK.is_shared(edition.reader.address):
        texts.append(link(links.unsubscribe(), "Unsubscribe"))
    return context_markup(texts)
