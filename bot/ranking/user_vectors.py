"""User vectors: what readers want, as sparse rows. Interests, liked and disliked papers of many readers at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from bot.ranking.vectors import l2_normalize

# Days after which a vote counts half: interests drift, but slowly. A convention: no data at hand spans years.
HALF_LIFE = 365.0


@dataclass(frozen=True, slots=True)
class UserVectors:
    """One row per reader in each matrix, (n_readers, n_terms), of L2 norm 1 or 0.

    ``n_up`` and ``n_down`` (n_readers,) are the numbers of votes behind ``up`` and ``down``, after time decay.
    """

    interests: sp.csr_matrix
    up: sp.csr_matrix
    down: sp.csr_matrix
    n_up: np.ndarray
    n_down: np.ndarray


def centroids(
    rows: sp.csr_matrix, owner: Sequence[int], weight: Sequence[float] | np.ndarray, readers: int
) -> sp.csr_matrix:
    """Return (readers, n_terms): for each reader the weighted sum of the rows they own, L2-normalised."""
    shape = (readers, rows.shape[0])
    weights = sp.csr_matrix((np.asarray(weight, np.float32), (owner, np.arange(rows.shape[0]))), shape=shape)
    return l2_normalize((weights @ rows).tocsr())


def time_decay(days: float) -> float:
    """Return the weight of a vote given this many days ago: 1 today, never 0."""
    return float(0.5 ** (max(days, 0.0) / HALF_LIFE))
