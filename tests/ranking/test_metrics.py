"""What the metrics say, against values worked by hand, brute force, and scikit-learn."""

import math
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

from bot.ranking.prequential import auc, estimate, expected_calibration_error, hits_at, ndcg_at, reliability

rankings = st.lists(st.tuples(st.booleans(), st.integers(0, 3)), min_size=1, max_size=6)


def arrays(ranking):
    return np.array([liked for liked, _ in ranking]), np.array([float(score) for _, score in ranking])


def orders(scores):
    """All orders, best first, that the scores allow."""
    everyone = permutations(range(len(scores)))
    return [order for order in everyone if all(scores[a] >= scores[b] for a, b in pairwise(order))]


@given(rankings, st.integers(0, 7))
def test_hits_are_the_mean_over_all_orders_that_equal_scores_allow(ranking, k):
    liked, scores = arrays(ranking)
    expected = np.mean([sum(liked[i] for i in order[:k]) for order in orders(scores)])
    assert hits_at(liked, scores, k) == pytest.approx(expected)


@given(rankings, st.integers(1, 7))
def test_ndcg_is_its_formula_meaned_over_all_orders(ranking, k):
    liked, scores = arrays(ranking)
    ndcg = ndcg_at(liked, scores, k)
    if not liked.any() or len(liked) < 2:
        assert ndcg is None
        return
    best = sum(1 / math.log2(place + 2) for place in range(min(k, liked.sum())))
    gains = [sum(liked[i] / math.log2(p + 2) for p, i in enumerate(order[:k])) for order in orders(scores)]
    assert ndcg == pytest.approx(np.mean(gains) / best)


@given(rankings)
def test_auc_is_the_share_of_pairs_in_their_right_order(ranking):
    liked, scores = arrays(ranking)
    pairs = [(a, b) for a in scores[liked] for b in scores[~liked]]
    if not pairs:
        assert auc(liked, scores) is None
        return
    assert auc(liked, scores) == pytest.approx(np.mean([(a > b) + (a == b) / 2 for a, b in pairs]))
    assert auc(liked, scores) == pytest.approx(roc_auc_score(liked, scores))


def test_equal_scores_do_as_well_as_chance_in_any_order():
    liked = np.array([True] * 3 + [False] * 9)
    for way in (liked, liked[::-1]):
        assert hits_at(way, np.zeros(12), 4) == pytest.approx(1)
        assert auc(way, np.zeros(12)) == 0.5


def test_reliability_and_its_error_by_hand():
    probabilities = np.array([0.1, 0.15, 0.9, 0.95, 1.0])
    liked = np.array([False, True, True, True, True])
    low, high = reliability(liked, probabilities, bins=2)
    assert (low.papers, low.predicted, low.liked) == (2, pytest.approx(0.125), 0.5)
    assert (high.low, high.high, high.papers, high.liked) == (0.5, 1.0, 3, 1.0)
    assert expected_calibration_error([low, high]) == pytest.approx((2 * 0.375 + 3 * 0.05) / 5)
    assert expected_calibration_error([]) == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_every_paper_is_in_one_bin_of_its_probability(probabilities):
    table = reliability(np.zeros(len(probabilities), bool), np.array(probabilities))
    assert sum(each.papers for each in table) == len(probabilities)
    assert all(each.low - 1e-9 <= each.predicted <= each.high + 1e-9 for each in table)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=30))
def test_an_estimate_with_equal_weights_is_the_mean_with_its_t_interval(values):
    interval = estimate(values, [2.0] * len(values))
    assert interval.mean == pytest.approx(np.mean(values), abs=1e-9)
    assert interval.error == pytest.approx(stats.sem(values), abs=1e-9)
    low, high = interval.low, interval.high
    reach = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
    assert (low, high) == (
        pytest.approx(np.mean(values) - reach, abs=1e-9),
        pytest.approx(np.mean(values) + reach, abs=1e-9),
    )


def test_the_interval_covers_the_true_mean_about_95_times_in_100():
    rng = np.random.default_rng(1)
    weights = rng.integers(1, 6, 12)
    estimates = [estimate(rng.normal(0.3, 0.2, 12), weights) for _ in range(2000)]
    assert 0.92 < np.mean([interval.low < 0.3 < interval.high for interval in estimates]) < 0.97
