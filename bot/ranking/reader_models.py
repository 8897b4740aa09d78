"""Readers' linear models, trained in a few matrix products: Rocchio relevance feedback with hard negatives.

A reader's weights are interests + liked papers - disliked papers (Rocchio 1971), rare terms raised, smoothed over
latent components (LSA), minus the closest papers without a vote: hard negatives, which a linear SVM would find as
support vectors. A score is linear in the terms of a paper and of its neighbours, so what each term adds to it is exact.
"""

from __future__ import annotations

from typing import Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from bot.ranking.corpus import Corpus
from bot.ranking.paper_terms import TermEntries
from bot.ranking.user_vectors import UserVectors
from bot.ranking.vectors import PaperVectors, l2_normalize

# The figures here are nDCG@20 of this expert on readers' libraries, by ``bench/constants.py libraries``; the
# standard error of a difference is .002 to .005.
#
# The weight of the interests without liked papers; beside n liked papers it is divided by (1 + n / 2) ** 0.8. At 5+5
# votes half and twice the weight lose .008 and .001, half and twice the exponent .002 and .018, n and n / 4 .001.
_INTERESTS_WEIGHT = 3.5
_INTERESTS_DECAY_FROM = 2.0
_INTERESTS_DECAY = 0.8
# The power of the idf by which a reader's terms are weighed, beside the idf in the rows of their papers: to share a
# rare term says more. Without it, 479 readers lose .003, .002, .002 and .002 (standard error .001 to .002) at 0, 1+1,
# 5+5 and 20+20 votes; with the idf itself 200 readers lose .001, .003 (5+5) and 0. In the expert of words it cost .001
# to .004 of mean average precision on profiles of one sentence.
_RARITY_EXPONENT = 0.5
# The largest weight of disliked papers, half of it at 5 votes: a single dislike says little. Weights from 0 to 0.6 are
# within .001 at 5+5 votes, and .6 loses .003 at 20+20; without any, a vote down would have no effect here. Half of it
# at 2.5 or 10 votes: within .001.
_DISLIKES_WEIGHT = 0.3
_DISLIKES_HALF_AT = 5.0
# The weight of the latent components beside the terms; half and twice of it are within .003.
_LATENT_WEIGHT = 1.0
# The closest hundredth of the background without a vote are the hard negatives; the closest fiftieth and the closest
# two-hundredth are within .003. Without them it loses .004 at 5+5 votes and .014 at 20+20, with half their weight .005
# at 20+20, with twice .008 to .009. A LinearSVC over all papers, added, gained 3 % more at a hundred times the cost.
_HARD_NEGATIVE_ONE_IN = 100
_HARD_NEGATIVES_WEIGHT = 0.2
# Log-odds of a value z standard deviations above the reference sample: offset + slope * z. Fitted to all papers of
# 45 days and the likes of 12 readers, by their sentences alone; readers differ by a third. The script of that fit is
# not kept; the mixture's weight and offset absorb a factor and a constant that all readers share.
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
            # Hard negatives: the mean of the closest papers without a vote is subtracted. Closest by the papers' own
            # terms: with the whole score instead, nDCG@20 was within .003.
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
