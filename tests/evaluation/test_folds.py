"""No thumb predicts itself, and none is predicted by later ones."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bot.domain import RecordedVote, Vote
from bot.evaluation.folds import rounds

START = datetime(2026, 3, 2, 22, tzinfo=UTC)
thumbs = st.builds(
    RecordedVote,
    paper=st.integers(1, 30),
    vote=st.sampled_from([Vote.UP, Vote.DOWN]),
    at=st.integers(0, 400).map(lambda n: START + timedelta(minutes=17 * n)),
    via=st.just("cli"),
    voter=st.sampled_from(["", "eve"]),
)
votes_of = st.lists(thumbs, max_size=60, unique_by=lambda thumb: (thumb.paper, thumb.voter))


def agreed_by(votes):
    """The papers on which all voters say the same."""
    said = {}
    for thumb in votes:
        said.setdefault(thumb.paper, []).append(thumb)
    return {paper: given[-1] for paper, given in said.items() if len({t.vote for t in given}) == 1}


def thumb(paper, minutes, vote=Vote.UP, voter=""):
    return RecordedVote(paper, vote, START + timedelta(minutes=minutes), "cli", voter)


@given(votes_of, st.integers(1, 12))
def test_what_is_known_before_a_round_says_nothing_of_its_papers_and_is_never_later(votes, most):
    agreed = agreed_by(votes)
    made = rounds(votes, agreed, "Europe/Berlin", most)
    assert len(made) <= most
    for one in made:
        before = [t for t in votes if t.at < one.since]
        assert one.known == len(before)
        assert not {t.paper for t in before} & one.judged.keys()
    assert sorted(paper for one in made for paper in one.judged) == sorted(agreed)
    assert all(a.until < b.since for a, b in pairwise(made))
    assert {p: liked for one in made for p, liked in one.judged.items()} == {
        paper: t.vote is Vote.UP for paper, t in agreed.items()
    }


def made_of(votes, most=100):
    return [list(one.judged) for one in rounds(votes, agreed_by(votes), "UTC", most)]


def test_a_day_is_a_round_and_a_long_sitting_several():
    assert made_of([thumb(1, 0), thumb(2, 60), thumb(3, 180)]) == [[1, 2], [3]]  # midnight is after two hours
    assert [len(one) for one in made_of([thumb(n, n) for n in range(25)])] == [10, 10, 5]


def test_thumbs_of_one_moment_are_never_parted():
    assert [len(one) for one in made_of([thumb(n, 0) for n in range(25)])] == [25]


def test_more_days_than_wanted_are_taken_together():
    assert made_of([thumb(n, 1440 * n) for n in range(6)], most=3) == [[0, 1], [2, 3], [4, 5]]


def test_a_paper_of_several_voters_is_judged_when_the_first_of_them_spoke():
    votes = [thumb(1, 0, voter="a"), thumb(2, 1440), thumb(1, 2880, voter="b")]
    assert made_of(votes) == [[1], [2]]
