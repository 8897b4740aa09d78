"""What a sentence looks like to the models: its words and phrases, its place, and its form."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from bot.summaries.wording import wording

_WORD = re.compile(r"https?://\S+|\d[\d.,]*\s?[%×x]?(?!\w)|[A-Za-z0-9]+(?:[-'’][A-Za-z0-9]+)*|[:;()?]")
_NAME = re.compile(r"(?=.*[A-Z].*[A-Z])|[A-Z]+\d|.*[a-z][A-Z]")  # GRPO, R1, WeedNet
_FIGURE = re.compile(r"\d[\d.,]*\s?[%×x]?")
_NAMES = re.compile(r"[A-Za-z0-9-]{2,}")
_PROPOSES = re.compile(r"\b(?:propos|introduc|present|develop)\w*", re.IGNORECASE)
_OWN_VOICE = {
    "we",
    "our",
    "in this",
    *(f"this {kind}" for kind in "paper work study article report survey".split()),
}
_FIGURES = ("#", "#%", "#x")
_CODE_IS = {"available", "released", "release"}


class Features(NamedTuple):
    """What the models see of one sentence: all are names."""

    phrases: Set[str]
    forms: Sequence[str]  # place and form, and the signals as "says NAME"
    signals: Sequence[str]


def features_of(sentences: Sequence[str]) -> list[Features]:
    """Return the features of each sentence of an abstract."""
    words = [words_of(sentence) for sentence in sentences]
    phrase_sets = [phrases(own_words) for own_words in words]
    rows = zip(sentences, phrase_sets, forms(sentences, words, phrase_sets), strict=True)
    return [
        Features(own_phrases, [*row, *(f"says {name}" for name in wording(sentence))], wording(sentence))
        for sentence, own_phrases, row in rows
    ]


def words_of(sentence: str) -> list[str]:
    """Return the words that phrases are made of, in lower case; a name, figure or address as a token for its type."""
    return list(map(_word_kind, _WORD.findall(sentence)))


def phrases(words: Sequence[str]) -> set[str]:
    """Return the phrases of up to three words; those that begin the sentence also with a ``^``."""
    pairs = [f"{a} {b}" for a, b in pairwise(words)]
    triples = [f"{a} {b}" for a, b in zip(pairs, words[2:], strict=False)]
    return {*words, *pairs, *triples, *(f"^{first[0]}" for first in (words, pairs, triples) if first)}


def forms(
    sentences: Sequence[str], words: Sequence[Sequence[str]], phrase_sets: Sequence[Set[str]]
) -> list[list[str]]:
    """Return the names of each sentence's features of place and form; ``words`` and ``phrase_sets`` are its own."""
    count = len(sentences)
    own_voice = [not _OWN_VOICE.isdisjoint(own_phrases) for own_phrases in phrase_sets]
    # Sentences that only say where the code or other material is.
    links = [
        "URL" in own_words or ("code" in own_words and not _CODE_IS.isdisjoint(own_words))
        for own_words in words
    ]
    last = max((i for i in range(count) if not links[i]), default=0)
    voice = own_voice.index(True) if True in own_voice else None
    proposal = next((i for i in range(count) if own_voice[i] and _PROPOSES.search(sentences[i])), None)
    earlier_names: set[str] = set()
    own_before = 0
    features = []
    for i, own_words in enumerate(words):
        names = {name for name in _NAMES.findall(sentences[i]) if not name.islower() and _NAME.match(name)}
        features.append(
            [
                f"from start {min(i, 7)}",
                f"from end {min(max(last - i, -1), 6)}",
                f"eighth {min(8 * i // max(last, 1), 9)}",
                f"from own voice {_distance(i, voice)}",
                f"from proposal {_distance(i, proposal)}",
                f"own voice {min(own_before, 4)} before, {'here' if own_voice[i] else 'not here'}",
                f"link {links[i]}",
                f"words {6 * min(len(own_words) // 6, 8)}",
                f"new names {min(len(names - earlier_names), 2)}",
                f"figures {min(sum(map(own_words.count, _FIGURES)), 3)}",
            ]
        )
        earlier_names |= names
        own_before += own_voice[i]
    return features


@lru_cache(maxsize=50_000)  # abstracts share most of their words
def _word_kind(word: str) -> str:
    if word.islower() and word.isalpha():
        return word
    if word[0].isdigit() and _FIGURE.fullmatch(word):
        return "#%" if word[-1] == "%" else "#x" if word[-1] in "×x" else "#"
    if word.startswith("http"):
        return "URL"
    return "NAME" if len(word) > 1 and _NAME.match(word) else word.lower()


def _distance(place: int, since: int | None) -> str:
    return "none" if since is None else f"{max(-4, min(6, place - since)):+d}"
