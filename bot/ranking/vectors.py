"""Papers as the models see them: each by its own words, and by those of the papers nearest to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

# A paper's nearest, and what they weigh together beside the paper itself: expansion of documents as in language
# models for retrieval (Tao 2006). Words that a short abstract happens not to use come in through them.
_NEAREST = 5
_NEAREST_WORTH = 0.6
# In a handful of papers the nearest is any: no more than one in so many are near.
_ONE_IN = 40
# So many papers are compared with all others at once: a matter of memory.
_BLOCK = 256


@dataclass(frozen=True, slots=True)
class PaperVectors:
    """Rows of n papers.

    ``own`` (n, n_terms) has each paper's words; ``near`` (n, n_fitted) its cosines with the nearest papers that
    the corpus was fitted on, 0 for all others. ``words`` and ``latent`` (n, n_directions) are what models score:
    both of a paper and of its nearest.
    """

    own: sp.csr_matrix
    near: sp.csr_matrix
    words: sp.csr_matrix
    latent: np.ndarray

    def __getitem__(self, rows: Sequence[int] | np.ndarray) -> PaperVectors:
        return PaperVectors(self.own[rows], self.near[rows], self.words[rows], self.latent[rows])

    def __len__(self) -> int:
        return int(self.own.shape[0])


def expanded(
    own: sp.csr_matrix, near: sp.csr_matrix, components: np.ndarray, fitted: sp.csr_matrix
) -> PaperVectors:
    """Rows with those of their nearest; ``fitted`` (n_fitted, n_terms) are the rows that may be near.

    ``components`` is (n_directions, n_terms).
    """
    others = np.unique(near.indices)
    shares = shared_out(near)[:, others]
    near_latent = directions(fitted[others], components)
    return PaperVectors(
        own=own,
        near=near,
        words=(own + shares @ fitted[others]).tocsr(),
        latent=directions(own, components) + shares @ near_latent,
    )


def shared_out(near: sp.csr_matrix) -> sp.csr_matrix:
    """What each near paper's value counts for beside a paper's own; a row adds up to a constant, or to 0.

    Entries stand in the order of ``near``'s.
    """
    total = np.asarray(near.sum(axis=1)).ravel()
    worth = np.divide(_NEAREST_WORTH, total, out=np.zeros_like(total), where=total > 0).astype(np.float32)
    shares = near.data * np.repeat(worth, np.diff(near.indptr))
    return sp.csr_matrix((shares, near.indices, near.indptr), shape=near.shape)


def nearest(rows: sp.csr_matrix, fitted: sp.csr_matrix, own_row: np.ndarray) -> sp.csr_matrix:
    """(n, n_fitted): cosines with the nearest of the fitted papers, but for a paper's ``own_row`` (-1: none)."""
    count = min(_NEAREST, fitted.shape[0] // _ONE_IN)
    looked_for, fitted = unit(rows), unit(fitted).T.tocsr()
    kept = [
        _highest(
            (looked_for[start : start + _BLOCK] @ fitted).tocsr(), own_row[start : start + _BLOCK], count
        )
        for start in range(0, rows.shape[0], _BLOCK)
    ]
    return sp.vstack(kept, format="csr") if kept else sp.csr_matrix((0, fitted.shape[1]), dtype=np.float32)


def directions(rows: sp.csr_matrix, components: np.ndarray) -> np.ndarray:
    """(n, n_directions): where rows point to among latent directions, as vectors of length 1 or 0."""
    latent = np.asarray(rows @ components.T)
    length = np.linalg.norm(latent, axis=1, keepdims=True)
    return np.asarray(np.divide(latent, length, out=np.zeros_like(latent), where=length > 0))


def unit(rows: sp.csr_matrix) -> sp.csr_matrix:
    """Rows scaled to length 1; a row of zeros stays (scikit-learn's ``normalize`` wants at least one row)."""
    length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    inverse = np.divide(1, length, out=np.zeros_like(length), where=length > 0)
    return sp.csr_matrix(sp.diags(inverse) @ rows, dtype=np.float32)


def _highest(cosines: sp.csr_matrix, own_row: np.ndarray, count: int) -> sp.csr_matrix:
    is_own = cosines.indices == np.repeat(own_row, np.diff(cosines.indptr))
    cosines.data[is_own] = 0
    ends = zip(cosines.indptr.tolist(), cosines.indptr[1:].tolist(), strict=False)
    places = [begin + _first(cosines.data[begin:end], count) for begin, end in ends]
    each, counted = np.concatenate(places), np.cumsum([0, *map(len, places)])
    kept = sp.csr_matrix((cosines.data[each], cosines.indices[each], counted), shape=cosines.shape)
    kept.eliminate_zeros()
    return kept


def _first(cosines: np.ndarray, count: int) -> np.ndarray:
    """Where the highest stand."""
    if len(cosines) <= count:
        return np.arange(len(cosines))
    return np.sort(np.argpartition(-cosines, count)[:count])
