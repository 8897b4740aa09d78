"""User vectors: what readers want, as sparse rows. Interests, liked and disliked papers of many readers at once.

Readers' linear models, trained in a few matrix products: Rocchio relevance feedback with hard negatives.

A reader's weights are interests + liked papers - disliked papers (Rocchio 1971), rare terms raised, smoothed over
latent components (LSA), minus the closest papers without a vote: hard negatives, which a linear SVM would find as
support vectors. A score is linear in the terms of a paper and of its neighbours, so what each term adds to it is exact.

How much the papers of a reader's own library count beside votes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from bot.model import PaperId
from bot.ranking.corpus import Corpus, PaperVectors, TermEntries, l2_normalize

# Days after which a vote counts half: interests drift, but slowly. A convention: no data at hand spans years.
HALF_LIFE = 365.0


@dataclass(frozen=True, slots=True)
class UserVectors:
    """One row per reader in each matrix, (n_readers, n_terms), of L2 norm 1 or 0.

    ``n_up`` and ``n_down`` (n_readers,) are the numbers of votes behind ``up`` and ``down``, after time decay.
    """

    interests: sp.csr_matrix
    up: sp.csr_matrix
    down: sp.csr_matrix
    n_up: np.ndarray
    n_down: np.ndarray


def centroids(
    rows: sp.csr_matrix, owner: Sequence[int], weight: Sequence[float] | np.ndarray, readers: int
) -> sp.csr_matrix:
    """Return (readers, n_terms): for each reader the weighted sum of the rows they own, L2-normalised."""
    shape = (readers, rows.shape[0])
    weights = sp.csr_matrix((np.asarray(weight, np.float32), (owner, np.arange(rows.shape[0]))), shape=shape)
    return l2_normalize((weights @ rows).tocsr())


def time_decay(days: float) -> float:
    """Return the weight of a vote given this many days ago: 1 today, never 0."""
    return float(0.5 ** (max(days, 0.0) / HALF_LIFE))


# What other values give is in ``docs/decisions/ranking-rocchio.md``.
#
# The weight of the interests without liked papers; beside n liked papers it is divided by (1 + n / 2) ** 0.8.
_INTERESTS_WEIGHT = 3.5
_INTERESTS_DECAY_FROM = 2.0
_INTERESTS_DECAY = 0.8
# The power of the idf by which a reader's terms are weighed, beside the idf in the rows of their papers: to share a
# rare term says more.
_RARITY_EXPONENT = 0.5
# The largest weight of disliked papers, half of it at 5 votes: a single dislike says little, but without any weight a
# vote down would have no effect here.
_DISLIKES_WEIGHT = 0.3
_DISLIKES_HALF_AT = 5.0
# The weight of the latent components beside the terms.
_LATENT_WEIGHT = 1.0
# The closest hundredth of the background without a vote are the hard negatives.
_HARD_NEGATIVE_ONE_IN = 100
_HARD_NEGATIVES_WEIGHT = 0.2
# Log-odds of a value z standard deviations above the reference sample: offset + slope * z. The mixture's weight and
# offset absorb a factor and a constant that all readers share.
_SLOPE = 0.85
# A few hundred papers were selected by somebody already, and a larger share of them is liked.
_SMALL_CORPUS = 200
_SMALL_CORPUS_OFFSET = -2.6
_LARGE_CORPUS = 5_000
_LARGE_CORPUS_OFFSET = -4.6


class ReaderModels(BaseEstimator):
    """One linear model per reader: log-odds are ``expanded terms_ + latent latent_ + intercept_``.

    ``terms_`` (n_readers, n_terms) and ``latent_`` (n_readers, n_components) stay separate because scoring in few
    components is cheap; ``contributions`` maps both to terms.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def fit(self, users: UserVectors, judged: sp.csr_matrix) -> Self:
        """``judged`` (n_readers, n_background) marks the background papers that a reader voted on.

        A reader without interests and votes has weights of 0: all papers get the same score.
        """
        votes = users.n_up + users.n_down
        interests = _INTERESTS_WEIGHT / (1 + users.n_up / _INTERESTS_DECAY_FROM) ** _INTERESTS_DECAY
        dislikes = _DISLIKES_WEIGHT * users.n_down / (users.n_down + _DISLIKES_HALF_AT)
        rocchio = sp.diags(interests) @ users.interests + users.up - sp.diags(dislikes) @ users.down
        weights = rocchio.tocsr().astype(np.float32)
        weights.data *= self.corpus.idf_[weights.indices] ** _RARITY_EXPONENT
        self._set_weights(weights)
        if self.corpus.background_.shape[0] >= _HARD_NEGATIVE_ONE_IN and votes.any():
            # Hard negatives: the mean of the papers without a vote that are closest by their own terms is subtracted.
            background = self.corpus.background_
            values = np.asarray((background @ self.terms_.T).T)
            values[judged.nonzero()] = -np.inf
            count = values.shape[1] // _HARD_NEGATIVE_ONE_IN
            closest = np.argpartition(-values, count, axis=1)[:, :count]
            rows = np.repeat(np.arange(len(values)), count)
            entries = (np.ones(rows.size, np.float32), (rows, closest.ravel()))
            mean = l2_normalize((sp.csr_matrix(entries, shape=values.shape) @ background).tocsr())
            decrease = _HARD_NEGATIVES_WEIGHT * votes / (votes + 1) * np.linalg.norm(self.terms_, axis=1)
            self._set_weights(weights - (sp.diags(decrease.astype(np.float32)) @ mean).tocsr())
        reference = self._values(self.corpus.reference_)
        spread = reference.std(axis=1)
        slope, offset = calibration(self.corpus.rows_.shape[0])
        scale = (slope / np.where(spread > 0, spread, 1)).astype(np.float32)
        self.terms_ *= scale[:, None]
        self.latent_ *= scale[:, None]
        self.intercept_: np.ndarray = offset - reference.mean(axis=1) * scale
        return self

    def fit_interests(self, interests: sp.csr_matrix, weight: float, intercept: float) -> Self:
        """Take interests (n_readers, n_terms), rows of L2 norm 1, as the weights; the same scale in every home."""
        self._set_weights((interests * weight).tocsr().astype(np.float32))
        self.intercept_ = np.full(interests.shape[0], intercept)
        return self

    def decision_function(self, papers: PaperVectors) -> np.ndarray:
        """Return (n_readers, n_papers) log-odds that each reader wants each paper."""
        return np.asarray(self._values(papers) + self.intercept_[:, None])

    def contributions(self, reader: int, entries: TermEntries) -> np.ndarray:
        """Return (n_entries,): what each term of each paper adds; a paper's sum and the intercept are the log-odds."""
        return entries.contributions(self.terms_[reader], self.latent_[reader])

    def _set_weights(self, weights: sp.csr_matrix) -> None:
        self.terms_: np.ndarray = weights.toarray()
        self.latent_: np.ndarray = _LATENT_WEIGHT * self.corpus.latent(weights)

    def _values(self, papers: PaperVectors) -> np.ndarray:
        return np.asarray((papers.expanded @ self.terms_.T).T + self.latent_ @ papers.latent.T)


def calibration(papers: int) -> tuple[float, float]:
    """Return slope and offset for a corpus of ``papers``, interpolated in the logarithm of its size."""
    sizes = np.log((_SMALL_CORPUS, _LARGE_CORPUS))
    offsets = (_SMALL_CORPUS_OFFSET, _LARGE_CORPUS_OFFSET)
    return _SLOPE, float(np.interp(np.log(max(papers, 1)), sizes, offsets))


# What a whole library weighs at most, in votes of today: to the experts' scales, the linear model and the trees.
LIBRARY_VOTES = 20.0
# The same in the centroid of liked papers, whose error is smallest if each of them weighs the same.
_CENTROID_VOTES = 100.0
# Papers of a library that are ranked by, those added last: more make no better centroid, and each batch of readers
# transforms them.
MOST_PAPERS = 500


def library_weights(ages: Mapping[PaperId, float]) -> dict[PaperId, float]:
    """Return the factor on the weight of each paper of a library; ``ages`` are in days.

    Relative to the paper added last: the same library gives the same factors on any later day, and fades as a whole.
    """
    newest = min(ages.values(), default=0.0)
    total = sum(time_decay(age - newest) for age in ages.values())
    return dict.fromkeys(ages, min(1.0, LIBRARY_VOTES / total) if total else 1.0)


def centroid_weight(weight: float) -> float:
    """Return the weight in the centroid of liked papers that goes with the factor of ``library_weights``; 1 for 1."""
    return min(1.0, weight * _CENTROID_VOTES / LIBRARY_VOTES)
