"""Logistic regression on votes, with random earlier papers as background: what each term says for itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

# Inverse strength of regularisation; from 1 to 30 no difference was measured.
_C = 3.0


@dataclass(frozen=True)
class Linear:
    """A linear model over some terms: ``columns`` of the vocabulary with their ``weights``, and the intercept."""

    columns: np.ndarray
    weights: np.ndarray
    intercept: float

    def row(self, terms: int) -> sp.csr_matrix:
        """(1, n_terms): the weights as a row of the vocabulary."""
        places = np.zeros(len(self.columns), dtype=int), self.columns
        return sp.csr_matrix((self.weights, places), shape=(1, terms))


def fit_linear(rows: sp.csr_matrix, liked: np.ndarray, weight: np.ndarray) -> Linear:
    """``rows`` (n_papers, n_terms) of length 1; ``liked`` and ``weight`` are (n_papers,).

    Papers that are all liked, or none of them, teach nothing.
    """
    if liked.all() or not liked.any():  # nothing to tell apart: a home so new that no other paper is known
        return Linear(np.array([], int), np.array([], np.float32), 0.0)
    columns, places = np.unique(rows.indices, return_inverse=True)
    dense = sp.csr_matrix((rows.data, places, rows.indptr), shape=(rows.shape[0], len(columns)))
    # liblinear takes a fifth of the time of the default solver here.
    model = LogisticRegression(C=_C, solver="liblinear").fit(dense, liked, weight)
    return Linear(columns, model.coef_.ravel().astype(np.float32), float(model.intercept_[0]))
