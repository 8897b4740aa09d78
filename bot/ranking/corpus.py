"""The vocabulary, idf, word meanings and background papers that all readers share.

A row of terms has (1 + log frequency) x idf of a paper's stems and bigrams, of L2 norm 1.
"""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import BinaryIO, Self

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer

from bot.ranking.matching import MatchFeatures, PhraseIndex, TextModel
from bot.ranking.meaning import Meaning, PaperWords, pair_hashes
from bot.text.tokens import Spellings, StemSequence, stem_sequence

_MOST_TEXTS = 500


@dataclass(frozen=True, eq=False)
class Papers:
    """``terms`` (n, n_terms) of L2 norm 1 or 0, ``words``, and ``meanings`` (n, DIMENSIONS) of papers."""

    terms: sp.csr_matrix
    words: PaperWords
    meanings: np.ndarray
    _matches: dict[TextModel, MatchFeatures] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def index(self) -> PhraseIndex:
        return PhraseIndex(self.words)

    def matches(self, text: TextModel) -> MatchFeatures:
        if text not in self._matches:
            if len(self._matches) >= _MOST_TEXTS:
                self._matches.clear()
            self._matches[text] = text.features(self.index, self.meanings)
        return self._matches[text]

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, rows: Sequence[int] | np.ndarray) -> Papers:
        return Papers(self.terms[rows], self.words[rows], self.meanings[rows])


# In a corpus this large, a word of one paper is a name or a misprint.
_LARGE_CORPUS = 1000
_MIN_PAPERS_OF_WORD = 2
_MIN_PAPERS_OF_PAIR = 3
# Both bound memory.
_MAX_PAPERS = 20_000
_MAX_TERMS = 100_000
_BACKGROUND = 2_000
# A corpus saved in another format is fitted again.
_FORMAT = 6


class Corpus:
    """Maps texts to papers over one vocabulary."""

    def fit(self, texts: Sequence[str]) -> Self:
        """Learn from at most 20,000 of the texts, evenly spaced.

        Sets ``terms_`` (n_terms,), ``idf_`` (n_terms,), ``rows_`` (n_fitted, n_terms), ``words_``, ``meaning_``,
        ``background_``, and ``spellings_``.
        """
        sample = [texts[i] for i in _evenly_spaced(len(texts), _MAX_PAPERS).tolist()]
        sequences = [stem_sequence(text) for text in sample]
        counts, names = _count_terms(sequences)
        self._set_vocabulary(names)
        papers = np.maximum(np.bincount(counts.indices, minlength=len(names)), 1)
        self.idf_: np.ndarray = np.log((counts.shape[0] + 1) / papers).astype(np.float32)
        words = PaperWords.from_sequences(sequences)
        pairs = pair_hashes(stem for sequence in sequences for stem in sequence.stems)
        self.meaning_: Meaning = Meaning.learn(words, pairs)
        # The first line is the title, where capitals carry no information.
        self.spellings_ = Spellings.learn(text.partition("\n")[2] for text in sample)
        hashes = np.array([_hash(text) for text in sample], dtype=np.int64)
        titles = [sequences[row].only_title() for row in _evenly_spaced(len(sample), _BACKGROUND).tolist()]
        self._set_papers(self._weighted(counts), words, hashes, self._weighted(self._vectorizer.transform(titles)))
        return self

    def papers(self, texts: Sequence[str]) -> Papers:
        row_of = self.rows_of(texts)
        fitted, new = np.flatnonzero(row_of >= 0), np.flatnonzero(row_of < 0)
        rows, words = self.rows_[row_of[fitted]], self.words_[row_of[fitted]]
        if len(new):
            sequences = [stem_sequence(texts[i]) for i in new.tolist()]
            order = np.argsort(np.concatenate([fitted, new]))
            self.meaning_.pairs |= pair_hashes(stem for sequence in sequences for stem in sequence.stems)
            counts = self._vectorizer.transform(sequences)
            rows = sp.vstack([rows, self._weighted(counts)], format="csr")[order]
            words = PaperWords.concatenate([words, PaperWords.from_sequences(sequences)])[order]
        return Papers(rows, words, self.meaning_.papers(words))

    def rows_of(self, texts: Sequence[str]) -> np.ndarray:
        """Return (n_texts,): the row of ``words_``, -1 for a text that wasn't fitted."""
        return np.array([self._row_of_hash.get(_hash(text), -1) for text in texts], dtype=int)

    def transform(self, texts: Sequence[str]) -> sp.csr_matrix:
        """Return (n_texts, n_terms), float32; zeros for a text outside the vocabulary."""
        counts = self._vectorizer.transform([stem_sequence(text) for text in texts])
        return self._weighted(counts)

    def columns(self, terms: Iterable[str]) -> np.ndarray:
        vocabulary = self._vectorizer.vocabulary
        return np.array([vocabulary[term] for term in dict.fromkeys(terms) if term in vocabulary], dtype=int)

    def column(self, term: str) -> int | None:
        column: int | None = self._vectorizer.vocabulary.get(term)
        return column

    def in_background(self, texts: Sequence[str]) -> np.ndarray:
        """Return (n_texts,): the row of ``background_``, -1 without one."""
        # The extra last row is for texts that weren't fitted.
        return np.asarray(self._background_row[self.rows_of(texts)])

    @cached_property
    def background_titles_(self) -> Papers:
        """The background without its abstracts."""
        titles = self.background_.words.only_titles()
        return Papers(self._titles, titles, self.meaning_.papers(titles))

    def save(self, file: BinaryIO, fitted_on: tuple[int, int]) -> None:
        """Write the fitted arrays. ``fitted_on`` identifies the papers."""
        np.savez(
            file,
            allow_pickle=False,
            about=np.array([_FORMAT, *fitted_on]),
            terms=np.frombuffer("\n".join(self.terms_).encode(), dtype=np.uint8),
            idf=self.idf_,
            spellings=np.frombuffer(self.spellings_.text.encode(), dtype=np.uint8),
            keys=self._row_hashes,
            rows_data=self.rows_.data,
            rows_indices=self.rows_.indices,
            rows_indptr=self.rows_.indptr,
            words=self.words_.words,
            positions=self.words_.positions,
            starts=self.words_.starts,
            titles=self.words_.titles,
            home_words=self.meaning_.words,
            home_papers=self.meaning_.papers_with,
            own_words=self.meaning_.own,
            own_vectors=self.meaning_.own_vectors,
            pairs=np.array(sorted(self.meaning_.pairs), dtype=np.uint32),
            background_meanings=self.background_.meanings,
            titles_data=self._titles.data,
            titles_indices=self._titles.indices,
            titles_indptr=self._titles.indptr,
        )

    @classmethod
    def load(cls, file: BinaryIO) -> tuple[Self, tuple[int, int]]:
        """Return the corpus and its ``fitted_on``. Raise ValueError for any other file."""
        try:
            with np.load(file, allow_pickle=False) as stored:
                fitted_on = _fitted_on(stored["about"])
                arrays = {name: stored[name] for name in stored}
            corpus = cls()
            terms = arrays["terms"].tobytes().decode()
            corpus._set_vocabulary(terms.split("\n") if terms else [])
            corpus.idf_ = arrays["idf"]
            corpus.spellings_ = Spellings(arrays["spellings"].tobytes().decode())
            count = len(arrays["keys"])
            rows, titles = (
                sp.csr_matrix(
                    (arrays[f"{name}_data"], arrays[f"{name}_indices"], arrays[f"{name}_indptr"]),
                    shape=(len(arrays[f"{name}_indptr"]) - 1, len(corpus.terms_)),
                )
                for name in ("rows", "titles")
            )
            words = PaperWords(arrays["words"], arrays["positions"], arrays["starts"], arrays["titles"])
            corpus.meaning_ = Meaning(
                arrays["home_words"],
                arrays["home_papers"],
                count,
                arrays["own_words"],
                arrays["own_vectors"],
                pairs=arrays["pairs"].tolist(),
            )
            corpus._set_papers(rows, words, arrays["keys"], titles, arrays["background_meanings"])
        except (KeyError, EOFError, OSError, AttributeError, UnicodeDecodeError, zipfile.BadZipFile) as error:
            raise ValueError(f"no corpus: {error}") from error
        return corpus, fitted_on

    @staticmethod
    def load_fitted_on(file: BinaryIO) -> tuple[int, int]:
        """Return only ``fitted_on``. Raise ValueError as ``load`` does."""
        try:
            with np.load(file, allow_pickle=False) as stored:
                return _fitted_on(stored["about"])
        except (KeyError, EOFError, OSError, AttributeError, TypeError, zipfile.BadZipFile) as error:
            raise ValueError(f"no corpus: {error}") from error

    def _set_papers(
        self,
        rows: sp.csr_matrix,
        words: PaperWords,
        hashes: np.ndarray,
        titles: sp.csr_matrix,
        meanings: np.ndarray | None = None,
    ) -> None:
        """Set the fitted papers. ``titles`` and ``meanings`` are of the background, the latter computed if None."""
        self.rows_: sp.csr_matrix = rows
        self.words_ = words
        self._row_hashes = hashes
        self._row_of_hash = {int(text_hash): row for row, text_hash in enumerate(hashes)}
        background = _evenly_spaced(len(hashes), _BACKGROUND)
        self._background_row = np.full(len(hashes) + 1, -1)
        self._background_row[background] = np.arange(len(background))
        of_background = words[background]
        if meanings is None:
            meanings = self.meaning_.papers(of_background)
        self.background_ = Papers(rows[background], of_background, meanings)
        self._titles = titles

    def _set_vocabulary(self, names: Sequence[str]) -> None:
        # Interned: equal objects compare no characters.
        terms = list(map(sys.intern, names))
        self.terms_: np.ndarray = np.array(terms, dtype=object)
        self.identity = _hash(f"{_FORMAT}\n" + "\n".join(terms))
        # scikit-learn raises for an empty vocabulary. No text has this placeholder.
        vocabulary = {term: column for column, term in enumerate(terms)} or {"\0": 0}
        self._vectorizer = CountVectorizer(analyzer=StemSequence.terms, vocabulary=vocabulary)

    def _weighted(self, counts: sp.csr_matrix) -> sp.csr_matrix:
        rows = sp.csr_matrix(counts[:, : len(self.terms_)], dtype=np.float32)
        rows.data = (1 + np.log(rows.data)) * self.idf_[rows.indices]
        rows.sort_indices()
        # scikit-learn's normalize() raises for a matrix without rows.
        row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
        norm = np.sqrt(np.bincount(row, rows.data.astype(float) ** 2, rows.shape[0]))
        inverse = np.divide(1, norm, out=np.zeros_like(norm), where=norm > 0)
        rows.data = (rows.data * inverse[row]).astype(np.float32)
        return rows


def _fitted_on(about: np.ndarray) -> tuple[int, int]:
    version, *fitted_on = (int(number) for number in about)
    if version != _FORMAT or len(fitted_on) != 2:
        raise ValueError(f"format {version}, not {_FORMAT}")
    return fitted_on[0], fitted_on[1]


def _count_terms(sequences: Sequence[StemSequence]) -> tuple[sp.csr_matrix, list[str]]:
    """Return counts (n_texts, n_terms) and terms."""
    vectorizer = CountVectorizer(analyzer=StemSequence.terms)
    try:
        counts = vectorizer.fit_transform(sequences)
    except ValueError:  # no words, only function words or punctuation
        return sp.csr_matrix((len(sequences), 0)), []
    names = np.asarray(vectorizer.get_feature_names_out(), dtype=object)
    papers = np.bincount(counts.indices, minlength=len(names))
    pair = np.array([" " in name for name in names.tolist()])
    minimum = np.where(pair, _MIN_PAPERS_OF_PAIR, _MIN_PAPERS_OF_WORD)
    columns = np.flatnonzero(papers >= (minimum if len(sequences) >= _LARGE_CORPUS else 1))
    columns = np.sort(columns[np.argsort(-papers[columns], kind="stable")][:_MAX_TERMS])
    return counts[:, columns].tocsr(), names[columns].tolist()


def _hash(text: str) -> int:
    # hash() differs between processes, and these are saved.
    return int.from_bytes(blake2b(text.encode(errors="replace"), digest_size=8).digest(), "big", signed=True)


def _evenly_spaced(count: int, maximum: int) -> np.ndarray:
    return np.unique(np.linspace(0, count - 1, min(count, maximum)).astype(int))
