"""How a term is usually written: "LoRA", "Bayesian", "KL"; "reward hacking" also where a title has "Reward Hacking"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_WORD = re.compile(r"[^\W\d_]\w*")
_INSIDE_SENTENCE = re.compile(r"(?<=[\w,;)] )[^\W\d_]\w*")


class Spellings:
    """The usual case of words, from running text: first words of a sentence don't count.

    >>> abstract = "We train LoRA adapters by Bayesian rules. Reward hacking is rare. We study reward hacking."
    >>> spellings = Spellings([abstract])
    >>> spellings.of("Reward Hacking of Lora, Bayesian")
    'reward hacking of LoRA, Bayesian'
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        """Learns from abstracts (titles capitalise what isn't usually)."""
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(_INSIDE_SENTENCE.findall(text))
        self._usual: dict[str, str] = {}
        for word, _ in reversed(counts.most_common()):
            self._usual[word.lower()] = word

    def of(self, phrase: str) -> str:
        """The phrase with each capitalised word as it is usually written."""
        return _WORD.sub(lambda word: self._word(word[0]), phrase)

    def _word(self, word: str) -> str:
        is_name = any(map(str.isupper, word[1:]))
        return word if is_name else self._usual.get(word.lower(), word)
