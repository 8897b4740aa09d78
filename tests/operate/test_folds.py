"""No vote predicts itself, and none is predicted by later votes."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bot.model import RecordedVote, Vote
from bot.operate.evaluation import split_into_folds

START = datetime(2026, 3, 2, 22, tzinfo=UTC)
recorded_votes = st.builds(
    RecordedVote,
    paper=st.integers(1, 30),
    vote=st.sampled_from([Vote.UP, Vote.DOWN]),
    at=st.integers(0, 400).map(lambda n: START + timedelta(minutes=17 * n)),
    via=st.just("cli"),
    voter=st.sampled_from(["", "eve"]),
)
vote_histories = st.lists(recorded_votes, max_size=60, unique_by=lambda vote: (vote.paper, vote.voter))


def consensus_of(votes):
    """The papers on which all voters agree."""
    votes_by_paper = {}
    for vote in votes:
        votes_by_paper.setdefault(vote.paper, []).append(vote)
    return {paper: group[-1] for paper, group in votes_by_paper.items() if len({v.vote for v in group}) == 1}


def vote(paper, minutes, vote=Vote.UP, voter=""):
    return RecordedVote(paper, vote, START + timedelta(minutes=minutes), "cli", voter)


@given(vote_histories, st.integers(1, 12))
def test_a_training_set_has_no_vote_on_its_folds_papers_and_no_later_vote(votes, at_most):
    consensus = consensus_of(votes)
    folds = split_into_folds(votes, consensus, "Europe/Berlin", at_most)
    assert len(folds) <= at_most
    for fold in folds:
        training_set = [v for v in votes if v.at < fold.since]
        assert fold.prior_votes == len(training_set)
        assert not {v.paper for v in training_set} & fold.labels.keys()
    assert sorted(paper for fold in folds for paper in fold.labels) == sorted(consensus)
    assert all(earlier.until < later.since for earlier, later in pairwise(folds))
    assert {paper: liked for fold in folds for paper, liked in fold.labels.items()} == {
        paper: v.vote is Vote.UP for paper, v in consensus.items()
    }


def papers_of_folds(votes, at_most=100):
    return [list(fold.labels) for fold in split_into_folds(votes, consensus_of(votes), "UTC", at_most)]


def test_a_day_is_a_fold_and_a_long_session_several():
    # Midnight is after two hours.
    assert papers_of_folds([vote(1, 0), vote(2, 60), vote(3, 180)]) == [[1, 2], [3]]
    assert [len(fold) for fold in papers_of_folds([vote(n, n) for n in range(25)])] == [10, 10, 5]


def test_votes_of_one_moment_are_never_split():
    assert [len(fold) for fold in papers_of_folds([vote(n, 0) for n in range(25)])] == [25]


def test_more_days_than_the_maximum_share_folds():
    assert papers_of_folds([vote(n, 1440 * n) for n in range(6)], at_most=3) == [[0, 1], [2, 3], [4, 5]]


def test_a_paper_with_several_voters_belongs_to_the_fold_of_its_first_vote():
    votes = [vote(1, 0, voter="a"), vote(2, 1440), vote(1, 2880, voter="b")]
    assert papers_of_folds(votes) == [[1], [2]]
