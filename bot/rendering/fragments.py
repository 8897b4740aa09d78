"""What a mail says of a paper, rendered once for all readers; a reader's own values are put into it.

The templates are rendered with slots in place of what differs between the readers of a paper: filters such as ``why``,
the reader's links and address return a token, for which the value is put in later. The output is cut at the marks
``line_begins``, ``line_ends``, ``pick_begins`` and ``pick_ends`` of the templates: a fragment for each pick, one for a
line of the list at the top, and the frame around them. What a mail shows of a pick beside the slots (its paper, label
and credits) is the fragment's key, so that the result is, byte for byte, what the templates give; a test renders both
ways. Fragments and values are kept as mails carry them, in quoted-printable: a mail is their bytes, joined.

A home's own templates may use these values in any way ("if it is a strong match"), so they are rendered as they are.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import lru_cache
from typing import NamedTuple

from jinja2 import Environment

from bot.domain import Edition, Paper, Pick, PickKind, ReasonKind, Vote
from bot.rendering import phrases
from bot.rendering.news import news
from bot.rendering.paper_links import Links, is_short, short
from bot.rendering.quoted_printable import encoded
from bot.rendering.templates import render
from bot.rendering.text import wrap

# Fragments of a part, each with its paper and its slots. Of 4,000 readers' 40,000 picks, 442 differ.
_MAX_FRAGMENTS = 2_000
_MAX_FRAMES = 200
# Encoded values that several readers have. Summaries take some KB each, and 4,000 readers of a day have 1,031.
_MAX_VALUES = 10_000
_MAX_SUMMARIES = 2_000

# A tag as a serializer writes it, with its attributes in double quotes.
_TAG = re.compile(r'<[^"<>]*(?:"[^"]*"[^"<>]*)*>')


class SlotValues(NamedTuple):
    """What is put into the slots of a pick, or of a frame, which has no pick."""

    edition: Edition
    links: Links
    pick: Pick
    number: int


Value = Callable[[SlotValues], str]
Escape = Callable[[str], str]


class _Slot(NamedTuple):
    value: Value
    is_own: bool  # no other reader has the value, so that its encoded form is not kept
    is_escaped: bool


class _Form(NamedTuple):
    """What of an edition decides how each of its picks is shown."""

    saves: bool  # whether the readers' links lead to a page that offers papers to reference managers
    language: str  # of dates


_Key = tuple[Paper, PickKind, tuple[tuple[ReasonKind, str], ...], bool, _Form]
_FrameKey = tuple[str, date, datetime, bool, _Form]


class _Encoder:
    """Encodes escaped values; what several readers have is kept."""

    def __init__(self, escape: Escape, kept: int = _MAX_VALUES) -> None:
        self.own: Callable[[str], bytes] = lambda value: encoded(escape(value))
        self.shared = lru_cache(kept)(self.own)


@dataclass(frozen=True, slots=True)
class _Fragment:
    """Encoded texts with slots between them."""

    pieces: list[bytes]  # the texts, and an empty piece for each slot
    slots: Sequence[tuple[Value, Callable[[str], bytes]]]  # each with what encodes its values

    def filled(self, values: SlotValues) -> bytes:
        """Return the text with the reader's values in the slots."""
        pieces = self.pieces.copy()
        pieces[1::2] = [encode(value(values)) for value, encode in self.slots]
        return b"".join(pieces)


class _Frame(NamedTuple):
    """A mail part without its picks: what stands before, between and after the lines of the list, and the picks."""

    before: _Fragment
    line: _Fragment | None  # of any pick; None without a list
    between_lines: bytes
    middle: _Fragment
    between_picks: bytes
    after: _Fragment


@dataclass(frozen=True, slots=True)
class _SlotLinks:
    """Links as slots."""

    slots: _Slots
    saves: bool

    def thumb(self, _paper: Paper, vote: Vote, via: str = "mail") -> str:
        return self._add(lambda values: values.links.thumb(values.pick.paper, vote, via))

    def save(self, _paper: Paper, via: str = "mail") -> str:
        return self._add(lambda values: values.links.save(values.pick.paper, via)) if self.saves else ""

    def edition(self, _day: date) -> str:
        return self._add(lambda values: values.links.edition(values.edition.date))

    def go(self, _paper: Paper) -> str:
        return self._add(lambda values: values.links.go(values.pick.paper))

    def me(self) -> str:
        return self._add(lambda values: values.links.me())

    def unsubscribe(self) -> str:
        return self._add(lambda values: values.links.unsubscribe())

    def _add(self, link: Value) -> str:
        return self.slots.add(link, is_own=True)


class _Slots:
    """The slots of the text that is being rendered; each has a token in the text."""

    def __init__(self) -> None:
        # Random: no paper's text can contain a token.
        nonce = secrets.token_hex(8)
        self.marks = {
            name: f"{nonce}{name}x" for name in ("line_begins", "line_ends", "pick_begins", "pick_ends")
        }
        self._prefix = f"{nonce}slot"
        self._token = re.compile(rf"{self._prefix}(\d+)x")
        self._slots: list[_Slot] = []

    def clear(self) -> None:
        """Forget the slots of the text before."""
        self._slots.clear()

    def add(self, value: Value, *, is_own: bool = False, is_escaped: bool = False) -> str:
        """Return the token of a new slot."""
        self._slots.append(_Slot(value, is_own, is_escaped))
        return f"{self._prefix}{len(self._slots) - 1}x"

    def filters(self, summary: Callable[..., str]) -> dict[str, Callable[..., str]]:
        """Return the filters whose values differ between readers, as slots; ``summary`` escapes what it returns."""

        def add_summary(_summary: object, *arguments: str) -> str:
            return self.add(lambda values: summary(values.pick.summary, *arguments), is_escaped=True)

        return {
            "list_heading": lambda _edition: self.add(lambda values: phrases.list_heading(values.edition)),
            "match": lambda _pick: self.add(lambda values: phrases.match(values.pick)),
            "news": lambda _pick: self.add(lambda values: news(values.pick)),
            "numbered": self._numbered,
            "ordinal": lambda _number: self.add(lambda values: phrases.ordinal(values.number)),
            "percent": lambda _probability: self.add(lambda values: phrases.percent(values.pick.probability)),
            "preheader": lambda _edition: self.add(lambda values: phrases.preheader(values.edition)),
            "short": self._short,
            "strength": lambda _pick: self.add(lambda values: phrases.strength(values.pick)),
            "subject": lambda _edition: self.add(lambda values: phrases.subject(values.edition)),
            "summary_html": add_summary,
            "summary_text": add_summary,
            "tally": lambda _edition: self.add(lambda values: phrases.tally(values.edition)),
            "verdict": lambda _pick: self.add(lambda values: phrases.verdict(values.pick)),
            "why": lambda _pick: self.add(lambda values: phrases.why(values.pick)),
            "wrap": self._wrap,
        }

    def split(self, text: str) -> tuple[list[str], list[_Slot]]:
        """Return a rendered text in pieces, each second one the place of a slot, and the slots."""
        pieces = self._token.split(text)
        return pieces, [self._slots[int(number)] for number in pieces[1::2]]

    def are_in_tags(self, html: str) -> list[bool]:
        """Return of each slot of a rendered text whether it is within a tag, in an attribute."""
        tags = [match.span() for match in _TAG.finditer(html)]
        positions = (match.start() for match in self._token.finditer(html))
        return [any(start < position < end for start, end in tags) for position in positions]

    # Filters of texts, which are applied once the slots in them have values.

    def _numbered(self, text: str, _number: int) -> str:
        fill = self._filler(text)
        return self.add(lambda values: phrases.numbered(fill(values), values.number))

    def _short(self, url: str, _paper: Paper, _links: Links) -> str:
        if is_short(url):
            return url
        return self.add(lambda values: short(url, values.pick.paper, values.links), is_own=True)

    def _wrap(self, text: str, *indents: str) -> str:
        if self._prefix not in text:
            return wrap(text, *indents)
        fill = self._filler(text)
        return self.add(lambda values: wrap(fill(values), *indents))

    def _filler(self, text: str) -> Value:
        """Return a function that puts values into the slots of a text."""
        pieces, slots = self.split(text)
        if pieces[::2] == ["", ""]:  # a slot alone, as nearly all are: a twentieth of a mail's time
            return slots[0].value

        def fill(values: SlotValues) -> str:
            filled = pieces.copy()
            filled[1::2] = [slot.value(values) for slot in slots]
            return "".join(filled)

        return fill


class Fragments:
    """Renders one part of mails from fragments, which are kept while the renderer is."""

    def __init__(
        self,
        env: Environment,
        template: str,
        finish: Callable[[str], str],
        escapes: tuple[Escape, Escape],
        summary: Callable[..., str],
    ) -> None:
        """``finish`` is done to the rendered template.

        ``escapes`` do to values what it does to texts and to attributes; ``summary`` returns a summary as it leaves it.
        """
        self._slots = _Slots()
        self._env = env.overlay()
        self._env.filters = {**env.filters, **self._slots.filters(summary)}
        self._env.globals = {**env.globals, **self._slots.marks}
        self._template = template
        self._finish = finish
        self._in_text, self._in_attribute = map(_Encoder, escapes)
        self._escaped = _Encoder(str, _MAX_SUMMARIES)
        self._frames: dict[_FrameKey, _Frame] = {}
        self._picks: dict[_Key, _Fragment] = {}

    def render(self, edition: Edition, links: Links) -> bytes:
        """Return the encoded part of an edition that has picks; raises TemplateProblem as ``render`` does."""
        # Whether links save is the same for all readers of a home: not so with the pages on this machine alone.
        form = _Form(bool(links.save(edition.picks[0].paper)), edition.language)
        frame_key = (edition.profile_title, edition.date, edition.composed_at, len(edition.picks) > 1, form)
        keys = [_key(pick, form) for pick in edition.picks]
        if len(self._picks) + len(keys) > _MAX_FRAGMENTS or len(self._frames) >= _MAX_FRAMES:
            self._picks.clear()
            self._frames.clear()
        # Looked up once: hashing a key takes as long as filling three slots.
        frame, fragments = self._frames.get(frame_key), [self._picks.get(key) for key in keys]
        if frame is None or None in fragments:
            self._render_new(edition, frame_key, keys)
            frame, fragments = self._frames[frame_key], [self._picks[key] for key in keys]
        lines: list[bytes] = []
        picks: list[bytes] = []
        shown = zip(edition.picks, filter(None, fragments), strict=True)
        for number, (pick, fragment) in enumerate(shown, start=1):
            values = SlotValues(edition, links, pick, number)
            picks.append(fragment.filled(values))
            if frame.line:
                lines.append(frame.line.filled(values))
        values = SlotValues(edition, links, edition.picks[0], 0)
        return b"".join(
            (
                frame.before.filled(values),
                frame.between_lines.join(lines),
                frame.middle.filled(values),
                frame.between_picks.join(picks),
                frame.after.filled(values),
            )
        )

    def _render_new(self, edition: Edition, frame_key: _FrameKey, keys: Sequence[_Key]) -> None:
        """Render an edition's new picks with slots, all of them if its frame is new, and keep both."""
        is_new_frame = frame_key not in self._frames
        new = {number: key for number, key in enumerate(keys) if is_new_frame or key not in self._picks}
        self._slots.clear()
        address = self._slots.add(lambda values: values.edition.reader.address, is_own=True)
        with_slots = replace(
            edition,
            reader=replace(edition.reader, address=address),
            picks=tuple(edition.picks[number] for number in new),
        )
        form = frame_key[-1]
        text = self._finish(
            render(self._env, self._template, with_slots, _SlotLinks(self._slots, form.saves))
        )
        marks = self._slots.marks
        top, picks, between_picks, after = _cut(text, marks["pick_begins"], marks["pick_ends"])
        self._picks.update(zip(new.values(), map(self._fragment, picks), strict=True))
        if is_new_frame:
            before, lines, between_lines, middle = _cut(top, marks["line_begins"], marks["line_ends"])
            self._frames[frame_key] = _Frame(
                self._fragment(before),
                self._fragment(lines[0]) if lines else None,
                encoded(between_lines),
                self._fragment(middle),
                encoded(between_picks),
                self._fragment(after),
            )

    def _fragment(self, text: str) -> _Fragment:
        """Return a rendered text as encoded pieces and slots."""
        pieces, slots = self._slots.split(text)
        return _Fragment(
            [b"" if number % 2 else encoded(piece) for number, piece in enumerate(pieces)],
            [
                (slot.value, self._encode(slot, is_in_tag))
                for slot, is_in_tag in zip(slots, self._slots.are_in_tags(text), strict=True)
            ],
        )

    def _encode(self, slot: _Slot, is_in_tag: bool) -> Callable[[str], bytes]:
        """Return what encodes the values of a slot."""
        escaped = self._in_attribute if is_in_tag else self._in_text
        encoder = self._escaped if slot.is_escaped else escaped
        return encoder.own if slot.is_own else encoder.shared


def serialized_text(value: str) -> str:
    """Return a text as HTML serializers write it (https://html.spec.whatwg.org/#escapingString)."""
    return _serialized(value).replace("<", "&lt;").replace(">", "&gt;")


def serialized_attribute(value: str) -> str:
    """Return an attribute's value as HTML serializers write it."""
    return _serialized(value).replace('"', "&quot;")


def _serialized(value: str) -> str:
    return value.replace("&", "&amp;").replace("\xa0", "&nbsp;")


def _cut(text: str, begins: str, ends: str) -> tuple[str, list[str], str, str]:
    """Return what stands before marked items, the items, what stands between two, and what after the last."""
    before, *items_and_rest = text.split(begins)
    items: list[str] = []
    between = after = ""
    for item_and_rest in items_and_rest:
        between = after
        item, after = item_and_rest.split(ends)
        items.append(item)
    return before, items, between, after


def _key(pick: Pick, form: _Form) -> _Key:
    """Return all that a mail shows of a pick beside the slots."""
    # What the label and the credits are made of, which costs less than to make them.
    named = [(reason.kind, reason.text) for reason in pick.reasons if reason.kind in phrases.NAMED_BY_RULES]
    return pick.paper, pick.kind, tuple(named), bool(pick.summary), form
