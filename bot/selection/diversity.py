"""Diversity: how near two papers of an edition may be, by maximal marginal relevance (MMR)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heapreplace

from bot.domain import PaperId, Score

Similarity = Callable[[PaperId, PaperId], float]  # symmetric, 0 to 1

# From this similarity on, two papers are near-duplicates, and the one ranked lower is left out. Of the 1.2 million
# pairs of papers of one day in 22 days, 12 reach .6 and one reaches .75: it is meant for one work reported twice. From
# .7 or .8 on, the full editions of 18 readers are the same, from .6 on nearly so (``bench/constants.py
# editions``).
_NEAR_DUPLICATE = 0.75
# The weight of redundancy in MMR (Carbonell and Goldstein 1998): a candidate identical to a chosen paper loses this
# share of its own probability. Their criterion subtracts; a product keeps it positive. In the same editions weights
# from 0 to 1 show as many liked papers, and the mean similarity of picks falls by .001: papers of arXiv's days differ
# as they are. On libraries, ten picks of an earlier ranker covered a sixth more topics with MMR, at no loss of hits.
_REDUNDANCY_WEIGHT = 0.7
# MMR considers this many candidates for each free place: further down, relevance is lost for no gain in diversity.
# With 2 and with 10 the editions are the same; it bounds the similarities that are computed.
_CANDIDATES_PER_PLACE = 5


def diverse(
    candidates: Sequence[Score], chosen: Sequence[Score], similarity: Similarity, places: int
) -> list[Score]:
    """Return up to ``places`` candidates by greedy MMR, without near-duplicates of chosen papers or each other."""
    # With each paper that is chosen a candidate's redundancy can only rise. So it is brought up to date only where the
    # candidate would be the next to be picked (lazy greedy, Minoux 1978): that takes a third of all similarities.
    compared = list(chosen)
    considered = candidates[: places * _CANDIDATES_PER_PLACE]
    # By the worth, negated; then the place among the candidates, redundancy, and with how many papers compared.
    heap = [(-score.probability, place, 0.0, 0) for place, score in enumerate(considered)]
    heapify(heap)
    picked: list[Score] = []
    while heap and len(picked) < places:
        _, place, redundancy, count = heap[0]
        score = considered[place]
        if count == len(compared):
            heappop(heap)
            picked.append(score)
            compared.append(score)
            continue
        redundancy = max(redundancy, max_similarity(score, compared[count:], similarity))
        if redundancy >= _NEAR_DUPLICATE:
            heappop(heap)
        else:
            worth = score.probability * (1 - _REDUNDANCY_WEIGHT * redundancy)
            heapreplace(heap, (-worth, place, redundancy, len(compared)))
    return picked


def max_similarity(score: Score, chosen: Sequence[Score], similarity: Similarity) -> float:
    """Return the highest similarity of a paper to the chosen ones; 0 if there are none."""
    return max([similarity(other.paper, score.paper) for other in chosen], default=0.0)
