"""The experts: four models that each say how likely a reader is to want a paper, and what each term adds to that.

    words     how far the paper stands out by the words of the profile, whatever was voted
    rocchio   the same with liked and disliked papers (``reader_models``); good from the first vote
    linear    logistic regression on votes (``linear``); good from tens of votes
    trees     small trees on the presence of terms (``trees``): conjunctions and exceptions; from tens of votes

An expert that was fitted to n votes speaks the louder the more they are, n / (n + k) of its log-odds, so that one set
of weights (``mixture``) serves readers old and new. Whoever has not voted gets zeros from all but the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse as sp

from bot.ranking.corpus import Corpus
from bot.ranking.learner import Learned
from bot.ranking.reader_models import ReaderModels
from bot.ranking.taste import Tastes
from bot.ranking.vectors import PaperVectors

EXPERTS = ("words", "rocchio", "linear", "trees")
# Beside so many votes the last two speak half as loud as with any number.
_HALF_LOUD_AT = 20.0


@dataclass(frozen=True)
class Papers:
    """Papers as each expert sees them: ``vectors`` and ``lexical`` (n_papers, n_terms) rows of length 1."""

    vectors: PaperVectors
    lexical: sp.csr_matrix

    @classmethod
    def of(cls, corpus: Corpus, texts: Sequence[str]) -> Self:
        """These texts' papers."""
        vectors = corpus.vectors(texts)
        return cls(vectors, corpus.lexical(vectors.own))

    def __getitem__(self, rows: Sequence[int] | np.ndarray) -> Papers:
        return Papers(self.vectors[rows], self.lexical[rows])

    def __len__(self) -> int:
        return len(self.vectors)

    def presence(self, columns: np.ndarray) -> np.ndarray:
        """(n_papers, n_columns) of 0 and 1: which papers have these terms."""
        return np.asarray((self.lexical[:, columns] != 0).toarray(), dtype=np.int8)


class Experts:
    """All experts of a batch of readers."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def fit(self, tastes: Tastes, judged: sp.csr_matrix, learned: Sequence[Learned | None]) -> Self:
        """``judged`` (n_readers, n_background) marks the background papers that a reader voted on.

        ``learned`` are what was fitted to the readers' votes, None for those who have none.
        """
        self._votes: np.ndarray = tastes.n_up + tastes.n_down
        self._learned = list(learned)
        self._words = ReaderModels(self.corpus).fit(tastes.without_votes(), judged)
        self._rocchio = ReaderModels(self.corpus).fit(tastes, judged) if self._votes.any() else self._words
        terms = len(self.corpus.terms_)
        rows = [each.linear.row(terms) if each else sp.csr_matrix((1, terms)) for each in self._learned]
        self._linear: sp.csr_matrix = sp.vstack(rows, format="csr")
        return self

    def log_odds(self, papers: Papers) -> np.ndarray:
        """(n_readers, n_papers, n_experts)."""
        voted = self._votes > 0
        loud = self._loudness()
        said = np.zeros((len(self._votes), len(papers), len(EXPERTS)))
        said[:, :, 0] = self._words.decision_function(papers.vectors)
        said[voted, :, 1] = self._rocchio.decision_function(papers.vectors)[voted]
        said[:, :, 2] = loud[:, None] * (self._linear @ papers.lexical.T).toarray()
        for reader, learned in enumerate(self._learned):
            if learned:
                presence = papers.presence(learned.forest.columns)
                said[reader, :, 2] += loud[reader] * learned.linear.intercept
                said[reader, :, 3] = loud[reader] * learned.forest.log_odds(presence)
        return said

    def contributions(self, reader: int, papers: Papers, weights: np.ndarray) -> sp.csr_matrix:
        """(n_papers, n_terms): what each term adds to the weighted sum of the experts; ``rest`` is what is left."""
        terms = self._words.contributions(reader, papers.vectors) * weights[0]
        if self._votes[reader] > 0:
            terms = terms + self._rocchio.contributions(reader, papers.vectors) * weights[1]
        if learned := self._learned[reader]:
            loud = float(self._loudness()[reader])
            columns = learned.forest.columns
            by_term = learned.forest.contributions(papers.presence(columns))
            places = sp.csr_matrix(
                (np.ones(len(columns)), (np.arange(len(columns)), columns)), (len(columns), terms.shape[1])
            )
            linear = papers.lexical.multiply(self._linear[reader].toarray())
            terms = (
                terms + linear * (loud * weights[2]) + sp.csr_matrix(by_term) @ places * (loud * weights[3])
            )
        return sp.csr_matrix(terms)

    def rest(self, reader: int, weights: np.ndarray) -> float:
        """What the experts' weighted sum is without any term."""
        loud, learned = float(self._loudness()[reader]), self._learned[reader]
        return float(
            weights[0] * self._words.intercept_[reader]
            + (weights[1] * self._rocchio.intercept_[reader] if self._votes[reader] > 0 else 0)
            + (weights[2] * loud * learned.linear.intercept if learned else 0)
            + (weights[3] * loud * learned.forest.root if learned else 0)
        )

    def _loudness(self) -> np.ndarray:
        return self._votes / (self._votes + _HALF_LOUD_AT)
