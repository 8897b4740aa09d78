"""Highlighting: the words of a sentence that match a reader's terms, in the sentence's spelling."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from bot.terms import common_expansions, tokens

_PUNCTUATION = re.compile(r"[.,;:!?()\[\]{}\"“”]\s")


# Many readers get the same sentences with the same phrases on the same day.
@lru_cache(maxsize=20_000)
def occurrence(sentence: str, phrase: str) -> str | None:
    """Return the first occurrence of a phrase in a sentence, as spelled there, abbreviated or not; None without any.

    >>> occurrence("Two Reward  Modelings agree", "reward models")
    'Reward  Modelings'
    """
    target = [stem for stem, _, _ in _words(phrase)]
    words = _words(sentence)
    stems = [stem for stem, _, _ in words]
    for start in range(len(words) - len(target) + 1):
        if target and stems[start : start + len(target)] == target:
            match = sentence[words[start][1] : words[start + len(target) - 1][2]]
            # Punctuation before white space separates two phrases, though their words are neighbours.
            if not _PUNCTUATION.search(match):
                return match
    return None


def marked(sentences: Sequence[str], phrases: Sequence[str]) -> list[tuple[str, ...]]:
    """Return for each sentence what to mark in it: each phrase once, at its first occurrence."""
    remaining = list(phrases)
    marks = []
    for sentence in sentences:
        places = {phrase: place for phrase in remaining if (place := occurrence(sentence, phrase))}
        remaining = [phrase for phrase in remaining if phrase not in places]
        marks.append(tuple(dict.fromkeys(places.values())))
    return marks


@lru_cache(maxsize=5_000)
def _words(text: str) -> list[tuple[str, int, int]]:
    """Return each stem, with abbreviations expanded, and the start and end of its word."""
    expansions = common_expansions()
    return [
        (stem, token.start, token.end)
        for token in tokens(text)
        for stem in expansions.get(token.stem, (token.stem,))
    ]
