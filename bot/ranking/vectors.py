"""Papers as the models see them: vectors of their terms, document expansion, and latent components (LSA)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

# Nearest papers by which a paper is expanded, and what they weigh in sum beside the paper itself (document expansion
# as in language models for retrieval, Tao 2006). It brings in words that a short abstract happens not to use: nDCG@20
# on readers' libraries is .007, .011 and 0 higher with it at 0, 5+5 and 20+20 votes, .001, .002 and 0 than with half of
# the weight; twice the weight gains .002, .004 and .001, and 2 or 10 papers are within .003 (``bench/constants.py
# libraries``). Nearest by latent components instead, an earlier ranker lost .008.
_NEIGHBOURS = 5
_NEIGHBOUR_WEIGHT = 0.6
# In a small corpus even the nearest paper is unrelated: at most this share of the papers are neighbours.
_PAPERS_PER_NEIGHBOUR = 40
# Rows compared with all fitted papers in one product, which bounds its memory: nearly all cosines are above 0.
_BLOCK = 256


@dataclass(frozen=True, slots=True)
class PaperVectors:
    """Vectors of n papers.

    ``terms`` (n, n_terms) holds each paper's own terms. ``neighbours`` (n, n_fitted) holds its cosines with the nearest
    papers that the corpus was fitted on, 0 for all others. The models score ``expanded`` (n, n_terms) and ``latent``
    (n, n_components), to both of which the neighbours contribute.
    """

    terms: sp.csr_matrix
    neighbours: sp.csr_matrix
    expanded: sp.csr_matrix
    latent: np.ndarray

    def __getitem__(self, rows: Sequence[int] | np.ndarray) -> PaperVectors:
        return PaperVectors(self.terms[rows], self.neighbours[rows], self.expanded[rows], self.latent[rows])

    def __len__(self) -> int:
        return int(self.terms.shape[0])


def expand_documents(
    terms: sp.csr_matrix, neighbours: sp.csr_matrix, components: np.ndarray, fitted: sp.csr_matrix
) -> PaperVectors:
    """Add each row's neighbours to it.

    ``fitted`` (n_fitted, n_terms) are the rows that may be neighbours; ``components`` is (n_components, n_terms).
    """
    used = np.unique(neighbours.indices)
    weights = neighbour_weights(neighbours)[:, used]
    neighbour_latent = latent_vectors(fitted[used], components)
    return PaperVectors(
        terms=terms,
        neighbours=neighbours,
        expanded=(terms + weights @ fitted[used]).tocsr(),
        latent=latent_vectors(terms, components) + weights @ neighbour_latent,
    )


def neighbour_weights(neighbours: sp.csr_matrix) -> sp.csr_matrix:
    """Return the weight of each neighbour beside the paper's own vector; a row sums to a constant, or to 0.

    Entries are in the order of the entries of ``neighbours``.
    """
    total = np.asarray(neighbours.sum(axis=1)).ravel()
    scale = np.divide(_NEIGHBOUR_WEIGHT, total, out=np.zeros_like(total), where=total > 0).astype(np.float32)
    weights = neighbours.data * np.repeat(scale, np.diff(neighbours.indptr))
    return sp.csr_matrix((weights, neighbours.indices, neighbours.indptr), shape=neighbours.shape)


def nearest(rows: sp.csr_matrix, fitted: sp.csr_matrix, own_row: np.ndarray) -> sp.csr_matrix:
    """Return (n, n_fitted): cosines with the nearest fitted papers.

    ``own_row`` (n,) is each paper's own row among the fitted ones, -1 for none: a paper is not its own neighbour.
    """
    count = min(_NEIGHBOURS, fitted.shape[0] // _PAPERS_PER_NEIGHBOUR)
    queries = l2_normalize(rows)
    documents = l2_normalize(fitted).T.tocsr()
    blocks = []
    for start in range(0, rows.shape[0], _BLOCK):
        cosines = (queries[start : start + _BLOCK] @ documents).tocsr()
        is_own = cosines.indices == np.repeat(own_row[start : start + _BLOCK], np.diff(cosines.indptr))
        cosines.data[is_own] = 0
        # Of each row only the highest entries stay.
        entries = []
        for first, end in pairwise(cosines.indptr.tolist()):
            highest = np.arange(end - first)
            # argpartition raises unless the row has more than `count` entries.
            if len(highest) > count:
                highest = np.sort(np.argpartition(-cosines.data[first:end], count)[:count])
            entries.append(first + highest)
        chosen = np.concatenate(entries)
        ends = np.cumsum([0, *map(len, entries)])
        top = sp.csr_matrix((cosines.data[chosen], cosines.indices[chosen], ends), shape=cosines.shape)
        top.eliminate_zeros()
        blocks.append(top)
    if not blocks:
        return sp.csr_matrix((0, documents.shape[1]), dtype=np.float32)
    return sp.vstack(blocks, format="csr")


def latent_vectors(rows: sp.csr_matrix, components: np.ndarray) -> np.ndarray:
    """Return (n, n_components): rows projected on the latent components, L2-normalised; 0 where nothing projects."""
    latent = np.asarray(rows @ components.T)
    norm = np.linalg.norm(latent, axis=1, keepdims=True)
    return np.asarray(np.divide(latent, norm, out=np.zeros_like(latent), where=norm > 0))


def l2_normalize(rows: sp.csr_matrix) -> sp.csr_matrix:
    """Return rows of L2 norm 1; a row of zeros stays."""
    # Neither scikit-learn's normalize(), which raises for a matrix without rows, nor a product with a diagonal matrix,
    # which takes three times as long.
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    norm = np.sqrt(np.bincount(row, rows.data.astype(float) ** 2, rows.shape[0]))
    inverse = np.divide(1, norm, out=np.zeros_like(norm), where=norm > 0)
    data = (rows.data * inverse[row]).astype(np.float32)
    return sp.csr_matrix((data, rows.indices, rows.indptr), shape=rows.shape)


def row_elements(indptr: np.ndarray, rows: Sequence[int] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of the elements of these rows of a CSR matrix, and their number in each row."""
    starts = indptr[rows]
    counts = indptr[np.asarray(rows, dtype=int) + 1] - starts
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(starts - ends + counts, counts), counts
