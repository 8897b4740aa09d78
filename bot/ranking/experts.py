"""The two experts, and the mixture that calibrates them.

    text      what the reader wrote, matched by phrases, by topics together, and by meaning; needs no votes
    votes     a logistic regression on the reader's votes, which knows how papers match the text, too

Both are linear in a paper's words (``LinearForm``), and so is their mixture: log-odds are a sum over words. Each
expert's log-odds are scaled by a function of the number of votes, so that one ``Mixture`` serves readers with few votes
and with many. Its weights are a logistic regression of the votes on the experts' predictions from before each vote
(stacking, Wolpert 1992). A reader's weights and offset are shrunk towards those fitted to all readers of the home, and
these towards the shipped ones (empirical Bayes): without votes a probability means the same in every home, and an
expert whose predictions don't help loses its weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from bot.ranking.corpus import Papers
from bot.ranking.learner import Learned
from bot.ranking.matching import FeatureWeights, MatchFeatures

EXPERTS = ("text", "votes")
# Log-odds of a match by the text alone, see ``docs/decisions/meaning.md``.
TEXT_WEIGHTS = FeatureWeights(phrases=0.24, together=3.3, refused=-2.4, meaning=1.45)
TEXT_INTERCEPT = -4.6
# The number of votes at which both experts count half.
_HALF_AT = 1.5


@dataclass(frozen=True)
class LinearForm:
    """Log-odds of papers: terms, meaning and matches, each times its weights, and the intercept.

    ``terms`` is (n_terms,) or None for zeros, ``direction`` (DIMENSIONS,).
    """

    terms: np.ndarray | None
    direction: np.ndarray | None
    matches: FeatureWeights
    intercept: float

    def log_odds(self, papers: Papers, matches: MatchFeatures) -> np.ndarray:
        """Return the log-odds of papers, (n_papers,)."""
        log_odds = matches.matrix() @ self.matches.vector() + self.intercept
        if self.terms is not None:
            log_odds += papers.terms @ self.terms
        if self.direction is not None:
            log_odds += papers.meanings @ self.direction
        return np.asarray(log_odds)


TEXT = LinearForm(None, None, TEXT_WEIGHTS, TEXT_INTERCEPT)


class Experts:
    """The experts of one reader."""

    def __init__(self, learned: Learned | None, votes: float, terms: int) -> None:
        """``votes`` is their number after time decay, ``terms`` the size of the vocabulary."""
        share = votes / (votes + _HALF_AT)
        self.scales = np.array([1 - share, share])
        self.votes = (
            LinearForm(learned.dense(terms), learned.direction, learned.matches, learned.intercept) if learned else None
        )

    def log_odds(self, papers: Papers, matches: MatchFeatures) -> np.ndarray:
        """Return (n_papers, n_experts), 0 for an expert that knows nothing yet."""
        votes = self.votes.log_odds(papers, matches) if self.votes else np.zeros(len(papers))
        return np.asarray(np.column_stack([TEXT.log_odds(papers, matches), votes]) * self.scales)

    def mixed(self, mixture: Mixture) -> LinearForm:
        """Return the mixture of the experts as one form."""
        text, votes = (mixture.weights * self.scales).tolist()
        matches = text * TEXT.matches.vector()
        intercept = text * TEXT.intercept + mixture.offset
        if self.votes is None:
            return LinearForm(None, None, FeatureWeights(*matches.tolist()), intercept)
        matches = matches + votes * self.votes.matches.vector()
        return LinearForm(
            None if self.votes.terms is None else votes * self.votes.terms,
            None if self.votes.direction is None else votes * self.votes.direction,
            FeatureWeights(*matches.tolist()),
            intercept + votes * self.votes.intercept,
        )


# Predictions used per reader, the newest: models get better and interests change.
RECENT = 60


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
        # An earlier version had other experts: its predictions say nothing of these.
        kept = [(row, vote) for row, vote in zip(stored, liked, strict=True) if len(row) == len(EXPERTS) + 1]
        rows = np.array([row for row, _ in kept], float).reshape(len(kept), len(EXPERTS) + 1)
        return cls(rows[:, :-1], np.array([vote for _, vote in kept], bool), rows[:, -1])

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
        """Take the numbers of a ``StoredMixture``; those of an earlier version's experts are not used."""
        return cls(np.array(weights), offset) if len(weights) == len(EXPERTS) else cls(SHIPPED.weights, SHIPPED.offset)

    def log_odds(self, log_odds: np.ndarray) -> np.ndarray:
        """Map (..., n_experts) to (...)."""
        return np.asarray(log_odds @ self.weights + self.offset)


# Weights of text and votes, see ``docs/decisions/meaning.md``.
SHIPPED = Mixture(np.array([1.0, 1.0]), 0.0)


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
