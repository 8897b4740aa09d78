"""Split a summary's sentences into marked and unmarked pieces, which each channel formats in its own way."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from bot.domain import Role, Sentence
from bot.rendering.latex import readable
from bot.rendering.text import oneline, shorten, wrap

# Shows that sentences, or the first words of a sentence, were omitted.
GAP = "… "
# What the reader should know before reading a sentence: that a language model wrote it, or that it is not what is new.
LABELS: Mapping[Role | None, str] = {Role.TLDR: "TL;DR: ", Role.BACKGROUND: "Background: "}
_SHORTEST_CUT = 12  # characters; less of a further sentence is a word or a letter


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of plain text, marked or not; the channel has to escape it."""

    text: str
    marked: bool = False


# In both parts of a mail, and readers of a paper have few different summaries.
@lru_cache(maxsize=10_000)
def pieces(sentence: Sentence) -> tuple[Piece, ...]:
    """Return the sentence in plain Unicode, with the first occurrence of each mark as a piece of its own."""
    text = oneline(readable(sentence.text))
    spans: list[tuple[int, int]] = []
    for mark in sentence.marks:
        # Both sides go through the same conversion, so that a mark with LaTeX in it still matches. No \b: a mark may
        # begin or end with a character that is not a word character, such as "C++".
        # Nor right behind a hyphen, in a system's name ("HALT-RAG"), nor do several words end before one ("reward
        # model-free").
        words = re.escape(oneline(readable(mark)))
        no_more = r"(?![\w-])" if " " in mark else r"(?!\w)"
        match = re.search(rf"(?<![\w-]){words}{no_more}", text)
        overlaps = match and any(start < match.end() and match.start() < end for start, end in spans)
        if match and match.group() and not overlaps:
            spans.append(match.span())
    split: list[Piece] = []
    position = 0
    for start, end in sorted(spans):
        split.append(Piece(text[position:start]))
        split.append(Piece(text[start:end], marked=True))
        position = end
    split.append(Piece(text[position:]))
    return tuple(piece for piece in split if piece.text)


def shortened(summary: Sequence[Sentence], width: int) -> tuple[Sentence, ...]:
    """Return the sentences that fit into ``width`` characters of plain text; the last of them may be cut."""
    fitting: list[Sentence] = []
    for sentence in summary:
        full_text = readable(sentence.text)
        if width <= 1 or (fitting and len(full_text) > width and width < _SHORTEST_CUT):
            break
        text = shorten(full_text, width)
        fitting.append(replace(sentence, text=text))
        # A blank separates it from the next sentence.
        width -= len(text) + 1
    return tuple(fitting)


def paragraphs(summary: Sequence[Sentence]) -> list[str]:
    """Return the summary as plain text: marks between asterisks, the result after an arrow in its own paragraph.

    An ellipsis shows an omission.
    """
    groups: list[list[str]] = [[]]
    for sentence in summary:
        text = "".join(f"*{piece.text}*" if piece.marked else piece.text for piece in pieces(sentence))
        gap = GAP if sentence.after_gap else ""
        if sentence.role is Role.RESULT:
            groups += [[f"→ {gap}{text}"], []]
        else:
            label = LABELS.get(sentence.role, "")
            groups[-1].append(f"{gap}{label}{text}")
    return [" ".join(texts) for texts in groups if texts]


def summary_text(summary: Sequence[Sentence], indent: str = "") -> str:
    """Return the summary's paragraphs in lines, each of which begins with ``indent``."""
    return "\n".join(wrap(paragraph, indent, indent) for paragraph in paragraphs(summary))
