"""Experts' log-odds mixed and calibrated: logistic regression on what each foretold, and what was voted.

A stored prediction is what every expert gave a paper before its vote. A reader's weights and offset are those that make
these votes likeliest (stacking, Wolpert 1992; with one expert it is Platt's calibration), shrunk to those of the home's
readers together, and these to the shipped ones (empirical Bayes). So with no votes a match means what it means
everywhere, and an expert that foretells nothing loses its weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

# So many of a reader's newest predictions count: models and tastes change.
RECENT = 300


@dataclass(frozen=True)
class Predictions:
    """What the experts foretold, oldest first: ``log_odds`` (n, n_experts), and ``liked`` (n,), the votes."""

    log_odds: np.ndarray
    liked: np.ndarray

    def __len__(self) -> int:
        return len(self.liked)

    def recent(self, count: int = RECENT) -> Predictions:
        """The newest so many."""
        return Predictions(self.log_odds[-count:], self.liked[-count:])


@dataclass(frozen=True)
class Mixture:
    """A paper's log-odds are ``log_odds weights + offset``; ``weights`` (n_experts,) are never negative."""

    weights: np.ndarray
    offset: float

    def log_odds(self, log_odds: np.ndarray) -> np.ndarray:
        """(..., n_experts) to (...)."""
        return np.asarray(log_odds @ self.weights + self.offset)


# Of words, rocchio, linear model and trees; chosen by ``tests/bench/learner.py`` on readers that no figure is of.
SHIPPED = Mixture(np.array([0.2, 1.0, 0.5, 1.1]), 0.0)
# Inverse variances of the normal priors around the shipped and the home's coefficients.
_WEIGHTS_HOLD, _OFFSET_HOLDS = 4.0, 1.0

NO_PREDICTIONS = Predictions(np.zeros((0, len(SHIPPED.weights))), np.zeros(0, bool))


def home_mixture(readers: Sequence[Predictions]) -> Mixture:
    """The mixture of all readers of a home, of the newest predictions of each."""
    recent = [predictions.recent() for predictions in readers] or [NO_PREDICTIONS]
    everyone = Predictions(
        np.concatenate([each.log_odds for each in recent]), np.concatenate([each.liked for each in recent])
    )
    return _most_probable(everyone, SHIPPED)


def reader_mixture(predictions: Predictions, home: Mixture = SHIPPED) -> Mixture:
    """One reader's mixture, of the newest predictions."""
    return _most_probable(predictions.recent(), home)


def _most_probable(predictions: Predictions, prior: Mixture) -> Mixture:
    """The mixture of highest posterior probability; an expert without weight in the prior stays without."""
    if not len(predictions):
        return prior
    X = np.column_stack([predictions.log_odds, np.ones(len(predictions))])
    centre = np.append(prior.weights, prior.offset)
    hold = np.append(np.full(len(prior.weights), _WEIGHTS_HOLD), _OFFSET_HOLDS)

    def loss(coefficients: np.ndarray) -> tuple[float, np.ndarray]:
        log_odds, away = X @ coefficients, coefficients - centre
        losses = np.logaddexp(0, log_odds) - predictions.liked * log_odds
        gradient = X.T @ (expit(log_odds) - predictions.liked) + hold * away
        return float(losses.sum() + (hold * away**2).sum() / 2), gradient

    bounds = [(0, None if weight else 0) for weight in prior.weights.tolist()] + [(None, None)]
    best = minimize(loss, centre, jac=True, method="L-BFGS-B", bounds=bounds).x
    return Mixture(best[:-1], float(best[-1]))
