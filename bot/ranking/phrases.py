"""A paper's phrases and the reader's topics that it mentions."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise, repeat
from sys import intern
from typing import NamedTuple

from bot.model import ranked_text
from bot.text.spaceless import is_spaceless
from bot.text.tokens import Spellings, Token, is_general, names_topic, phrases, topical_phrases
from bot.text.topics import Topic, common_expansions, expanded

_MAX_WORDS = 4
_ADJECTIVE_ENDINGS = tuple("ative cial tial onal ural able ible ous tic ical ary less nomic".split())
# In last place. "Python library", "life table" and "health initiative" are nouns.
_LAST_ADJECTIVE = re.compile(r"(?:cial|tial|ical|onal|ural|ous|nomic|(?<!cri)tic)$", re.IGNORECASE)
_COMPOUND_ADJECTIVE_ENDINGS = tuple(
    "-agnostic -aware -box -driven -free -grade -invariant -level -like -scale -specific -style -wise".split()
)
# "Trained", "semi-automated", but not "low-speed".
_PARTICIPLE = re.compile(r"[^\We]ed$")
_COMPOUND_PARTICIPLE = re.compile(r"-\w*[^\We]ed$")
_ADVERB_AND_ADJECTIVE = 2  # words
# Verbs: "we formalize GUI agents", "to translate speech".
_SUBJECTS = frozenset("we they can could will would may might must should".split())
_VERB_ENDINGS = ("ate", "ify", "ise", "ize")
# After a verb: "can a robot learn a policy".
_ARTICLE = re.compile(r"\s+(?:an?|the)\s")
# After a participle: "policies tuned for cooperation".
_PREPOSITION = re.compile(r"\s+(?:as|by|for|from|in|on|through|to|under|via|with)\s")


# A paper has each phrase once.
@dataclass(frozen=True, eq=False)
class Phrase:
    """A phrase in its usual spelling and as stems.

    ``is_whole`` phrases end like a phrase of the paper. A single word must do so more often than not.
    """

    text: str
    stems: tuple[str, ...]
    in_title: bool = False
    is_whole: bool = True

    @cached_property
    def bigrams(self) -> tuple[str, ...]:
        return tuple(intern(f"{a} {b}") for a, b in pairwise(self.stems))

    @cached_property
    def terms(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.stems, *self.bigrams)))

    @cached_property
    def topical_stems(self) -> frozenset[str]:
        """Stems without general ones, unless all are, and expanded abbreviations."""
        stems = {*self.stems, *expanded(self.stems)}
        return frozenset(s for s in stems if not is_general(s)) or frozenset(stems)

    @cached_property
    def rare_terms(self) -> tuple[str, ...]:
        """Bigrams, or the stem of a single word."""
        return self.bigrams or self.stems

    @cached_property
    def is_adjective(self) -> bool:
        """True if it needs a noun: "agentic", "layer-wise", "clinically relevant"."""
        if self.text.lower().endswith(_COMPOUND_ADJECTIVE_ENDINGS) or _COMPOUND_PARTICIPLE.search(self.text):
            return True
        if len(self.stems) == 1:
            return self.text.lower().endswith(_ADJECTIVE_ENDINGS)
        if _LAST_ADJECTIVE.search(self.text):
            return True
        return len(self.stems) == _ADVERB_AND_ADJECTIVE and self.text.lower().split()[0].endswith("ally")

    def weight(self, weights: Mapping[str, float]) -> float:
        return sum(map(weights.get, self.terms, repeat(0.0)))

    @cached_property
    def covers(self) -> frozenset[str]:
        """Its terms, and the terms of its expanded abbreviations."""
        bigrams = (f"{a} {b}" for a, b in pairwise(expanded(self.stems)))
        return frozenset({*self.topical_stems, *self.terms, *bigrams})

    def overlaps(self, covered: AbstractSet[str]) -> bool:
        """Return whether a topical stem or bigram is covered: "LLM" overlaps "language model"."""
        return not covered.isdisjoint(self._distinctive)

    @cached_property
    def _distinctive(self) -> frozenset[str]:
        return self.topical_stems | {term for term in self.covers if " " in term}


def paper_phrases(title: str, text: str, tokens: Sequence[Sequence[Token]], spellings: Spellings) -> list[Phrase]:
    """Return the topical phrases of a text and their parts, each once by its stems.

    ``tokens`` are lists for each phrase of ``text``, which begins with ``title``. Lower case wins among spellings.
    Single words count only at the end of a phrase, where nouns are.
    """
    runs = []
    # Any run of characters could be a phrase in a script without spaces.
    for run in topical_phrases(phrase for phrase in tokens if not is_spaceless(phrase[0].stem)):
        words_before = text[max(0, run[0].start - 10) : run[0].start].lower().split()
        is_infinitive = words_before[-1:] == ["to"] and run[0].spelling.endswith(_VERB_ENDINGS)
        starts_with_verb = is_infinitive or not _SUBJECTS.isdisjoint(words_before[-1:])
        is_participle = _PARTICIPLE.search(run[-1].spelling) and _PREPOSITION.match(text, run[-1].end)
        ends_with_verb = is_participle or _ARTICLE.match(text, run[-1].end)
        runs.append(run[starts_with_verb : len(run) - bool(ends_with_verb)])
    counts = Counter(token.stem for phrase in tokens for token in phrase)
    last = Counter(run[-1].stem for run in runs if run)
    # Bounded, because all endings would take n² steps.
    endings = (run[start:] for run in runs for start in range(max(len(run) - _MAX_WORDS, 0), len(run) - 1))
    complete = {tuple(token.stem for token in ending) for ending in endings}
    complete |= {(stem,) for stem, times in last.items() if 2 * times > counts[stem]}
    parts = [
        run[start : start + length]
        for run in runs
        for length in range(min(len(run), _MAX_WORDS), 0, -1)
        for start in range(0 if length > 1 else len(run) - 1, len(run) - length + 1)
        # "Strategy-augmented planning" is not on augmented planning, nor "min-form assignment" on "min".
        if not text[: run[start].start].endswith("-") and not text.startswith("-", run[start + length - 1].end)
    ]
    by_stems: dict[tuple[str, ...], Phrase] = {}
    for part in parts:
        stems = tuple(token.stem for token in part)
        earlier = by_stems.get(stems)
        if not names_topic(stems) or (earlier and not earlier.text[0].isupper()):
            continue
        spelling = spellings.usual(" ".join(text[part[0].start : part[-1].end].split()))
        in_title = part[0].start < len(title)
        by_stems[stems] = (
            replace(earlier, text=spelling) if earlier else Phrase(spelling, stems, in_title, stems in complete)
        )
    return list(by_stems.values())


# Words in a work's own name.
_MAX_NAME = 2
_FIRST_WORD = re.compile(r"^\w+")
_PUNCTUATION = re.compile(r"[.,;:!?()\[\]\"“”\n]")
# "Without a reward model", "rather than dense retrieval", "reward model-free".
_WITHOUT = re.compile(r"\b(?:without|nor|neither|rather than|instead of|free of)\s+(?:[\w-]+\s+){0,3}$", re.IGNORECASE)
_FREE = re.compile(r"[- ](?:free|less)\b", re.IGNORECASE)
# "A reason to stay" is not about "reasoning", but "models reason" is.
_DETERMINER = re.compile(
    r"\b(?:an?|the|this|that|these|those|any|no|one|two|three|many|several|its|their|our|for)\s+$", re.IGNORECASE
)
_BEFORE = 60  # characters
# Occurrences in the abstract. One in the title is enough.
_OFTEN = 2


class Mention(NamedTuple):
    """The stems of a mention. It is central in the title or if repeated."""

    stems: frozenset[str]
    is_central: bool


class _Word(NamedTuple):
    """An expanded stem, with its source stem and place in the text. An empty one is punctuation."""

    stem: str
    source: str = ""
    start: int = 0
    end: int = 0


class PaperText:
    """Title and abstract of one paper, computed once for all readers.

    ``phrases`` have up to four words. ``counts`` are the occurrences of each stem.
    """

    def __init__(self, title: str, abstract: str, spellings: Spellings) -> None:
        text = ranked_text(title, abstract)
        by_phrase = phrases(text)
        self.title = title
        self._text = text
        self._spellings = spellings
        self._tokens = list(chain.from_iterable(by_phrase))
        self.counts = Counter(token.stem for token in self._tokens)
        # The work's own name ("Decipher-MR: ...") is no topic.
        named = [token.stem for token in self._tokens if token.end <= title.find(":")]
        self.own_name = frozenset(named if len(named) <= _MAX_NAME else [])
        self.phrases = paper_phrases(title, text, by_phrase, spellings)
        self._canonical: list[_Word] = []
        end = 0
        for token in self._tokens:
            if _PUNCTUATION.search(text, end, token.start):
                self._canonical.append(_Word(""))
            expansion = common_expansions().get(token.stem, (token.stem,))
            # As in ``expanded``: "VLA models" has one "model".
            repeats = self._canonical[-1:] and self._canonical[-1].stem == expansion[0]
            self._canonical += [
                _Word(part, token.stem, token.start, token.end) for part in (expansion[1:] if repeats else expansion)
            ]
            end = token.end
        self._starts: defaultdict[str, list[int]] = defaultdict(list)
        for position, word in enumerate(self._canonical):
            self._starts[word.stem].append(position)

    @cached_property
    def topical_terms(self) -> dict[str, tuple[str, ...]]:
        """Terms that name a topic by themselves, each with its stems."""
        bigrams = {intern(f"{a.stem} {b.stem}") for a, b in pairwise(self._tokens) if a.phrase == b.phrase}
        stems = {term: tuple(term.split()) for term in {*self.counts, *bigrams}}
        return {term: parts for term, parts in stems.items() if names_topic(parts)}

    @cached_property
    def whole_phrases(self) -> list[Phrase]:
        return [phrase for phrase in self.phrases if phrase.is_whole]

    @cached_property
    def learnable_phrases(self) -> list[Phrase]:
        """Phrases without adjectives and without single words of one occurrence."""
        return [
            phrase
            for phrase in self.phrases
            if (phrase.is_whole or phrase.bigrams)
            and not phrase.is_adjective
            and (phrase.bigrams or phrase.in_title or self.counts[phrase.stems[0]] > 1)
        ]

    @cached_property
    def stems_after(self) -> Mapping[tuple[str, ...], frozenset[str]]:
        """Stems that follow each phrase in longer ones: "model" of "agent model" for "agent"."""
        after: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
        for stems in {phrase.stems for phrase in self.phrases}:
            for end in range(1, len(stems)):
                after[stems[:end]].update(stems[end:])
        return {part: frozenset(stems) for part, stems in after.items()}

    def mentions(self, topic: Topic) -> Mention | None:
        """Return how the text names the topic, abbreviated or not.

        Function words may stand between its stems, punctuation may not. "Without" the topic is no mention, nor is a
        noun with an activity's stem ("the ground" of "grounding").
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

    def named(self, topic: Topic) -> str:
        """Return a topic as the reader wrote it, without a sentence's initial capital."""
        first = _FIRST_WORD.match(topic.text)
        if not (topic.starts_sentence and first):
            return topic.text
        usual = self._spellings.usual(first[0])
        # This paper may have a word in lower case that the corpus lacks.
        in_lower_case = any(token.stem == topic.stems[0] and token.spelling.islower() for token in self._tokens)
        inside_sentence = usual.lower() if in_lower_case and usual.istitle() else usual
        return inside_sentence + topic.text[first.end() :]

    def spelled(self, stem: str) -> str | None:
        word = next((token.spelling for token in reversed(self._tokens) if token.stem == stem), None)
        return word and self._spellings.usual(word)


_NEARLY_ALL = 0.9


def whole_phrases(weights: Mapping[Phrase, float], covered: Iterable[str], most: int) -> list[Phrase]:
    """Return up to ``most`` phrases, the heaviest first, without repeated or ``covered`` terms.

    A longer phrase of nearly the same weight replaces its part.
    """
    used = set(covered)
    chosen: list[Phrase] = []
    for phrase in sorted(weights, key=lambda phrase: (-weights[phrase], -len(phrase.stems))):
        if len(chosen) == most:
            break
        if phrase.overlaps(used):
            continue
        spaced = f" {' '.join(phrase.stems)} "
        containing = [
            other
            for other in weights
            if spaced in f" {' '.join(other.stems)} "
            and weights[other] >= _NEARLY_ALL * weights[phrase]
            and not other.overlaps(used)
        ]
        longest = max(containing, key=lambda other: (len(other.stems), weights[other]))
        chosen.append(longest)
        used |= longest.covers
    return chosen
