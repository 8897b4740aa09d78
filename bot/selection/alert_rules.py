"""Which papers can't wait for the next edition, and when an alert may be sent."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import time

from bot.domain import PaperId, Score

Hours = tuple[time, time]


def urgent(scores: Sequence[Score], named: Collection[PaperId], min_score: float | None) -> list[Score]:
    """The papers that an alert rule matches, best first; never a muted one.

    ``named`` are those that mention one of the rule's keywords or have one of its authors; ``min_score`` is
    the least probability that matches by itself, None where none does.
    """
    return [
        score
        for score in scores
        if not score.muted
        and (score.paper in named or (min_score is not None and score.probability >= min_score))
    ]


def is_quiet(clock: time, hours: Hours | None) -> bool:
    """Whether a reader's clock stands in their quiet hours, which may go over midnight; the end is outside.

    >>> is_quiet(time(23, 30), (time(22), time(7))), is_quiet(time(7), (time(22), time(7)))
    (True, False)
    """
    if hours is None:
        return False
    begin, end = hours
    return begin <= clock < end if begin <= end else clock >= begin or clock < end
