"""Selection: threshold, size, mutes, followed authors, near-duplicates, topics, exploration."""

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from bot.model import PickKind, Score
from bot.ranking import selection
from bot.ranking.selection import SelectionLimits, diverse


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
