"""Upvotes as a bonus."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from bot.model import Bonus, BonusKind, Fact, FactKind, Paper, Score
from bot.ranking.selection import bonus, with_trending


def paper(number: int, upvotes: int | None) -> Paper:
    return Paper(number, "T", "", (), None, None, None, None, None, upvotes, None, datetime(2026, 6, 12, tzinfo=UTC))


def score(number: int, log_odds: float) -> Score:
    bonuses = (Bonus("owl", log_odds + 1),)
    return Score(number, 1 / (1 + math.exp(-log_odds)), log_odds, rest=-1.0, bonuses=bonuses)


def test_without_weight_or_upvotes_nothing_changes() -> None:
    scores = (score(1, 0.5), score(2, 0.1))
    papers = {1: paper(1, 50), 2: paper(2, None)}
    assert with_trending(scores, papers, 0.0) == scores
    assert with_trending(scores[1:], papers, 1.0) == scores[1:]


def test_a_venue_counts_like_ten_upvotes_if_the_profile_says_so() -> None:
    venue = Fact(FactKind.VENUE, "ICLR 2026", "arXiv")
    comment = Fact(FactKind.COMMENT, "12 pages", "arXiv")
    scores = (score(1, 0.5), score(2, 0.5), score(3, 0.5))
    papers = {
        1: replace(paper(1, None), facts=(venue,)),
        2: replace(paper(2, 3), facts=(venue,)),
        3: replace(paper(3, None), facts=(comment,)),
    }
    assert with_trending(scores, papers, 0.0) == scores
    best, accepted, other = with_trending(scores, papers, 0.5)
    assert (best.paper, accepted.paper) == (2, 1)
    assert math.isclose(accepted.log_odds, 0.5 + bonus(10, 0.5))
    assert other == scores[2]
    named = [added.text for added in best.bonuses if added.kind is BonusKind.TRENDING]
    assert named == ["3 upvotes, ICLR 2026"]


def test_a_trending_paper_passes_a_slightly_better_match() -> None:
    raised, other = with_trending((score(1, 0.5), score(2, 0.1)), {1: paper(1, 0), 2: paper(2, 30)}, 0.5)
    assert (raised.paper, other.paper) == (2, 1)
    assert raised.bonuses[-1] == Bonus("30 upvotes", raised.log_odds - 0.1, BonusKind.TRENDING)


@given(st.floats(-800, 800), st.integers(0, 10**9), st.floats(0, 1))
def test_contributions_still_sum_to_the_log_odds(log_odds: float, upvotes: int, weight: float) -> None:
    (raised,) = with_trending((score(1, max(log_odds, -600)),), {1: paper(1, upvotes)}, weight)
    assert math.isclose(raised.log_odds, raised.rest + sum(b.weight for b in raised.bonuses), abs_tol=1e-9)
    assert 0 <= raised.probability <= 1
    assert raised.log_odds <= max(log_odds, -600) + 2.0 + 1e-9


def test_the_probability_is_that_of_the_raised_log_odds() -> None:
    (raised,) = with_trending((score(1, 0.5),), {1: paper(1, 100)}, 0.5)
    assert math.isclose(raised.log_odds, 1.5)
    assert math.isclose(raised.probability, 1 / (1 + math.exp(-1.5)))


def test_a_log_odds_beyond_the_range_of_exp_has_probability_zero() -> None:
    hopeless = Score(1, 0.0, -800.0, rest=-800.0)
    (raised,) = with_trending((hopeless,), {1: paper(1, 100)}, 1.0)
    assert (raised.log_odds, raised.probability) == (-798.0, 0.0)


def test_the_tenth_upvote_says_more_than_the_hundredth() -> None:
    assert math.isclose(bonus(9, 1.0), 2 * math.log(10) / math.log(101))
    assert bonus(10, 1.0) - bonus(9, 1.0) > 5 * (bonus(100, 1.0) - bonus(99, 1.0))


def test_one_upvote_is_singular() -> None:
    names = []
    for upvotes in (1, 2):
        (raised,) = with_trending((score(1, 0.0),), {1: paper(1, upvotes)}, 1.0)
        names += [bonus.text for bonus in raised.bonuses if bonus.kind is BonusKind.TRENDING]
    assert names == ["1 upvote", "2 upvotes"]
