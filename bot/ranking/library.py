"""How much the papers of a reader's own library count beside votes."""

from __future__ import annotations

from collections.abc import Mapping

from bot.domain import PaperId
from bot.ranking.user_vectors import time_decay

# What a whole library weighs at most, in votes of today: to the experts' scales, the linear model and the trees.
LIBRARY_VOTES = 20.0
# The same in the centroid of liked papers, whose error is smallest if each of them weighs the same.
_CENTROID_VOTES = 100.0
# Papers of a library that are ranked by, those added last: more make no better centroid, and each batch of readers
# transforms them.
MOST_PAPERS = 500


def library_weights(ages: Mapping[PaperId, float]) -> dict[PaperId, float]:
    """Return the factor on the weight of each paper of a library; ``ages`` are in days.

    Relative to the paper added last: the same library gives the same factors on any later day, and fades as a whole.
    """
    newest = min(ages.values(), default=0.0)
    total = sum(time_decay(age - newest) for age in ages.values())
    return dict.fromkeys(ages, min(1.0, LIBRARY_VOTES / total) if total else 1.0)


def centroid_weight(weight: float) -> float:
    """Return the weight in the centroid of liked papers that goes with the factor of ``library_weights``; 1 for 1."""
    return min(1.0, weight * _CENTROID_VOTES / LIBRARY_VOTES)
