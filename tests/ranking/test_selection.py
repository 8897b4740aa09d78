"""Which papers an edition has: threshold, order by score, near-duplicates, new readers, exploration, trending."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logit

from bot.config.profiles import EditionSection
from bot.model import GOOD, STRONG, Bonus, BonusKind, Fact, FactKind, Paper, PickKind, Score
from bot.ranking import selection
from bot.ranking.selection import SelectionLimits, best_different, bonus, with_trending


def score(paper: int, probability: float, **values) -> Score:
    log_odds = float(logit(min(max(probability, 0.001), 0.9999)))
    return Score(paper, probability, log_odds=log_odds, rest=0.0, **values)


def lacking(paper: int, **values) -> Score:
    return score(paper, 1 - paper / 10, missing_terms=("LLM",), **values)


def falling(count: int, start: float = 0.9, step: float = 0.03) -> list[Score]:
    return [score(n, start - n * step) for n in range(count)]


def unlike(_one: int, _other: int) -> float:
    return 0.0


def alike(*papers: int, similarity: float = 0.75):
    """Return a similarity by which these papers are alike and no others."""
    return lambda one, other: similarity if {one, other} <= set(papers) else 0.0


def select(scores, similarity, limits, interest=lambda _: None, touches=lambda _: True, waiting=()):
    papers = SimpleNamespace(similarity=similarity, interest=interest, touches=touches)
    return selection.select(scores, papers, limits, waiting)


def ids(choices):
    return [choice.score.paper for choice in choices]


def kinds(choices):
    return [(choice.score.paper, choice.kind) for choice in choices]


@pytest.mark.parametrize(
    ("scores", "limits", "chosen"),
    [
        (falling(9), SelectionLimits(3), [0, 1, 2]),
        (falling(9, step=0.1), SelectionLimits(9, threshold=0.65), [0, 1, 2]),
        ([score(1, 0.5)], SelectionLimits(1, threshold=0.5), [1]),
        (falling(2), SelectionLimits(5, explore=2), [0, 1]),
        ([], SelectionLimits(5, explore=1, fill=5), []),
        # Muted papers never appear, not even of followed authors.
        ([score(1, 0.9, muted="x"), score(2, 0.8, followed="Ada", muted="x"), score(3, 0.1)], SelectionLimits(5), [3]),
        # Papers that lack required terms only of followed authors.
        ([lacking(1), lacking(2, followed="Ada"), score(3, 0)], SelectionLimits(5, explore=1, fill=5), [2, 3]),
    ],
)
def test_the_best_come_first_within_size_threshold_and_rules(scores, limits, chosen):
    assert ids(select(scores, unlike, limits)) == chosen


@pytest.mark.parametrize(("kind", "chosen"), [(BonusKind.KEYWORD, [1]), (BonusKind.REFUSED, []), (None, [])])
def test_a_match_by_text_alone_touches_it_or_has_a_keyword(kind, chosen):
    beside = score(1, 0.9, bonuses=(Bonus("x", 1.0, kind),) if kind else ())
    assert ids(select([beside], unlike, SelectionLimits(5, by_text=True), touches=lambda _: False)) == chosen


def test_followed_authors_appear_below_the_threshold_too():
    scores = [*falling(5), score(9, 0.01, followed="Ada")]
    chosen = kinds(select(scores, unlike, SelectionLimits(3, threshold=0.5)))
    assert chosen == [(0, PickKind.MATCH), (1, PickKind.MATCH), (9, PickKind.FOLLOW)]


def test_of_two_near_duplicates_the_better_is_kept_and_any_others_follow_their_score():
    assert ids(select(falling(5), alike(0, 1), SelectionLimits(3))) == [0, 2, 3]
    assert ids(select(falling(5), alike(0, 1, similarity=0.74), SelectionLimits(3))) == [0, 1, 2]
    # Near-duplicates of a followed author's paper, and among the papers that fill places.
    followed = [*falling(2), score(9, 0.1, followed="Ada")]
    assert ids(select(followed, alike(0, 9), SelectionLimits(3))) == [1, 9]
    assert ids(select(falling(4), alike(0, 1), SelectionLimits(5, threshold=1, fill=2))) == [0, 2]


def test_only_among_papers_of_one_probability_is_the_one_most_unlike_the_chosen_taken():
    scores = [score(1, 0.9), score(2, 0.5), score(3, 0.495), score(4, 0.46)]
    assert ids(select(scores, alike(1, 2, 4, similarity=0.5), SelectionLimits(2))) == [1, 3]
    assert ids(select(scores, alike(1, 2, 3, similarity=0.5), SelectionLimits(2))) == [1, 2]
    # All are sure, and still one is surer.
    assert ids(select([score(1, 0.9999), score(2, 0.9997), score(3, 0.99)], alike(1, 2), SelectionLimits(2))) == [1, 3]
    sure = [score(1, 0.9999), score(2, 0.9997), score(3, 0.998)]
    assert ids(select(sure, alike(1, 2, similarity=0.5), SelectionLimits(2))) == [1, 2]


@given(
    st.lists(st.sampled_from([0.0, 0.2, 0.74, 0.8]), min_size=100, max_size=100),
    st.lists(st.sampled_from([0.2, 0.205, 0.3, 0.6]), min_size=8, max_size=8),
    st.integers(0, 5),
)
def test_no_paper_gives_way_to_a_worse_one_unless_it_is_a_near_duplicate(similarities, probabilities, places):
    def similarity(one: int, other: int) -> float:
        return similarities[10 * min(one, other) + max(one, other)]

    candidates = [score(n, probability) for n, probability in enumerate(sorted(probabilities, reverse=True))]
    chosen = best_different(candidates, [score(9, 0.9)], similarity, places)
    assert len(chosen) <= places
    assert [s.probability for s in chosen] == sorted((s.probability for s in chosen), reverse=True)
    compared = [score(9, 0.9), *chosen]
    for left_out in [s for s in candidates if s not in chosen]:
        is_duplicate = any(similarity(left_out.paper, c.paper) >= 0.75 for c in compared)
        is_worse = len(chosen) == places and all(c.log_odds > left_out.log_odds - 0.1 for c in chosen)
        assert is_duplicate or is_worse


NEW = EditionSection(explore=0)


@pytest.mark.parametrize(
    ("section", "places", "votes", "picks"),
    [
        (NEW, 10, 5, 5),
        (NEW, 3, 29, 3),
        (NEW, 10, 30, 0),
        # A threshold that the file sets holds from the first day.
        (EditionSection(explore=0, threshold=0.25), 10, 5, 6),
        (EditionSection(explore=0, threshold=0.25), 10, 30, 6),
        (EditionSection(explore=0, threshold=0.9), 10, 5, 0),
    ],
)
def test_a_new_reader_who_dislikes_gets_up_to_five_picks_and_others_good_matches_only(section, places, votes, picks):
    below_good = [score(n, 0.3 - n / 100) for n in range(9)]
    assert below_good[0].probability < GOOD
    for disliked, expected in ((votes, picks), (votes // 2, 0 if section is NEW else picks)):
        limits = SelectionLimits.of(section, places, votes, disliked)
        assert ids(select(below_good, unlike, limits)) == list(range(expected))


def test_places_are_filled_with_new_papers_that_touch_the_text_and_count_as_matches():
    refusal = Bonus("driving", -3, BonusKind.REFUSED)
    scores = [score(1, 0.9), *(score(n, 0.3 - n / 100) for n in range(2, 9))]
    scores[4] = score(5, 0.25, bonuses=(refusal,))
    limits = SelectionLimits(9, threshold=0.4, lowest=0.15, fill=3)
    chosen = select(scores, unlike, limits, touches=lambda paper: paper not in {1, 3}, waiting={2})
    assert kinds(chosen) == [(1, PickKind.MATCH), (4, PickKind.MATCH), (6, PickKind.MATCH)]
    assert ids(select(falling(9), unlike, limits)) == list(range(9))  # enough matches: nothing is filled
    # Neither is what was refused explored.
    assert ids(select(scores[4:5], unlike, SelectionLimits(9, explore=1, threshold=0.4))) == []


@pytest.mark.parametrize(
    ("waiting", "probability", "kind"),
    [
        ({5}, GOOD, PickKind.MATCH),
        ({5}, GOOD - 0.01, PickKind.EXPLORE),
        ({5}, 0.15, PickKind.EXPLORE),
        ({5}, 0.14, None),
        ({5, 6}, GOOD, PickKind.MATCH),
        ({5, 6}, GOOD - 0.01, None),
        ((), GOOD - 0.01, PickKind.MATCH),
    ],
)
def test_of_papers_that_had_no_place_before_only_good_matches_are_chosen_and_others_explored_beside_new_ones(
    waiting, probability, kind
):
    limits = SelectionLimits(3, explore=1, threshold=0.3, lowest=0.15)
    chosen = select([score(5, probability), score(6, 0.01)], unlike, limits, waiting=waiting)
    assert [choice.kind for choice in chosen] == ([kind] if kind else [])


def test_a_waiting_paper_meets_a_higher_threshold_of_the_file_and_is_not_sent_again_for_its_author():
    waiting = [score(1, 0.79), score(2, 0.75), score(3, 0.75, followed="Ada")]
    assert ids(select(waiting, unlike, SelectionLimits(3, threshold=0.8), waiting={1, 2, 3})) == []


def test_exploration_takes_places_that_are_left_for_the_best_near_hits_that_touch_the_text():
    scores = [score(1, 0.9), score(2, 0.35), score(3, 0.3), score(4, 0.1)]
    limits = SelectionLimits(9, explore=1, threshold=0.4, lowest=0.15)
    assert kinds(select(scores, unlike, limits)) == [(1, PickKind.MATCH), (2, PickKind.EXPLORE)]
    assert ids(select(scores, unlike, limits, touches=lambda paper: paper != 2)) == [1, 3]
    assert ids(select(scores, alike(1, 2), limits)) == [1, 3]
    assert ids(select([score(4, 0.14)], unlike, limits)) == []
    full = SelectionLimits(4, explore=1, threshold=0.4, lowest=0.15)
    assert [kind for _, kind in kinds(select(falling(9), unlike, full))] == [PickKind.MATCH] * 4


@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.booleans(), st.booleans()), max_size=30),
    st.integers(1, 8),
    st.integers(0, 3),
    st.floats(0, 1),
    st.floats(0, 1),
    st.integers(0, 5),
)
def test_the_limits_hold_for_any_scores(rows, size, explore, threshold, likeness, fill):
    rows = sorted(rows, reverse=True)
    scores = [
        score(n, p, followed="Ada" if followed else None, muted="x" if muted else None)
        for n, (p, followed, muted, _) in enumerate(rows)
    ]
    waiting = {n for n, (*_, waits) in enumerate(rows) if waits}
    limits = SelectionLimits(size, min(explore, size), threshold, threshold / 2, min(fill, size))
    chosen = select(scores, lambda *_: likeness, limits, waiting=waiting)
    assert len(chosen) <= size
    assert len(set(ids(chosen))) == len(chosen)
    assert not any(c.score.muted for c in chosen)
    assert sum(c.kind is PickKind.EXPLORE for c in chosen) <= explore
    matches = [c for c in chosen if c.kind is not PickKind.EXPLORE]
    assert [c.score.log_odds for c in matches] == sorted((c.score.log_odds for c in matches), reverse=True)
    if len(matches) > fill:
        assert all(c.score.probability >= threshold or c.kind is PickKind.FOLLOW for c in matches)
    assert all(c.score.probability >= threshold / 2 for c in chosen if c.kind is PickKind.EXPLORE)


def test_after_strong_matches_each_interest_has_its_best_paper_and_all_other_places_go_by_score():
    scores = [*falling(10, start=0.74), score(20, 0.2), score(21, 0.19), score(40, 0.1)]
    assert [s.probability >= STRONG for s in scores[:3]] == [True, True, False]
    for size, expected in ((6, [0, 1, 2, 3, 20, 40]), (4, [0, 1, 20, 40]), (3, [0, 1, 20]), (2, [0, 1]), (1, [0])):
        assert ids(select(scores, unlike, SelectionLimits(size), lambda paper: paper // 20)) == expected
    assert ids(select(scores, unlike, SelectionLimits(4))) == [0, 1, 2, 3]


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
    facts = {1: (None, venue), 2: (3, venue), 3: (None, comment)}
    papers = {number: replace(paper(number, upvotes), facts=(fact,)) for number, (upvotes, fact) in facts.items()}
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


def test_the_probability_is_that_of_the_raised_log_odds_also_beyond_the_range_of_exp() -> None:
    for log_odds, probability in ((0.5, 1 / (1 + math.exp(-2.5))), (-800.0, 0.0)):
        (raised,) = with_trending((Score(1, 0.0, log_odds, rest=log_odds),), {1: paper(1, 100)}, 1.0)
        assert (raised.log_odds, raised.probability) == (log_odds + 2, probability)


def test_the_tenth_upvote_says_more_than_the_hundredth_and_one_is_singular() -> None:
    assert math.isclose(bonus(9, 1.0), 2 * math.log(10) / math.log(101))
    assert bonus(10, 1.0) - bonus(9, 1.0) > 5 * (bonus(100, 1.0) - bonus(99, 1.0))
    raised = with_trending((scored(1, 0.0), scored(2, 0.0)), {1: paper(1, 1), 2: paper(2, 2)}, 1.0)
    assert [score.bonuses[-1].text for score in raised] == ["2 upvotes", "1 upvote"]
