"""One reader's classifier."""

from __future__ import annotations

from typing import Self

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

# How a paper that stands out from the background by z standard deviations is read as log-odds: an everyday
# paper (z = 0) is wanted by about one reader in twelve, one in two at z = 2.
_SLOPE = 1.2
_OFFSET = -2.4


class ReaderModel(ClassifierMixin, BaseEstimator):
    """Logistic regression whose log-odds are set against the background.

    A few short texts against hundreds of papers leave a logistic regression with a direction that is right and
    a scale that isn't. So its decision values are standardised by their mean and spread over the background,
    and read as log-odds by a fixed line. The whole stays linear in the words: what each adds is exact.
    """

    def __init__(self, C: float = 3.0) -> None:
        self.C = C

    def fit(
        self, X: sp.csr_matrix, y: np.ndarray, sample_weight: np.ndarray, *, background: sp.csr_matrix
    ) -> Self:
        """X is (n_examples, n_terms), y 0 or 1; background (n_papers >= 1, n_terms), papers as they usually are.

        Without a positive example nothing can be said of any word: all weights are 0.
        """
        self.classes_ = np.array([0, 1])
        self.coef_ = np.zeros(X.shape[1])
        self.intercept_ = _OFFSET
        if len(set(y)) == 1 or not X[y == 1].nnz:
            return self
        direction = LogisticRegression(C=self.C, solver="liblinear").fit(X, y, sample_weight).coef_[0]
        usual = background @ direction
        scale = _SLOPE / (float(np.std(usual)) or 1.0)
        self.coef_ = direction * scale
        self.intercept_ = _OFFSET - float(np.mean(usual)) * scale
        return self

    def decision_function(self, X: sp.csr_matrix) -> np.ndarray:
        """(n_papers,) log-odds that the reader wants each."""
        return np.asarray(X @ self.coef_ + self.intercept_)

    def predict_proba(self, X: sp.csr_matrix) -> np.ndarray:
        """(n_papers, 2): not wanted, wanted."""
        wanted = expit(self.decision_function(X))
        return np.column_stack([1 - wanted, wanted])

    def contributions(self, X: sp.csr_matrix) -> sp.csr_matrix:
        """(n_papers, n_terms): what each word adds; a row and ``intercept_`` add up to its log-odds."""
        return sp.csr_matrix(X.multiply(self.coef_))
