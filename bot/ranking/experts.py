"""The two experts, and the mixture that calibrates them.

    text      the reader's text, matched by phrases, topics together and meaning; needs no votes
    votes     a logistic regression: votes and background --learn--> Learned --dump--> bytes --load--> Learned

Both are linear in a paper's words (``LinearForm``). The number of votes scales their log-odds. The weights of a
``Mixture`` are a logistic regression of votes on earlier predictions (stacking, Wolpert 1992). They are shrunk from
reader to home to shipped ones (empirical Bayes).

The model of votes uses stems, bigrams, meaning, and matches of the text. Papers without a vote count as dislikes
(background). The text is one more liked paper, its refusals one more disliked paper.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.special import expit, logit

from bot.model import GOOD, STRONG, PaperId
from bot.ranking.corpus import Papers
from bot.ranking.matching import FeatureWeights, MatchFeatures
from bot.ranking.meaning import DIMENSIONS

EXPERTS = ("text", "votes")
# See ``docs/decisions/ranking.md``.
TEXT_WEIGHTS = FeatureWeights(phrases=0.24, together=3.3, refused=-2.4, meaning=1.45)
TEXT_INTERCEPT = -4.6
_HALF_AT = 1.5


@dataclass(frozen=True)
class LinearForm:
    """Weights of terms, meaning and matches, and an intercept.

    ``terms`` is (n_terms,) or None for zeros, ``direction`` (DIMENSIONS,).
    """

    terms: np.ndarray | None
    direction: np.ndarray | None
    matches: FeatureWeights
    intercept: float

    def log_odds(self, papers: Papers, matches: MatchFeatures) -> np.ndarray:
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
        """``votes`` are counted after time decay, ``terms`` is the size of the vocabulary."""
        share = votes / (votes + _HALF_AT)
        self.scales = np.array([1 - share, share])
        self.votes = (
            LinearForm(learned.dense(terms), learned.direction, learned.matches, learned.intercept) if learned else None
        )

    def log_odds(self, papers: Papers, matches: MatchFeatures) -> np.ndarray:
        """Return (n_papers, n_experts), 0 for an expert without votes."""
        votes = self.votes.log_odds(papers, matches) if self.votes else np.zeros(len(papers))
        return np.asarray(np.column_stack([TEXT.log_odds(papers, matches), votes]) * self.scales)

    def mixed(self, mixture: Mixture) -> LinearForm:
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


RECENT = 60
# In log-odds. Models improve with each vote, so papers of the same log-odds are liked more often.
_GAIN_OF_A_VOTE = 0.007


@dataclass(frozen=True)
class Predictions:
    """Past predictions, oldest first: ``log_odds`` (n, n_experts) and ``liked`` (n,).

    ``adjustments``, (n,) or a scalar, are the bonuses and excluded words added to the mixture.
    """

    log_odds: np.ndarray
    liked: np.ndarray
    adjustments: np.ndarray | float = 0.0

    @classmethod
    def from_stored(cls, stored: Sequence[Sequence[float]], liked: Sequence[bool]) -> Self:
        # Predictions of other experts don't fit.
        kept = [(row, vote) for row, vote in zip(stored, liked, strict=True) if len(row) == len(EXPERTS) + 1]
        rows = np.array([row for row, _ in kept], float).reshape(len(kept), len(EXPERTS) + 1)
        return cls(rows[:, :-1], np.array([vote for _, vote in kept], bool), rows[:, -1])

    def __len__(self) -> int:
        return len(self.liked)

    def recent(self) -> Predictions:
        """Return the newest ``RECENT`` predictions, adjusted to today's model."""
        votes_since = np.arange(len(self))[::-1]
        adjustments = self.adjustments - _GAIN_OF_A_VOTE * votes_since
        return Predictions(self.log_odds[-RECENT:], self.liked[-RECENT:], adjustments[-RECENT:])


@dataclass(frozen=True)
class Mixture:
    """A paper's log-odds are ``log_odds weights + offset``. ``weights`` (n_experts,) are never negative."""

    weights: np.ndarray
    offset: float

    @classmethod
    def from_stored(cls, weights: Sequence[float], offset: float) -> Self:
        """Convert a ``StoredMixture``, or return the shipped one for other experts."""
        return cls(np.array(weights), offset) if len(weights) == len(EXPERTS) else cls(SHIPPED.weights, SHIPPED.offset)

    def log_odds(self, log_odds: np.ndarray) -> np.ndarray:
        """Map (..., n_experts) to (...)."""
        return np.asarray(log_odds @ self.weights + self.offset)


SHIPPED = Mixture(np.array([1.0, 1.0]), 0.0)


class _Precision(NamedTuple):
    """Inverse variances of the normal priors of weights and offset."""

    weights: float
    offset: float


# With the home's wider prior, ten dislikes could empty a reader's editions for weeks.
_HOME_PRECISION = _Precision(4.0, 1.0)
_READER_PRECISION = _Precision(8.0, 10.0)


def home_mixture(readers: Sequence[Predictions]) -> Mixture:
    recent = [predictions.recent() for predictions in readers]
    if not recent:
        return SHIPPED
    pooled = Predictions(
        np.concatenate([predictions.log_odds for predictions in recent]),
        np.concatenate([predictions.liked for predictions in recent]),
        np.concatenate([np.atleast_1d(predictions.adjustments) for predictions in recent]),
    )
    return _maximum_a_posteriori(pooled, SHIPPED, _HOME_PRECISION)


def reader_mixture(predictions: Predictions, home: Mixture = SHIPPED) -> Mixture:
    return _maximum_a_posteriori(predictions.recent(), home, _READER_PRECISION)


def _maximum_a_posteriori(predictions: Predictions, prior: Mixture, precision: _Precision) -> Mixture:
    """Return the MAP estimate. An expert of weight 0 in the prior keeps it."""
    if not len(predictions):
        return prior
    # Uncentred, dislikes would raise the text's weight, because its log-odds are far below zero.
    center = predictions.log_odds.mean(axis=0)
    X = np.column_stack([predictions.log_odds - center, np.ones(len(predictions))])
    mean = np.append(prior.weights, prior.log_odds(center))
    precisions = np.append(np.full(len(prior.weights), precision.weights), precision.offset)

    def loss(coefficients: np.ndarray) -> tuple[float, np.ndarray]:
        log_odds = X @ coefficients + predictions.adjustments
        deviation = coefficients - mean
        losses = np.logaddexp(0, log_odds) - predictions.liked * log_odds
        gradient = X.T @ (expit(log_odds) - predictions.liked) + precisions * deviation
        return float(losses.sum() + (precisions * deviation**2).sum() / 2), gradient

    from scipy.optimize import minimize

    # A negative weight would rank by the opposite of an expert.
    bounds = [*((0, None if weight else 0) for weight in prior.weights.tolist()), (None, None)]
    best = minimize(loss, mean, jac=True, method="L-BFGS-B", bounds=bounds).x
    weights = best[:-1]
    return Mixture(weights, float(best[-1] - center @ weights))


# Days until a vote counts half. See ``docs/decisions/ranking.md``.
HALF_LIFE = 120.0
# At least, relative to the votes' total weight.
_BACKGROUND_WEIGHT = 0.3
# A dislike takes the place of this much background.
_BACKGROUND_OF_DISLIKE = 5.0
# The text weighs as much as this many papers.
_TEXT_WEIGHT = 0.3
_MEANING_SCALE = 0.5
_MATCH_SCALES = FeatureWeights(phrases=0.06, together=0.2, refused=-0.2, meaning=0.033)
# Many votes may double these scales, half of the way at this number.
_VOTES_FOR_MATCHES = 30.0
# Log-odds of enough background papers are scaled up to this standard deviation.
_LEAST_SPREAD = 0.7
_LEAST_BACKGROUND = 50
_MOST_STEEPER = 4.0
# Share of the background that may be a good match.
_MOST_GOOD = 0.05
_C = 6.0
# Mean change of the weights in the last step: log-odds are exact to .001.
_TOLERANCE = 1e-5


def time_decay(days: float) -> float:
    """Return the weight of a vote of this age, 1 today, never 0."""
    return float(0.5 ** (max(days, 0.0) / HALF_LIFE))


@dataclass(frozen=True)
class Learned:
    """A linear model: ``weights`` (n_columns,) of the terms in ``columns``, of meaning and of matches.

    ``direction`` is (DIMENSIONS,). ``vocabulary`` identifies the corpus.
    """

    columns: np.ndarray
    weights: np.ndarray
    direction: np.ndarray
    matches: FeatureWeights
    intercept: float
    vocabulary: int

    def dense(self, terms: int) -> np.ndarray:
        """Return the weights over the whole vocabulary, (n_terms,)."""
        weights = np.zeros(terms, dtype=np.float32)
        weights[self.columns] = self.weights
        return weights


@dataclass(frozen=True)
class Examples:
    """``terms`` (n, n_terms), ``meanings`` (n, DIMENSIONS) and ``MatchFeatures.matrix`` (n, 4) of papers."""

    terms: sp.csr_matrix
    meanings: np.ndarray
    matches: np.ndarray


@dataclass(frozen=True)
class TrainingVotes:
    """One reader's votes: ``papers``, ``liked`` (n,), and ``weight`` (n,) after time decay.

    ``written`` are the text's topics and refusals, and ``wanted`` (n_written,) marks the topics. Papers of the
    ``background`` count as disliked if ``unjudged`` (n_background,). ``titles`` are the background without abstracts,
    which votes for papers without abstract (``is_title``, (n,)) are compared with. It is None without such votes.
    """

    papers: Examples
    liked: np.ndarray
    weight: np.ndarray
    written: Examples
    wanted: np.ndarray
    background: Examples
    unjudged: np.ndarray
    is_title: np.ndarray
    titles: Examples | None


def learn(votes: TrainingVotes, vocabulary: int) -> Learned:
    """Fit to at least one vote. With papers of one class only, the model is 0 everywhere."""
    parts = [votes.papers, votes.written, votes.background, *([votes.titles] if votes.titles else [])]
    background = int(votes.unjudged.sum())
    classes = np.concatenate([votes.liked, votes.wanted, np.zeros(background, bool)])
    if classes.all() or not classes.any():  # a new home without background papers
        nothing = FeatureWeights(0.0, 0.0, 0.0, 0.0)
        return Learned(np.zeros(0, int), np.zeros(0, np.float32), np.zeros(DIMENSIONS), nothing, 0.0, vocabulary)
    total, down, of_titles = (float(votes.weight[of].sum()) for of in (slice(None), ~votes.liked, votes.is_title))
    # Without dislikes, the background stands for them.
    balance = max(_BACKGROUND_WEIGHT, 1 - _BACKGROUND_OF_DISLIKE * down / total)
    share = balance * votes.unjudged / max(background, 1)
    weight = [votes.weight, np.full(len(votes.wanted), _TEXT_WEIGHT), (total - of_titles) * share, of_titles * share]
    scales = _MATCH_SCALES.vector() * (1 + total / (total + _VOTES_FOR_MATCHES))
    features = _Features(parts, scales.astype(np.float32))
    own = len(votes.liked) + len(votes.wanted)
    liked = np.zeros(len(features), np.float32)
    liked[:own] = classes[:own]
    weights = _logistic_regression(features, liked, _C * np.concatenate(weight[: len(parts)]).astype(np.float32))
    terms, direction, matches, offset = features.split(weights)
    log_odds = (features @ weights - offset).astype(float)
    of_votes = log_odds[: len(votes.liked)]
    of_background = log_odds[own:][: len(votes.unjudged)][votes.unjudged]
    # After a few votes the penalty flattens the model, but its order is good.
    mean, steeper = 0.0, 1.0
    if background >= _LEAST_BACKGROUND and of_background.std():
        mean = float(of_background.mean())
        steeper = float(np.clip(_LEAST_SPREAD / of_background.std(), 1.0, _MOST_STEEPER))
    # A match means the same with a heavier background (prior correction, King and Zeng 2001).
    intercept = offset.item() + float(np.log(balance / _BACKGROUND_WEIGHT)) + mean - steeper * mean
    if background >= _LEAST_BACKGROUND:
        # Likes alone would make a third of all papers good matches. Few are, and liked ones are strong.
        by_text = votes.background.matches[votes.unjudged] @ TEXT.matches.vector() + TEXT.intercept
        good = min(_MOST_GOOD + 3 * float(np.mean(by_text >= logit(GOOD))), 1.0)
        highest = logit(GOOD) - steeper * float(np.quantile(of_background, 1 - good))
        lowest = logit(STRONG) - steeper * float(np.median(of_votes[votes.liked])) if votes.liked.any() else -np.inf
        intercept = min(intercept, max(highest, lowest))
    columns = np.flatnonzero(terms)
    return Learned(
        columns,
        (steeper * terms[columns]).astype(np.float32),
        (steeper * direction).astype(np.float32),
        FeatureWeights(*(steeper * matches.astype(float)).tolist()),
        intercept,
        vocabulary,
    )


class _Features:
    """All parts as one matrix of terms, scaled meaning, scaled matches and a column of ones.

    It is never built, because readers share the background.
    """

    def __init__(self, parts: Sequence[Examples], scales: np.ndarray) -> None:
        self._scales = scales
        self._parts = [(part.terms, part.meanings, part.matches.astype(np.float32)) for part in parts]
        self._transposed = [part.terms.T for part in parts]
        self._ends = np.cumsum([len(part.meanings) for part in parts])
        self._columns = np.cumsum([parts[0].terms.shape[1], DIMENSIONS, len(scales)])

    def __len__(self) -> int:
        return int(self._ends[-1])

    def split(self, weights: np.ndarray) -> list[np.ndarray]:
        """Return the weights of unscaled terms, meaning, matches and the ones."""
        terms, meaning, matches, ones = np.split(weights, self._columns)
        return [terms, _MEANING_SCALE * meaning, self._scales * matches, ones]

    @property
    def width(self) -> int:
        return int(self._columns[-1]) + 1

    def __matmul__(self, weights: np.ndarray) -> np.ndarray:
        """Return the product with (width,) in single precision, as the parts are."""
        weights = weights.astype(np.float32)
        of_terms, of_meanings, of_matches, of_ones = self.split(weights)
        products = [
            terms @ of_terms + meanings @ of_meanings + matches @ of_matches for terms, meanings, matches in self._parts
        ]
        return np.asarray(np.concatenate(products) + of_ones)

    def transposed(self, rows: np.ndarray) -> np.ndarray:
        """Return the product of the transposed matrix with (n,)."""
        total = np.zeros(self.width, np.float32)
        of_terms, of_meanings, of_matches, of_ones = np.split(total, self._columns)
        split = np.split(rows, self._ends[:-1])
        for (_, meanings, matches), terms, values in zip(self._parts, self._transposed, split, strict=True):
            of_terms += terms @ values
            of_meanings += _MEANING_SCALE * (values @ meanings)
            of_matches += self._scales * (values @ matches)
        of_ones += rows.sum()
        return total


def _logistic_regression(features: _Features, liked: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the weights with the least weighted loss and an L2 penalty of 1, by Newton's method.

    Liblinear would copy the background for each reader.
    """

    def loss(weights: np.ndarray) -> float:
        log_odds = features @ weights
        return float(weights @ weights / 2 + weight @ (np.logaddexp(0, log_odds) - liked * log_odds))

    def gradient(weights: np.ndarray) -> np.ndarray:
        return np.asarray(weights + features.transposed(weight * (expit(features @ weights) - liked)))

    def curvature_along(weights: np.ndarray, direction: np.ndarray) -> np.ndarray:
        probabilities = expit(features @ weights)
        curvature = weight * probabilities * (1 - probabilities)
        return np.asarray(direction + features.transposed(curvature * (features @ direction)))

    start = np.zeros(features.width, np.float32)
    result = minimize(
        loss, start, jac=gradient, hessp=curvature_along, method="Newton-CG", options={"xtol": _TOLERANCE}
    )
    return np.asarray(result.x, np.float32)


# Format, vocabulary, intercept, match weights, bytes of the columns, number of columns.
_HEADER = struct.Struct("<4sq5d2I")
_FORMAT = b"PBM3"
_VALUE = "<f4"


def dump(learned: Learned) -> bytes:
    """Return some 40 KB. Columns must be ascending."""
    is_used = np.zeros(int(learned.columns.max(initial=-1)) + 1, dtype=bool)
    is_used[learned.columns] = True
    columns = np.packbits(is_used).tobytes()
    numbers = (learned.intercept, *learned.matches.vector().tolist())
    header = _HEADER.pack(_FORMAT, learned.vocabulary, *numbers, len(columns), len(learned.columns))
    weights = np.concatenate([learned.weights, learned.direction]).astype(_VALUE)
    return header + columns + weights.tobytes()


def load(archive: bytes) -> Learned:
    """Return the model that ``dump`` wrote; raise ValueError for anything else."""
    try:
        version, vocabulary, intercept, *matches, size, terms = _HEADER.unpack_from(archive)
    except struct.error as error:
        raise ValueError(f"no stored model: {error}") from error
    if version != _FORMAT:
        raise ValueError(f"no stored model: format {version!r}, not {_FORMAT!r}")
    body = archive[_HEADER.size :]
    expected = size + (terms + DIMENSIONS) * np.dtype(_VALUE).itemsize
    if len(body) != expected:
        raise ValueError(f"no stored model: {len(body)} bytes, not {expected}")
    columns = np.flatnonzero(np.unpackbits(np.frombuffer(body[:size], np.uint8)))
    if len(columns) != terms:
        raise ValueError(f"no stored model: {len(columns)} columns, not {terms}")
    weights, direction = np.split(np.frombuffer(body[size:], _VALUE), [terms])
    return Learned(columns, weights, direction, FeatureWeights(*matches), intercept, vocabulary)


# A whole library weighs at most this many votes.
LIBRARY_VOTES = 150.0
# More make no better model.
MOST_PAPERS = 500
# A weight of 0 could not be raised.
_LEAST_DECAY = 1e-9


def library_weights(ages: Mapping[PaperId, float]) -> dict[PaperId, float]:
    """Return the weight of each paper of a library, at most 1. ``ages`` are in days.

    The weights sum to the number of papers, at most ``LIBRARY_VOTES``. Newer papers weigh more. A library doesn't fade.
    """
    newest = min(ages.values(), default=0.0)
    decays = {paper: max(time_decay(age - newest), _LEAST_DECAY) for paper, age in ages.items()}
    # From the newest on, each paper takes its share of the rest, at most 1.
    oldest_first = sorted(decays, key=decays.__getitem__)
    tails = list(accumulate(decays[paper] for paper in oldest_first))
    left = min(LIBRARY_VOTES, float(len(ages)))
    weights = {}
    for paper, tail in zip(reversed(oldest_first), reversed(tails), strict=True):
        weights[paper] = min(1.0, left * decays[paper] / tail)
        left -= weights[paper]
    return weights
