"""What readers want, as sparse rows: interests, liked and disliked papers, many readers at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from bot.ranking.vectors import unit

# A thumb counts half after so many days: interests drift, but slowly.
HALF_LIFE = 365.0


@dataclass(frozen=True, slots=True)
class Tastes:
    """Rows of n_readers over the terms, each of length 1 or 0, and how many thumbs (faded) stand behind them."""

    interests: sp.csr_matrix
    up: sp.csr_matrix
    down: sp.csr_matrix
    n_up: np.ndarray
    n_down: np.ndarray

    def without_votes(self) -> Tastes:
        """The interests alone."""
        none, zero = sp.csr_matrix(self.up.shape, dtype=np.float32), np.zeros_like(self.n_up)
        return Tastes(self.interests, none, none, zero, zero)


def pooled(
    rows: sp.csr_matrix, owner: Sequence[int], weight: Sequence[float] | np.ndarray, readers: int
) -> sp.csr_matrix:
    """(readers, n_terms): for each reader the weighted sum of the rows they own, scaled to length 1."""
    shape = (readers, rows.shape[0])
    belongs = sp.csr_matrix((np.asarray(weight, np.float32), (owner, np.arange(rows.shape[0]))), shape=shape)
    return unit((belongs @ rows).tocsr())


def faded(days: float) -> float:
    """The weight of a thumb given so many days ago: 1 today, never 0."""
    return float(0.5 ** (max(days, 0.0) / HALF_LIFE))
