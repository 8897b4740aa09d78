"""Which words name a topic: general academic vocabulary, learned from abstracts by ``bench/vocabulary.py``.

breaking   "show", "propose", "novel": end a phrase, and name no topic
filler     "performance", "component": name no topic, except in listed phrases ("test time") or where a reader
           wrote them
general    "model", "language": name a topic beside other words, never alone
the rest   names a topic

``Spellings`` is how words are usually capitalised: "LoRA", "Bayesian"; "reward" also where a title has "Reward".
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Self

from bot.text.tokens import Token, stem_terms


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
    """The vocabulary in ``vocabulary.json``."""
    lists = json.loads(Path(__file__).with_name("vocabulary.json").read_text())
    breaking = frozenset(lists["breaking"].split())
    return Vocabulary(
        breaking=breaking,
        filler=breaking | frozenset(lists["filler"].split()),
        general=frozenset(lists["general"].split()),
        phrases=frozenset(lists["phrases"]),
    )


def is_general(stem: str) -> bool:
    """Whether a stem names no topic by itself."""
    vocabulary = shipped_vocabulary()
    return stem in vocabulary.filler or stem in vocabulary.general


def is_filler(stems: Sequence[str]) -> bool:
    """Whether each of some stems names no topic even beside other words."""
    return all(stem in shipped_vocabulary().filler for stem in stems)


def names_topic(stems: Sequence[str]) -> bool:
    """Whether stems that stand side by side name a topic.

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

    >>> from bot.text.tokens import phrases
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


# Not the "s" of a possessive.
_WORD = re.compile(r"(?<![^\W\d_]['’])[^\W\d_]\w*")
# Behind a word, a comma or a bracket: the first word of a sentence is capitalised whatever it is.
_INSIDE_SENTENCE = re.compile(r"(?<=[\w,;)] )[^\W\d_]\w*")
# A word that the home knows from a title alone is a name, unless it ends so: "Curiosity", "Credit Assignment".
_COMMON_NOUN_ENDINGS = ("tion", "sion", "ment", "ness", "ity", "ance", "ence", "ing")


class Spellings:
    """The usual spelling of words in running text.

    >>> spellings = Spellings.learn(["We train LoRA by Bayesian rules. Reward hacking is rare, reward is not."])
    >>> spellings.usual("Reward Hacking of Lora, Bayesian")
    'reward hacking of LoRA, Bayesian'
    """

    def __init__(self, text: str = "") -> None:
        """Read ``text``, the spellings separated by line breaks; of two that differ in case the last counts."""
        self.text = text

    @classmethod
    def learn(cls, abstracts: Iterable[str]) -> Self:
        """Count the words of abstracts; not of titles, where most words are capitalised."""
        counts: Counter[str] = Counter()
        for abstract in abstracts:
            counts.update(_INSIDE_SENTENCE.findall(abstract))
        return cls("\n".join(word for word, _ in reversed(counts.most_common())))

    def usual(self, phrase: str) -> str:
        """Return the phrase with each word as it is usually capitalised; names with inner capitals stay."""
        return _WORD.sub(self._usual_word, phrase)

    def _usual_word(self, word: re.Match[str]) -> str:
        if any(map(str.isupper, word[0][1:])):
            return word[0]
        lower = word[0].lower()
        # In a title also the second part of a compound has a capital: "Low-Bitrate".
        is_second_part = word.string[word.start() - 2 : word.start()].endswith("-") and (
            word.string[word.start() - 2].islower()
        )
        if is_second_part and word[0] == lower:  # "layer-wise", where the home knows "WISE" as a name
            return lower
        is_common = is_second_part or lower.endswith(_COMMON_NOUN_ENDINGS)
        return self.by_word.get(lower, lower if is_common else word[0])

    @cached_property
    def by_word(self) -> dict[str, str]:
        """The usual spelling of each word, by the word in lower case."""
        return {word.lower(): word for word in self.text.split("\n")}
