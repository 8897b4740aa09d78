"""Papers term by term: what linear models need to divide a score among the terms, prepared once for all readers.

A paper's value is that of its own terms, of its latent vector and of its nearest fitted papers (``vectors``). The last
two are divided among the paper's own terms, too. How they are divided doesn't depend on the reader, so that a reader's
picks take a few products of flat arrays. With sparse matrices for each reader it took four times as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from bot.ranking.corpus import Corpus
from bot.ranking.vectors import PaperVectors, l2_normalize, latent_vectors, neighbour_weights, row_elements


@dataclass(frozen=True, slots=True)
class TermEntries:
    """The own terms of n papers, paper after paper, as flat arrays of one element for each entry.

    ``papers`` is n, ``terms`` the size of the vocabulary.
    ``paper`` (n_entries,) is the paper, 0 to n - 1; ``columns`` the term; ``values`` its value in
    ``PaperVectors.terms``, ``latent_values`` the same divided by the norm of the paper's latent vector, and ``lexical``
    its value in ``Corpus.lexical``. ``components`` (n_entries, n_components) are those of the term.

    A neighbour's value is divided among the entries that make it a neighbour: of pair n of a paper and a neighbour,
    ``shared_entries`` has them, ``shared_parts`` the part of each, ``shared_pairs`` n. The neighbours' own terms are
    ``fitted_columns`` and ``fitted_values``, those of pair n from ``fitted_starts[n]`` on; ``fitted_latent`` is
    (n_pairs, n_components).
    """

    papers: int
    terms: int
    paper: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    latent_values: np.ndarray
    lexical: np.ndarray
    components: np.ndarray
    shared_entries: np.ndarray
    shared_parts: np.ndarray
    shared_pairs: np.ndarray
    fitted_columns: np.ndarray
    fitted_values: np.ndarray
    fitted_starts: np.ndarray
    fitted_latent: np.ndarray

    def contributions(self, terms: np.ndarray, latent: np.ndarray) -> np.ndarray:
        """Return (n_entries,): what each entry adds to a linear model of weights (n_terms,) and (n_components,)."""
        by_entry = self.values * terms[self.columns] + self.latent_values * (self.components @ latent)
        if not len(self.fitted_starts):
            return np.asarray(by_entry)
        by_term = np.add.reduceat(self.fitted_values * terms[self.fitted_columns], self.fitted_starts)
        neighbours = by_term + self.fitted_latent @ latent
        shares = self.shared_parts * neighbours[self.shared_pairs]
        return np.asarray(by_entry + np.bincount(self.shared_entries, shares, len(by_entry)))

    def sums(self, entries: np.ndarray) -> np.ndarray:
        """Return (n,): the sum over each paper's entries."""
        # Without entries bincount returns integers.
        return np.bincount(self.paper, entries, self.papers).astype(float)

    def presence(self, columns: np.ndarray) -> np.ndarray:
        """Return (n, n_columns) of 0 and 1: which papers have these terms; ``columns`` are distinct."""
        present = np.zeros((self.papers, len(columns)), dtype=np.int8)
        entries, place = self._places(columns)
        present[self.paper[entries], place] = 1
        return present

    def values_of(self, columns: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return (n_entries,): of each entry its value in ``values`` (n, n_columns), 0 for a term of another column."""
        of_entries = np.zeros(len(self.columns))
        entries, place = self._places(columns)
        of_entries[entries] = values[self.paper[entries], place]
        return of_entries

    def _places(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the entries whose term is one of the columns, and which."""
        # A place for each term of the vocabulary: searching sorted columns takes four times as long.
        place_of = np.full(self.terms, -1, dtype=np.int32)
        place_of[columns] = np.arange(len(columns))
        place = place_of[self.columns]
        entries = np.flatnonzero(place >= 0)
        return entries, place[entries]

    def matrix(self, entries: np.ndarray) -> sp.csr_matrix:
        """Return (n, n_terms): the entries' contributions as rows."""
        return sp.csr_matrix((entries, (self.paper, self.columns)), shape=(self.papers, self.terms))


class PaperTerms:
    """The terms of all papers of a pool; ``entries`` selects those of a few papers."""

    def __init__(self, corpus: Corpus, vectors: PaperVectors) -> None:
        self._components = corpus.components_.T
        # By column within each paper: products of sparse matrices leave them in any order.
        self._own = vectors.terms.sorted_indices()
        self._lexical = corpus.lexical(self._own).data
        norm = np.linalg.norm(corpus.latent(self._own), axis=1)
        self._inverse_norm = np.divide(1, norm, out=np.zeros_like(norm), where=norm > 0)
        self._pairs = vectors.neighbours.indptr
        fitted, self._neighbour = np.unique(vectors.neighbours.indices, return_inverse=True)
        self._fitted = corpus.rows_[fitted]
        self._fitted_latent = latent_vectors(self._fitted, corpus.components_)
        paper = np.repeat(np.arange(len(vectors)), np.diff(self._pairs))
        weights = neighbour_weights(vectors.neighbours).data / vectors.neighbours.data
        products = l2_normalize(self._own)[paper].multiply(l2_normalize(self._fitted)[self._neighbour])
        self._shared = sp.csr_matrix(sp.diags(weights) @ products)
        # Which entry of its paper a shared term is: entries are sorted by paper and column.
        terms = self._own.shape[1]
        own_paper = np.repeat(np.arange(len(vectors)), np.diff(self._own.indptr))
        shared_paper = np.repeat(paper, np.diff(self._shared.indptr))
        keys = own_paper * terms + self._own.indices
        self._shared_entries = np.searchsorted(keys, shared_paper * terms + self._shared.indices)

    def entries(self, rows: Sequence[int] | np.ndarray) -> TermEntries:
        """Return the entries of the papers of these rows."""
        entries, counts = row_elements(self._own.indptr, rows)
        pairs, _ = row_elements(self._pairs, rows)
        shared, shared_counts = row_elements(self._shared.indptr, pairs)
        neighbours = self._neighbour[pairs]
        fitted, fitted_counts = row_elements(self._fitted.indptr, neighbours)
        # From places in the arrays of all papers to places in the arrays of these.
        first = np.cumsum(counts) - counts
        paper = np.repeat(np.arange(len(counts)), counts)
        pair_paper = np.repeat(np.arange(len(counts)), np.diff(self._pairs)[rows])
        shared_paper = np.repeat(pair_paper, shared_counts)
        offsets = first - self._own.indptr[rows]
        values = self._own.data[entries]
        columns = self._own.indices[entries]
        return TermEntries(
            papers=len(counts),
            terms=self._own.shape[1],
            paper=paper,
            columns=columns,
            values=values,
            latent_values=values * self._inverse_norm[rows][paper],
            lexical=self._lexical[entries],
            components=self._components[columns],
            shared_entries=self._shared_entries[shared] + offsets[shared_paper],
            shared_parts=self._shared.data[shared],
            shared_pairs=np.repeat(np.arange(len(pairs)), shared_counts),
            fitted_columns=self._fitted.indices[fitted],
            fitted_values=self._fitted.data[fitted],
            fitted_starts=np.cumsum(fitted_counts) - fitted_counts,
            fitted_latent=self._fitted_latent[neighbours],
        )
