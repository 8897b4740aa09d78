"""The phrases of a paper that name topics."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, repeat
from sys import intern

from bot.terms import Spellings, Token, expanded, is_general, names_topic, topical_phrases

# Words. A longer phrase reads like a sentence.
_MAX_WORDS = 4
_ADJECTIVE_ENDINGS = tuple("ative cial tial onal ural able ible ous tic ical ary less nomic".split())
_COMPOUND_ADJECTIVE_ENDINGS = tuple(
    "-agnostic -aware -box -driven -free -grade -invariant -level -like -scale -specific -style -wise".split()
)
# "Trained", "semi-automated"; but not "low-speed".
_PARTICIPLE = re.compile(r"[^\We]ed$")
_COMPOUND_PARTICIPLE = re.compile(r"-\w*[^\We]ed$")
_ADVERB_AND_ADJECTIVE = 2  # words
# Verbs: "we formalize GUI agents", "to translate speech"; but not in "attention to graphs".
_SUBJECTS = frozenset("we they can could will would may might must should".split())
_VERB_ENDINGS = ("ate", "ify", "ise", "ize")
# Behind a verb: "can a robot learn a policy". Of 109 words of 600 abstracts with an article behind them 100 are verbs.
_ARTICLE = re.compile(r"\s+(?:an?|the)\s")
# Behind a participle: "policies tuned for cooperation". All of 94 such words of 1,500 abstracts are participles.
_PREPOSITION = re.compile(r"\s+(?:as|by|for|from|in|on|through|to|under|via|with)\s")


# Compared and hashed by identity: a paper has each phrase once.
@dataclass(frozen=True, eq=False)
class Phrase:
    """A phrase of a paper, spelled as usual, and as stems.

    ``is_whole`` where it ends as the paper's own phrase does, a single word more often than it stands before another.
    """

    text: str
    stems: tuple[str, ...]
    in_title: bool = False
    is_whole: bool = True

    @cached_property
    def bigrams(self) -> tuple[str, ...]:
        """Its bigrams of stems, none for a single word."""
        return tuple(intern(f"{a} {b}") for a, b in pairwise(self.stems))

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """Its stems and bigrams, each once."""
        return tuple(dict.fromkeys((*self.stems, *self.bigrams)))

    @cached_property
    def topical_stems(self) -> frozenset[str]:
        """Its stems that aren't general, all of them if all are; abbreviations also as what they stand for."""
        stems = {*self.stems, *expanded(self.stems)}
        return frozenset(s for s in stems if not is_general(s)) or frozenset(stems)

    @cached_property
    def rare_terms(self) -> tuple[str, ...]:
        """Its bigrams, the stem of a single word: what tells whether another text has it."""
        return self.bigrams or self.stems

    @cached_property
    def is_adjective(self) -> bool:
        """Whether it needs a noun behind it: "agentic", "layer-wise", a word behind an adverb (clinically relevant)."""
        if self.text.lower().endswith(_COMPOUND_ADJECTIVE_ENDINGS) or _COMPOUND_PARTICIPLE.search(self.text):
            return True
        if len(self.stems) == 1:
            return self.text.lower().endswith(_ADJECTIVE_ENDINGS)
        return len(self.stems) == _ADVERB_AND_ADJECTIVE and self.text.lower().split()[0].endswith("ally")

    def weight(self, weights: Mapping[str, float]) -> float:
        """Return the sum of the weights of its stems and bigrams."""
        return sum(map(weights.get, self.terms, repeat(0.0)))

    @cached_property
    def covers(self) -> frozenset[str]:
        """What naming it says: its terms, and those of what its abbreviations stand for."""
        bigrams = (f"{a} {b}" for a, b in pairwise(expanded(self.stems)))
        return frozenset({*self.topical_stems, *self.terms, *bigrams})

    def overlaps(self, covered: AbstractSet[str]) -> bool:
        """Return whether it repeats a topical stem or bigram that is covered; "LLM" has that of "language model"."""
        return not covered.isdisjoint(self._distinctive)

    @cached_property
    def _distinctive(self) -> frozenset[str]:
        return self.topical_stems | {term for term in self.covers if " " in term}


def paper_phrases(
    title: str, text: str, tokens: Sequence[Sequence[Token]], spellings: Spellings
) -> list[Phrase]:
    """Return the phrases of a text and their parts that name topics, each once by its stems.

    ``tokens`` are those of ``text``, which begins with ``title``, a list for each phrase. Of several spellings one in
    lower case is taken. A single word counts only at the end of a phrase, where nouns are.
    """
    runs = []
    for run in topical_phrases(tokens):
        words_before = text[max(0, run[0].start - 10) : run[0].start].lower().split()
        is_infinitive = words_before[-1:] == ["to"] and run[0].spelling.endswith(_VERB_ENDINGS)
        starts_with_verb = is_infinitive or not _SUBJECTS.isdisjoint(words_before[-1:])
        is_participle = _PARTICIPLE.search(run[-1].spelling) and _PREPOSITION.match(text, run[-1].end)
        ends_with_verb = is_participle or _ARTICLE.match(text, run[-1].end)
        runs.append(run[starts_with_verb : len(run) - bool(ends_with_verb)])
    counts = Counter(token.stem for phrase in tokens for token in phrase)
    last = Counter(run[-1].stem for run in runs if run)
    # Endings of at most so many words: all of them would take n² steps.
    endings = (run[start:] for run in runs for start in range(max(len(run) - _MAX_WORDS, 0), len(run) - 1))
    complete = {tuple(token.stem for token in ending) for ending in endings}
    complete |= {(stem,) for stem, times in last.items() if 2 * times > counts[stem]}
    parts = [
        run[start : start + length]
        for run in runs
        for length in range(min(len(run), _MAX_WORDS), 0, -1)
        for start in range(0 if length > 1 else len(run) - 1, len(run) - length + 1)
        # "Strategy-augmented planning" is not on augmented planning.
        if not text[: run[start].start].endswith("-")
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
            replace(earlier, text=spelling)
            if earlier
            else Phrase(spelling, stems, in_title, stems in complete)
        )
    return list(by_stems.values())
