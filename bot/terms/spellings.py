"""How words are usually capitalised: "LoRA", "Bayesian", "KL"; "reward" also where a title has "Reward"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from typing import Self

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
