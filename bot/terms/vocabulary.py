"""Which words name a topic: general academic vocabulary, learned from abstracts by ``bench/vocabulary.py``.

breaking   "show", "propose", "novel": end a phrase, and name no topic
filler     "performance", "component": name no topic, except in listed phrases ("test time") or where a reader
           wrote them
general    "model", "language": name a topic beside other words, never alone
the rest   names a topic
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

from bot.terms.tokens import Token, stem_terms


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Stems by what they name; ``filler`` includes ``breaking``, and ``phrases`` are bigrams that name a topic."""

    breaking: frozenset[str]
    filler: frozenset[str]
    general: frozenset[str]
    phrases: frozenset[str]

    def split(self, phrase: Sequence[Token], separators: AbstractSet[str]) -> list[list[Token]]:
        """Cut a phrase on both sides of each separator; a listed phrase stays whole."""
        runs = [[token] for token in phrase[:1]]
        for before, token in pairwise(phrase):
            separated = before.stem in separators or token.stem in separators
            if separated and f"{before.stem} {token.stem}" not in self.phrases:
                runs.append([token])
            else:
                runs[-1].append(token)
        return runs


@cache
def shipped_vocabulary() -> Vocabulary:
    """Return the vocabulary in ``vocabulary.json``."""
    lists = json.loads(Path(__file__).with_name("vocabulary.json").read_text())
    breaking = frozenset(lists["breaking"].split())
    return Vocabulary(
        breaking=breaking,
        filler=breaking | frozenset(lists["filler"].split()),
        general=frozenset(lists["general"].split()),
        phrases=frozenset(lists["phrases"]),
    )


def is_general(stem: str) -> bool:
    """Return whether a stem names no topic by itself."""
    vocabulary = shipped_vocabulary()
    return stem in vocabulary.filler or stem in vocabulary.general


def names_topic(stems: Sequence[str]) -> bool:
    """Return whether stems that stand side by side name a topic.

    >>> [names_topic(s.split()) for s in ("reward model", "languag model", "strong perform", "model", "robot")]
    [True, True, False, False, True]
    """
    listed = shipped_vocabulary().phrases
    return not all(map(is_general, stems)) or any(f"{a} {b}" in listed for a, b in pairwise(stems))


# Readers of one profile have the same topics, and each reader's are asked for with each edition.
@lru_cache(maxsize=10_000)
def topical_terms(phrase: str) -> tuple[str, ...]:
    """Return the terms by which a phrase is recognised: its bigrams, and the stems that name a topic by themselves.

    A phrase without such terms has its stems.

    >>> topical_terms("reward models"), topical_terms("language models"), topical_terms("agent")
    (('reward', 'reward model'), ('languag model',), ('agent',))
    """
    terms = stem_terms(phrase)
    return tuple([term for term in terms if " " in term or not is_general(term)] or terms)


def topical_phrases(phrases: Iterable[Sequence[Token]]) -> list[list[Token]]:
    """Return the longest runs of tokens in a text's phrases that may name topics, in the order of the text.

    >>> from bot.terms.tokens import phrases
    >>> text = "We show strong performance of process reward models on the task of robot manipulation"
    >>> [" ".join(token.spelling for token in run) for run in topical_phrases(phrases(text))]
    ['process reward models', 'robot manipulation']
    """
    vocabulary = shipped_vocabulary()
    return [
        run
        for phrase in phrases
        for run in vocabulary.split(phrase, vocabulary.filler)
        if names_topic([token.stem for token in run])
    ]
