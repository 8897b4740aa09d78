"""A paper's text as reasons need it: its phrases, and which topics it mentions."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import chain, pairwise
from sys import intern
from typing import NamedTuple

from bot.domain import ranked_text
from bot.reasons.phrases import Phrase, paper_phrases
from bot.terms import Spellings, Topic, common_expansions, names_topic, phrases

# Words of the name that authors give to their work.
_MAX_NAME = 2
_FIRST_WORD = re.compile(r"^\w+")
_PUNCTUATION = re.compile(r"[.,;:!?()\[\]\"“”\n]")
# What a paper does without: "without a reward model", "rather than dense retrieval", "reward model-free".
_WITHOUT = re.compile(
    r"\b(?:without|nor|neither|rather than|instead of|free of)\s+(?:[\w-]+\s+){0,3}$", re.IGNORECASE
)
_FREE = re.compile(r"[- ](?:free|less)\b", re.IGNORECASE)
# "A reason to stay" is not about "reasoning", nor "the ground" about "grounding"; verbs are: "models reason".
_DETERMINER = re.compile(
    r"\b(?:an?|the|this|that|these|those|any|no|one|two|three|many|several|its|their|our|for)\s+$",
    re.IGNORECASE,
)
_BEFORE = 60  # characters of a text in which these words are looked for
# What the abstract names so often, or the title once, is one of the paper's own topics.
_OFTEN = 2


class Mention(NamedTuple):
    """That a text mentions a topic: by which of its own stems, and whether in its title or more than once."""

    stems: frozenset[str]
    is_central: bool


class _Word(NamedTuple):
    """A stem with abbreviations expanded, and the stem and place in the text that it stands for; empty: punctuation."""

    stem: str
    source: str = ""
    start: int = 0
    end: int = 0


class PaperText:
    """Title and abstract of one paper; computed once for all readers who get the paper.

    ``phrases`` are the phrases that name topics, and their parts of up to four words; ``counts`` are the occurrences of
    each stem.
    """

    def __init__(self, title: str, abstract: str, spellings: Spellings) -> None:
        text = ranked_text(title, abstract)
        by_phrase = phrases(text)
        self.title = title
        self._text = text
        self._spellings = spellings
        self._tokens = list(chain.from_iterable(by_phrase))
        self.counts = Counter(token.stem for token in self._tokens)
        # The name that authors give to their work ("Decipher-MR: ...") is no topic; more words than that are.
        named = [token.stem for token in self._tokens if token.end <= title.find(":")]
        self.own_name = frozenset(named if len(named) <= _MAX_NAME else [])
        self.phrases = paper_phrases(title, text, by_phrase, spellings)
        # ``_starts`` has the positions of each stem in ``_canonical``.
        self._canonical: list[_Word] = []
        end = 0
        for token in self._tokens:
            if _PUNCTUATION.search(text, end, token.start):
                self._canonical.append(_Word(""))
            expansion = common_expansions().get(token.stem, (token.stem,))
            # As in ``expanded``: "VLA models" has one "model".
            repeats = self._canonical[-1:] and self._canonical[-1].stem == expansion[0]
            self._canonical += [
                _Word(part, token.stem, token.start, token.end)
                for part in (expansion[1:] if repeats else expansion)
            ]
            end = token.end
        self._starts: defaultdict[str, list[int]] = defaultdict(list)
        for position, word in enumerate(self._canonical):
            self._starts[word.stem].append(position)

    @cached_property
    def topical_terms(self) -> dict[str, tuple[str, ...]]:
        """The stems and bigrams of the text that name a topic by themselves, each with its stems."""
        bigrams = {intern(f"{a.stem} {b.stem}") for a, b in pairwise(self._tokens) if a.phrase == b.phrase}
        stems = {term: tuple(term.split()) for term in {*self.counts, *bigrams}}
        return {term: parts for term, parts in stems.items() if names_topic(parts)}

    @cached_property
    def whole_phrases(self) -> list[Phrase]:
        """The phrases that end as the paper's own phrases do."""
        return [phrase for phrase in self.phrases if phrase.is_whole]

    @cached_property
    def learnable_phrases(self) -> list[Phrase]:
        """The phrases that votes may be the reason for: none that needs a noun, no single word that is there once."""
        return [
            phrase
            for phrase in self.phrases
            if (phrase.is_whole or phrase.bigrams)
            and not phrase.is_adjective
            and (phrase.bigrams or phrase.in_title or self.counts[phrase.stems[0]] > 1)
        ]

    @cached_property
    def explorable_phrases(self) -> dict[Phrase, int]:
        """The phrases that an exploratory pick may be on, and how often the rarest stem of each occurs."""
        return {
            phrase: min([self.counts[stem] for stem in phrase.stems])
            for phrase in self.whole_phrases
            if not phrase.is_adjective
        }

    @cached_property
    def stems_before(self) -> Mapping[tuple[str, ...], frozenset[str]]:
        """By the stems of a phrase, those before it in phrases that end so: "agent" of "agent model" for "model"."""
        return _neighbours(
            (p.stems[at:], p.stems[:at]) for p in self.phrases for at in range(1, len(p.stems))
        )

    @cached_property
    def stems_after(self) -> Mapping[tuple[str, ...], frozenset[str]]:
        """By the stems of a phrase, those behind it in phrases that begin so."""
        return _neighbours(
            (p.stems[:at], p.stems[at:]) for p in self.phrases for at in range(1, len(p.stems))
        )

    def mentions(self, topic: Topic) -> Mention | None:
        """Return how the text names the topic, abbreviated or not; None if it doesn't.

        Function words between its stems don't matter, punctuation does. That the paper does without it is no mention,
        and neither is a noun with the stem of an activity ("the ground" of "grounding").
        """
        stems = list(topic.stems)
        is_activity = len(stems) == 1 and topic.text.casefold().endswith("ing")
        times = 0
        for start in self._starts.get(stems[0], ()):
            part = self._canonical[start : start + len(stems)]
            if [word.stem for word in part] != stems:
                continue
            before = self._text[max(part[0].start - _BEFORE, 0) : part[0].start]
            if _WITHOUT.search(before) or _FREE.match(self._text, part[-1].end):
                continue
            spelled = self._text[part[0].start : part[0].end].casefold()
            if is_activity and not spelled.endswith("ing") and _DETERMINER.search(before):
                continue
            times += 1
            sources = frozenset(word.source for word in part)
            if times == _OFTEN or part[-1].end <= len(self.title):
                return Mention(sources, is_central=True)
        return Mention(sources, is_central=False) if times else None

    def is_on(self, phrase: Phrase) -> bool:
        """Return whether a phrase of the text is in its title or more than once in it."""
        return phrase.in_title or min([self.counts[stem] for stem in phrase.stems]) >= _OFTEN

    def named(self, topic: Topic) -> str:
        """Return a topic as the reader wrote it, without the capital of a sentence's first word."""
        first = _FIRST_WORD.match(topic.text)
        if not (topic.starts_sentence and first):
            return topic.text
        usual = self._spellings.usual(first[0])
        # A word that the home has not seen inside a sentence: this paper may have one of its stem there.
        in_lower_case = any(
            token.stem == topic.stems[0] and token.spelling.islower() for token in self._tokens
        )
        inside_sentence = usual.lower() if in_lower_case and usual.istitle() else usual
        return inside_sentence + topic.text[first.end() :]

    def spelled(self, stem: str) -> str | None:
        """Return the last word of the text with this stem, spelled as usual; None if there is none."""
        word = next((token.spelling for token in reversed(self._tokens) if token.stem == stem), None)
        return word and self._spellings.usual(word)


def _neighbours(
    pairs: Iterable[tuple[tuple[str, ...], tuple[str, ...]]],
) -> Mapping[tuple[str, ...], frozenset[str]]:
    neighbours: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for part, rest in pairs:
        neighbours[part].update(rest)
    return {part: frozenset(stems) for part, stems in neighbours.items()}
