"""The vocabulary, idf, word meanings and background papers that all readers share.

A row of terms has (1 + log frequency) x idf of a paper's stems and bigrams, of L2 norm 1.
"""

from __future__ import annotations

import sys
import zipfile
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import BinaryIO, Self

import numpy as np
import scipy.sparse as sp

from bot.ranking.matching import MatchFeatures, PhraseIndex, TextModel
from bot.ranking.meaning import Meaning, PaperWords, pair_hashes, word_hash
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
# At a time. A new home's first edition reads all its papers.
_TEXTS = 1_000
# A corpus saved in another format is fitted again.
_FORMAT = 7


class Corpus:
    """Maps texts to papers over one vocabulary."""

    def fit(self, texts: Sequence[str]) -> Self:
        """Learn from at most 20,000 of the texts, evenly spaced."""
        return self.learn(texts[i] for i in _evenly_spaced(len(texts), _MAX_PAPERS).tolist())

    def learn(self, texts: Iterable[str]) -> Self:
        """Learn from the texts, of which one at a time is held.

        Sets ``terms_`` (n_terms,), ``idf_`` (n_terms,), ``rows_`` (n_fitted, n_terms), ``words_``, ``meaning_``,
        ``background_``, and ``spellings_``.
        """
        reader = _TextReader()
        # The first line is the title, where capitals carry no information.
        self.spellings_ = Spellings.learn(text.partition("\n")[2] for text in map(reader.read, texts))
        words, stems, stem_of_word = reader.words()
        hashes = np.asarray(reader.hashes)
        counts, names = _count_terms(words, stems, stem_of_word)
        pairs = pair_hashes(stems)
        titles = []
        for row in _evenly_spaced(len(hashes), _BACKGROUND).tolist():
            title = slice(words.starts[row], words.starts[row] + words.titles[row])
            title_stems = [stems[number] for number in stem_of_word[title].tolist()]
            titles.append(StemSequence(title_stems, words.positions[title].tolist(), len(title_stems)))
        del reader, stems, stem_of_word  # 20 MB before the step that needs most
        self._set_vocabulary(names)
        papers = np.maximum(np.bincount(counts.indices, minlength=len(names)), 1)
        self.idf_: np.ndarray = np.log((counts.shape[0] + 1) / papers).astype(np.float32)
        self.meaning_: Meaning = Meaning.learn(words, pairs)
        self._set_papers(self._weighted(counts), words, hashes, self._weighted(self._counts(titles)))
        return self

    def papers(self, texts: Sequence[str]) -> Papers:
        row_of = self.rows_of(texts)
        fitted, new = np.flatnonzero(row_of >= 0), np.flatnonzero(row_of < 0)
        rows, words = self.rows_[row_of[fitted]], self.words_[row_of[fitted]]
        if len(new):
            parts = [(rows, words)]
            for start in range(0, len(new), _TEXTS):
                sequences = [stem_sequence(texts[i]) for i in new[start : start + _TEXTS].tolist()]
                self.meaning_.pairs |= pair_hashes(stem for sequence in sequences for stem in sequence.stems)
                parts.append((self._weighted(self._counts(sequences)), PaperWords.from_sequences(sequences)))
            order = np.argsort(np.concatenate([fitted, new]))
            rows = sp.vstack([rows for rows, _ in parts], format="csr")[order]
            words = PaperWords.concatenate(words for _, words in parts)[order]
        return Papers(rows, words, self.meaning_.papers(words))

    def rows_of(self, texts: Sequence[str]) -> np.ndarray:
        """Return (n_texts,): the row of ``words_``, -1 for a text that wasn't fitted."""
        return np.array([self._row_of_hash.get(_hash(text), -1) for text in texts], dtype=int)

    def transform(self, texts: Sequence[str]) -> sp.csr_matrix:
        """Return (n_texts, n_terms), float32; zeros for a text outside the vocabulary."""
        return self._weighted(self._counts([stem_sequence(text) for text in texts]))

    def columns(self, terms: Iterable[str]) -> np.ndarray:
        column = self._column
        return np.array([column[term] for term in dict.fromkeys(terms) if term in column], dtype=int)

    def column(self, term: str) -> int | None:
        return self._column.get(term)

    def in_background(self, texts: Sequence[str]) -> np.ndarray:
        """Return (n_texts,): the row of ``background_``, -1 without one."""
        # The extra last row is for texts that weren't fitted.
        return np.asarray(self._background_row[self.rows_of(texts)])

    @cached_property
    def background_titles_(self) -> Papers:
        """The background without its abstracts."""
        titles = self.background_.words.only(self.background_.words.in_title)
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
            # Both are kept in the smallest type that holds them, mostly 16 bits.
            words=_smallest(np.searchsorted(self.meaning_.words, self.words_.words)),
            positions=_smallest(self.words_.positions),
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
            hashes, positions = arrays["home_words"][arrays["words"]], arrays["positions"].astype(np.int32)
            words = PaperWords(hashes, positions, arrays["starts"], arrays["titles"])
            corpus.meaning_ = Meaning(
                arrays["home_words"],
                arrays["home_papers"],
                count,
                arrays["own_words"],
                arrays["own_vectors"],
                pairs=arrays["pairs"].tolist(),
            )
            corpus._set_papers(rows, words, arrays["keys"], titles, arrays["background_meanings"])
        except (
            KeyError,
            IndexError,
            EOFError,
            OSError,
            AttributeError,
            UnicodeDecodeError,
            zipfile.BadZipFile,
        ) as error:
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
        self._column = {term: column for column, term in enumerate(terms)}

    def _counts(self, sequences: Sequence[StemSequence]) -> sp.csr_matrix:
        """Return (n_texts, n_terms): how often each text has each term of the vocabulary."""
        columns, ends = array("i"), [0]
        for sequence in sequences:
            found = (self._column.get(term) for term in sequence.terms())
            columns.extend(column for column in found if column is not None)
            ends.append(len(columns))
        ones = np.ones(len(columns), np.float32)
        counts = sp.csr_matrix((ones, np.array(columns), ends), shape=(len(sequences), len(self.terms_)))
        counts.sum_duplicates()
        return counts

    def _weighted(self, counts: sp.csr_matrix) -> sp.csr_matrix:
        rows = counts.astype(np.float32)
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


class _TextReader:
    """Collects the words of texts in arrays, because lists of 2.5 million words would take 90 MB."""

    def __init__(self) -> None:
        self.hashes = array("q")
        self._number_of: dict[str, int] = {}
        self._numbers, self._positions, self._titles = array("i"), array("i"), array("i")
        self._starts = array("q", [0])

    def read(self, text: str) -> str:
        sequence = stem_sequence(text)
        number_of = self._number_of
        self._numbers.extend([number_of.setdefault(stem, len(number_of)) for stem in sequence.stems])
        self._positions.extend(sequence.positions)
        self._titles.append(sequence.title)
        self._starts.append(len(self._numbers))
        self.hashes.append(_hash(text))
        return text

    def words(self) -> tuple[PaperWords, list[str], np.ndarray]:
        """Return the texts' words, the distinct stems, and the stem's number of each word, (n_words,)."""
        stems = list(self._number_of)
        hashes = np.array(list(map(word_hash, stems)), dtype=np.uint32)
        numbers, positions, starts, titles = map(
            np.asarray, (self._numbers, self._positions, self._starts, self._titles)
        )
        return PaperWords(hashes[numbers], positions, starts, titles), stems, numbers


def _count_terms(words: PaperWords, stems: Sequence[str], stem_of_word: np.ndarray) -> tuple[sp.csr_matrix, list[str]]:
    """Return counts (n_texts, n_terms) of stems and of adjacent pairs, and these terms in alphabetical order."""
    is_large = len(words) >= _LARGE_CORPUS
    minimum = _MIN_PAPERS_OF_PAIR if is_large else 1
    distinct, pairs, starts = _frequent_pairs(words, stem_of_word, len(stems), minimum)
    pair_counts, common = _common(pairs, starts, len(distinct), minimum)
    firsts, seconds = np.divmod(distinct[common], max(len(stems), 1))
    names = [f"{stems[first]} {stems[second]}" for first, second in zip(firsts.tolist(), seconds.tolist(), strict=True)]
    counts, common = _common(stem_of_word, words.starts, len(stems), _MIN_PAPERS_OF_WORD if is_large else 1)
    names = [*(stems[number] for number in common.tolist()), *names]
    counts = sp.hstack([counts, pair_counts], format="csr")
    papers = np.bincount(counts.indices, minlength=len(names))
    alphabetical = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=int)
    best = alphabetical[np.sort(np.argsort(-papers[alphabetical], kind="stable")[:_MAX_TERMS])]
    return counts[:, best], [names[column] for column in best.tolist()]


def _common(columns: np.ndarray, starts: np.ndarray, number: int, minimum: int) -> tuple[sp.csr_matrix, np.ndarray]:
    """Count ``columns`` of texts that begin at ``starts``, and return the columns that ``minimum`` texts have."""
    parts = (np.ones(len(columns), np.float32), columns.astype(np.int32), starts)
    counts = sp.csr_matrix(parts, shape=(len(starts) - 1, number))
    counts.sum_duplicates()
    common = np.flatnonzero(np.bincount(counts.indices, minlength=number) >= minimum)
    return counts[:, common], common


def _frequent_pairs(
    words: PaperWords, stem_of_word: np.ndarray, stems: int, minimum: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the adjacent pairs that occur ``minimum`` times: ``first * stems + second``, sorted.

    Also each occurrence's number among them, and where the texts' occurrences begin, (n_texts + 1,).
    """
    is_second = np.zeros(len(stem_of_word) + 1, dtype=bool)
    is_second[1:-1] = np.diff(words.positions) == 1
    is_second[words.starts] = False
    second = np.flatnonzero(is_second).astype(np.int32)
    # Usually 32 bits, half the memory.
    pairs = stem_of_word[second - 1].astype(np.min_scalar_type(stems**2))
    pairs *= stems
    pairs += stem_of_word[second].astype(pairs.dtype)
    distinct, number = np.unique(pairs, return_counts=True)
    distinct = distinct[number >= minimum]
    place = np.searchsorted(distinct, pairs).astype(np.int32)
    kept = np.flatnonzero(np.append(distinct, pairs.dtype.type(stems**2))[place] == pairs)
    return distinct, place[kept], np.searchsorted(second[kept], words.starts)


def _smallest(numbers: np.ndarray) -> np.ndarray:
    return numbers.astype(np.min_scalar_type(numbers.max(initial=0)))


def _hash(text: str) -> int:
    # hash() differs between processes, and these are saved.
    return int.from_bytes(blake2b(text.encode(errors="replace"), digest_size=8).digest(), "big", signed=True)


def _evenly_spaced(count: int, maximum: int) -> np.ndarray:
    return np.unique(np.linspace(0, count - 1, min(count, maximum)).astype(int))
