"""Split a reader's votes into the folds of a prequential evaluation.

Each fold is a test set; its training set is the votes strictly before the fold's first vote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, groupby

from bot.domain import PaperId, RecordedVote, Vote
from bot.schedule import local_date

# A long session is several folds: its first votes may predict its last ones.
_VOTES_PER_FOLD = 10


@dataclass(frozen=True, slots=True)
class Fold:
    """Papers with their first vote from ``since`` to ``until``; ``labels`` says whether each was liked.

    ``prior_votes`` is the size of the training set.
    """

    since: datetime
    until: datetime
    labels: Mapping[PaperId, bool]
    prior_votes: int

    @property
    def likes(self) -> int:
        """The number of liked papers."""
        return sum(self.labels.values())


def split_into_folds(
    votes: Sequence[RecordedVote], consensus: Mapping[PaperId, RecordedVote], timezone: str, at_most: int
) -> list[Fold]:
    """Return ``at_most`` folds in chronological order; each holds the votes of a day, or of several days.

    ``votes`` are the current votes of all voters. ``consensus`` has the papers on which all voters agree; the
    others have no label and are left out. A paper belongs to the fold of its first vote, so no training set
    holds a vote on a paper that it is tested on.
    """
    by_time = sorted(votes, key=lambda vote: vote.at)
    first_votes: dict[PaperId, RecordedVote] = {}
    for vote in by_time:
        if vote.paper in consensus:
            first_votes.setdefault(vote.paper, vote)

    sessions: list[list[RecordedVote]] = []
    for _, votes_of_day in groupby(first_votes.values(), key=lambda vote: local_date(vote.at, timezone)):
        session: list[RecordedVote] = []
        for vote in votes_of_day:
            # Votes of one moment, such as those of an import, stay together: neither precedes the other.
            if len(session) >= _VOTES_PER_FOLD and vote.at > session[-1].at:
                sessions.append(session)
                session = []
            session.append(vote)
        sessions.append(session)

    sessions_per_fold = -(-len(sessions) // at_most) or 1
    folds = []
    for start in range(0, len(sessions), sessions_per_fold):
        test_set = list(chain(*sessions[start : start + sessions_per_fold]))
        since = test_set[0].at
        folds.append(
            Fold(
                since=since,
                until=test_set[-1].at,
                labels={vote.paper: consensus[vote.paper].vote is Vote.UP for vote in test_set},
                prior_votes=sum(vote.at < since for vote in by_time),
            )
        )
    return folds
