"""A summary's sentences cut into pieces, so that each channel can mark words in its own way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.domain import Role, Sentence
from bot.rendering.latex import readable
from bot.rendering.text import oneline, shorten

# Stands where sentences, or a sentence's first words, were left out.
GAP = "… "


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of readable text, marked or not; escaped by nobody yet."""

    text: str
    marked: bool = False


def pieces(sentence: Sentence) -> list[Piece]:
    """The sentence as people read it, each of its marks once, as a piece of its own."""
    text = oneline(readable(sentence.text))
    found, start = [], 0
    for first, last in _places(text, sentence.marks):
        found += [Piece(text[start:first]), Piece(text[first:last], marked=True)]
        start = last
    return [piece for piece in (*found, Piece(text[start:])) if piece.text]


def shortened(summary: Sequence[Sentence], width: int) -> tuple[Sentence, ...]:
    """As much of a summary as fits into ``width`` readable characters; the last sentence that does is cut."""
    kept: list[Sentence] = []
    for sentence in summary:
        if width <= 1:
            break
        text = shorten(readable(sentence.text), width)
        kept.append(replace(sentence, text=text))
        width -= len(text) + 1
    return tuple(kept)


def paragraphs(summary: Sequence[Sentence]) -> list[str]:
    """The summary for plain text: marks between asterisks, the result behind an arrow and on lines of its own.

    An ellipsis stands where something was left out.
    """
    found: list[list[str]] = [[]]
    for sentence in summary:
        text = "".join(f"*{piece.text}*" if piece.marked else piece.text for piece in pieces(sentence))
        gap = GAP if sentence.after_gap else ""
        if sentence.role is Role.RESULT:
            found += [[f"→ {gap}{text}"], []]
        else:
            found[-1].append(f"TL;DR: {text}" if sentence.role is Role.TLDR else f"{gap}{text}")
    return [" ".join(texts) for texts in found if texts]


def _places(text: str, marks: Sequence[str]) -> list[tuple[int, int]]:
    """Where the marks stand, as whole words, in order; of two that overlap the first."""
    found: list[tuple[int, int]] = []
    for mark in marks:
        place = re.search(rf"(?<!\w){re.escape(oneline(readable(mark)))}(?!\w)", text)
        if place and place.group() and not any(a < place.end() and place.start() < b for a, b in found):
            found.append(place.span())
    return sorted(found)
