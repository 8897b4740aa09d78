"""Lower papers on what a reader refuses: nearly to nothing by the title, to a quarter by the abstract alone.

A refusal ends where the reader likes a paper that has it in the same place. The loss is a bonus below zero, so a
score's parts still sum to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain, groupby

import numpy as np
from scipy.special import expit

from bot.model import Bonus, BonusKind, Paper, VotedPaper, is_library_paper
from bot.ranking.matching import PhraseIndex
from bot.ranking.meaning import PaperWords, word_hash
from bot.text.tokens import tokens
from bot.text.topics import Topic, common_expansions, expanded, read_interests

# What remains of a probability.
_BY_TITLE = 0.02
_BY_ABSTRACT = 0.25

# "No chatbots for patients" refuses neither all chatbots nor all patients.
Refusal = Sequence[Topic]


class Refusals:
    """One reader's refusals: ``in_titles`` and ``in_abstracts``, each until a liked paper has it there."""

    def __init__(self, paragraphs: Sequence[str], liked: Mapping[int, Paper | VotedPaper], voted: PaperWords) -> None:
        """``liked`` are rows of ``voted``."""
        refusals, hashes = _read(tuple(paragraphs))
        # A library is no vote.
        own = {row: paper for row, paper in liked.items() if not is_library_paper(paper.id)}
        if own and refusals:
            # Few papers have a word of a refusal, and only these are read.
            words = voted[list(own)]
            rows = np.unique(words.papers[np.isin(words.words, hashes)])
            self._liked = words[rows]
            titles = [list(own.values())[row].title for row in rows.tolist()]
            refusals = [refusal for refusal in refusals if not any(_names(title, refusal) for title in titles)]
        else:
            self._liked = voted[[]]
        self.in_titles = refusals

    @cached_property
    def in_abstracts(self) -> Sequence[Refusal]:
        index = PhraseIndex(self._liked)
        return [refusal for refusal in self.in_titles if not _presence(index, refusal).any()]

    def losses(
        self, papers: Sequence[Paper], index: PhraseIndex, rows: np.ndarray, log_odds: np.ndarray
    ) -> dict[int, Bonus]:
        """Return what the papers in ``rows`` lose, by their place there. ``log_odds`` is (n_rows,)."""
        kept: dict[int, tuple[float, str]] = {}
        for refusal in self.in_titles:
            text = ", ".join(topic.text for topic in refusal)
            for place in np.flatnonzero(_presence(index, refusal)[rows]).tolist():
                paper = papers[rows[place]]
                if _names(paper.title, refusal):
                    kept[place] = (_BY_TITLE, text)
                elif _are_spelled(paper.abstract, refusal) and refusal in self.in_abstracts:
                    kept.setdefault(place, (_BY_ABSTRACT, text))
        losses = {}
        for place, (share, text) in kept.items():
            before = float(log_odds[place])
            left = share * float(expit(before))
            # Far below zero, odds are probabilities.
            after = np.log(left) - np.log1p(-left) if left > 1e-12 else before + np.log(share)
            losses[place] = Bonus(text, float(after - before), BonusKind.REFUSED)
        return losses


@lru_cache(maxsize=2_000)
def _read(paragraphs: tuple[str, ...]) -> tuple[Sequence[Refusal], np.ndarray]:
    """Return the refusals, and the hashes of their words and of abbreviations with these."""
    interests = [read_interests(paragraph) for paragraph in paragraphs]
    wanted = [f" {' '.join(topic.stems)} " for interest in interests for topic in interest.wanted]
    refusals = [
        list(topics)
        for interest in interests
        for _, topics in groupby(interest.refused, key=lambda topic: topic.segment)
    ]
    # "Deep learning theory, no deep learning" wants some of it.
    refusals = [
        refusal
        for refusal in refusals
        if not any(f" {' '.join(topic.stems)} " in other for topic in refusal for other in wanted)
    ]
    stems = {stem for refusal in refusals for topic in refusal for stem in topic.stems}
    stems |= {short for short, long in common_expansions().items() if not stems.isdisjoint(long)}
    return refusals, np.array(list(map(word_hash, stems)), dtype=np.uint32)


def _presence(index: PhraseIndex, refusal: Refusal) -> np.ndarray:
    return np.asarray(np.prod([index.presence(topic.stems) for topic in refusal], axis=0))


def _names(text: str, refusal: Refusal) -> bool:
    stems, expanded_stems = _stems(text)
    return all(
        expanded_stems.issuperset(topic.stems) if len(topic.stems) > 1 else topic.stems[0] in stems for topic in refusal
    ) and _are_spelled(text, refusal)


@lru_cache(maxsize=20_000)  # titles, and few abstracts
def _stems(text: str) -> tuple[frozenset[str], frozenset[str]]:
    stems = [token.stem for token in tokens(text)]
    return frozenset(stems), frozenset(chain(stems, expanded(stems)))


def _are_spelled(text: str, refusal: Refusal) -> bool:
    """Return False where an activity's stem is another word: "what drives prices" is not on driving."""
    activities = [topic for topic in refusal if len(topic.stems) == 1 and topic.text.lower().endswith("ing")]
    if not activities:
        return True
    return _activities(text).issuperset(topic.stems[0] for topic in activities)


@lru_cache(maxsize=5_000)  # few abstracts have the stem
def _activities(text: str) -> frozenset[str]:
    return frozenset(token.stem for token in tokens(text) if token.spelling.lower().endswith("ing"))
