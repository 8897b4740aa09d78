"""A paper's text as reasons need it: its phrases, and which topics it mentions."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import chain, pairwise

from bot.domain import ranked_text
from bot.reasons.phrases import paper_phrases
from bot.terms import Spellings, Topic, common_expansions, names_topic, phrases

# Words of the name that authors give to their work.
_MAX_NAME = 2
_FIRST_WORD = re.compile(r"^\w+")
_PUNCTUATION = re.compile(r"[.,;:!?()\[\]\"“”\n]")


class PaperText:
    """Title and abstract of one paper; computed once for all readers who get the paper.

    ``phrases`` are the phrases that name topics, and their parts of up to four words; ``counts`` are the occurrences of
    each stem.
    """

    def __init__(self, title: str, abstract: str, spellings: Spellings) -> None:
        text = ranked_text(title, abstract)
        by_phrase = phrases(text)
        self.title = title
        self._spellings = spellings
        self._tokens = list(chain.from_iterable(by_phrase))
        self.counts = Counter(token.stem for token in self._tokens)
        # The name that authors give to their work ("Decipher-MR: ...") is no topic; more words than that are.
        named = [token.stem for token in self._tokens if token.end <= title.find(":")]
        self.own_name = frozenset(named if len(named) <= _MAX_NAME else [])
        self.phrases = paper_phrases(title, text, by_phrase, spellings)
        # Each stem, with abbreviations expanded, beside the stem in the text that it stands for; punctuation is an
        # empty stem. ``_starts`` has the positions of each stem.
        self._canonical: list[tuple[str, str]] = []
        end = 0
        for token in self._tokens:
            if _PUNCTUATION.search(text, end, token.start):
                self._canonical.append(("", ""))
            expansion = common_expansions().get(token.stem, (token.stem,))
            # As in ``expanded``: "VLA models" has one "model".
            repeats = self._canonical[-1:] and self._canonical[-1][0] == expansion[0]
            self._canonical += [(part, token.stem) for part in (expansion[1:] if repeats else expansion)]
            end = token.end
        self._starts: defaultdict[str, list[int]] = defaultdict(list)
        for position, (stem, _) in enumerate(self._canonical):
            self._starts[stem].append(position)

    @cached_property
    def topical_terms(self) -> frozenset[str]:
        """The stems and bigrams of the text that name a topic by themselves."""
        bigrams = {f"{a.stem} {b.stem}" for a, b in pairwise(self._tokens) if a.phrase == b.phrase}
        return frozenset(term for term in {*self.counts, *bigrams} if names_topic(term.split()))

    def mentions(self, stems: Sequence[str]) -> set[str] | None:
        """Return the stems with which the text says this, abbreviated or not; None if it doesn't.

        Function words between the stems don't matter, punctuation does.
        """
        for start in self._starts.get(stems[0], ()):
            part = self._canonical[start : start + len(stems)]
            if [stem for stem, _ in part] == list(stems):
                return {source for _, source in part}
        return None

    def named(self, topic: Topic) -> str:
        """Return a topic as the reader wrote it, without the capital of a sentence's first word."""
        if not topic.starts_sentence:
            return topic.text
        return _FIRST_WORD.sub(lambda word: self._spellings.usual(word[0]), topic.text)

    def spelled(self, stem: str) -> str | None:
        """Return the last word of the text with this stem, spelled as usual; None if there is none."""
        word = next((token.spelling for token in reversed(self._tokens) if token.stem == stem), None)
        return word and self._spellings.usual(word)
