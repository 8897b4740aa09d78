"""How a term is usually written: "LoRA", "Bayesian", "KL"; "reward hacking" also where a title has "Reward Hacking"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from bot.terms.stems import stem

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

    def of_stems(self, term: str) -> str:
        """How the stems of a term are spelled most often; a stem never seen stands for itself."""
        return " ".join(self._of_stem(s) for s in term.split())

    def _of_stem(self, wanted: str) -> str:
        alike = [word for word in self._usual if word.startswith(wanted[:3]) and stem(word) == wanted]
        return self._usual[alike[-1]] if alike else wanted  # the commonest is the last

    def _word(self, word: str) -> str:
        is_name = any(map(str.isupper, word[1:]))
        return word if is_name else self._usual.get(word.lower(), word)
