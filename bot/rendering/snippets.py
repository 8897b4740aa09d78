"""Where an abstract has the words of a search: its sentence with the most of them, the words marked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.rendering.emphasis import GAP, Piece
from bot.rendering.latex import readable
from bot.rendering.text import oneline, shorten
from bot.terms import stem

_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_LONGEST = 280  # characters


def snippet(abstract: str, words: str) -> Sequence[Piece]:
    """Return the sentence as marked and unmarked pieces; empty if the abstract has none of the words.

    Words are compared by stem, as both databases' searches do, though each with a stemmer of its own.
    """
    stems = {stem(word.lower()) for word in _WORD.findall(words)}
    sentences = _SENTENCE_END.split(oneline(readable(abstract)))
    hits = [
        [match for match in _WORD.finditer(text) if stem(match[0].lower()) in stems] for text in sentences
    ]
    best = max(range(len(sentences)), key=lambda number: len({match[0].lower() for match in hits[number]}))
    if not hits[best]:
        return []
    # A sentence that is too long is shown from its first word that was searched for.
    text, cut = sentences[best], 0
    if hits[best][-1].end() > _LONGEST:
        cut = hits[best][0].start()
    pieces = [Piece(GAP)] if best or cut else []
    excerpt = shorten(text[cut:], _LONGEST)
    position = 0
    for match in hits[best]:
        start, end = match.start() - cut, match.end() - cut
        if end <= len(excerpt):
            pieces += [Piece(excerpt[position:start]), Piece(excerpt[start:end], marked=True)]
            position = end
    return [piece for piece in [*pieces, Piece(excerpt[position:])] if piece.text]
