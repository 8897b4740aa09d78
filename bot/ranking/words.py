"""The expert of the profile's words: similarity to its topics, and how many of them a paper covers.

Similarity alone ranks a paper that repeats one topic above a paper that has two of three. So coverage is added: the
share of the topics' terms that the paper has, squared, so that two topics count more than the sum of each. By the
sentence alone, twelve readers' mean average precision over 45 days rose from .467 to .485, and of the papers of two
"LLM-RL" digests 15 and 19 came among the first 30, not 10 and 18.
"""

from __future__ import annotations

from typing import Self

import numpy as np
import scipy.sparse as sp

from bot.ranking.corpus import Corpus
from bot.ranking.reader_models import ReaderModels, calibration
from bot.ranking.user_vectors import UserVectors
from bot.ranking.vectors import PaperVectors, l2_normalize
from bot.terms import profile_topics

# A bigram is more specific than its words: it counts double in coverage.
_PAIR_WEIGHT = 2.0
# The weight of coverage beside similarity, both in standard deviations of the reference sample.
_COVERAGE_WEIGHT = 0.7


class Words:
    """The words of each reader's profile, over one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def fit(self, users: UserVectors, judged: sp.csr_matrix, covered: sp.csr_matrix) -> Self:
        """``covered`` (n_readers, n_terms) is what each term adds to the share covered; a row sums to 1 or 0."""
        self.similarity_ = ReaderModels(self.corpus).fit(users.without_votes(), judged)
        self.covered_ = covered
        slope, offset = calibration(self.corpus.rows_.shape[0])
        coverage = self._coverage(self.corpus.reference_) ** 2
        spread = coverage.std(axis=1)
        # Division by infinity gives 0: a reader whose topics no reference paper has gets no coverage.
        self.coverage_scale_: np.ndarray = _COVERAGE_WEIGHT * slope / np.where(spread > 0, spread, np.inf)
        similarity = self.similarity_.decision_function(self.corpus.reference_)
        reference = similarity + self.coverage_scale_[:, None] * coverage
        spread = reference.std(axis=1)
        self.slope_: np.ndarray = slope / np.where(spread > 0, spread, slope)
        self.offset_: np.ndarray = offset - self.slope_ * reference.mean(axis=1)
        self.intercept_: np.ndarray = self.offset_ + self.slope_ * self.similarity_.intercept_
        return self

    def decision_function(self, papers: PaperVectors) -> np.ndarray:
        """Return (n_readers, n_papers) log-odds."""
        coverage = self.coverage_scale_[:, None] * self._coverage(papers) ** 2
        total = self.similarity_.decision_function(papers) + coverage
        return np.asarray(self.slope_[:, None] * total + self.offset_[:, None])

    def contributions(self, reader: int, papers: PaperVectors) -> sp.csr_matrix:
        """Return (n_papers, n_terms): what each term adds.

        The square of the coverage is distributed over the terms in proportion to their part of the coverage.
        """
        by_term = _presence(papers.terms).multiply(self.covered_[reader].toarray()).tocsr()
        scale = self.coverage_scale_[reader] * np.asarray(by_term.sum(axis=1)).ravel()
        similarity = self.similarity_.contributions(reader, papers)
        return sp.csr_matrix((similarity + sp.diags(scale) @ by_term) * self.slope_[reader])

    def _coverage(self, papers: PaperVectors) -> np.ndarray:
        """Return (n_readers, n_papers): the share of the topics' terms that a paper has, 0 to 1."""
        return np.asarray((_presence(papers.terms) @ self.covered_.T).toarray().T)


def topics_row(corpus: Corpus, text: str) -> tuple[sp.csr_matrix, sp.csr_matrix]:
    """Return a text's topics as a row of L2 norm 1, and what each term adds to the share covered; (1, n_terms) both.

    Both are zeros where no topic is in the vocabulary.
    """
    topics = np.zeros(len(corpus.terms_), np.float32)
    covered = np.zeros(len(corpus.terms_))
    for topic in profile_topics(text):
        columns, pairs = corpus.columns(topic.terms)
        if not len(columns):
            continue
        rarity = corpus.idf_[columns]
        # Each topic has norm 1 before the sum, so that a topic of many words doesn't outweigh a topic of one.
        row = rarity * corpus.term_weights_[columns]
        topics[columns] += row / np.linalg.norm(row)
        share = rarity * np.where(pairs, _PAIR_WEIGHT, 1)
        covered[columns] += rarity.mean() * share / share.sum()
    return l2_normalize(sp.csr_matrix(topics)), sp.csr_matrix(covered / max(covered.sum(), 1e-9))


def _presence(rows: sp.csr_matrix) -> sp.csr_matrix:
    return sp.csr_matrix((np.ones_like(rows.data), rows.indices, rows.indptr), shape=rows.shape)
