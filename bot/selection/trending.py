"""Trending papers: upvotes raise a score by as much as the profile's ``trending`` allows.

The bonus is an addend of the log-odds like a keyword's, so that contributions still sum to the score. With weight
1 and a hundred upvotes it lifts a probability of 50 % to 88 %. It grows with the logarithm of the upvotes, as the tenth
upvote says more about a paper than the hundredth. A venue, such as the conference that accepted a paper, counts like
ten upvotes; without ``trending`` neither changes a score.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from bot.domain import Bonus, BonusKind, FactKind, Paper, PaperId, Score
from bot.wording import plural

# Log-odds. Chosen for the effect that is named above, not by a measurement.
_MAX_BONUS = 2.0
_MAX_UPVOTES = 100  # upvotes; more add nothing
_VENUE_UPVOTES = 10  # that a venue counts for


def with_trending(
    scores: Sequence[Score], papers: Mapping[PaperId, Paper], weight: float
) -> tuple[Score, ...]:
    """Return the scores with upvotes and venue as one more bonus, best first; ``weight`` is 0 to 1."""
    if not weight:
        return tuple(scores)
    raised = []
    for score in scores:
        upvotes = papers[score.paper].upvotes or 0
        venue = next((fact for fact in papers[score.paper].facts if fact.kind is FactKind.VENUE), None)
        if not upvotes and not venue:
            raised.append(score)
            continue
        added = bonus(upvotes + (_VENUE_UPVOTES if venue else 0), weight)
        named = [*([plural(upvotes, "upvote")] if upvotes else []), *([venue.value] if venue else [])]
        log_odds = score.log_odds + added
        raised.append(
            score._replace(
                log_odds=log_odds,
                # math.exp overflows above 709, where the logistic function is 0 in double precision anyway.
                probability=1.0 / (1.0 + math.exp(-log_odds)) if log_odds > -700 else 0.0,
                bonuses=(*score.bonuses, Bonus(", ".join(named), added, BonusKind.TRENDING)),
            )
        )
    return tuple(sorted(raised, key=lambda score: -score.log_odds))


def bonus(upvotes: int, weight: float) -> float:
    """Return what upvotes add to the log-odds.

    >>> bonus(0, 1.0), bonus(100, 0.5), bonus(100_000, 1.0)
    (0.0, 1.0, 2.0)
    """
    return _MAX_BONUS * weight * min(1.0, math.log1p(upvotes) / math.log1p(_MAX_UPVOTES))
