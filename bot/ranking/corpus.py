"""What all readers share, learned from the papers: vocabulary, idf, background papers, latent components.

A paper is a row of square roots of term counts, divided by its pivoted length (Singhal 1996), times the terms' inverse
document frequencies (idf). The length is taken before the idf: a rare word raises a paper instead of making all its
other words small. By interest words alone that ranks 6 % better than rows of L2 norm 1 (nDCG@20 .197, not .186).
"""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import BinaryIO, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils.extmath import randomized_svd
from threadpoolctl import threadpool_limits

from bot.ranking.vectors import PaperVectors, expand_documents, l2_normalize, nearest
from bot.terms import Spellings, stem_terms

# In a small corpus any term may be the topic. From this many papers on, a word of a single paper is a name or a
# misprint, and a bigram is a phrase only if several papers use it. Both bound the vocabulary: with words of a single
# paper nDCG@20 is within .001.
_LARGE_CORPUS = 1000
_MIN_PAPERS_OF_WORD = 2
_MIN_PAPERS_OF_PAIR = 5
# A bound of the memory for the vocabulary; the most frequent terms are kept.
_MAX_TERMS = 100_000
# A bigram repeats what its two words contribute: in a large corpus it matters for reasons more than for ranks. In a
# small corpus phrases tell topics apart, and which words are rare is chance ("computer" would beat "agent"): there
# bigrams count in full, and idf by its square root. On readers' libraries (``bench/constants.py libraries``),
# half and twice the weight of bigrams are within .003 of nDCG@20, exponents of .75 and 1.25 lose up to .003 and .006.
# For small corpora there are no figures: the picks on the sample digests were read.
_PAIR_WEIGHT = 0.25
_PAIR_WEIGHT_SMALL_CORPUS = 1.0
_IDF_EXPONENT = 1.0
_IDF_EXPONENT_SMALL_CORPUS = 0.5
# The slope of pivoted length normalisation: 1 divides by the text's length, 0 by the median length. 1 loses .006, .004
# and .003 at 0, 5+5 and 20+20 votes, 0.5 .003, 0 and .002.
_LENGTH_SLOPE = 0.75
# Papers in the reference sample, from which the usual mean and spread of a model's values are estimated. They scale a
# reader's log-odds and leave the order of papers; the standard error of a mean of 500 is .045 standard deviations.
_REFERENCE_PAPERS = 500
# Latent components (LSA). 64 are within .002, 256 within .001.
_COMPONENTS = 128
# Version of the saved arrays; another version is rejected, and the corpus is fitted again.
_FORMAT = 4


class Corpus(TransformerMixin, BaseEstimator):
    """Texts to vectors over one vocabulary; memory is bounded by ``max_papers`` however many texts there are."""

    def __init__(self, max_papers: int = 20_000, background: int = 5_000) -> None:
        self.max_papers = max_papers
        self.background = background

    def fit(self, texts: Sequence[str], y: None = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Learn from ``max_papers`` of the texts, drawn evenly, and keep a sample of them as background.

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
        """Return the papers as the models see them: their own terms, expanded by the nearest fitted papers."""
        terms = self.transform(texts)
        neighbours = nearest(terms, self.rows_, self._fitted_rows(texts))
        return expand_documents(terms, neighbours, self.components_, self.rows_)

    def lexical(self, rows: sp.csr_matrix) -> sp.csr_matrix:
        """Return (n, n_terms): rows of ``transform`` with bigrams at full weight, L2-normalised."""
        weights = rows.data * self._full_weights[rows.indices]
        return l2_normalize(sp.csr_matrix((weights, rows.indices, rows.indptr), rows.shape))

    def columns(self, terms: Iterable[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return the columns of the terms in the vocabulary, without duplicates, and which of them are bigrams."""
        vocabulary = self._vectorizer.vocabulary
        in_vocabulary = dict.fromkeys(term for term in terms if term in vocabulary)
        columns = np.array([vocabulary[term] for term in in_vocabulary], dtype=int)
        return columns, np.array([" " in term for term in in_vocabulary], dtype=bool)

    def column(self, term: str) -> int | None:
        """Return the column of a term, None if the vocabulary lacks it."""
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
        # As objects: an array of characters would make a string, and hash it, each time that a term is read.
        # Interned, as the terms of a text are: looking up equal strings that are one object compares no characters.
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
        """Return rows of term frequency by idf over pivoted length."""
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
    """Return (n_texts, n_terms) counts of the most frequent terms that are in enough papers, and the terms."""
    vectorizer = CountVectorizer(analyzer=stem_terms)
    try:
        counts = vectorizer.fit_transform(texts)
    except (
        ValueError
    ):  # texts of function words or punctuation only: scikit-learn raises for an empty vocabulary
        return sp.csr_matrix((len(texts), 0)), np.array([], dtype=np.str_)
    names = np.asarray(vectorizer.get_feature_names_out(), dtype=np.str_)
    papers = np.bincount(counts.indices, minlength=len(names))
    pair = np.char.find(names, " ") >= 0
    minimum = np.where(pair, _MIN_PAPERS_OF_PAIR, _MIN_PAPERS_OF_WORD)
    columns = np.flatnonzero(papers >= (minimum if len(texts) >= _LARGE_CORPUS else 1))
    columns = np.sort(columns[np.argsort(-papers[columns], kind="stable")][:_MAX_TERMS])
    return counts[:, columns].tocsr(), names[columns]


def _hash(text: str) -> int:
    """Return 64 bits of a text's hash, the key of its row."""
    # Not hash(): it differs between processes, and these are saved.
    return int.from_bytes(blake2b(text.encode(errors="replace"), digest_size=8).digest(), "big", signed=True)


def _evenly_spaced(count: int, maximum: int) -> np.ndarray:
    """Return up to ``maximum`` of ``range(count)``, evenly spaced."""
    if not count:
        return np.array([], int)
    return np.unique(np.linspace(0, count - 1, min(count, maximum)).astype(int))
