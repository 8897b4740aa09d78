"""The readers' models, trained together: Rocchio's formula with what was measured to be better than it.

A reader's weights are interests + liked papers - disliked papers (Rocchio 1971), smoothed over co-occurring
words, minus the papers nobody liked that come closest (what a linear SVM would find as support vectors). A score
is linear in the words of a paper and of its nearest, so what each word adds to it is exact.
"""

from __future__ import annotations

from typing import Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from bot.ranking.corpus import Corpus
from bot.ranking.taste import Tastes
from bot.ranking.vectors import PaperVectors, shared_out, unit

# Beside no liked paper the interests weigh this much; beside n as much as that / (1 + n / 2) ** 0.8.
_INTERESTS_WORTH = 3.5
_INTERESTS_FADE_FROM = 2.0
_INTERESTS_FADE = 0.8
# Disliked papers weigh at most this, half of it at so many thumbs down: one dislike says little. From 0.3 to 0.8 the
# bench can't tell; a reader who presses a thumb down wants to see that it was heard.
_DISLIKES_WORTH = 0.6
_DISLIKES_HALVED_AT = 5.0
# How much of the weights is shared with words that papers use beside them.
_SMOOTHED = 1.0
# The closest hundredth of the background, beside thumbs, is the contrast: it comes close, and nobody asked for it.
_CLOSEST_OF = 100
_CONTRAST = 0.2


class ReaderModels(BaseEstimator):
    """One linear model a reader: a paper's log-odds are ``words words_ + latent latent_ + intercept_``.

    ``words_`` (n_readers, n_terms) and ``latent_`` (n_readers, n_directions) stay apart because scoring in
    few directions is cheap; ``contributions`` brings both together.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def fit(self, tastes: Tastes, judged: sp.csr_matrix) -> Self:
        """``judged`` (n_readers, n_background) marks the background papers that a reader has a thumb on.

        Without anything to go by all weights are 0, and the reader's papers score alike.
        """
        thumbs = tastes.n_up + tastes.n_down
        weights = _rocchio(tastes)
        self._take(weights)
        if self.corpus.background_.shape[0] >= _CLOSEST_OF and thumbs.any():
            self._take(weights - self._contrast(judged, thumbs))
        usual = self._values(self.corpus.everyday_)
        spread = usual.std(axis=1)
        slope, offset = calibration(self.corpus.rows_.shape[0])
        scale = (slope / np.where(spread > 0, spread, 1)).astype(np.float32)
        self.words_ *= scale[:, None]
        self.latent_ *= scale[:, None]
        self.intercept_: np.ndarray = offset - usual.mean(axis=1) * scale
        return self

    def decision_function(self, papers: PaperVectors) -> np.ndarray:
        """(n_readers, n_papers) log-odds that each reader wants each paper."""
        return np.asarray(self._values(papers) + self.intercept_[:, None])

    def contributions(self, reader: int, papers: PaperVectors) -> sp.csr_matrix:
        """(n_papers, n_terms): what each word of each paper adds; a row and the reader's intercept add up.

        What comes in through a near paper is shared out among the words that make it near.
        """
        others, place = np.unique(papers.near.indices, return_inverse=True)
        fitted = self.corpus.rows_[others]
        worth = np.asarray(self._by_words(reader, fitted).sum(axis=1)).ravel()
        shares = shared_out(papers.near).data / papers.near.data * worth[place]
        through = sp.csr_matrix((shares, place, papers.near.indptr), shape=(len(papers), len(others)))
        shared = unit(papers.own).multiply(through @ unit(fitted))
        return sp.csr_matrix(self._by_words(reader, papers.own) + shared)

    def _by_words(self, reader: int, rows: sp.csr_matrix) -> sp.csr_matrix:
        """(n, n_terms): what each word adds to the value of rows by themselves, the latent part carried back."""
        used, place = np.unique(rows.indices, return_inverse=True)
        components = self.corpus.components_[:, used]
        length = np.linalg.norm(self.corpus.latent(rows), axis=1)
        inverse = np.divide(1, length, out=np.zeros_like(length), where=length > 0)
        carried = (self.latent_[reader] @ components)[place] * np.repeat(inverse, np.diff(rows.indptr))
        weights = self.words_[reader, used][place] + carried
        return sp.csr_matrix((rows.data * weights, rows.indices, rows.indptr), shape=rows.shape)

    def _take(self, weights: sp.csr_matrix) -> None:
        self.words_: np.ndarray = weights.toarray()
        self.latent_: np.ndarray = _SMOOTHED * self.corpus.latent(weights)

    def _values(self, papers: PaperVectors) -> np.ndarray:
        return np.asarray((papers.words @ self.words_.T).T + self.latent_ @ papers.latent.T)

    def _contrast(self, judged: sp.csr_matrix, thumbs: np.ndarray) -> sp.csr_matrix:
        """(n_readers, n_terms): the mean of the closest unjudged papers, to be taken away.

        Closest by the papers' own words: they find papers as good for this as all of a score would.
        """
        background = self.corpus.background_
        values = np.asarray((background @ self.words_.T).T)
        values[judged.nonzero()] = -np.inf
        many = values.shape[1] // _CLOSEST_OF
        closest = np.argpartition(-values, many, axis=1)[:, :many]
        rows = np.repeat(np.arange(len(values)), many)
        chosen = sp.csr_matrix((np.ones(rows.size, np.float32), (rows, closest.ravel())), shape=values.shape)
        mean = unit((chosen @ background).tocsr())
        worth = _CONTRAST * thumbs / (thumbs + 1) * np.linalg.norm(self.words_, axis=1)
        return (sp.diags(worth.astype(np.float32)) @ mean).tocsr()


def _rocchio(tastes: Tastes) -> sp.csr_matrix:
    """(n_readers, n_terms): interests and liked papers, less the disliked ones."""
    worth = _INTERESTS_WORTH / (1 + tastes.n_up / _INTERESTS_FADE_FROM) ** _INTERESTS_FADE
    dislikes = _DISLIKES_WORTH * tastes.n_down / (tastes.n_down + _DISLIKES_HALVED_AT)
    together = sp.diags(worth) @ tastes.interests + tastes.up - sp.diags(dislikes) @ tastes.down
    return together.tocsr().astype(np.float32)


# How a value that stands z standard deviations above everyday papers is read: log-odds = offset + slope z.
# Fitted to all papers of forty-five days and what twelve readers like of them, by their sentences alone; readers differ
# by a third. A few hundred papers are a choice that somebody made already, of which a larger share is liked.
_SLOPE = 0.85
_FEW, _FEW_OFFSET = 200, -2.6
_MANY, _MANY_OFFSET = 5_000, -4.6


def calibration(papers: int) -> tuple[float, float]:
    """Slope and offset for a background of so many papers, between few and many by its logarithm."""
    ends = np.log((_FEW, _MANY)), (_FEW_OFFSET, _MANY_OFFSET)
    return _SLOPE, float(np.interp(np.log(max(papers, 1)), *ends))
