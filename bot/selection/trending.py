"""What is trending: upvotes raise a paper by as much as its profile wants them to.

The bonus is a number of log-odds like any other reason's, so that scores still add up: at ``weight`` 1 and a
hundred upvotes as much as takes a paper from one chance in two to nearly nine in ten. It grows with the logarithm
of the upvotes: the tenth says more than the hundredth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.domain import Paper, PaperId, Reason, ReasonKind, Score

MOST = 2.0  # log-odds
FULL = 100  # upvotes; more add nothing


def with_trending(
    scores: Sequence[Score], papers: Mapping[PaperId, Paper], weight: float
) -> tuple[Score, ...]:
    """The scores, best first, each with its paper's upvotes as one more reason; ``weight`` is 0 to 1."""
    if not weight:
        return tuple(scores)
    raised = [_raised(score, papers[score.paper].upvotes or 0, weight) for score in scores]
    return tuple(sorted(raised, key=lambda score: -score.log_odds))


def bonus(upvotes: int, weight: float) -> float:
    """What upvotes add to the log-odds.

    >>> bonus(0, 1.0), bonus(100, 0.5), bonus(100_000, 1.0)
    (0.0, 1.0, 2.0)
    """
    return MOST * weight * min(1.0, math.log1p(upvotes) / math.log1p(FULL))


def _raised(score: Score, upvotes: int, weight: float) -> Score:
    added = bonus(upvotes, weight)
    if not added:
        return score
    log_odds = score.log_odds + added
    votes = "1 upvote" if upvotes == 1 else f"{upvotes} upvotes"
    reasons = (*score.reasons, Reason(votes, added, ReasonKind.TRENDING))
    return replace(
        score,
        log_odds=log_odds,
        probability=1.0 / (1.0 + math.exp(-log_odds)) if log_odds > -700 else 0.0,
        reasons=tuple(sorted(reasons, key=lambda reason: -abs(reason.weight))),
    )
