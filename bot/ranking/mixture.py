"""Mix and calibrate the experts: logistic regression of the votes on the experts' predictions (stacking, Wolpert 1992).

A stored prediction holds the log-odds of every expert for a paper, from before its vote. With a single expert this is
Platt scaling. A reader's weights and offset are shrunk towards those fitted to all readers of the home, and these
towards the shipped ones (empirical Bayes). So without votes a probability means the same in every home, and an expert
whose predictions don't help loses its weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

# Predictions used per reader, the newest: models get better and interests change. With 300 the calibration error of
# matches was .10 after three weeks of ten votes a day, with 120 .08, at the same log loss; 40 forget too much.
RECENT = 120


@dataclass(frozen=True)
class Predictions:
    """Past predictions, oldest first: ``log_odds`` (n, n_experts) and the votes ``liked`` (n,).

    ``adjustments`` (n,) is what keywords, upvotes and excluded words added to the mixture; None for nothing.
    """

    log_odds: np.ndarray
    liked: np.ndarray
    adjustments: np.ndarray | None = None

    @classmethod
    def of(cls, stored: Sequence[Sequence[float]], liked: Sequence[bool]) -> Self:
        """Return predictions stored as ``Score.predictions``, with the votes on them."""
        rows = np.array(stored, float).reshape(len(stored), -1)
        return cls(rows[:, :-1], np.array(liked, bool), rows[:, -1])

    def __len__(self) -> int:
        return len(self.liked)

    def recent(self) -> Predictions:
        """Return the newest ``RECENT`` predictions."""
        # Read here, not as a default argument: such a one kept its value when the learner's bench set another.
        adjustments = None if self.adjustments is None else self.adjustments[-RECENT:]
        return Predictions(self.log_odds[-RECENT:], self.liked[-RECENT:], adjustments)


@dataclass(frozen=True)
class Mixture:
    """A paper's log-odds are ``log_odds weights + offset``; ``weights`` (n_experts,) are never negative."""

    weights: np.ndarray
    offset: float

    @classmethod
    def of(cls, weights: Sequence[float], offset: float) -> Self:
        """Return the mixture of stored numbers."""
        return cls(np.array(weights), offset)

    def log_odds(self, log_odds: np.ndarray) -> np.ndarray:
        """Map (..., n_experts) to (...)."""
        return np.asarray(log_odds @ self.weights + self.offset)


# Weights of words, rocchio, linear model and trees, tuned by ``bench/learner.py`` on readers that are not among
# those of the reported figures.
SHIPPED = Mixture(np.array([0.2, 1.0, 0.5, 1.1]), 0.0)


class _Precision(NamedTuple):
    """Inverse variances of the normal priors of the weights and of the offset."""

    weights: float
    offset: float


# Of the home's coefficients around the shipped ones, and of a reader's around the home's. Precision and share of what
# could be liked that was shown, 33 readers with a threshold of .15 in two streams: .57/.78 and .54/.82; with (8, 10)
# for both .57/.78 and .54/.80, with (4, 10) .56/.75 and .54/.80. With (4, 1) a reader who dislikes most of the first
# ten papers may be shown none for weeks.
_HOME_PRECISION = _Precision(4.0, 1.0)
_READER_PRECISION = _Precision(8.0, 10.0)

NO_PREDICTIONS = Predictions(np.zeros((0, len(SHIPPED.weights))), np.zeros(0, bool))


def home_mixture(readers: Sequence[Predictions]) -> Mixture:
    """Return the mixture fitted to the newest predictions of all readers of a home."""
    recent = [predictions.recent() for predictions in readers] or [NO_PREDICTIONS]
    log_odds = np.concatenate([predictions.log_odds for predictions in recent])
    liked = np.concatenate([predictions.liked for predictions in recent])
    adjustments = np.concatenate(
        [
            np.zeros(len(predictions)) if predictions.adjustments is None else predictions.adjustments
            for predictions in recent
        ]
    )
    return _maximum_a_posteriori(Predictions(log_odds, liked, adjustments), SHIPPED, _HOME_PRECISION)


def reader_mixture(predictions: Predictions, home: Mixture = SHIPPED) -> Mixture:
    """Return the mixture fitted to one reader's newest predictions."""
    return _maximum_a_posteriori(predictions.recent(), home, _READER_PRECISION)


def _maximum_a_posteriori(predictions: Predictions, prior: Mixture, precision: _Precision) -> Mixture:
    """Return the MAP estimate of the mixture; an expert of weight 0 in the prior keeps it."""
    if not len(predictions):
        return prior
    # Around the mean prediction a weight tells papers apart, and the offset alone says how many are liked. Without it,
    # as the experts' log-odds are far below zero, ten dislikes raised the weight of the words, which lowered all
    # matches at less cost to the prior than a lower offset: .56/.75 and .55/.79 in the streams above, with (4, 1).
    center = predictions.log_odds.mean(axis=0)
    X = np.column_stack([predictions.log_odds - center, np.ones(len(predictions))])
    mean = np.append(prior.weights, prior.log_odds(center))
    precisions = np.append(np.full(len(prior.weights), precision.weights), precision.offset)
    adjustments = 0 if predictions.adjustments is None else predictions.adjustments

    def loss(coefficients: np.ndarray) -> tuple[float, np.ndarray]:
        log_odds = X @ coefficients + adjustments
        deviation = coefficients - mean
        losses = np.logaddexp(0, log_odds) - predictions.liked * log_odds
        gradient = X.T @ (expit(log_odds) - predictions.liked) + precisions * deviation
        return float(losses.sum() + (precisions * deviation**2).sum() / 2), gradient

    # A negative weight would rank by the opposite of an expert: chance in few votes, and no reason could say it.
    bounds = [*((0, None if weight else 0) for weight in prior.weights.tolist()), (None, None)]
    best = minimize(loss, mean, jac=True, method="L-BFGS-B", bounds=bounds).x
    weights = best[:-1]
    return Mixture(weights, float(best[-1] - center @ weights))
