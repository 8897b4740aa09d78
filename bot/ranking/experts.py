"""The experts: four models that each estimate how likely a reader is to want a paper, and what each term adds to that.

    words     the topics of the profile, those meant together above all; no votes (``words``)
    rocchio   similarity to these and to liked papers, minus disliked ones (``reader_models``); from the first vote
    linear    logistic regression on votes (``linear``); good from tens of votes
    trees     small trees on the presence of terms (``trees``): conjunctions and exceptions; from tens of votes

Each expert's log-odds are scaled by a function of the number of votes, so that one set of weights (``mixture``) serves
readers with few votes and with many. Without votes only the profile's words count; the trees come in last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse as sp

from bot.ranking.corpus import Corpus
from bot.ranking.learner import Learned
from bot.ranking.paper_terms import TermEntries
from bot.ranking.reader_models import ReaderModels
from bot.ranking.user_vectors import UserVectors
from bot.ranking.vectors import PaperVectors
from bot.ranking.words import Conjunctions, Words

EXPERTS = ("words", "rocchio", "linear", "trees")
# Numbers of votes at which an expert is scaled by one half. Those of Rocchio and the linear model were chosen with
# ``bench/learner.py``; what other values give is not recorded.
_ROCCHIO_HALF_AT = 4.0
# To Rocchio a disliked paper is worth this share of a liked one: what a reader doesn't want says little about what they
# want. With equal shares, one or two votes cost up to .02 AUC on the sample digests; now less than .01.
_ROCCHIO_DISLIKED = 0.2
_LINEAR_HALF_AT = 5.0
# Trees need the most votes, and then gain much: at 20 liked and 20 disliked papers of a library their scale is .06. By
# the square of the number of votes instead of its fourth power it was .2, which cost .001 of nDCG@20.
_TREES_HALF_AT = 80.0
_TREES_STEEPNESS = 4.0
# The scale of words without votes, where they stand in for all others, and with many: Rocchio knows the words, too.
# Half of the difference is gone at 3 votes as Rocchio counts them. With the number of all votes instead of the square
# of this one, words were too strong beside 50 papers of a library, whose nDCG@20 is .005 higher now; with the square of
# the number of all votes, readers of a stream who liked few papers lost up to .2 of the share shown. The scales are a
# convention: with the weight in ``mixture.SHIPPED`` they make 1 without votes and .04 with many.
_WORDS_ALONE = 5.0
_WORDS_LIMIT = 0.2
_WORDS_HALF_AT = 3.0
_WORDS_STEEPNESS = 2.0
# The limit of the scale of Rocchio with many votes, from which linear model and trees have learned most by then, and
# the number of votes at which half of the way is gone. Chosen as the numbers above; other values are not recorded.
_ROCCHIO_LIMIT = 0.3
_ROCCHIO_DECAY_AT = 40.0


@dataclass(frozen=True)
class Papers:
    """Papers as each expert sees them: ``vectors``, and ``lexical`` (n_papers, n_terms) rows of L2 norm 1."""

    vectors: PaperVectors
    lexical: sp.csr_matrix

    @classmethod
    def of(cls, corpus: Corpus, texts: Sequence[str]) -> Self:
        """Return the papers of these texts."""
        vectors = corpus.vectors(texts)
        return cls(vectors, corpus.lexical(vectors.terms).sorted_indices())

    def __len__(self) -> int:
        return len(self.vectors)

    def presence(self, columns: np.ndarray) -> np.ndarray:
        """Return (n_papers, n_columns) of 0 and 1: which papers have these terms."""
        present = self.lexical[:, columns].tocsr()
        present.data = np.ones(present.nnz, dtype=np.int8)
        return np.asarray(present.toarray())


class Experts:
    """All experts of a batch of readers."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def fit(
        self,
        users: UserVectors,
        judged: sp.csr_matrix,
        conjunctions: Conjunctions,
        learned: Sequence[Learned | None],
    ) -> Self:
        """Fit words and Rocchio; ``learned`` are the models fitted to each reader's votes, None without votes.

        ``judged`` (n_readers, n_background) marks the background papers that a reader voted on.
        """
        self._votes: np.ndarray = users.n_up + users.n_down
        self._rocchio_votes: np.ndarray = users.n_up + _ROCCHIO_DISLIKED * users.n_down
        self._learned = list(learned)
        self._words = Words(self.corpus).fit(users, conjunctions)
        self._rocchio = ReaderModels(self.corpus).fit(users, judged)
        self._scales = _scales(self._votes, self._rocchio_votes)
        return self

    def log_odds(self, papers: Papers) -> np.ndarray:
        """Return (n_readers, n_papers, n_experts)."""
        log_odds = np.zeros((len(self._votes), len(papers), len(EXPERTS)))
        log_odds[:, :, 0] = self._words.decision_function(papers.vectors)
        log_odds[:, :, 1] = self._rocchio.decision_function(papers.vectors)
        # Most terms of a reader's trees are those of others, too: their columns are read once for all.
        forests = [learned.forest.columns for learned in self._learned if learned]
        columns = np.unique(np.concatenate(forests)) if forests else np.array([], dtype=int)
        has = np.ascontiguousarray(papers.presence(columns).T)
        for reader, learned in enumerate(self._learned):
            if learned:
                presence = has[np.searchsorted(columns, learned.forest.columns)].T
                # A dense vector for each reader: one product of sparse matrices for all took nine times as long.
                weights = learned.linear.dense(len(self.corpus.terms_))
                log_odds[reader, :, 2] = papers.lexical @ weights
                log_odds[reader, :, 2] += learned.linear.intercept
                log_odds[reader, :, 3] = learned.forest.log_odds(presence)
        return np.asarray(log_odds * self._scales[:, None, :])

    def contributions(self, reader: int, entries: TermEntries, weights: np.ndarray) -> sp.csr_matrix:
        """Return (n_papers, n_terms): what each term adds to the weighted sum of the experts, without ``rest``."""
        weights = weights * self._scales[reader]
        added = self._words.contributions(reader, entries) * weights[0]
        added += self._rocchio.contributions(reader, entries) * weights[1]
        learned = self._learned[reader]
        if not learned:
            return entries.matrix(added)
        added += entries.lexical * learned.linear.dense(entries.terms)[entries.columns] * weights[2]
        # Trees split by the absence of terms, too: those terms are not among the paper's entries.
        columns = learned.forest.columns
        by_feature = learned.forest.contributions(entries.presence(columns)) * weights[3]
        papers, features = by_feature.nonzero()
        # Elements of one place are summed.
        places = (
            np.concatenate([entries.paper, papers]),
            np.concatenate([entries.columns, columns[features]]),
        )
        values = np.concatenate([added, by_feature[papers, features]])
        return sp.csr_matrix((values, places), shape=(entries.papers, entries.terms))

    def rest(self, reader: int, weights: np.ndarray) -> float:
        """Return the weighted sum of the experts' intercepts: the log-odds that no term accounts for."""
        weights = weights * self._scales[reader]
        rest = weights[0] * self._words.intercept_[reader] + weights[1] * self._rocchio.intercept_[reader]
        if learned := self._learned[reader]:
            rest += weights[2] * learned.linear.intercept + weights[3] * learned.forest.root
        return float(rest)


def _scales(votes: np.ndarray, rocchio_votes: np.ndarray) -> np.ndarray:
    """Return (n_readers, n_experts): the scale of each expert's log-odds, by numbers of votes (n_readers,)."""
    words = _WORDS_ALONE - (_WORDS_ALONE - _WORDS_LIMIT) * _share(
        rocchio_votes, _WORDS_HALF_AT, _WORDS_STEEPNESS
    )
    decay = 1 - (1 - _ROCCHIO_LIMIT) * _share(votes, _ROCCHIO_DECAY_AT)
    rocchio = decay * _share(rocchio_votes, _ROCCHIO_HALF_AT)
    linear = _share(votes, _LINEAR_HALF_AT)
    trees = _share(votes, _TREES_HALF_AT, _TREES_STEEPNESS)
    return np.stack([words, rocchio, linear, trees], axis=1)


def _share(votes: np.ndarray, half_at: float, steepness: float = 1.0) -> np.ndarray:
    """Return a share that rises with the number of votes from 0 to 1, one half at ``half_at`` (Hill function)."""
    return np.asarray(votes**steepness / (votes**steepness + half_at**steepness))
