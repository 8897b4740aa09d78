"""Metrics of a ranking: pure functions of relevance labels and scores.

Ties: each metric is its mean over all orders of papers with equal scores (McSherry and Najork 2008), so a constant
score gives the metrics of chance. Any fixed order of ties would measure the order in which papers arrived.

``liked`` is an array of booleans and ``scores`` one of floats, (n_papers,) each.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student
from sklearn.metrics import ndcg_score, roc_auc_score

_CONFIDENCE = 0.95  # by convention


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its standard error, and the interval that holds the true one 95 times in 100."""

    mean: float
    error: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Bin:
    """Papers whose probability lies from ``low`` to ``high``: how many, the mean, and the share really liked."""

    low: float
    high: float
    papers: int
    predicted: float
    liked: float


def hits_at(liked: np.ndarray, scores: np.ndarray, k: int) -> float:
    """How many of the k papers scored highest were liked, 0 to k; precision at k is k times smaller.

    >>> hits_at(np.array([True, False, True]), np.array([0.9, 0.5, 0.5]), 2)
    1.5
    """
    k = min(k, len(scores))
    if not k:
        return 0.0
    least = np.sort(scores)[-k]
    above = scores > least
    tied = scores == least
    return float(liked[above].sum() + liked[tied].mean() * (k - above.sum()))


def ndcg_at(liked: np.ndarray, scores: np.ndarray, k: int) -> float | None:
    """Normalised discounted cumulative gain of the first k (Järvelin 2002): 1 if all liked papers come first.

    A place's worth falls as 1 / log2(place + 1). None where nothing was liked, or there is nothing to order.
    """
    if not liked.any() or len(liked) < 2:
        return None
    return float(ndcg_score([liked.astype(float)], [scores], k=k))


def auc(liked: np.ndarray, scores: np.ndarray) -> float | None:
    """How often a liked paper stands above one that was not (area under the ROC curve): 1 always, 0.5 by chance.

    None where all or none were liked.
    """
    if liked.all() or not liked.any():
        return None
    return float(roc_auc_score(liked, scores))


def reliability(liked: Sequence[bool], probabilities: Sequence[float], bins: int = 10) -> list[Bin]:
    """Papers by their probability, in ``bins`` of equal width; empty ones are left out."""
    labels = np.asarray(liked, bool)
    predicted = np.asarray(probabilities, float)
    edges = np.linspace(0, 1, bins + 1)
    # A probability of exactly 1 belongs to the last bin.
    bin_of = np.clip((predicted * bins).astype(int), 0, bins - 1)
    return [
        Bin(
            low=float(edges[n]),
            high=float(edges[n + 1]),
            papers=int(members.sum()),
            predicted=float(predicted[members].mean()),
            liked=float(labels[members].mean()),
        )
        for n in range(bins)
        if (members := bin_of == n).any()
    ]


def expected_calibration_error(table: Sequence[Bin]) -> float:
    """How far probabilities are from what came true, on average over papers (Naeini 2015): 0 best, 1 worst."""
    papers = sum(row.papers for row in table)
    return sum(row.papers * abs(row.predicted - row.liked) for row in table) / papers if papers else 0.0


def estimate(values: Sequence[float], weights: Sequence[float]) -> Estimate:
    """Return the weighted mean of at least two independent values, with its standard error and confidence interval.

    The error is that of a ratio (Cochran 1977, 6.4); the interval uses Student's t, as values may be few.
    """
    x = np.asarray(values, float)
    w = np.asarray(weights, float)
    mean = float((w * x).sum() / w.sum())
    error = math.sqrt(((w * (x - mean)) ** 2).sum() * len(x) / (len(x) - 1)) / float(w.sum())
    # Not the normal distribution: with 3 folds its interval would be 2.2 times too narrow.
    reach = error * float(student.ppf((1 + _CONFIDENCE) / 2, len(x) - 1))
    return Estimate(mean, error, mean - reach, mean + reach)
