"""What a mail says of a paper, rendered once for all readers; a reader's own values are put into it.

The templates are rendered with slots in place of what is a reader's own: filters such as ``why``, the reader's links
and address return a token, for which the value is put in later. The output is cut at the marks ``line_begins``,
``line_ends``, ``pick_begins`` and ``pick_ends`` of the templates: two fragments for each pick, its line in the list at
the top and the pick itself, and the frame around them. What one reader's mail shows of a pick beside the slots (its
paper, label, credits and summary with its marks) is the fragments' key, so that the result is, byte for byte, what the
templates give; a test renders both ways.

A home's own templates may use these values in any way ("if it is a strong match"), so they are rendered as they are.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import zip_longest
from typing import NamedTuple

from jinja2 import Environment

from bot.domain import Edition, Paper, Pick, PickKind, ReasonKind, Sentence, Vote
from bot.rendering import phrases
from bot.rendering.paper_links import Links, short
from bot.rendering.templates import render
from bot.rendering.text import visible, wrap

# Fragments of a part that are kept, each with its paper and its slots. Of 400 readers' 4,000 picks, 487 differed; with
# 5,000, the memory of a worker for twenty profiles grew by 100 MB until it had as many.
_MAX_FRAGMENTS = 2_000
_MAX_FRAMES = 200

# A tag as a serializer writes it, with its attributes in double quotes.
_TAG = re.compile(r'<[^"<>]*(?:"[^"]*"[^"<>]*)*>')


class SlotValues(NamedTuple):
    """What is put into the slots of a pick, or of a frame, which has no pick."""

    edition: Edition
    links: Links
    pick: Pick
    number: int


class _Form(NamedTuple):
    """What of an edition decides how each of its picks is shown."""

    has_list: bool  # of its picks, at the top
    saves: bool  # whether the readers' links lead to a page that offers papers to reference managers
    language: str  # of dates


_Key = tuple[Paper, PickKind, tuple[tuple[ReasonKind, str], ...], tuple[Sentence, ...], _Form]
_FrameKey = tuple[str, date, datetime, _Form]
Slot = Callable[[SlotValues], str]
Escape = Callable[[str, bool], str]  # a value, and whether it stands in an attribute


@dataclass(frozen=True, slots=True)
class _Fragment:
    """Literal texts and the slots between them."""

    first: str
    rest: Sequence[tuple[Slot, bool, str]]  # the slot, whether it stands in an attribute, the text after it

    def filled(self, values: SlotValues, escape: Escape) -> str:
        """Return the text with the reader's values in the slots."""
        if not self.rest:
            return self.first
        parts = [self.first]
        for slot, in_attribute, text in self.rest:
            parts.append(escape(slot(values), in_attribute))
            parts.append(text)
        return "".join(parts)


class _PickFragments(NamedTuple):
    """What a part says of a pick: its line in the list at the top, None without a list, and the pick itself."""

    line: _Fragment | None
    pick: _Fragment


class _Frame(NamedTuple):
    """A mail part without its picks: what stands before, between and after the lines of the list, and the picks."""

    before: _Fragment
    between_lines: str
    middle: _Fragment
    between_picks: str
    after: _Fragment


@dataclass(frozen=True, slots=True)
class _SlotLinks:
    """Links as slots."""

    slots: _Slots
    saves: bool  # whether the readers' links lead to a page that offers papers to reference managers

    def thumb(self, _paper: Paper, vote: Vote, via: str = "mail") -> str:
        return self.slots.add(lambda values: values.links.thumb(values.pick.paper, vote, via))

    def save(self, _paper: Paper, via: str = "mail") -> str:
        return self.slots.add(lambda values: values.links.save(values.pick.paper, via)) if self.saves else ""

    def edition(self, _day: date) -> str:
        return self.slots.add(lambda values: values.links.edition(values.edition.date))

    def go(self, _paper: Paper) -> str:
        return self.slots.add(lambda values: values.links.go(values.pick.paper))

    def me(self) -> str:
        return self.slots.add(lambda values: values.links.me())

    def unsubscribe(self) -> str:
        return self.slots.add(lambda values: values.links.unsubscribe())


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
        self._slots: list[Slot] = []

    def clear(self) -> None:
        """Forget the slots of the text before."""
        self._slots.clear()

    def add(self, slot: Slot) -> str:
        """Return the token of a new slot."""
        self._slots.append(slot)
        return f"{self._prefix}{len(self._slots) - 1}x"

    def filters(self) -> dict[str, Callable[..., str]]:
        """Return the filters whose values are a reader's own, as slots."""
        return {
            "label": lambda _pick: self.add(lambda values: phrases.label(values.pick)),
            "list_heading": lambda _edition: self.add(lambda values: phrases.list_heading(values.edition)),
            "match": lambda _pick: self.add(lambda values: phrases.match(values.pick)),
            "number": lambda _number: self.add(lambda values: phrases.number(values.number)),
            "ordinal": lambda _number: self.add(lambda values: phrases.ordinal(values.number)),
            "percent": lambda _probability: self.add(lambda values: phrases.percent(values.pick.probability)),
            "preheader": lambda _edition: self.add(lambda values: phrases.preheader(values.edition)),
            "short": lambda url, _paper, _links: self.add(
                lambda values: short(url, values.pick.paper, values.links)
            ),
            "strength": lambda _pick: self.add(lambda values: phrases.strength(values.pick)),
            "subject": lambda _edition: self.add(lambda values: phrases.subject(values.edition)),
            "tally": lambda _edition: self.add(lambda values: phrases.tally(values.edition)),
            "why": lambda _pick: self.add(lambda values: phrases.why(values.pick)),
            "trim": self._deferred(str.strip),
            "wrap": self._deferred(wrap),
        }

    def fragment(self, text: str, *, is_markup: bool) -> _Fragment:
        """Return a rendered text as literals and slots."""
        tags = [match.span() for match in _TAG.finditer(text)] if is_markup else []
        pieces = self._token.split(text)
        positions = (match.start() for match in self._token.finditer(text))
        return _Fragment(
            pieces[0],
            [
                (self._slots[int(number)], any(start < position < end for start, end in tags), literal)
                for number, literal, position in zip(pieces[1::2], pieces[2::2], positions, strict=True)
            ],
        )

    def _deferred(self, function: Callable[..., str]) -> Callable[..., str]:
        """Return a filter of texts that is applied once the slots in them have values."""

        def filtered(*texts: str) -> str:
            if not any(self._prefix in text for text in texts):
                return function(*texts)
            fragments = [self.fragment(text, is_markup=False) for text in texts]
            # Of the two or three texts, one has slots.
            return self.add(
                lambda values: function(
                    *[
                        fragment.filled(values, _unescaped) if fragment.rest else fragment.first
                        for fragment in fragments
                    ]
                )
            )

        return filtered


class Fragments:
    """Renders one part of mails from fragments, which are kept while the renderer is."""

    def __init__(
        self,
        env: Environment,
        template: str,
        finish: Callable[[str], str],
        escape: Escape,
        *,
        is_markup: bool,
    ) -> None:
        """``finish`` is done to the rendered template; ``escape`` escapes a value as ``finish`` leaves it."""
        self._slots = _Slots()
        self._env = env.overlay()
        self._env.filters = {**env.filters, **self._slots.filters()}
        self._env.globals = {**env.globals, **self._slots.marks}
        self._template = template
        self._finish = finish
        self._escape = escape
        self._is_markup = is_markup
        self._frames: dict[_FrameKey, _Frame] = {}
        self._fragments: dict[_Key, _PickFragments] = {}

    def render(self, edition: Edition, links: Links) -> str:
        """Return the part of an edition that has picks; raises TemplateProblem as ``render`` does."""
        # Whether links save is the same for all readers of a home: not so with the pages on this machine alone.
        form = _Form(len(edition.picks) > 1, bool(links.save(edition.picks[0].paper)), edition.language)
        frame_key = (edition.profile_title, edition.date, edition.composed_at, form)
        keys = [_key(pick, form) for pick in edition.picks]
        if len(self._fragments) + len(keys) > _MAX_FRAGMENTS or len(self._frames) >= _MAX_FRAMES:
            self._fragments.clear()
            self._frames.clear()
        # Looked up once: hashing a key takes as long as filling three slots.
        known = list(map(self._fragments.get, keys))
        is_new_frame = frame_key not in self._frames
        new = {
            key: pick
            for key, pick, of_pick in zip(keys, edition.picks, known, strict=True)
            if is_new_frame or of_pick is None
        }
        if new:
            self._render_new(edition, new, frame_key)
            known = [self._fragments[key] for key in keys]
        frame = self._frames[frame_key]
        lines: list[str] = []
        picks: list[str] = []
        for number, (fragments, pick) in enumerate(zip(filter(None, known), edition.picks, strict=True), 1):
            values = SlotValues(edition, links, pick, number)
            picks.append(fragments.pick.filled(values, self._escape))
            if fragments.line:
                lines.append(fragments.line.filled(values, self._escape))
        values = SlotValues(edition, links, edition.picks[0], 0)
        return "".join(
            (
                frame.before.filled(values, self._escape),
                frame.between_lines.join(lines),
                frame.middle.filled(values, self._escape),
                frame.between_picks.join(picks),
                frame.after.filled(values, self._escape),
            )
        )

    def _render_new(self, edition: Edition, new: Mapping[_Key, Pick], frame_key: _FrameKey) -> None:
        """Render these picks of an edition with slots, and keep them and, if it is new, the frame around them."""
        self._slots.clear()
        address = self._slots.add(lambda values: values.edition.reader.address)
        picks = tuple(new.values())
        if len(edition.picks) > 1 and len(picks) == 1:
            # Twice, as the templates list several picks only.
            picks *= 2
        with_slots = replace(edition, reader=replace(edition.reader, address=address), picks=picks)
        text = self._finish(
            render(self._env, self._template, with_slots, _SlotLinks(self._slots, frame_key[-1].saves))
        )
        marks = self._slots.marks
        top, rendered, between_picks, after = _cut(text, marks["pick_begins"], marks["pick_ends"])
        before, lines, between_lines, middle = _cut(top, marks["line_begins"], marks["line_ends"])
        for key, pick, line in zip_longest(new, rendered[: len(new)], lines[: len(new)]):
            self._fragments[key] = _PickFragments(
                None if line is None else self._fragment(line), self._fragment(pick)
            )
        if frame_key not in self._frames:
            self._frames[frame_key] = _Frame(
                self._fragment(before),
                between_lines,
                self._fragment(middle),
                between_picks,
                self._fragment(after),
            )

    def _fragment(self, text: str) -> _Fragment:
        return self._slots.fragment(text, is_markup=self._is_markup)


def _unescaped(value: str, _in_attribute: bool) -> str:
    return value


def plain(value: str, _in_attribute: bool) -> str:
    """Return a value as plain text shows it."""
    return visible(value)


def serialized(value: str, in_attribute: bool) -> str:
    """Return a value as HTML serializers write it (https://html.spec.whatwg.org/#escapingString)."""
    value = visible(value).replace("&", "&amp;").replace("\xa0", "&nbsp;")
    if in_attribute:
        return value.replace('"', "&quot;")
    return value.replace("<", "&lt;").replace(">", "&gt;")


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
    return pick.paper, pick.kind, tuple(named), pick.summary, form
