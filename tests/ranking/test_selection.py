"""Which papers an edition has: threshold, diversity, exploration, trending."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from bot.model import Bonus, BonusKind, Fact, FactKind, Paper, PickKind, Score
from bot.ranking import selection
from bot.ranking.selection import SelectionLimits, bonus, diverse, with_trending


def score(paper: int, probability: float, **values) -> Score:
    return Score(paper, probability, log_odds=probability, rest=0.0, **values)


def falling(count: int, start: float = 0.9, step: float = 0.02) -> list[Score]:
    return [score(n, start - n * step) for n in range(count)]


def unlike(_one: int, _other: int) -> float:
    return 0.0


def select(scores, similarity, limits, interest=lambda _: None):
    return selection.select(scores, SimpleNamespace(similarity=similarity, interest=interest), limits)


def ids(choices):
    return [choice.score.paper for choice in choices]


def test_the_best_come_first_and_no_more_than_the_size():
    assert ids(select(falling(9), unlike, SelectionLimits(3))) == [0, 1, 2]


def test_nothing_below_the_threshold_is_sent():
    assert ids(select(falling(9, step=0.1), unlike, SelectionLimits(9, explore=1, threshold=0.65))) == [
        0,
        1,
        2,
    ]


def test_muted_papers_never_appear_even_of_followed_authors():
    scores = [score(1, 0.9, muted="stocks"), score(2, 0.8, followed="Ada", muted="stocks"), score(3, 0.1)]
    assert ids(select(scores, unlike, SelectionLimits(5))) == [3]


def test_papers_that_lack_required_terms_never_appear_unless_of_followed_authors():
    scores = [
        score(1, 0.9, missing_terms=("LLM",)),
        score(2, 0.8, followed="Ada", missing_terms=("LLM",)),
        score(3, 0.1),
        score(4, 0.05, missing_terms=("LLM",)),
    ]
    assert ids(select(scores, unlike, SelectionLimits(5, explore=1))) == [2, 3]


def test_followed_authors_appear_below_the_threshold_too():
    scores = [*falling(5), score(9, 0.01, followed="Ada")]
    chosen = select(scores, unlike, SelectionLimits(3, threshold=0.5))
    assert [(c.score.paper, c.kind) for c in chosen] == [
        (0, PickKind.MATCH),
        (1, PickKind.MATCH),
        (9, PickKind.FOLLOW),
    ]


def test_of_two_near_duplicates_the_better_is_kept():
    def similarity(paper: int, other: int) -> float:
        return 0.95 if {paper, other} == {0, 1} else 0.0

    assert ids(select(falling(5), similarity, SelectionLimits(3))) == [0, 2, 3]


def test_mmr_keeps_one_topic_from_filling_the_edition():
    """Papers 0-7 are of one topic and score higher; 8 and 9 are of others."""

    def similarity(paper: int, other: int) -> float:
        return 0.5 if paper < 8 and other < 8 else 0.0

    chosen = ids(select(falling(10), similarity, SelectionLimits(5)))
    assert {0, 8, 9} <= set(chosen)


def test_one_place_goes_to_the_exploratory_pick_whose_vote_is_least_certain():
    chosen = select(falling(21, start=0.99, step=0.045), unlike, SelectionLimits(5, explore=1))
    assert [c.kind for c in chosen] == [PickKind.MATCH] * 4 + [PickKind.EXPLORE]
    assert abs(chosen[-1].score.probability - 0.5) < 0.05


def test_exploration_goes_below_the_threshold_down_to_the_lowest_probability():
    matches = [score(n, 0.9 - n / 100) for n in range(4)]
    limits = SelectionLimits(9, explore=1, threshold=0.3, lowest=0.15)
    chosen = select([*matches, score(7, 0.29), score(8, 0.14)], unlike, limits)
    assert [(c.score.paper, c.kind) for c in chosen[3:]] == [(3, PickKind.MATCH), (7, PickKind.EXPLORE)]
    assert ids(select([score(8, 0.14)], unlike, limits)) == []


def test_exploration_does_not_fill_an_edition_of_few_matches():
    scores = [score(1, 0.9), score(2, 0.8), score(3, 0.29)]
    assert ids(select(scores, unlike, SelectionLimits(9, explore=1, threshold=0.3, lowest=0.15))) == [1, 2]


def test_two_papers_below_the_lowest_probability_are_explored_where_nothing_else_is_chosen():
    limits = SelectionLimits(9, explore=1, threshold=0.3, lowest=0.15, lowest_alone=0.05)
    scores = [score(6, 0.14, missing_terms=("LLM",)), score(7, 0.13), score(8, 0.12), score(9, 0.11)]
    chosen = [(c.score.paper, c.kind) for c in select(scores, unlike, limits)]
    assert chosen == [(7, PickKind.EXPLORE), (8, PickKind.EXPLORE)]
    assert ids(select([score(9, 0.5), *scores], unlike, limits)) == [9]
    assert ids(select([score(8, 0.04)], unlike, limits)) == []
    assert ids(select(scores, unlike, SelectionLimits(9, 0, 0.3, 0.3, 0.05))) == []


def test_exploration_prefers_papers_unlike_the_chosen():
    def similarity(paper: int, other: int) -> float:
        return 0.4 if 5 not in (paper, other) else 0.0

    chosen = select([score(n, 0.5) for n in range(12)], similarity, SelectionLimits(3, explore=1))
    assert 5 in ids(chosen)


def test_places_without_a_suitable_paper_stay_empty():
    assert ids(select(falling(2), unlike, SelectionLimits(5, explore=2))) == [0, 1]


def test_an_edition_may_be_all_exploration():
    chosen = select(falling(10), unlike, SelectionLimits(2, explore=2))
    assert [c.kind for c in chosen] == [PickKind.EXPLORE] * 2


@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.booleans()), max_size=30),
    st.integers(1, 8),
    st.integers(0, 3),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_the_limits_hold_for_any_scores(rows, size, explore, threshold, likeness):
    scores = [
        score(n, p, followed="Ada" if followed else None, muted="x" if muted else None)
        for n, (p, followed, muted) in enumerate(sorted(rows, reverse=True))
    ]
    chosen = select(scores, lambda *_: likeness, SelectionLimits(size, min(explore, size), threshold, threshold / 2))
    assert len(chosen) <= size
    assert len(set(ids(chosen))) == len(chosen)
    assert not any(c.score.muted for c in chosen)
    lowest = {PickKind.FOLLOW: 0, PickKind.MATCH: threshold, PickKind.EXPLORE: threshold / 2}
    assert all(c.score.probability >= lowest[c.kind] for c in chosen)
    assert sum(c.kind is PickKind.EXPLORE for c in chosen) <= explore


def test_a_small_interest_has_its_share():
    scores = [score(i, 0.9 - i / 100) for i in range(1, 21)]
    chosen = select(scores, unlike, SelectionLimits(4), lambda paper: 1 if paper == 20 else 0)
    assert 20 in [choice.score.paper for choice in chosen]
    assert 20 not in [choice.score.paper for choice in select(scores, unlike, SelectionLimits(4))]


def test_a_probability_equal_to_the_threshold_is_sent():
    assert ids(select([score(1, 0.5)], unlike, SelectionLimits(1, threshold=0.5))) == [1]


def test_small_interests_get_half_of_the_places_between_them_and_the_other_half_is_open():
    of_large, of_small = falling(10), [score(20 + n, 0.1 - n * 0.01) for n in range(5)]
    chosen = select([*of_large, *of_small], unlike, SelectionLimits(8), lambda paper: paper // 20)
    assert ids(chosen) == [0, 1, 2, 3, 4, 5, 20, 21]


def test_each_of_three_interests_has_a_place_and_no_more_than_the_size_are_chosen():
    scores = [*falling(10), score(20, 0.2), score(21, 0.19), score(40, 0.1)]
    assert ids(select(scores, unlike, SelectionLimits(6), lambda paper: paper // 20)) == [0, 1, 2, 3, 20, 40]
    assert ids(select(scores, unlike, SelectionLimits(2), lambda paper: paper // 20)) == [0, 20]


def test_a_similarity_of_three_quarters_is_a_near_duplicate():
    scores = [score(1, 0.9), score(2, 0.8)]
    assert ids(select(scores, lambda *_: 0.75, SelectionLimits(2))) == [1]
    assert ids(select(scores, lambda *_: 0.74, SelectionLimits(2))) == [1, 2]


def test_redundancy_lowers_the_mmr_score():
    scores = [score(1, 0.9), score(2, 0.8), score(3, 0.6)]

    def similarity(paper: int, other: int) -> float:
        return 0.5 if {paper, other} == {1, 2} else 0.0

    assert ids(select(scores, similarity, SelectionLimits(2))) == [1, 3]  # 0.8 (1 - 0.7 / 2) is less than 0.6


def test_exploration_avoids_papers_like_the_chosen():
    scores = [score(n, probability) for n, probability in enumerate((0.9, 0.5, 0.2764, 0.1, 0.1))]

    def similarity(paper: int, other: int) -> float:
        return 0.3 if {paper, other} == {0, 1} else 0.0

    explored = select(scores, similarity, SelectionLimits(2, explore=1))[-1]
    assert (explored.score.paper, explored.kind) == (2, PickKind.EXPLORE)  # 0.2 is more than 0.25 (1 - 0.3)


# Few values, so that some papers are worth the same.
_SIMILARITIES = st.lists(st.sampled_from([0.0, 0.2, 0.5, 0.8]), min_size=100, max_size=100)


@given(_SIMILARITIES, st.lists(st.sampled_from([0.2, 0.3, 0.6]), min_size=8, max_size=8), st.integers(0, 5))
def test_the_papers_worth_most_are_chosen_without_comparing_all_of_them(similarities, probabilities, places):
    def similarity(one: int, other: int) -> float:
        return similarities[10 * min(one, other) + max(one, other)]

    def redundancy(candidate: Score, others: list[Score]) -> float:
        return max(similarity(candidate.paper, other.paper) for other in others)

    candidates = [score(n, probability) for n, probability in enumerate(sorted(probabilities, reverse=True))]
    chosen = [score(9, 0.9)]
    expected = list(chosen)
    left = candidates[: 5 * places]
    for _ in range(places):
        left = [c for c in left if c not in expected and redundancy(c, expected) < 0.75]
        if left:
            expected.append(max(left, key=lambda c: c.probability * (1 - 0.7 * redundancy(c, expected))))
    assert diverse(candidates, chosen, similarity, places) == expected[1:]


def paper(number: int, upvotes: int | None) -> Paper:
    return Paper(number, "T", "", (), None, None, None, None, None, upvotes, None, datetime(2026, 6, 12, tzinfo=UTC))


def scored(number: int, log_odds: float) -> Score:
    bonuses = (Bonus("owl", log_odds + 1),)
    return Score(number, 1 / (1 + math.exp(-log_odds)), log_odds, rest=-1.0, bonuses=bonuses)


def test_without_weight_or_upvotes_nothing_changes() -> None:
    scores = (scored(1, 0.5), scored(2, 0.1))
    papers = {1: paper(1, 50), 2: paper(2, None)}
    assert with_trending(scores, papers, 0.0) == scores
    assert with_trending(scores[1:], papers, 1.0) == scores[1:]


def test_a_venue_counts_like_ten_upvotes_if_the_profile_says_so() -> None:
    venue = Fact(FactKind.VENUE, "ICLR 2026", "arXiv")
    comment = Fact(FactKind.COMMENT, "12 pages", "arXiv")
    scores = (scored(1, 0.5), scored(2, 0.5), scored(3, 0.5))
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
    raised, other = with_trending((scored(1, 0.5), scored(2, 0.1)), {1: paper(1, 0), 2: paper(2, 30)}, 0.5)
    assert (raised.paper, other.paper) == (2, 1)
    assert raised.bonuses[-1] == Bonus("30 upvotes", raised.log_odds - 0.1, BonusKind.TRENDING)


@given(st.floats(-800, 800), st.integers(0, 10**9), st.floats(0, 1))
def test_contributions_still_sum_to_the_log_odds(log_odds: float, upvotes: int, weight: float) -> None:
    (raised,) = with_trending((scored(1, max(log_odds, -600)),), {1: paper(1, upvotes)}, weight)
    assert math.isclose(raised.log_odds, raised.rest + sum(b.weight for b in raised.bonuses), abs_tol=1e-9)
    assert 0 <= raised.probability <= 1
    assert raised.log_odds <= max(log_odds, -600) + 2.0 + 1e-9


def test_the_probability_is_that_of_the_raised_log_odds() -> None:
    (raised,) = with_trending((scored(1, 0.5),), {1: paper(1, 100)}, 0.5)
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
        (raised,) = with_trending((scored(1, 0.0),), {1: paper(1, upvotes)}, 1.0)
        names += [bonus.text for bonus in raised.bonuses if bonus.kind is BonusKind.TRENDING]
    assert names == ["1 upvote", "2 upvotes"]
