"""The words of a sentence that matter to a reader, as they stand in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from bot.terms import terms

_WORD = re.compile(r"\w[\w+-]*(?:[./]\d+)*")


def occurrence(sentence: str, phrase: str) -> str | None:
    """The first place where a sentence says a term or keyword, in its own spelling; None where it doesn't.

    >>> occurrence("Two Reward  Models agree", "reward model")
    'Reward  Models'
    """
    wanted = [base for base, _, _ in _words(phrase)]
    words = _words(sentence)
    bases = [base for base, _, _ in words]
    for start in range(len(words) - len(wanted) + 1):
        if wanted and bases[start : start + len(wanted)] == wanted:
            found = sentence[words[start][1] : words[start + len(wanted) - 1][2]]
            if _is_one_phrase(found):
                return found
    return None


def marked(sentences: Sequence[str], phrases: Sequence[str]) -> list[tuple[str, ...]]:
    """For each sentence what to mark in it: each phrase once, where it is said first."""
    left = list(phrases)
    found = []
    for sentence in sentences:
        places = {phrase: place for phrase in left if (place := occurrence(sentence, phrase))}
        left = [phrase for phrase in left if phrase not in places]
        found.append(tuple(dict.fromkeys(places.values())))
    return found


@lru_cache(maxsize=5_000)  # many readers get the same sentences on the same day
def _words(text: str) -> list[tuple[str, int, int]]:
    """Each word as terms have it, and where it begins and ends."""
    return [(_base(word.group()), *word.span()) for word in _WORD.finditer(text)]


def _base(word: str) -> str:
    """The word without accent and plural, as terms have it; function words stay what they are."""
    return next(iter(terms(word)), word.lower())


def _is_one_phrase(text: str) -> bool:
    return not re.search(r"[.,;:!?()\[\]{}\"“”]\s", text)
