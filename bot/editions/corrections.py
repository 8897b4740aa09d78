"""Correct misspelt words of a search by the vocabulary of the fitted corpus, on either database.

PostgreSQL's pg_trgm would need an extension that managed databases may lack, and SQLite's spellfix1 is not in its
usual builds: one implementation over our own vocabulary corrects alike on both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from heapq import nlargest

_WORD = re.compile(r"\w+")
_SHORTEST = 4  # characters; every shorter word is near many others
_LENGTHS_APART = 2
# Comparing letter by letter takes about 30 us a word, for 50,000 words more than a second; sharing trigrams takes 1 us.
_COMPARED = 30
_SIMILAR = 0.75  # of difflib's ratio: "halucination" has .96 to "hallucination"


def corrected(text: str, spellings: Mapping[str, str], is_known: Callable[[str], bool]) -> str:
    """Return the text with each word that is not known replaced by the nearest one of the vocabulary, if any is near.

    ``spellings`` has the usual spelling of each word by the word in lower case.
    """

    def replacement(match: re.Match[str]) -> str:
        word = match[0]
        if len(word) < _SHORTEST or is_known(word):
            return word
        lowered = word.lower()
        of_word = _trigrams(lowered)

        def shared(other: str) -> float:
            of_other = _trigrams(other)
            return len(of_word & of_other) / len(of_word | of_other)

        candidates = (other for other in spellings if abs(len(other) - len(word)) <= _LENGTHS_APART)
        best = nlargest(_COMPARED, candidates, key=shared)
        nearest = get_close_matches(lowered, best, n=1, cutoff=_SIMILAR)
        return spellings[nearest[0]] if nearest else word

    return _WORD.sub(replacement, text)


def _trigrams(word: str) -> set[str]:
    padded = f"  {word} "
    return {padded[i : i + 3] for i in range(len(padded) - 2)}
