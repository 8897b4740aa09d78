"""Vectors of meaning: texts on the same subject are close, whatever words they use.

``vectors.npy``, made by ``bench/vectors.py``, has a vector of norm 1 for each of 16,000 stems. A text's vector is the
sum of its stems' vectors, weighted by log frequency and idf. A title counts again, at half weight. New words get
vectors from the home's papers. Pairs of characters in scripts without spaces get random vectors.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

import numpy as np
import scipy.sparse as sp

from bot.text.spaceless import is_spaceless
from bot.text.tokens import StemSequence

TABLE = Path(__file__).with_name("vectors.npy")
DIMENSIONS = 400
REFERENCES = 256
# A byte holds two dimensions of 15 steps each.
STEPS = 7
_TITLE_WEIGHT = 0.5
# The table's document frequencies weigh as much as this many papers.
_TABLE_PAPERS = 2_000
_MOST_WORDS = 4_000
_LEAST_PAPERS = 2
# At a time. The vectors of the words of 20,000 papers would take 200 MB.
_PAPERS = 250
# 16 MB.
_MOST_PHRASES = 10_000


def word_hash(word: str) -> int:
    """Hash a stem to 32 bits (feature hashing, Weinberger 2009)."""
    return zlib.crc32(word.encode(errors="replace"))


@dataclass(frozen=True)
class PaperWords:
    """The words of n papers, one paper after another.

    ``words`` (n_words,) are hashes, ``positions`` (n_words,) places as in ``StemSequence``. Papers begin at ``starts``
    (n + 1,), titles first. ``titles`` (n,) counts their words.
    """

    words: np.ndarray
    positions: np.ndarray
    starts: np.ndarray
    titles: np.ndarray

    @classmethod
    def from_sequences(cls, sequences: Sequence[StemSequence]) -> Self:
        return cls(
            np.fromiter((word_hash(stem) for sequence in sequences for stem in sequence.stems), np.uint32),
            np.fromiter((place for sequence in sequences for place in sequence.positions), np.int32),
            np.cumsum([0, *(len(sequence.stems) for sequence in sequences)]),
            np.array([sequence.title for sequence in sequences], dtype=np.int32),
        )

    @classmethod
    def concatenate(cls, parts: Iterable[PaperWords]) -> Self:
        parts = list(parts)
        counts = np.concatenate([np.diff(part.starts) for part in parts])
        return cls(
            np.concatenate([part.words for part in parts]),
            np.concatenate([part.positions for part in parts]),
            np.concatenate([[0], np.cumsum(counts)]),
            np.concatenate([part.titles for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.titles)

    def __getitem__(self, rows: Sequence[int] | np.ndarray) -> PaperWords:
        rows = np.asarray(rows, dtype=int)
        counts = np.diff(self.starts)[rows]
        ends = np.cumsum(counts)
        places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(self.starts[rows] - (ends - counts), counts)
        starts = np.concatenate([[0], ends]).astype(int)
        return PaperWords(self.words[places], self.positions[places], starts, self.titles[rows])

    def only(self, kept: np.ndarray) -> PaperWords:
        """Return the words that a mask (n_words,) keeps, with their positions."""
        papers, in_title = self.papers, self.in_title
        starts = np.concatenate([[0], np.cumsum(np.bincount(papers[kept], minlength=len(self)))])
        titles = np.bincount(papers[kept & in_title], minlength=len(self)).astype(np.int32)
        return PaperWords(self.words[kept], self.positions[kept], starts, titles)

    @property
    def are_titles(self) -> np.ndarray:
        """Which papers have no abstract, (n,)."""
        return np.asarray(np.diff(self.starts) == self.titles)

    @property
    def papers(self) -> np.ndarray:
        """The paper of each word, (n_words,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @property
    def in_title(self) -> np.ndarray:
        """Which words are in a title, (n_words,)."""
        counts = np.diff(self.starts)
        places = np.arange(len(self.words)) - np.repeat(self.starts[:-1], counts)
        return np.asarray(places < np.repeat(self.titles, counts))


@dataclass(frozen=True)
class Composition:
    """A paper's vector: ``coefficients`` (n_stems,) times ``vectors`` (n_stems, DIMENSIONS)."""

    stems: Sequence[str]
    coefficients: np.ndarray
    vectors: np.ndarray

    def along(self, direction: np.ndarray) -> np.ndarray:
        """Return each stem's part of the product with a direction (DIMENSIONS,)."""
        return np.asarray(self.coefficients * (self.vectors @ direction))


class Meaning:
    """The vectors of the table, and of words that only the home has.

    ``words`` (n_words,) are sorted hashes, and ``papers`` (n_words,) their document frequencies among ``count``.
    ``own`` (n_own,) are sorted hashes with ``own_vectors`` (n_own, DIMENSIONS). ``pairs`` are hashes of pairs of
    characters.
    """

    def __init__(
        self,
        words: np.ndarray,
        papers: np.ndarray,
        count: int,
        own: np.ndarray,
        own_vectors: np.ndarray,
        *,
        pairs: Iterable[int] = (),
    ) -> None:
        self.words, self.papers_with, self.count = words, papers, count
        self.own, self.own_vectors = own, own_vectors
        self.pairs = set(pairs)
        self._phrases: dict[Sequence[str], np.ndarray] = {}

    @classmethod
    def learn(cls, papers: PaperWords, pairs: Iterable[int] = ()) -> Self:
        """Learn document frequencies and à la carte vectors (Khodak 2018) from a home's papers.

        A new word's vector is a linear map, from the table, of its papers' mean vector. ``pairs`` get none, because
        they would all be the same.
        """
        words = np.unique(papers.words)
        places = np.searchsorted(words, papers.words).astype(np.int32)
        presence = sp.csr_matrix((np.ones(len(places), bool), places, papers.starts), (len(papers), len(words)))
        presence.sum_duplicates()
        counts = np.bincount(presence.indices, minlength=len(words))
        nothing = cls(words, counts, len(papers), *_NO_WORDS, pairs=pairs)
        table = shipped()
        unknown = (_places(table["hash"], words) < 0) & (counts >= _LEAST_PAPERS) & ~nothing.are_pairs(words)
        chosen = np.flatnonzero(unknown)
        chosen = np.sort(chosen[np.argsort(-counts[chosen], kind="stable")][:_MOST_WORDS])
        if not len(chosen):
            return nothing
        presence = presence[:, chosen].astype(np.float32).T.tocsr()
        vectors = nothing.papers(papers)
        contexts = presence @ vectors / counts[chosen][:, None] - table["mean"]
        own = _unit(contexts @ table["map"].astype(np.float32)).astype(np.float16)
        return cls(words, counts, len(papers), words[chosen], own, pairs=pairs)

    def hashes(self, stems: Iterable[str]) -> np.ndarray:
        """Return (n_stems,), and store which are pairs of characters."""
        stems = list(stems)
        self.pairs.update(pair_hashes(stems))
        return np.array(list(map(word_hash, stems)), dtype=np.uint32)

    def are_pairs(self, words: np.ndarray) -> np.ndarray:
        """Return (n_words,)."""
        if not self.pairs:
            return np.zeros(len(words), dtype=bool)
        return np.array([word in self.pairs for word in words.tolist()], dtype=bool)

    def papers(self, papers: PaperWords) -> np.ndarray:
        """Return (n, DIMENSIONS) of norm 1, or 0 for a paper without a known word."""
        vectors = np.empty((len(papers), DIMENSIONS), dtype=np.float32)
        for start in range(0, len(papers), _PAPERS):
            rows = np.arange(start, min(start + _PAPERS, len(papers)))
            part = papers[rows]
            words, place = np.unique(part.words, return_inverse=True)
            weights, of_words = self._weights(words), self.vectors(words)
            shape = (len(part), len(words))
            whole = _frequencies(part.papers, place, shape)
            titles = _frequencies(part.papers[part.in_title], place[part.in_title], shape)
            text = _unit(whole.multiply(weights).tocsr() @ of_words)
            vectors[rows] = _unit(text + _TITLE_WEIGHT * _unit(titles.multiply(weights).tocsr() @ of_words))
        return vectors

    def composition(self, sequence: StemSequence) -> Composition:
        stems = list(dict.fromkeys(sequence.stems))
        hashes = self.hashes(stems)
        weights, vectors = self._weights(hashes), self.vectors(hashes)
        place = {stem: number for number, stem in enumerate(stems)}
        numbers = np.array([place[stem] for stem in sequence.stems], dtype=int)
        rows = np.zeros(len(numbers), dtype=int)
        whole = _frequencies(rows, numbers, (1, len(stems))).toarray()[0] * weights
        title = _frequencies(rows[: sequence.title], numbers[: sequence.title], (1, len(stems))).toarray()[0] * weights
        coefficients = whole / _norm(whole @ vectors) + _TITLE_WEIGHT * title / _norm(title @ vectors)
        return Composition(stems, coefficients / _norm(coefficients @ vectors), vectors)

    def text(self, stems: Iterable[str]) -> np.ndarray:
        """Return (DIMENSIONS,) of norm 1, or 0 without a known word."""
        hashes = self.hashes(stems)
        words, counts = np.unique(hashes, return_counts=True)
        weights = (1 + np.log(counts)) * self._weights(words)
        return np.asarray(_unit((weights @ self.vectors(words))[None])[0])

    def phrase(self, stems: tuple[str, ...]) -> np.ndarray:
        if stems not in self._phrases:
            if len(self._phrases) >= _MOST_PHRASES:
                self._phrases.clear()
            self._phrases[stems] = self.text(stems)
        return self._phrases[stems]

    def idf(self, words: np.ndarray, of_table: int = _TABLE_PAPERS) -> np.ndarray:
        """Return inverse document frequencies of hashed words, from the home and so many papers of the table."""
        table = shipped()
        place = _places(table["hash"], words)
        share = np.where(place >= 0, np.exp(-table["idf"][place].astype(float)), 0.25 / _TABLE_PAPERS)
        return np.asarray(np.log((of_table + self.count) / (of_table * share + self.frequencies(words))))

    def frequencies(self, words: np.ndarray) -> np.ndarray:
        """Return how many of the home's papers have each hashed word, (n_words,)."""
        own = _places(self.words, words)
        return np.asarray(np.where(own >= 0, self.papers_with[own] if len(self.words) else 0, 0))

    def vectors(self, words: np.ndarray) -> np.ndarray:
        """Return (n_words, DIMENSIONS), 0 for unknown words."""
        table = shipped()
        vectors = np.zeros((len(words), DIMENSIONS), dtype=np.float32)
        place = _places(table["hash"], words)
        known = np.flatnonzero(place >= 0)
        codes = table["codes"][place[known]]
        steps = np.stack([codes >> 4, codes & 15], axis=2).reshape(len(known), DIMENSIONS)
        vectors[known] = (steps.astype(np.float32) - STEPS) * table["step"][place[known], None]
        own = _places(self.own, words)
        is_own = np.flatnonzero((own >= 0) & (place < 0))
        vectors[is_own] = self.own_vectors[own[is_own]]
        if (are_pairs := self.are_pairs(words)).any():
            # Fixed random vectors of about norm 1 (Kanerva 2000).
            pairs = words[are_pairs].astype(np.int64)
            first, second = _index_tables()
            vectors[are_pairs] = first[pairs & (2**_INDEX_BITS - 1)] + second[pairs >> (32 - _INDEX_BITS)]
        return vectors

    def _weights(self, words: np.ndarray) -> np.ndarray:
        return self.idf(words).astype(np.float32)


def pair_hashes(stems: Iterable[str]) -> set[int]:
    return {word_hash(stem) for stem in stems if is_spaceless(stem)}


# Two pairs share a row once in 4,096 times.
_INDEX_BITS = 12


@cache
def _index_tables() -> np.ndarray:
    rows = np.random.default_rng(0).standard_normal((2, 2**_INDEX_BITS, DIMENSIONS), dtype=np.float32)
    return np.asarray(rows / np.sqrt(2 * DIMENSIONS))


_NO_WORDS = (np.zeros(0, np.uint32), np.zeros((0, DIMENSIONS), np.float16))


@cache
def shipped() -> np.ndarray:
    """Return the memory-mapped table, see ``pack`` in ``bench/vectors.py``."""
    return np.asarray(np.load(TABLE, mmap_mode="r"))


def rarity(stem: str) -> float:
    """Return a stem's inverse document frequency (natural logarithm) in the table."""
    return float(Meaning.learn(PaperWords.from_sequences([])).idf(np.array([word_hash(stem)], dtype=np.uint32))[0])


def _places(ordered: np.ndarray, words: np.ndarray) -> np.ndarray:
    """Return each word's place in a sorted array, -1 if missing."""
    if not len(ordered):
        return np.full(len(words), -1)
    place = np.minimum(np.searchsorted(ordered, words), len(ordered) - 1)
    return np.where(ordered[place] == words, place, -1)


def _frequencies(papers: np.ndarray, words: np.ndarray, shape: tuple[int, int]) -> sp.csr_matrix:
    counts = sp.csr_matrix((np.ones(len(words), np.float32), (papers, words)), shape=shape)
    counts.data = 1 + np.log(counts.data)
    return counts


def _unit(rows: np.ndarray) -> np.ndarray:
    norm = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.divide(rows, norm, out=np.zeros_like(rows), where=norm > 0))


def _norm(vector: np.ndarray) -> float:
    return float(np.linalg.norm(vector)) or 1.0
