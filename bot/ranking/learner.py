"""What is fitted when votes have come: a linear model and trees, over one vocabulary, kept as arrays.

Votes count 1 each and fade with their age; random earlier papers that the reader never judged stand behind them as
disliked, at a tenth of the votes together; the profile's interests are one more liked paper to the linear model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse as sp

from bot.ranking.corpus import Corpus
from bot.ranking.linear import Linear, fit_linear
from bot.ranking.trees import Forest, fit_forest

# All background papers weigh this share of what the votes weigh.
_BACKGROUND_WORTH = 0.1
BACKGROUND = 1_000
# The interests count as so many liked papers.
_INTERESTS_WORTH = 3.0
_TREES, _DEPTH, _TRIED = 50, 6, 0.2
# The trees ask for so many terms: half the most telling by chi-squared, half the weightiest of the linear model.
_TERMS = 200
# A term of fewer papers than this tells nothing of others.
_LEAST_PAPERS = 3


@dataclass(frozen=True)
class Votes:
    """One reader's: ``rows`` (n, n_terms) of the papers, ``liked`` (n,), ``weight`` (n,) by age.

    ``interests`` is one row of the profile's text (zeros where there is none), ``background`` (n_background, n_terms)
    papers that the reader didn't judge.
    """

    rows: sp.csr_matrix
    liked: np.ndarray
    weight: np.ndarray
    interests: sp.csr_matrix
    background: sp.csr_matrix


@dataclass(frozen=True)
class Learned:
    """What was fitted to one reader's votes, over the vocabulary that ``vocabulary`` is the hash of."""

    linear: Linear
    forest: Forest
    vocabulary: int

    def arrays(self) -> dict[str, np.ndarray]:
        """All of it, for ``numpy.savez``."""
        return {
            "vocabulary": np.array(self.vocabulary),
            "linear_columns": self.linear.columns,
            "linear_weights": self.linear.weights,
            "linear_intercept": np.array(self.linear.intercept),
            "forest_columns": self.forest.columns,
            "forest_feature": self.forest.feature,
            "forest_value": self.forest.value,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> Self:
        """What ``arrays`` gave; raises KeyError where one is missing."""
        linear = Linear(arrays["linear_columns"], arrays["linear_weights"], float(arrays["linear_intercept"]))
        forest = Forest(arrays["forest_columns"], arrays["forest_feature"], arrays["forest_value"])
        return cls(linear, forest, int(arrays["vocabulary"]))


def learn(corpus: Corpus, votes: Votes, seed: int = 0) -> Learned:
    """Fits both models to at least one vote; papers' rows are those of ``corpus.transform``."""
    rows = sp.vstack([votes.rows, votes.background], format="csr")
    liked = np.concatenate([votes.liked, np.zeros(votes.background.shape[0], bool)])
    behind = _BACKGROUND_WORTH * votes.weight.sum() / max(votes.background.shape[0], 1)
    weight = np.concatenate([votes.weight, np.full(votes.background.shape[0], behind)])
    lexical = sp.vstack([corpus.lexical(rows), corpus.lexical(votes.interests)], format="csr")
    linear = fit_linear(lexical, np.append(liked, True), np.append(weight, _INTERESTS_WORTH))
    columns = _telling(rows, lexical[:-1], liked, weight, linear)
    presence = _presence(rows, columns)
    forest = fit_forest(columns, presence, liked, weight, trees=_TREES, depth=_DEPTH, tried=_TRIED, seed=seed)
    return Learned(linear, forest, corpus.identity)


def _telling(
    rows: sp.csr_matrix, lexical: sp.csr_matrix, liked: np.ndarray, weight: np.ndarray, linear: Linear
) -> np.ndarray:
    """The columns of the terms that the trees may ask for."""
    papers = np.bincount(rows.indices, minlength=rows.shape[1])
    present = sp.csr_matrix((np.ones_like(rows.data), rows.indices, rows.indptr), shape=rows.shape)
    statistic = _chi_squared(present.T @ (weight * liked), present.T @ weight, liked, weight)
    importance = np.zeros(rows.shape[1])
    importance[linear.columns] = np.abs(linear.weights)
    importance *= np.asarray(lexical.T @ weight).ravel()
    statistic[papers < _LEAST_PAPERS] = 0
    importance[papers < _LEAST_PAPERS] = 0
    chosen = _highest(statistic, _TERMS // 2)
    importance[chosen] = 0
    return np.concatenate([chosen, _highest(importance, _TERMS - _TERMS // 2)])


def _chi_squared(
    liked_with: np.ndarray, with_term: np.ndarray, liked: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """(n_terms,): how far a term's presence and a vote are from independent of one another (Pearson 1900)."""
    total = weight.sum()
    share = (weight * liked).sum() / total
    variance = with_term * (total - with_term) / total * share * (1 - share)
    deviation = (liked_with - with_term * share) ** 2
    return np.asarray(np.divide(deviation, variance, out=np.zeros_like(deviation), where=variance > 1e-12))


def _highest(values: np.ndarray, count: int) -> np.ndarray:
    """Where the highest stand that are above zero, in falling order."""
    order = np.argsort(-values, kind="stable")[:count]
    return np.asarray(order[values[order] > 0])


def _presence(rows: sp.csr_matrix, columns: np.ndarray) -> np.ndarray:
    """(n_papers, n_columns) of 0 and 1."""
    return np.asarray((rows[:, columns] != 0).toarray(), dtype=np.int8)
