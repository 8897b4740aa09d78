"""The mixture of the two experts: what it learns from their predictions, and which stored ones it uses."""

import numpy as np
import pytest

from bot.ranking import experts
from bot.ranking.experts import EXPERTS, SHIPPED, Mixture, Predictions, home_mixture, reader_mixture

COUNT = len(EXPERTS)


def foretold(right: int, n: int = 300) -> Predictions:
    """Votes that the expert ``right`` foretells, the others by chance."""
    random = np.random.default_rng(3)
    liked = random.random(n) < 0.5
    log_odds = random.normal(size=(n, COUNT))
    log_odds[:, right] = np.where(liked, 2.0, -2.0) + random.normal(size=n)
    return Predictions(log_odds, liked)


@pytest.mark.parametrize("right", range(COUNT))
def test_an_expert_that_predicted_votes_gains_weight_and_the_others_lose_theirs(right):
    mixture = reader_mixture(foretold(right))
    others = np.arange(COUNT) != right
    assert mixture.weights[right] > SHIPPED.weights[right] * 0.8
    assert (mixture.weights[others] < SHIPPED.weights[others]).all()
    assert (mixture.weights >= 0).all()


def test_without_predictions_a_reader_has_the_homes_mixture_and_the_home_the_shipped_one():
    home = Mixture(np.array([1.0, 2]), 5.0)
    none = Predictions(np.zeros((0, COUNT)), np.zeros(0, bool))
    assert reader_mixture(none, home) is home
    assert home_mixture([]) is SHIPPED
    assert home_mixture([none]) is SHIPPED


def test_the_mixture_is_fitted_to_as_many_predictions_as_the_constant_says(monkeypatch):
    """Of two experts the one that foretold the older votes counts only where these are still used."""
    first, last = foretold(0), foretold(1)
    both = Predictions(np.vstack([first.log_odds, last.log_odds]), np.concatenate([first.liked, last.liked]))
    few = reader_mixture(both)
    count = experts.RECENT
    recent_only = reader_mixture(Predictions(last.log_odds[-count:], last.liked[-count:])).weights
    monkeypatch.setattr(experts, "RECENT", 600)
    all_votes = reader_mixture(both)
    assert few.weights == pytest.approx(recent_only)
    assert all_votes.weights[0] > few.weights[0] + 0.1


def test_ten_dislikes_lower_matches_a_little_and_trust_no_expert_more():
    """The experts' log-odds are far below zero, where a higher weight would lower every match."""
    log_odds = np.array([[-5.0, -2.0]] * 10) + np.random.default_rng(6).normal(size=(10, COUNT)) / 2
    disliked = reader_mixture(Predictions(log_odds, np.zeros(10, bool)))
    assert disliked.weights == pytest.approx(SHIPPED.weights, abs=0.1)
    lower = SHIPPED.log_odds(log_odds) - disliked.log_odds(log_odds)
    assert 0 < lower.mean() < 0.2


def test_matches_are_calibrated_to_votes():
    """Experts that are too sure, and of readers who like a tenth only."""
    random = np.random.default_rng(4)
    truth = random.normal(-2, 1, 3_000)
    liked = random.random(3_000) < 1 / (1 + np.exp(-truth))
    predictions = Predictions(np.column_stack([np.zeros(3_000), 4 * truth + 3]), liked)
    probability = 1 / (1 + np.exp(-home_mixture([predictions]).log_odds(predictions.log_odds)))
    assert abs(probability[-300:].mean() - liked[-300:].mean()) < 0.03


def test_predictions_and_weights_of_an_earlier_versions_experts_are_not_used():
    stored = Predictions.from_stored([[-9, -2, -1, 0, 0.5], [1.0, 2.0, 0.25]], [True, False])
    assert stored.log_odds.tolist() == [[1.0, 2.0]]
    assert (stored.liked.tolist(), stored.adjustments.tolist()) == ([False], [0.25])
    old = Mixture.from_stored([0.2, 1.0, 0.5, 1.1], 3.0)
    assert (old.weights.tolist(), old.offset) == (SHIPPED.weights.tolist(), SHIPPED.offset)


def test_what_a_keyword_adds_is_not_learned_as_a_better_expert():
    """Papers that a keyword raised are liked by just what it added: the mixture has nothing to correct."""
    random = np.random.default_rng(5)
    log_odds = random.normal(-1, 1, size=(3_000, COUNT))
    adjustments = np.where(random.random(3_000) < 0.5, 1.4, 0.0)
    readers = [slice(start, start + 100) for start in range(0, 3_000, 100)]

    def fitted(added, stored):
        liked = random.random(3_000) < 1 / (1 + np.exp(-SHIPPED.log_odds(log_odds) - added))
        rows = np.column_stack([log_odds, stored])
        mixture = home_mixture([Predictions.from_stored(rows[r].tolist(), liked[r].tolist()) for r in readers])
        return mixture.log_odds(log_odds).mean()

    none = np.zeros(3_000)
    without_keywords = fitted(none, none)
    assert abs(fitted(adjustments, adjustments) - without_keywords) < 0.2
    assert fitted(adjustments, none) - without_keywords > 0.4


def test_a_model_that_has_learned_since_is_trusted_more_than_its_earlier_predictions():
    """Half of the papers were liked at even odds: a reader's next papers at even odds are liked more often."""
    liked = np.arange(60) % 2 == 0
    rarely, often = (reader_mixture(Predictions(np.zeros((votes, COUNT)), liked[:votes])) for votes in (2, 60))
    assert abs(rarely.offset) < 0.01
    assert often.offset > 0.05
