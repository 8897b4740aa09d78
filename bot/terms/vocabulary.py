"""Which words name a topic: general academic vocabulary, learned from abstracts by ``tests/bench/vocabulary.py``.

Breaking words ("show", "propose", "novel") end a phrase. Filler ("performance", "component") names no topic, but in a
few phrases that are known to ("test time"), or where a reader wrote it. General words ("model", "language") do beside
others, never alone. All other words do, as far as is known.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from bot.terms.stems import stem
from bot.terms.tokens import Token, phrases


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    breaking: frozenset[str]
    filler: frozenset[str]
    general: frozenset[str]
    phrases: frozenset[str]


def is_filler(stem: str) -> bool:
    """Whether a stem says nothing about what a text is about."""
    return stem in _vocabulary().filler


def is_general(stem: str) -> bool:
    """Whether a stem names no topic by itself."""
    return stem in _vocabulary().filler or stem in _vocabulary().general


def names_topic(stems: Sequence[str]) -> bool:
    """Whether stems that stand side by side name a topic.

    >>> [names_topic(s.split()) for s in ("reward model", "languag model", "strong perform", "model", "robot")]
    [True, True, False, False, True]
    """
    return any(not is_general(s) for s in stems) or any(_is_known(a, b) for a, b in pairwise(stems))


def is_topical(phrase: str) -> bool:
    """Whether a phrase as people write it names a topic.

    >>> is_topical("reward models"), is_topical("strong performance")
    (True, False)
    """
    return names_topic([stem(word) for word in phrase.split()])


def topical_phrases(text: str) -> list[list[Token]]:
    """The longest runs of tokens that may name topics, in the order of the text.

    >>> text = "We show strong performance of process reward models on the task of robot manipulation"
    >>> [" ".join(t.spelling for t in phrase) for phrase in topical_phrases(text)]
    ['process reward models', 'robot manipulation']
    """
    return [
        run
        for phrase in phrases(text)
        for run in split_at_filler(phrase)
        if names_topic([t.stem for t in run])
    ]


def split_at_filler(phrase: Sequence[Token]) -> list[list[Token]]:
    """The phrase cut where two neighbours make no phrase because one of them is filler."""
    return _split(phrase, _vocabulary().filler)


def split_at_verbs(phrase: Sequence[Token]) -> list[list[Token]]:
    """The phrase cut where one of two neighbours is a breaking word: what a reader wrote is kept whole otherwise."""
    return _split(phrase, _vocabulary().breaking)


def _split(phrase: Sequence[Token], separators: frozenset[str]) -> list[list[Token]]:
    runs: list[list[Token]] = []
    for i, token in enumerate(phrase):
        before = phrase[i - 1].stem
        if i and (_is_known(before, token.stem) or not {before, token.stem} & separators):
            runs[-1].append(token)
        else:
            runs.append([token])
    return runs


def _is_known(first: str, second: str) -> bool:
    return f"{first} {second}" in _vocabulary().phrases


@cache
def _vocabulary() -> _Vocabulary:
    lists = json.loads(Path(__file__).with_name("vocabulary.json").read_text())
    breaking = frozenset(lists["breaking"].split())
    return _Vocabulary(
        breaking,
        breaking | frozenset(lists["filler"].split()),
        frozenset(lists["general"].split()),
        frozenset(lists["phrases"]),
    )
