"""A reader's thumbs as a series of examinations: what was judged together, and when.

Whatever stands in a round is predicted from the thumbs strictly before the round's first moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, groupby

from bot.domain import PaperId, RecordedVote, Vote
from bot.schedule import local_date

# A sitting of many thumbs is several rounds: what was said at its beginning may be used at its end.
_THUMBS_A_ROUND = 10


@dataclass(frozen=True, slots=True)
class Fold:
    """Papers that were first judged from ``since`` to ``until``, and whether they were liked.

    ``known`` thumbs had been given before.
    """

    since: datetime
    until: datetime
    judged: Mapping[PaperId, bool]
    known: int

    @property
    def likes(self) -> int:
        """How many of the papers were liked."""
        return sum(self.judged.values())


def rounds(
    votes: Sequence[RecordedVote], agreed: Mapping[PaperId, RecordedVote], timezone: str, most: int
) -> list[Fold]:
    """The rounds in the order of time, ``most`` at most: a day's thumbs each, or of several days.

    ``votes`` are the thumbs that count, of all voters; ``agreed`` is what they say of a paper together. Each
    paper is judged once, when the first of these was given: no thumb on it is known before. What voters
    disagree on is left out.
    """
    by_time = sorted(votes, key=lambda thumb: thumb.at)
    first = {thumb.paper: thumb for thumb in reversed(by_time) if thumb.paper in agreed}
    groups = list(_sittings(sorted(first.values(), key=lambda thumb: thumb.at), timezone))
    together = -(-len(groups) // most) or 1
    merged = [list(chain(*groups[n : n + together])) for n in range(0, len(groups), together)]
    return [
        Fold(
            since=group[0].at,
            until=group[-1].at,
            judged={thumb.paper: agreed[thumb.paper].vote is Vote.UP for thumb in group},
            known=sum(thumb.at < group[0].at for thumb in by_time),
        )
        for group in merged
    ]


def _sittings(given: Sequence[RecordedVote], timezone: str) -> Iterator[list[RecordedVote]]:
    """Each day's thumbs, some ten at a time; those of one moment are never parted."""
    for _, same_day in groupby(given, key=lambda thumb: local_date(thumb.at, timezone)):
        sitting: list[RecordedVote] = []
        for thumb in same_day:
            if len(sitting) >= _THUMBS_A_ROUND and thumb.at > sitting[-1].at:
                yield sitting
                sitting = []
            sitting.append(thumb)
        yield sitting
