"""Stems of words: one form for all variants of a word, so that they count as the same term."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from sys import intern

import snowballstemmer

_VOWEL = re.compile(r"[aeiouy]")
_BRITISH_OUR = re.compile(r"^(behavi|col|fav|flav|hum|lab|neighb|tum)our")
# After these letters -ise is British for -ize; "precise", "noise" and "supervise" have others.
_BRITISH_ISE = re.compile(
    r"(?<=al|el|il|im|om|or|er|ar|in|on|an|at|et|it|ot|id)is(?=(?:e|ed|es|er|ers|ing|ations?)$)"
)
_NO_BRITISH_ISE = ("promis", "aris")
# Stems that Snowball keeps apart although their words name one topic.
_SAME = {
    "analys": "analysi",
    "evolutionari": "evolut",
    "financi": "financ",
    "hypothes": "hypothesi",
    "mathemat": "math",
    "matric": "matrix",
    "molecul": "molecular",
    "theoret": "theori",
    "vertic": "vertex",
}


# About the words of 20,000 papers; Snowball takes 50 microseconds a word in pure Python.
@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the stem of one word, in lower case and without accents, by Snowball's English stemmer (Porter 2001).

    Words with a digit, a hyphen or "@" are names and lose their case only; vowelless plurals ("LLMs") lose their s.

    >>> [stem(word) for word in ("Modeling", "models", "robotics", "LLMs", "GPT-4o", "behaviour", "optimisation")]
    ['model', 'model', 'robot', 'llm', 'gpt-4o', 'behavior', 'optim']
    """
    word = word.lower()
    if not word.isascii():
        word = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    if not word.isalpha():
        return word
    if word.endswith("s") and len(word) > 3 and not _VOWEL.search(word):
        return word[:-1]
    american = _BRITISH_OUR.sub(r"\1or", word)
    if not american.startswith(_NO_BRITISH_ISE):
        american = _BRITISH_ISE.sub("iz", american)
    # A stemmer holds the word that it works on, so threads must not share it; making one takes 2 microseconds.
    stemmed = str(snowballstemmer.stemmer("english").stemWord(american))
    return intern(_SAME.get(stemmed, stemmed))
