"""Lower papers on what a reader refuses: nearly to nothing by the title, to a quarter by the abstract.

Topics refused together must all be in the title, or one in the title and others in the abstract. A refusal ends where
the reader likes a paper that has it in the same place. The loss is a bonus below zero, so a score's parts still sum to
it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from scipy.special import expit, logit

from bot.model import Bonus, BonusKind, Paper, VotedPaper, is_library_paper
from bot.ranking.matching import PhraseIndex, Refusal, TextModel
from bot.text.tokens import tokens

# What remains of a probability.
_BY_TITLE = 0.02
_BY_ABSTRACT = 0.25


class Refusals:
    """One reader's refusals: ``in_titles`` and ``in_abstracts``, each until a liked paper has it there."""

    def __init__(self, text: TextModel, liked: Mapping[int, Paper | VotedPaper], voted: PhraseIndex | None) -> None:
        """``liked`` are papers by their row in ``voted``, which has the words of refusals."""
        self.in_titles = self.in_abstracts = text.lasting_refusals
        # A library is no vote.
        own = {row: paper for row, paper in liked.items() if not is_library_paper(paper.id)}
        if voted and own and self.in_titles:
            rows = np.array(list(own))
            ended = {
                refusal
                for refusal in self.in_titles
                for row in rows[refusal.in_title(voted)[rows]].tolist()
                if _are_spelled(own[row].title, refusal)
            }
            self.in_titles = [refusal for refusal in self.in_titles if refusal not in ended]
            self.in_abstracts = [refusal for refusal in self.in_titles if not refusal.presence(voted)[rows].any()]

    def losses(
        self, papers: Sequence[Paper], index: PhraseIndex, rows: np.ndarray, log_odds: np.ndarray
    ) -> dict[int, Bonus]:
        """Return what papers on a refused topic lose, by place in ``rows`` and ``log_odds`` (n_rows,)."""
        by_place: dict[int, tuple[float, str]] = {}
        for refusal in self.in_titles:
            places = np.flatnonzero(refusal.presence(index)[rows])
            in_title = refusal.in_title(index)[rows[places]].tolist()
            for place, is_in_title in zip(places.tolist(), in_title, strict=True):
                paper = papers[rows[place]]
                if is_in_title and _are_spelled(paper.title, refusal):
                    by_place[place] = (_BY_TITLE, refusal.text)
                elif refusal in self.in_abstracts and _are_spelled(paper.text, refusal):
                    by_place.setdefault(place, (_BY_ABSTRACT, refusal.text))
        if not by_place:
            return {}
        before = log_odds[list(by_place)]
        shares = np.array([share for share, _ in by_place.values()])
        left = np.maximum(shares * expit(before), 1e-12)
        # Far below zero, odds are probabilities.
        losses = np.where(left > 1e-12, logit(left) - before, np.log(shares)).tolist()
        return {
            place: Bonus(text, loss, BonusKind.REFUSED)
            for (place, (_, text)), loss in zip(by_place.items(), losses, strict=True)
        }


def _are_spelled(text: str, refusal: Refusal) -> bool:
    return not refusal.activities or refusal.activities <= _activities(text)


@lru_cache(maxsize=5_000)  # few papers have the stem
def _activities(text: str) -> frozenset[str]:
    return frozenset(token.stem for token in tokens(text) if token.spelling.lower().endswith("ing"))
