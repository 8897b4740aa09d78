"""The experts: four models that each estimate how likely a reader is to want a paper, and what each term adds to that.

    words     the topics of the profile, those meant together above all; needs no votes
    rocchio   similarity to these and to liked papers, minus disliked ones; from the first vote
    linear    logistic regression on votes; good from tens of votes
    trees     small trees on the presence of terms: conjunctions and exceptions; from tens of votes

Each expert's log-odds are scaled by a function of the number of votes, so that one ``Mixture`` serves readers with few
votes and with many. Its weights are a logistic regression of the votes on the experts' predictions from before each
vote (stacking, Wolpert 1992). A reader's weights and offset are shrunk towards those fitted to all readers of the home,
and these towards the shipped ones (empirical Bayes): without votes a probability means the same in every home, and an
expert whose predictions don't help loses its weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.special import expit

from bot.ranking.corpus import Corpus, PaperVectors, TermEntries
from bot.ranking.learner import Learned
from bot.ranking.matching import Conjunctions, ReaderModels, UserVectors, Words

EXPERTS = ("words", "rocchio", "linear", "trees")
# Numbers of votes at which an expert is scaled by one half; ``docs/decisions/ranking-experts.md`` has other values.
_ROCCHIO_HALF_AT = 4.0
# To Rocchio a disliked paper is worth this share of a liked one: what a reader doesn't want says little about what they
# want.
_ROCCHIO_DISLIKED = 0.2
_LINEAR_HALF_AT = 5.0
# Trees need the most votes, and then gain much: they rise with the fourth power of the number of votes.
_TREES_HALF_AT = 80.0
_TREES_STEEPNESS = 4.0
# The scale of words without votes, where they stand in for all others, and with many: Rocchio knows the words, too.
# It falls with the square of the votes as Rocchio counts them. Times its weight in ``SHIPPED`` it is 1 and .04.
_WORDS_ALONE = 5.0
_WORDS_LIMIT = 0.2
_WORDS_HALF_AT = 3.0
_WORDS_STEEPNESS = 2.0
# The limit of the scale of Rocchio with many votes, from which linear model and trees have learned most by then, and
# the number of votes at which half of the fall is reached.
_ROCCHIO_LIMIT = 0.3
_ROCCHIO_DECAY_AT = 40.0


@dataclass(frozen=True)
class Papers:
    """Papers as each expert sees them: ``vectors``, and ``lexical`` (n_papers, n_terms) rows of L2 norm 1."""

    vectors: PaperVectors
    lexical: sp.csr_matrix

    @classmethod
    def from_texts(cls, corpus: Corpus, texts: Sequence[str]) -> Self:
        """Transform texts to papers."""
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
    """The experts of a batch of readers."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def fit(
        self, users: UserVectors, judged: sp.csr_matrix, conjunctions: Conjunctions, learned: Sequence[Learned | None]
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
                # A dense vector for each reader: one product of sparse matrices for all is slower.
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
        places = (np.concatenate([entries.paper, papers]), np.concatenate([entries.columns, columns[features]]))
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
    words = _WORDS_ALONE - (_WORDS_ALONE - _WORDS_LIMIT) * _share(rocchio_votes, _WORDS_HALF_AT, _WORDS_STEEPNESS)
    decay = 1 - (1 - _ROCCHIO_LIMIT) * _share(votes, _ROCCHIO_DECAY_AT)
    rocchio = decay * _share(rocchio_votes, _ROCCHIO_HALF_AT)
    linear = _share(votes, _LINEAR_HALF_AT)
    trees = _share(votes, _TREES_HALF_AT, _TREES_STEEPNESS)
    return np.stack([words, rocchio, linear, trees], axis=1)


def _share(votes: np.ndarray, half_at: float, steepness: float = 1.0) -> np.ndarray:
    """Rise with the number of votes from 0 to 1, one half at ``half_at`` (Hill function)."""
    return np.asarray(votes**steepness / (votes**steepness + half_at**steepness))


# Predictions used per reader, the newest: models get better and interests change.
RECENT = 120


@dataclass(frozen=True)
class Predictions:
    """Past predictions, oldest first: ``log_odds`` (n, n_experts) and the votes ``liked`` (n,).

    ``adjustments`` (n,) is what keywords, upvotes and excluded words added to the mixture; None for nothing.
    """

    log_odds: np.ndarray
    liked: np.ndarray
    adjustments: np.ndarray | None = None

    @classmethod
    def from_stored(cls, stored: Sequence[Sequence[float]], liked: Sequence[bool]) -> Self:
        """Take predictions stored as ``Score.predictions``, and the votes on them."""
        rows = np.array(stored, float).reshape(len(stored), -1)
        return cls(rows[:, :-1], np.array(liked, bool), rows[:, -1])

    def __len__(self) -> int:
        return len(self.liked)

    def recent(self) -> Predictions:
        """Return the newest ``RECENT`` predictions."""
        adjustments = None if self.adjustments is None else self.adjustments[-RECENT:]
        return Predictions(self.log_odds[-RECENT:], self.liked[-RECENT:], adjustments)


@dataclass(frozen=True)
class Mixture:
    """A paper's log-odds are ``log_odds weights + offset``; ``weights`` (n_experts,) are never negative."""

    weights: np.ndarray
    offset: float

    @classmethod
    def from_stored(cls, weights: Sequence[float], offset: float) -> Self:
        """Take the numbers of a ``StoredMixture``."""
        return cls(np.array(weights), offset)

    def log_odds(self, log_odds: np.ndarray) -> np.ndarray:
        """Map (..., n_experts) to (...)."""
        return np.asarray(log_odds @ self.weights + self.offset)


# Weights of words, rocchio, linear model and trees, see ``docs/decisions/ranking-mixture.md``.
SHIPPED = Mixture(np.array([0.2, 1.0, 0.5, 1.1]), 0.0)


class _Precision(NamedTuple):
    """Inverse variances of the normal priors of the weights and of the offset."""

    weights: float
    offset: float


# Of the home's coefficients around the shipped ones, and of a reader's around the home's: with the home's precision, a
# reader who dislikes most of the first ten papers may be shown none for weeks.
_HOME_PRECISION = _Precision(4.0, 1.0)
_READER_PRECISION = _Precision(8.0, 10.0)


def home_mixture(readers: Sequence[Predictions]) -> Mixture:
    """Fit to the newest predictions of all readers of a home."""
    recent = [predictions.recent() for predictions in readers]
    if not recent:
        return SHIPPED
    pooled = Predictions(
        np.concatenate([predictions.log_odds for predictions in recent]),
        np.concatenate([predictions.liked for predictions in recent]),
        np.concatenate([np.zeros(len(p)) if p.adjustments is None else p.adjustments for p in recent]),
    )
    return _maximum_a_posteriori(pooled, SHIPPED, _HOME_PRECISION)


def reader_mixture(predictions: Predictions, home: Mixture = SHIPPED) -> Mixture:
    """Fit to one reader's newest predictions."""
    return _maximum_a_posteriori(predictions.recent(), home, _READER_PRECISION)


def _maximum_a_posteriori(predictions: Predictions, prior: Mixture, precision: _Precision) -> Mixture:
    """Return the MAP estimate of the mixture; an expert of weight 0 in the prior keeps it."""
    if not len(predictions):
        return prior
    # Around the mean prediction a weight tells papers apart, and the offset alone says how many are liked. Uncentred,
    # dislikes raise the weight of the words, which lowers all matches: the experts' log-odds are far below zero.
    center = predictions.log_odds.mean(axis=0)
    X = np.column_stack([predictions.log_odds - center, np.ones(len(predictions))])
    mean = np.append(prior.weights, prior.log_odds(center))
    precisions = np.append(np.full(len(prior.weights), precision.weights), precision.offset)
    adjustments = 0 if predictions.adjustments is None else predictions.adjustments

    def loss(coefficients: np.ndarray) -> tuple[float, np.ndarray]:
        log_odds = X @ coefficients + adjustments
        deviation = coefficients - mean
        losses = np.logaddexp(0, log_odds) - predictions.liked * log_odds
        gradient = X.T @ (expit(log_odds) - predictions.liked) + precisions * deviation
        return float(losses.sum() + (precisions * deviation**2).sum() / 2), gradient

    # A negative weight would rank by the opposite of an expert: chance in few votes, and no reason could say it.
    bounds = [*((0, None if weight else 0) for weight in prior.weights.tolist()), (None, None)]
    best = minimize(loss, mean, jac=True, method="L-BFGS-B", bounds=bounds).x
    weights = best[:-1]
    return Mixture(weights, float(best[-1] - center @ weights))
