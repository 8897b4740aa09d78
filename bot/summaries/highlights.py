"""Highlighting: the words of a sentence that match a reader's terms, in the sentence's spelling."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from bot.terms import terms

_WORD = re.compile(r"\w[\w+-]*(?:[./]\d+)*")


def occurrence(sentence: str, phrase: str) -> str | None:
    """Return the first occurrence of a term or keyword in a sentence, as spelled there; None without any.

    >>> occurrence("Two Reward  Models agree", "reward model")
    'Reward  Models'
    """
    target = [base for base, _, _ in _words(phrase)]
    words = _words(sentence)
    bases = [base for base, _, _ in words]
    for start in range(len(words) - len(target) + 1):
        if target and bases[start : start + len(target)] == target:
            match = sentence[words[start][1] : words[start + len(target) - 1][2]]
            # Punctuation before white space separates two phrases, though their words are neighbours.
            if not re.search(r"[.,;:!?()\[\]{}\"“”]\s", match):
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


@lru_cache(maxsize=5_000)  # many readers get the same sentences on the same day
def _words(text: str) -> list[tuple[str, int, int]]:
    """Return each word in the form of ``terms``, with its start and end."""
    return [
        (next(iter(terms(word.group())), word.group().lower()), *word.span()) for word in _WORD.finditer(text)
    ]
