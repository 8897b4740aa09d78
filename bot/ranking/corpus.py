"""What all readers share, learned from the papers: vocabulary, idf, background papers, latent components.

A paper is a row of square roots of term counts, divided by its pivoted length (Singhal 1996), times the terms' inverse
document frequencies (idf). The length is taken before the idf, so that a rare word raises a paper instead of making all
its other words small.

    texts --Corpus.transform--> rows of terms --nearest, expand_documents--> PaperVectors --models--> scores
    PaperVectors --PaperTerms--> TermEntries --> what each term adds to a linear model's score

A score comes from a paper's own terms, its latent vector (LSA) and its nearest fitted papers; the last two are divided
among its own terms, the same way for all readers.
"""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from typing import BinaryIO, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils.extmath import randomized_svd
from threadpoolctl import threadpool_limits

from bot.text.tokens import stem_terms
from bot.text.vocabulary import Spellings

# Nearest papers by which a paper is expanded, and what they weigh in sum beside the paper itself (document expansion
# as in language models for retrieval, Tao 2006). It brings in words that a short abstract happens not to use.
_NEIGHBOURS = 5
_NEIGHBOUR_WEIGHT = 0.6
# In a small corpus even the nearest paper is unrelated: at most this share of the papers are neighbours.
_PAPERS_PER_NEIGHBOUR = 40
# Rows compared with all fitted papers in one product, which bounds its memory: nearly all cosines are above 0.
_BLOCK = 256


@dataclass(frozen=True, slots=True)
class PaperVectors:
    """Vectors of n papers.

    ``terms`` (n, n_terms) has each paper's own terms, ``neighbours`` (n, n_fitted) its cosines with the nearest papers
    that the corpus was fitted on. Models score ``expanded`` (n, n_terms) and ``latent`` (n, n_components), to both of
    which the neighbours contribute.
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
    """Return each neighbour's weight beside the paper itself, entries in the same order; rows have equal sums, or 0."""
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
            if len(highest) > count:  # argpartition raises for fewer
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
    # scikit-learn's normalize() raises for a matrix without rows; a product with a diagonal matrix is slow.
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    norm = np.sqrt(np.bincount(row, rows.data.astype(float) ** 2, rows.shape[0]))
    inverse = np.divide(1, norm, out=np.zeros_like(norm), where=norm > 0)
    data = (rows.data * inverse[row]).astype(np.float32)
    return sp.csr_matrix((data, rows.indices, rows.indptr), shape=rows.shape)


def row_elements(indptr: np.ndarray, rows: Sequence[int] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of these rows' elements in a CSR matrix, and their number in each row."""
    starts = indptr[rows]
    counts = indptr[np.asarray(rows, dtype=int) + 1] - starts
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(starts - ends + counts, counts), counts


# In a small corpus any term may be the topic. From this many papers on, a word of a single paper is a name or a
# misprint, and a bigram is a phrase only if several papers use it.
_LARGE_CORPUS = 1000
_MIN_PAPERS_OF_WORD = 2
_MIN_PAPERS_OF_PAIR = 5
# The most frequent terms are kept, which bounds memory.
_MAX_TERMS = 100_000
# A bigram repeats what its two words contribute: in a large corpus it matters for reasons more than for ranks. In a
# small corpus phrases tell topics apart, and which words are rare is chance ("computer" would beat "agent"): there
# bigrams count in full, and idf by its square root.
_PAIR_WEIGHT = 0.25
_PAIR_WEIGHT_SMALL_CORPUS = 1.0
_IDF_EXPONENT = 1.0
_IDF_EXPONENT_SMALL_CORPUS = 0.5
# The slope of pivoted length normalisation: 1 divides by the text's length, 0 by the median length.
_LENGTH_SLOPE = 0.75
# Papers in the reference sample, which gives the usual mean and spread of a model's values. They scale a reader's
# log-odds and leave the order of papers.
_REFERENCE_PAPERS = 500
# Latent components (LSA).
_COMPONENTS = 128
# Version of the saved arrays; another version is rejected, and the corpus is fitted again.
_FORMAT = 4


class Corpus(TransformerMixin, BaseEstimator):
    """Texts to vectors over one vocabulary; ``max_papers`` bounds memory."""

    def __init__(self, max_papers: int = 20_000, background: int = 5_000) -> None:
        self.max_papers = max_papers
        self.background = background

    def fit(self, texts: Sequence[str], y: None = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Learn from ``max_papers`` of the texts, evenly spaced, and keep a sample of them as background.

        Sets ``terms_`` (n_terms,), ``idf_`` (n_terms,), ``pivot_length_``, ``rows_`` (n_fitted, n_terms),
        ``background_`` (n_background, n_terms), ``components_`` (n_components, n_terms), the reference sample
        ``reference_``, ``PaperVectors`` of a few of them, and ``spellings_``, the usual case of words.
        """
        sample = [texts[i] for i in _evenly_spaced(len(texts), self.max_papers).tolist()]
        counts, names = _count_terms(sample)
        self._set_vocabulary(names, len(sample))
        papers = np.maximum(np.bincount(counts.indices, minlength=len(names)), 1)
        exponent = _IDF_EXPONENT if len(sample) >= _LARGE_CORPUS else _IDF_EXPONENT_SMALL_CORPUS
        self.idf_: np.ndarray = (np.log((counts.shape[0] + 1) / papers) ** exponent).astype(np.float32)
        lengths = _lengths(self._term_frequencies(counts))
        self.pivot_length_ = float(np.median(lengths[lengths > 0])) if lengths.any() else 1.0
        self._set_rows(self._weighted(counts), np.array([_hash(text) for text in sample], dtype=np.int64))
        # Latent semantic analysis (Deerwester 1990) by a randomised truncated SVD (Halko 2011).
        count = min(_COMPONENTS, *(size // 4 for size in self.rows_.shape))
        self.components_: np.ndarray = np.zeros((0, self.rows_.shape[1]), np.float32)
        if count:
            # BLAS threads that wait for one another cost more than they save on products of this size.
            with threadpool_limits(1):
                _, _, components = randomized_svd(l2_normalize(self.rows_), count, n_iter=2, random_state=0)
            # Column-major keeps a term's components in one piece: rows and models have few of all terms.
            self.components_ = np.asfortranarray(components, dtype=np.float32)
        # The first line of a text is the title, where capitals say nothing.
        self.spellings_ = Spellings.learn(text.partition("\n")[2] for text in sample)
        reference = self._reference_rows()
        self._set_reference(nearest(self.rows_[reference], self.rows_, reference))
        return self

    def transform(self, texts: Sequence[str]) -> sp.csr_matrix:
        """Return (n_texts, n_terms), float32; a text without a term of the vocabulary is a row of zeros."""
        row_of = self._fitted_rows(texts)
        fitted = np.flatnonzero(row_of >= 0)
        new = np.flatnonzero(row_of < 0)
        rows = self.rows_[row_of[fitted]]
        if not len(new):
            return rows
        # Rows of fitted texts are kept: only the other texts have to be tokenised.
        counts = self._vectorizer.transform([texts[i] for i in new.tolist()])
        stacked = sp.vstack([rows, self._weighted(counts)], format="csr")
        return stacked[np.argsort(np.concatenate([fitted, new]))]

    def vectors(self, texts: Sequence[str]) -> PaperVectors:
        """Return the papers' own terms, expanded by the nearest fitted papers."""
        terms = self.transform(texts)
        neighbours = nearest(terms, self.rows_, self._fitted_rows(texts))
        return expand_documents(terms, neighbours, self.components_, self.rows_)

    def lexical(self, rows: sp.csr_matrix) -> sp.csr_matrix:
        """Return (n, n_terms): rows of ``transform`` with bigrams at full weight, L2-normalised."""
        weights = rows.data * self._full_weights[rows.indices]
        return l2_normalize(sp.csr_matrix((weights, rows.indices, rows.indptr), rows.shape))

    def columns(self, terms: Iterable[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return the columns of the terms in the vocabulary, each once, and which of them are bigrams."""
        vocabulary = self._vectorizer.vocabulary
        in_vocabulary = dict.fromkeys(term for term in terms if term in vocabulary)
        columns = np.array([vocabulary[term] for term in in_vocabulary], dtype=int)
        return columns, np.array([" " in term for term in in_vocabulary], dtype=bool)

    def column(self, term: str) -> int | None:
        """Return the column of a term, None if it is not in the vocabulary."""
        column: int | None = self._vectorizer.vocabulary.get(term)
        return column

    def latent(self, rows: sp.csr_matrix) -> np.ndarray:
        """Return (n, n_components): rows projected on the latent components, not normalised."""
        return np.asarray(rows @ self.components_.T)

    def in_background(self, texts: Sequence[str]) -> np.ndarray:
        """Return (n_texts,): the row of ``background_`` of each text, -1 where it has none."""
        # The place after the last row is that of texts on which the corpus was not fitted.
        return np.asarray(self._background_row[self._fitted_rows(texts)])

    def save(self, file: BinaryIO, fitted_on: tuple[int, int]) -> None:
        """Write the fitted arrays; ``fitted_on`` are two numbers that identify the papers, returned by ``load``."""
        arrays = {
            "terms": np.asarray(self.terms_, dtype=np.str_),
            "idf": self.idf_,
            "usual_length": np.array(self.pivot_length_),
            "components": self.components_,
            "spellings": np.frombuffer(self.spellings_.text.encode(), dtype=np.uint8),
            "keys": self._row_hashes,
            **_csr_arrays("rows", self.rows_),
            **_csr_arrays("near", self.reference_.neighbours),
        }
        np.savez(file, allow_pickle=False, about=np.array([_FORMAT, *fitted_on]), **arrays)

    @classmethod
    def load(cls, file: BinaryIO) -> tuple[Self, tuple[int, int]]:
        """Return the corpus that ``save`` wrote, and its ``fitted_on``; raise ValueError for any other file."""
        try:
            with np.load(file, allow_pickle=False) as stored:
                fitted_on = _fitted_on(stored["about"])
                arrays = {name: stored[name] for name in stored}
            corpus = cls()
            papers = len(arrays["keys"])
            corpus._set_vocabulary(arrays["terms"], papers)
            corpus.idf_ = arrays["idf"]
            corpus.pivot_length_ = float(arrays["usual_length"])
            corpus.components_ = arrays["components"]
            corpus.spellings_ = Spellings(arrays["spellings"].tobytes().decode())
            corpus._set_rows(_csr_matrix("rows", arrays, (papers, len(corpus.terms_))), arrays["keys"])
            corpus._set_reference(_csr_matrix("near", arrays, (len(corpus._reference_rows()), papers)))
        except (KeyError, EOFError, OSError, AttributeError, zipfile.BadZipFile) as error:
            raise ValueError(f"no corpus: {error}") from error
        return corpus, fitted_on

    @staticmethod
    def load_fitted_on(file: BinaryIO) -> tuple[int, int]:
        """Return the ``fitted_on`` of a file without reading the rest; raise ValueError as ``load`` does."""
        try:
            with np.load(file, allow_pickle=False) as stored:
                return _fitted_on(stored["about"])
        except (KeyError, EOFError, OSError, AttributeError, TypeError, zipfile.BadZipFile) as error:
            raise ValueError(f"no corpus: {error}") from error

    def _fitted_rows(self, texts: Sequence[str]) -> np.ndarray:
        """Return (n_texts,): the row of ``rows_`` of each text, -1 where the corpus was not fitted on it."""
        return np.array([self._row_of_hash.get(_hash(text), -1) for text in texts], dtype=int)

    def _set_rows(self, rows: sp.csr_matrix, hashes: np.ndarray) -> None:
        self.rows_: sp.csr_matrix = rows
        self._row_hashes = hashes
        self._row_of_hash = {int(text_hash): row for row, text_hash in enumerate(hashes)}
        background = _evenly_spaced(len(hashes), self.background)
        self._background_row = np.full(len(hashes) + 1, -1)
        self._background_row[background] = np.arange(len(background))
        self.background_: sp.csr_matrix = rows[background]

    def _reference_rows(self) -> np.ndarray:
        return _evenly_spaced(len(self._row_hashes), min(self.background, _REFERENCE_PAPERS))

    def _set_reference(self, neighbours: sp.csr_matrix) -> None:
        rows = self.rows_[self._reference_rows()]
        self.reference_: PaperVectors = expand_documents(rows, neighbours, self.components_, self.rows_)

    def _set_vocabulary(self, names: np.ndarray, papers: int) -> None:
        # Interned strings as objects: reading a term from an array of characters makes and hashes a new string, and
        # looking up the same object compares no characters.
        terms = list(map(sys.intern, names.tolist()))
        self.terms_: np.ndarray = np.array(terms, dtype=object)
        # A hash of the vocabulary: models over one vocabulary are invalid over another.
        self.identity = _hash("\n".join(terms))
        # scikit-learn raises for an empty vocabulary: no text has this placeholder.
        vocabulary = {term: column for column, term in enumerate(terms)} or {"\0": 0}
        self._vectorizer = CountVectorizer(analyzer=stem_terms, vocabulary=vocabulary)
        pairs = np.array([" " in term for term in terms], dtype=bool)
        weight = _PAIR_WEIGHT if papers >= _LARGE_CORPUS else _PAIR_WEIGHT_SMALL_CORPUS
        self.term_weights_: np.ndarray = np.where(pairs, weight, 1).astype(np.float32)
        self._full_weights: np.ndarray = 1 / self.term_weights_

    def _term_frequencies(self, counts: sp.csr_matrix) -> sp.csr_matrix:
        # The placeholder of an empty vocabulary has a column, too.
        rows = sp.csr_matrix(counts[:, : len(self.terms_)], dtype=np.float32)
        rows.data = np.sqrt(rows.data)
        return rows.multiply(self.term_weights_).tocsr()

    def _weighted(self, counts: sp.csr_matrix) -> sp.csr_matrix:
        """Weigh counts: term frequency times idf over pivoted length."""
        rows = self._term_frequencies(counts)
        pivoted = (1 - _LENGTH_SLOPE) * self.pivot_length_ + _LENGTH_SLOPE * _lengths(rows)
        return sp.csr_matrix(sp.diags(1 / pivoted) @ rows.multiply(self.idf_), dtype=np.float32)


def _fitted_on(about: np.ndarray) -> tuple[int, int]:
    version, *fitted_on = (int(number) for number in about)
    if version != _FORMAT or len(fitted_on) != 2:
        raise ValueError(f"format {version}, not {_FORMAT}")
    return fitted_on[0], fitted_on[1]


def _lengths(rows: sp.csr_matrix) -> np.ndarray:
    return np.asarray(np.sqrt(rows.multiply(rows).sum(axis=1))).ravel()


def _csr_arrays(name: str, rows: sp.csr_matrix) -> dict[str, np.ndarray]:
    return {f"{name}_data": rows.data, f"{name}_indices": rows.indices, f"{name}_indptr": rows.indptr}


def _csr_matrix(name: str, arrays: dict[str, np.ndarray], shape: tuple[int, int]) -> sp.csr_matrix:
    """The inverse of ``_csr_arrays``."""
    parts = tuple(arrays[f"{name}_{part}"] for part in ("data", "indices", "indptr"))
    return sp.csr_matrix(parts, shape=shape)


def _count_terms(texts: Sequence[str]) -> tuple[sp.csr_matrix, np.ndarray]:
    """Return counts (n_texts, n_terms) of the most frequent terms that are in enough papers, and the terms."""
    vectorizer = CountVectorizer(analyzer=stem_terms)
    try:
        counts = vectorizer.fit_transform(texts)
    except ValueError:  # texts of function words or punctuation only: scikit-learn raises for an empty vocabulary
        return sp.csr_matrix((len(texts), 0)), np.array([], dtype=np.str_)
    names = np.asarray(vectorizer.get_feature_names_out(), dtype=np.str_)
    papers = np.bincount(counts.indices, minlength=len(names))
    pair = np.char.find(names, " ") >= 0
    minimum = np.where(pair, _MIN_PAPERS_OF_PAIR, _MIN_PAPERS_OF_WORD)
    columns = np.flatnonzero(papers >= (minimum if len(texts) >= _LARGE_CORPUS else 1))
    columns = np.sort(columns[np.argsort(-papers[columns], kind="stable")][:_MAX_TERMS])
    return counts[:, columns].tocsr(), names[columns]


def _hash(text: str) -> int:
    # Not hash(), which differs between processes: these are saved.
    return int.from_bytes(blake2b(text.encode(errors="replace"), digest_size=8).digest(), "big", signed=True)


def _evenly_spaced(count: int, maximum: int) -> np.ndarray:
    """Return up to ``maximum`` of ``range(count)``, evenly spaced."""
    return np.unique(np.linspace(0, count - 1, min(count, maximum)).astype(int))


@dataclass(frozen=True, slots=True)
class TermEntries:
    """The own terms of n papers, paper after paper, as flat arrays of one element for each entry.

    ``papers`` is n, ``terms`` the size of the vocabulary. ``paper`` (n_entries,) is the paper, 0 to n - 1; ``columns``
    the term; ``values`` its value in ``PaperVectors.terms``, ``latent_values`` the same divided by the norm of the
    paper's latent vector, and ``lexical`` its value in ``Corpus.lexical``. ``components`` (n_entries, n_components) are
    those of the term.

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
        """Return (n_entries,): each entry's value in ``values`` (n, n_columns), 0 for the terms of other columns."""
        of_entries = np.zeros(len(self.columns))
        entries, place = self._places(columns)
        of_entries[entries] = values[self.paper[entries], place]
        return of_entries

    def _places(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the entries whose term is one of the columns, and the places of their terms in ``columns``."""
        # A place for each term of the vocabulary: searching sorted columns is slower.
        place_of = np.full(self.terms, -1, dtype=np.int32)
        place_of[columns] = np.arange(len(columns))
        place = place_of[self.columns]
        entries = np.flatnonzero(place >= 0)
        return entries, place[entries]

    def matrix(self, entries: np.ndarray) -> sp.csr_matrix:
        """Return the entries' contributions as rows (n, n_terms)."""
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
        """Return the entries of the papers in these rows."""
        entries, counts = row_elements(self._own.indptr, rows)
        pairs, _ = row_elements(self._pairs, rows)
        shared, shared_counts = row_elements(self._shared.indptr, pairs)
        neighbours = self._neighbour[pairs]
        fitted, fitted_counts = row_elements(self._fitted.indptr, neighbours)
        paper = np.repeat(np.arange(len(counts)), counts)
        pair_paper = np.repeat(np.arange(len(counts)), np.diff(self._pairs)[rows])
        shared_paper = np.repeat(pair_paper, shared_counts)
        # From places in the arrays of all papers to places in the arrays of these.
        offsets = np.cumsum(counts) - counts - self._own.indptr[rows]
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
