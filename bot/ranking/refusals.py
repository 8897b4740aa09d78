"""Lower papers on what a reader refuses: nearly to nothing by the title, to a quarter by the abstract alone.

A refusal ends where the reader likes a paper that has it in the same place. The loss is a bonus below zero, so a
score's parts still sum to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, groupby

import numpy as np
from scipy.special import expit

from bot.model import Bonus, BonusKind, Paper, VotedPaper, is_library_paper
from bot.ranking.corpus import Papers
from bot.ranking.matching import PhraseIndex
from bot.text.tokens import tokens
from bot.text.topics import Topic, expanded, read_interests

# What remains of a probability.
_BY_TITLE = 0.02
_BY_ABSTRACT = 0.25

# "No chatbots for patients" refuses neither all chatbots nor all patients.
Refusal = Sequence[Topic]


class Refusals:
    """One reader's refusals: ``in_titles`` and ``in_abstracts``, each until a liked paper has it there."""

    def __init__(self, paragraphs: Iterable[str], liked: Mapping[int, Paper | VotedPaper], voted: Papers) -> None:
        """``liked`` are papers by their row in ``voted``."""
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
        # A library is no vote.
        own = {row: paper for row, paper in liked.items() if not is_library_paper(paper.id)}
        self.in_titles = [
            refusal for refusal in refusals if not any(_names(paper.title, refusal) for paper in own.values())
        ]
        index = voted.index if own and self.in_titles else None
        self.in_abstracts = [
            refusal for refusal in self.in_titles if index is None or not _presence(index, refusal)[list(own)].any()
        ]

    def losses(self, papers: Sequence[Paper], index: PhraseIndex, log_odds: np.ndarray) -> dict[int, Bonus]:
        """Return what the papers on a refused topic lose, by row. ``log_odds`` is (n_papers,)."""
        kept: dict[int, tuple[float, str]] = {}
        for refusal in self.in_titles:
            text = ", ".join(topic.text for topic in refusal)
            for row in np.flatnonzero(_presence(index, refusal)).tolist():
                if _names(papers[row].title, refusal):
                    kept[row] = (_BY_TITLE, text)
                elif refusal in self.in_abstracts and _are_spelled(papers[row].abstract, refusal):
                    kept.setdefault(row, (_BY_ABSTRACT, text))
        losses = {}
        for row, (share, text) in kept.items():
            before = float(log_odds[row])
            left = share * float(expit(before))
            # Far below zero, odds are probabilities.
            after = np.log(left) - np.log1p(-left) if left > 1e-12 else before + np.log(share)
            losses[row] = Bonus(text, float(after - before), BonusKind.REFUSED)
        return losses


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
