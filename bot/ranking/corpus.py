"""What all readers share, learned from the papers at hand: vocabulary, background, factorisation.

A paper is a row of square roots of term counts, over its pivoted length (Singhal 1996), times the terms' inverse
document frequencies. The length is taken before the frequencies: a rare word raises a paper instead of making all
its other words small. By interest words alone that ranks 6 % better than rows of length 1 (CONTRIBUTING).
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import BinaryIO, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils.extmath import randomized_svd
from threadpoolctl import threadpool_limits

from bot.ranking.vectors import PaperVectors, expanded, nearest, unit
from bot.terms import stem_terms

# In a handful of papers any term may be the topic; among this many papers, a word of one paper is a name or a
# misprint, and a pair of words is a phrase only if several papers use it.
_RARE_TERMS_FROM = 1000
_LEAST_PAPERS = {"word": 2, "pair": 5}
# A pair says again what its two words say: among many papers it counts for reasons more than for ranks. In a
# handful of papers a phrase is what tells topics apart, and which words are rare is chance: pairs count in full,
# and rarity by its square root.
_PAIR_WEIGHT, _PAIR_WEIGHT_OF_FEW = 0.25, 1.0
_RARITY, _RARITY_OF_FEW = 1.0, 0.5
# How much of a long text's length counts against it; the rest is as in a text of the usual length.
_LENGTH_COUNTS = 0.75
# So many papers tell what values are usual.
_EVERYDAY = 500
# More latent directions than this smooth no better, and cost more.
_DIRECTIONS = 128

# Of the file; another number is fitted again.
_FORMAT = 3


class Corpus(TransformerMixin, BaseEstimator):
    """Texts to vectors over one vocabulary; memory is bounded by ``max_papers`` however many texts come."""

    def __init__(self, max_terms: int = 100_000, max_papers: int = 20_000, background: int = 5_000) -> None:
        self.max_terms = max_terms
        self.max_papers = max_papers
        self.background = background

    def fit(self, texts: Sequence[str], y: None = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Learns from ``max_papers`` of the texts, drawn evenly, and keeps a sample of them as background.

        ``terms_`` (n_terms,), ``idf_`` (n_terms,), ``usual_length_``, ``rows_`` (n_fitted, n_terms),
        ``background_`` (n_background, n_terms), ``components_`` (n_directions, n_terms), and ``everyday_``,
        ``PaperVectors`` of a few of them.
        """
        drawn = [texts[i] for i in _spread(len(texts), self.max_papers).tolist()]
        counts, names = _counts(drawn, self.max_terms)
        self._take_vocabulary(names, len(drawn))
        papers = np.maximum(np.bincount(counts.indices, minlength=len(names)), 1)
        rarity = _RARITY_OF_FEW if _are_few(len(drawn)) else _RARITY
        self.idf_: np.ndarray = (np.log((counts.shape[0] + 1) / papers) ** rarity).astype(np.float32)
        lengths = _lengths(self._scaled(counts))
        self.usual_length_ = float(np.median(lengths[lengths > 0])) if lengths.any() else 1.0
        self._take_rows(self._weighted(counts), np.array([_key(text) for text in drawn], dtype=np.int64))
        self._factorise()
        kept = self._everyday_rows()
        self._take_everyday(nearest(self.rows_[kept], self.rows_, kept))
        return self

    def transform(self, texts: Sequence[str]) -> sp.csr_matrix:
        """(n_texts, n_terms), float32; a text without a known term is a row of zeros."""
        known = self._fitted_as(texts)
        new = np.flatnonzero(known < 0)
        rows = self.rows_[known[known >= 0]]
        if not len(new):
            return rows
        counts = self._vectorizer.transform([texts[i] for i in new.tolist()])
        together = sp.vstack([rows, self._weighted(counts)], format="csr")
        return together[np.argsort(np.concatenate([np.flatnonzero(known >= 0), new]))]

    def vectors(self, texts: Sequence[str]) -> PaperVectors:
        """Papers as the models see them: their own words, and those of the fitted papers nearest to them."""
        own = self.transform(texts)
        near = nearest(own, self.rows_, self._fitted_as(texts))
        return expanded(own, near, self.components_, self.rows_)

    def lexical(self, rows: sp.csr_matrix) -> sp.csr_matrix:
        """(n, n_terms): rows of ``transform`` with pairs of words in full, of length 1."""
        weighted = sp.csr_matrix(
            (rows.data * self._full[rows.indices], rows.indices, rows.indptr), rows.shape
        )
        return unit(weighted)

    def columns(self, terms: Iterable[str]) -> tuple[np.ndarray, np.ndarray]:
        """The columns of those terms that are in the vocabulary, each once, and which of them are pairs of words."""
        vocabulary = self._vectorizer.vocabulary
        known = dict.fromkeys(term for term in terms if term in vocabulary)
        columns = np.array([vocabulary[term] for term in known], dtype=int)
        return columns, np.array([" " in term for term in known], dtype=bool)

    @property
    def identity(self) -> int:
        """Another for each vocabulary: models over one are void over another."""
        return _key("\n".join(self.terms_.tolist()))

    def latent(self, rows: sp.csr_matrix) -> np.ndarray:
        """(n, n_directions): where rows lie on the directions that smooth over co-occurring words."""
        return np.asarray(rows @ self.components_.T)

    def in_background(self, texts: Sequence[str]) -> list[int | None]:
        """For each text its row of ``background_``, or None."""
        return [self._background_row.get(row) for row in self._fitted_as(texts).tolist()]

    def save(self, file: BinaryIO, fitted_on: tuple[int, int]) -> None:
        """Writes all that was learned as arrays; ``fitted_on`` are two numbers that say of which papers."""
        arrays = {
            "terms": np.asarray(self.terms_, dtype=np.str_),
            "idf": self.idf_,
            "usual_length": np.array(self.usual_length_),
            "components": self.components_,
            "keys": self._row_keys,
            **_parts("rows", self.rows_),
            **_parts("near", self.everyday_.near),
        }
        np.savez(file, allow_pickle=False, about=np.array([_FORMAT, *fitted_on]), **arrays)

    @classmethod
    def load(cls, file: BinaryIO) -> tuple[Self, tuple[int, int]]:
        """What ``save`` wrote; raises ValueError for anything else."""
        try:
            with np.load(file, allow_pickle=False) as arrays:
                version, *fitted_on = (int(number) for number in arrays["about"])
                if version != _FORMAT or len(fitted_on) != 2:
                    raise ValueError(f"format {version}, not {_FORMAT}")
                return cls._from_arrays(arrays), (fitted_on[0], fitted_on[1])
        except (KeyError, EOFError, OSError, AttributeError, zipfile.BadZipFile) as error:
            raise ValueError(f"no corpus: {error}") from error

    @classmethod
    def _from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> Self:
        corpus = cls()
        corpus._take_vocabulary(arrays["terms"], len(arrays["keys"]))
        corpus.idf_ = arrays["idf"]
        corpus.usual_length_ = float(arrays["usual_length"])
        corpus.components_ = arrays["components"]
        papers = len(arrays["keys"])
        corpus._take_rows(_whole("rows", arrays, (papers, len(corpus.terms_))), arrays["keys"])
        corpus._take_everyday(_whole("near", arrays, (len(corpus._everyday_rows()), papers)))
        return corpus

    def _fitted_as(self, texts: Sequence[str]) -> np.ndarray:
        """(n_texts,): the row of ``rows_`` that each text has, -1 where it was not fitted on."""
        return np.array([self._row.get(_key(text), -1) for text in texts], dtype=int)

    def _take_rows(self, rows: sp.csr_matrix, keys: np.ndarray) -> None:
        self.rows_: sp.csr_matrix = rows
        self._row_keys = keys
        self._row = {int(key): row for row, key in enumerate(keys)}
        kept = _spread(len(keys), self.background)
        self._background_row = {int(row): place for place, row in enumerate(kept)}
        self.background_: sp.csr_matrix = rows[kept]

    def _everyday_rows(self) -> np.ndarray:
        return _spread(len(self._row_keys), min(self.background, _EVERYDAY))

    def _take_everyday(self, near: sp.csr_matrix) -> None:
        rows = self.rows_[self._everyday_rows()]
        self.everyday_: PaperVectors = expanded(rows, near, self.components_, self.rows_)

    def _take_vocabulary(self, names: np.ndarray, papers: int) -> None:
        self.terms_: np.ndarray = names
        # A vocabulary must not be empty for scikit-learn: no text has this term.
        vocabulary = {str(name): column for column, name in enumerate(names)} or {"\0": 0}
        self._vectorizer = CountVectorizer(analyzer=stem_terms, vocabulary=vocabulary)
        pairs = np.array([" " in name for name in names], dtype=bool)
        weight = _PAIR_WEIGHT_OF_FEW if _are_few(papers) else _PAIR_WEIGHT
        self.term_weights_: np.ndarray = np.where(pairs, weight, 1).astype(np.float32)
        self._full: np.ndarray = 1 / self.term_weights_

    def _scaled(self, counts: sp.csr_matrix) -> sp.csr_matrix:
        rows = sp.csr_matrix(counts[:, : len(self.terms_)], dtype=np.float32)
        rows.data = np.sqrt(rows.data)
        return rows.multiply(self.term_weights_).tocsr()

    def _weighted(self, counts: sp.csr_matrix) -> sp.csr_matrix:
        rows = self._scaled(counts)
        pivoted = (1 - _LENGTH_COUNTS) * self.usual_length_ + _LENGTH_COUNTS * _lengths(rows)
        return sp.csr_matrix(sp.diags(1 / pivoted) @ rows.multiply(self.idf_), dtype=np.float32)

    def _factorise(self) -> None:
        """Latent semantic analysis (Deerwester 1990) by a randomised SVD (Halko 2011)."""
        rows = unit(self.rows_)
        count = min(_DIRECTIONS, *(size // 4 for size in rows.shape))
        self.components_: np.ndarray = np.zeros((0, rows.shape[1]), np.float32)
        if count:
            with threadpool_limits(1):  # threads that wait for one another cost more than they save here
                _, _, found = randomized_svd(rows, count, n_iter=2, random_state=0)
            # A term's column in one piece: rows and models have few of all terms.
            self.components_ = np.asfortranarray(found, dtype=np.float32)


def _lengths(rows: sp.csr_matrix) -> np.ndarray:
    return np.asarray(np.sqrt(rows.multiply(rows).sum(axis=1))).ravel()


def _parts(name: str, rows: sp.csr_matrix) -> dict[str, np.ndarray]:
    return {f"{name}_data": rows.data, f"{name}_indices": rows.indices, f"{name}_indptr": rows.indptr}


def _whole(name: str, arrays: Mapping[str, np.ndarray], shape: tuple[int, int]) -> sp.csr_matrix:
    """What ``_parts`` took apart."""
    parts = tuple(arrays[f"{name}_{part}"] for part in ("data", "indices", "indptr"))
    return sp.csr_matrix(parts, shape=shape)


def _counts(texts: Sequence[str], max_terms: int) -> tuple[sp.csr_matrix, np.ndarray]:
    """(n_texts, n_terms) counts of the terms worth keeping, and the terms."""
    vectorizer = CountVectorizer(analyzer=stem_terms)
    try:
        counts = vectorizer.fit_transform(texts)
    except ValueError:  # function words or signs only: scikit-learn refuses to learn no terms at all
        return sp.csr_matrix((len(texts), 0)), np.array([], dtype=np.str_)
    names = np.asarray(vectorizer.get_feature_names_out(), dtype=np.str_)
    papers = np.bincount(counts.indices, minlength=len(names))
    pair = np.char.find(names, " ") >= 0
    least = np.where(pair, _LEAST_PAPERS["pair"], _LEAST_PAPERS["word"])
    kept = np.flatnonzero(papers >= (1 if _are_few(len(texts)) else least))
    kept = np.sort(kept[np.argsort(-papers[kept], kind="stable")][:max_terms])
    return counts[:, kept].tocsr(), names[kept]


def _are_few(papers: int) -> bool:
    return papers < _RARE_TERMS_FROM


def _key(text: str) -> int:
    """Stands for a text whose row is known: 64 bits of its hash."""
    return int.from_bytes(blake2b(text.encode(errors="replace"), digest_size=8).digest(), "big", signed=True)


def _spread(count: int, at_most: int) -> np.ndarray:
    """Up to so many of ``range(count)``, evenly spread."""
    return (
        np.unique(np.linspace(0, count - 1, min(count, at_most)).astype(int)) if count else np.array([], int)
    )
