"""The experts: four models that each say how likely a reader is to want a paper, and what each term adds to that.

    words     how far the paper stands out by the topics of the profile, whatever was voted (``words``)
    rocchio   likeness to these and to liked papers, less disliked ones (``reader_models``); from the first vote
    linear    logistic regression on votes (``linear``); good from tens of votes
    trees     small trees on the presence of terms (``trees``): conjunctions and exceptions; from tens of votes

How much of its log-odds an expert says follows the number of votes, so that one set of weights (``mixture``) serves
readers old and new: without votes the profile's words say all; of the others trees say nothing the longest.
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
from bot.ranking.words import Words

EXPERTS = ("words", "rocchio", "linear", "trees")
# Beside so many votes an expert says half of what it does at last. Trees need the most: with 20 liked and 20 disliked
# papers of a library, trees that said two thirds cost a tenth of nDCG@20.
_LINEAR_HALF_AT, _TREES_HALF_AT = 5.0, 80.0
# Until then the profile's words say what Rocchio will: so many times what they say by themselves.
_ROCCHIO_HALF_AT, _ROCCHIO_BESIDE_WORDS = 6.0, 4.0
# What words and Rocchio still say of theirs beside many votes, which have told the others most of it by then.
_WORDS_AT_LAST, _WORDS_HALF_AT = 0.3, 40.0


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

    def fit(
        self,
        tastes: Tastes,
        judged: sp.csr_matrix,
        covered: sp.csr_matrix,
        learned: Sequence[Learned | None],
    ) -> Self:
        """``judged`` (n_readers, n_background) marks the background papers that a reader voted on.

        ``covered`` (n_readers, n_terms) is ``topics_row``'s. ``learned`` are what was fitted to the readers' votes,
        None for those who have none.
        """
        self._votes: np.ndarray = tastes.n_up + tastes.n_down
        self._learned = list(learned)
        self._words = Words(self.corpus).fit(tastes, judged, covered)
        self._rocchio = ReaderModels(self.corpus).fit(tastes, judged)
        terms = len(self.corpus.terms_)
        rows = [each.linear.row(terms) if each else sp.csr_matrix((1, terms)) for each in self._learned]
        self._linear: sp.csr_matrix = sp.vstack(rows, format="csr")
        return self

    def log_odds(self, papers: Papers) -> np.ndarray:
        """(n_readers, n_papers, n_experts)."""
        shares = self._shares()
        said = np.zeros((len(self._votes), len(papers), len(EXPERTS)))
        said[:, :, 0] = self._words.decision_function(papers.vectors)
        said[:, :, 1] = self._rocchio.decision_function(papers.vectors)
        said[:, :, 2] = (self._linear @ papers.lexical.T).toarray()
        for reader, learned in enumerate(self._learned):
            if learned:
                presence = papers.presence(learned.forest.columns)
                said[reader, :, 2] += learned.linear.intercept
                said[reader, :, 3] = learned.forest.log_odds(presence)
        return np.asarray(said * shares[:, None, :])

    def contributions(self, reader: int, papers: Papers, weights: np.ndarray) -> sp.csr_matrix:
        """(n_papers, n_terms): what each term adds to the weighted sum of the experts; ``rest`` is what is left."""
        weights = weights * self._shares()[reader]
        terms = self._words.contributions(reader, papers.vectors) * weights[0]
        terms = terms + self._rocchio.contributions(reader, papers.vectors) * weights[1]
        if learned := self._learned[reader]:
            columns = learned.forest.columns
            by_term = sp.csr_matrix(learned.forest.contributions(papers.presence(columns)))
            places = sp.csr_matrix(
                (np.ones(len(columns)), (np.arange(len(columns)), columns)), (len(columns), terms.shape[1])
            )
            linear = papers.lexical.multiply(self._linear[reader].toarray())
            terms = terms + linear * weights[2] + by_term @ places * weights[3]
        return sp.csr_matrix(terms)

    def rest(self, reader: int, weights: np.ndarray) -> float:
        """What the experts' weighted sum is without any term."""
        weights, learned = weights * self._shares()[reader], self._learned[reader]
        rest = weights[0] * self._words.intercept_[reader] + weights[1] * self._rocchio.intercept_[reader]
        if learned:
            rest += weights[2] * learned.linear.intercept + weights[3] * learned.forest.root
        return float(rest)

    def _shares(self) -> np.ndarray:
        """(n_readers, n_experts): how much of its log-odds each expert says."""
        votes = self._votes
        words = _WORDS_AT_LAST + (1 - _WORDS_AT_LAST) * _WORDS_HALF_AT / (votes + _WORDS_HALF_AT)
        linear = votes / (votes + _LINEAR_HALF_AT)
        trees = votes**2 / (votes**2 + _TREES_HALF_AT**2)
        rocchio = votes / (votes + _ROCCHIO_HALF_AT)
        return np.stack(
            [words * (1 + _ROCCHIO_BESIDE_WORDS * (1 - rocchio)), words * rocchio, linear, trees], axis=1
        )
