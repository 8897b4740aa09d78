"""The expert of the profile's words: similarity to its topics, and whether a paper has topics that are meant together.

Similarity alone ranks a paper that repeats one topic above a paper with both of "reinforcement learning for language
models". So a conjunction is added: the product of the shares that the paper has of each two topics of one segment.
``tests/bench/words.py`` has the figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Self

import numpy as np
import scipy.sparse as sp

from bot.ranking.corpus import Corpus
from bot.ranking.reader_models import ReaderModels, calibration
from bot.ranking.user_vectors import UserVectors
from bot.ranking.vectors import PaperVectors, l2_normalize
from bot.terms import profile_topics

# A bigram is more specific than its words: it counts double in a topic's share.
_PAIR_WEIGHT = 2.0
# What a paper with all of the conjunctions gains, in standard deviations of the similarity over the reference sample.
_CONJUNCTION_WEIGHT = 4.0


@dataclass(frozen=True)
class Conjunctions:
    """Topics that are meant together, of many readers, as signed squares.

    The sum of the products of each two of a segment's shares is half of (the square of their sum minus the sum of their
    squares). ``sums`` (n_squares, n_terms) gives what is squared from the presence of terms, ``factors`` (n_readers,
    n_squares) its factor: a paper with all terms of all topics has 1.
    """

    sums: sp.csr_matrix
    factors: sp.csr_matrix

    @classmethod
    def of(cls, corpus: Corpus, texts: Sequence[str], owners: Sequence[int], readers: int) -> Self:
        """Return the conjunctions of the profiles' ``texts``, the mean over the texts of each owner."""
        rows: list[sp.csr_matrix] = [sp.csr_matrix((0, len(corpus.terms_)))]
        factors: list[tuple[int, float]] = []
        for text, owner in zip(texts, owners, strict=True):
            squares = _squares(corpus, text)
            complete = sum(sign * row.sum() ** 2 for sign, row in squares)
            rows += [row for _, row in squares]
            factors += [(owner, sign / complete / owners.count(owner)) for sign, _ in squares]
        owner_of = np.array([owner for owner, _ in factors], dtype=int)
        values = np.array([factor for _, factor in factors])
        places = (owner_of, np.arange(len(factors)))
        return cls(sp.vstack(rows, format="csr"), sp.csr_matrix((values, places), (readers, len(factors))))

    def shares(self, papers: PaperVectors) -> np.ndarray:
        """Return (n_readers, n_papers), 0 to 1: how far a paper has the topics that are meant together."""
        sums = (self.sums @ _presence(papers.terms).T).toarray()
        return np.asarray(self.factors @ sums**2)

    def contributions(self, reader: int, papers: PaperVectors) -> sp.csr_matrix:
        """Return (n_papers, n_terms), rows of which sum to the shares: a square is divided like its sum."""
        present = _presence(papers.terms)
        factors = self.factors[reader]
        own = self.sums[factors.indices]
        weights = (present @ own.T).multiply(factors.data).tocsr()
        return present.multiply(weights @ own).tocsr()


class Words:
    """The words of each reader's profile, over one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def fit(self, users: UserVectors, judged: sp.csr_matrix, conjunctions: Conjunctions) -> Self:
        """Fit similarity, and the scale of both; ``judged`` is (n_readers, n_background)."""
        self.similarity_ = ReaderModels(self.corpus).fit(users.without_votes(), judged)
        self.conjunctions_ = conjunctions
        slope, offset = calibration(self.corpus.rows_.shape[0])
        self.conjunction_scale_ = _CONJUNCTION_WEIGHT * slope
        reference = self._sum(self.corpus.reference_)
        spread = reference.std(axis=1)
        self.slope_: np.ndarray = slope / np.where(spread > 0, spread, slope)
        self.offset_: np.ndarray = offset - self.slope_ * reference.mean(axis=1)
        self.intercept_: np.ndarray = self.offset_ + self.slope_ * self.similarity_.intercept_
        return self

    def decision_function(self, papers: PaperVectors) -> np.ndarray:
        """Return (n_readers, n_papers) log-odds."""
        return np.asarray(self.slope_[:, None] * self._sum(papers) + self.offset_[:, None])

    def contributions(self, reader: int, papers: PaperVectors) -> sp.csr_matrix:
        """Return (n_papers, n_terms): what each term adds."""
        together = self.conjunction_scale_ * self.conjunctions_.contributions(reader, papers)
        similarity = self.similarity_.contributions(reader, papers)
        return sp.csr_matrix((similarity + together) * self.slope_[reader])

    def _sum(self, papers: PaperVectors) -> np.ndarray:
        """Return (n_readers, n_papers): similarity and conjunctions, before they are brought to log-odds."""
        together = self.conjunction_scale_ * self.conjunctions_.shares(papers)
        return np.asarray(self.similarity_.decision_function(papers) + together)


def topics_row(corpus: Corpus, text: str) -> sp.csr_matrix:
    """Return a text's topics as a row (1, n_terms) of L2 norm 1; zeros where no topic is in the vocabulary."""
    topics = np.zeros(len(corpus.terms_), np.float32)
    for topic in profile_topics(text):
        columns, _ = corpus.columns(topic.terms)
        if len(columns):
            # Each topic has norm 1 before the sum, so that a topic of many words doesn't outweigh a topic of one.
            row = corpus.idf_[columns] * corpus.term_weights_[columns]
            topics[columns] += row / np.linalg.norm(row)
    return l2_normalize(sp.csr_matrix(topics))


def _squares(corpus: Corpus, text: str) -> list[tuple[float, sp.csr_matrix]]:
    """Return for each segment of several topics 1 and its topics' summed shares, and for each topic -1 and its share.

    A share is a row (1, n_terms) whose sum over a paper's terms is the topic's mean idf if the paper has them all.
    """
    squares: list[tuple[float, sp.csr_matrix]] = []
    for _, segment in groupby(profile_topics(text), key=lambda topic: topic.segment):
        shares = []
        used: set[int] = set()
        for topic in segment:
            columns, pairs = corpus.columns(topic.terms)
            # A word of two topics counts for the first alone: "model" is no conjunction with itself.
            first = np.array([column not in used for column in columns.tolist()], dtype=bool)
            columns = columns[first]
            if not len(columns):
                continue
            used.update(columns.tolist())
            rarity = corpus.idf_[columns].astype(float)
            share = rarity * np.where(pairs[first], _PAIR_WEIGHT, 1)
            share *= rarity.mean() / share.sum()
            places = (np.zeros(len(columns), dtype=int), columns)
            shares.append(sp.csr_matrix((share, places), (1, len(corpus.terms_))))
        if len(shares) > 1:
            squares.append((1.0, sp.csr_matrix(sum(shares[1:], shares[0]))))
            squares += [(-1.0, share) for share in shares]
    return squares


def _presence(rows: sp.csr_matrix) -> sp.csr_matrix:
    return sp.csr_matrix((np.ones_like(rows.data), rows.indices, rows.indptr), shape=rows.shape)
