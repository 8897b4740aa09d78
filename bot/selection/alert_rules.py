"""Alert rules: which papers can't wait for the next edition, and when an alert may be sent."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import time

from bot.domain import PaperId, Score

Hours = tuple[time, time]  # begin, end


def urgent(scores: Sequence[Score], named: Collection[PaperId], min_score: float | None) -> list[Score]:
    """Return the papers that an alert rule matches, best first; never one that is muted or lacks a required term.

    ``named`` are the papers that contain a keyword or author of the rule. ``min_score`` is the probability from
    which a paper matches without them, None if none does.
    """
    return [
        score
        for score in scores
        if not (score.muted or score.lacks)
        and (score.paper in named or (min_score is not None and score.probability >= min_score))
    ]


def is_quiet(clock: time, hours: Hours | None) -> bool:
    """Return whether a local time is within quiet hours, which may span midnight; the end is exclusive.

    >>> is_quiet(time(23, 30), (time(22), time(7))), is_quiet(time(7), (time(22), time(7)))
    (True, False)
    """
    if hours is None:
        return False
    begin, end = hours
    if begin <= end:
        return begin <= clock < end
    return clock >= begin or clock < end
