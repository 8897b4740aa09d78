"""The readers' models, trained together: Rocchio's formula with what was measured to be better than it.

A reader's weights are interests + liked papers - disliked papers (Rocchio 1971), smoothed over co-occurring
words, minus the papers nobody liked that come closest (the support vectors of a linear SVM, for a thousandth
of its cost). Everything is linear in the words of a paper, so what each word adds to a score is exact.
"""

from __future__ import annotations

from typing import Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from bot.ranking.corpus import Corpus, unit
from bot.ranking.taste import Tastes

# Beside no liked paper the interests weigh this much; beside n as much as that / (1 + n / 2) ** 0.8.
_INTERESTS_WORTH = 3.5
_INTERESTS_FADE_FROM = 2.0
_INTERESTS_FADE = 0.8
# Disliked papers weigh at most this, half of it at so many thumbs down: one dislike says little.
_DISLIKES_WORTH = 0.6
_DISLIKES_HALVED_AT = 10.0
# How much of the weights is shared with words that papers use beside them.
_SMOOTHED = 0.5
# The closest hundredth of the background, beside thumbs, is the contrast: it comes close, and nobody asked for it.
_CLOSEST_OF = 100
_CONTRAST = 0.2


class ReaderModels(BaseEstimator):
    """One linear model a reader: log-odds of a row x are ``x words_ + latent(x) latent_ + intercept_``.

    ``words_`` (n_readers, n_terms) and ``latent_`` (n_readers, n_directions) stay apart because scoring in
    few directions is cheap; ``coef_`` brings both together.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def fit(self, tastes: Tastes, judged: sp.csr_matrix) -> Self:
        """``judged`` (n_readers, n_background) marks the background papers that a reader has a thumb on.

        Without anything to go by all weights are 0, and the reader's papers score alike.
        """
        thumbs = tastes.n_up + tastes.n_down
        known = _rocchio(tastes)
        self.words_: np.ndarray = known.toarray()
        self.latent_: np.ndarray = self.corpus.latent(known) * (_SMOOTHED * self.corpus.evening_)
        if self.corpus.background_.shape[0] >= _CLOSEST_OF and thumbs.any():
            self.words_ -= self._contrast(judged, thumbs).toarray()
        usual = self._usual()
        spread = usual.std(axis=1)
        slope, offset = calibration(usual.shape[1])
        scale = (slope / np.where(spread > 0, spread, 1)).astype(np.float32)
        self.words_ *= scale[:, None]
        self.latent_ = self.latent_ * scale[:, None]
        self.intercept_ = offset - usual.mean(axis=1) * scale
        return self

    def decision_function(self, X: sp.csr_matrix, latent: np.ndarray) -> np.ndarray:
        """(n_readers, n_papers) log-odds that each reader wants each paper; ``latent`` is the corpus's of X."""
        return np.asarray(self._values(X, latent) + self.intercept_[:, None])

    def coef(self, reader: int, terms: np.ndarray | slice = slice(None)) -> np.ndarray:
        """(n_terms,): what a word of value 1 adds to the reader's log-odds, the latent part carried back.

        With ``terms``, for these columns only.
        """
        carried = self.latent_[reader] @ self.corpus.components_[:, terms]
        return np.asarray(self.words_[reader, terms] + carried)

    def contributions(self, reader: int, X: sp.csr_matrix) -> sp.csr_matrix:
        """(n_papers, n_terms): what each word adds; a row and the reader's intercept add up to its log-odds."""
        used, place = np.unique(X.indices, return_inverse=True)
        return sp.csr_matrix((X.data * self.coef(reader, used)[place], X.indices, X.indptr), shape=X.shape)

    def _values(self, X: sp.csr_matrix, latent: np.ndarray) -> np.ndarray:
        return np.asarray((X @ self.words_.T).T + self.latent_ @ latent.T)

    def _usual(self) -> np.ndarray:
        """(n_readers, n_background): the values of everyday papers, that a score is read against."""
        return self._values(self.corpus.background_, self.corpus.background_latent_)

    def _contrast(self, judged: sp.csr_matrix, thumbs: np.ndarray) -> sp.csr_matrix:
        """(n_readers, n_terms): the mean of the closest unjudged papers, to be taken away."""
        values = self._usual()
        values[judged.nonzero()] = -np.inf
        many = values.shape[1] // _CLOSEST_OF
        closest = np.argpartition(-values, many, axis=1)[:, :many]
        rows = np.repeat(np.arange(len(values)), many)
        chosen = sp.csr_matrix((np.ones(rows.size, np.float32), (rows, closest.ravel())), shape=values.shape)
        mean = unit((chosen @ self.corpus.background_).tocsr())
        worth = _CONTRAST * thumbs / (thumbs + 1) * np.linalg.norm(self.words_, axis=1)
        return (sp.diags(worth.astype(np.float32)) @ mean).tocsr()


def _rocchio(tastes: Tastes) -> sp.csr_matrix:
    """(n_readers, n_terms): interests and liked papers, less the disliked ones."""
    worth = _INTERESTS_WORTH / (1 + tastes.n_up / _INTERESTS_FADE_FROM) ** _INTERESTS_FADE
    dislikes = _DISLIKES_WORTH * tastes.n_down / (tastes.n_down + _DISLIKES_HALVED_AT)
    together = sp.diags(worth) @ tastes.interests + tastes.up - sp.diags(dislikes) @ tastes.down
    return together.tocsr().astype(np.float32)


# How a value that stands z standard deviations above everyday papers is read: log-odds = offset + slope z.
# For thousands of papers measured, the same at every number of thumbs; a few hundred papers are a choice that
# somebody made already, of which a larger share is wanted.
_FEW, _FEW_SLOPE, _FEW_OFFSET = 200, 1.2, -2.4
_MANY, _MANY_SLOPE, _MANY_OFFSET = 5_000, 0.3, -4.5


def calibration(papers: int) -> tuple[float, float]:
    """Slope and offset for a background of so many papers, between few and many by its logarithm."""
    slope, offset = (
        float(np.interp(np.log(max(papers, 1)), np.log((_FEW, _MANY)), ends))
        for ends in ((_FEW_SLOPE, _MANY_SLOPE), (_FEW_OFFSET, _MANY_OFFSET))
    )
    return slope, offset
