"""The model that is fitted to a reader's votes: one logistic regression over words, meaning, and what was written.

    votes and background --learn--> Learned --dump--> bytes --load--> Learned

A paper's features are its row of terms (stems and bigrams), its vector of meaning, and how it matches the profile's
text by phrases, topics together, refusals, and meaning: so how much the text counts beside the votes follows from the
votes. A vote has weight 1 with time decay; earlier papers without a vote are added as disliked ones (background); the
profile's text is one more liked paper, and what it refuses one more disliked one: votes on the same words outweigh it.

The bytes are arrays, never a pickle, which could run code: a header with vocabulary, intercept and lengths, the columns
of the terms as a bit for each term of the vocabulary, and the weights.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from bot.model import PaperId
from bot.ranking.matching import FeatureWeights
from bot.ranking.meaning import DIMENSIONS

# ``docs/decisions/meaning.md`` has other values. Days after which a vote counts half: interests drift.
HALF_LIFE = 120.0
# Papers without a vote, and their weight in sum, as a share of that of the votes.
BACKGROUND = 1_000
_BACKGROUND_WEIGHT = 0.3
# The weight of the text, in papers.
_TEXT_WEIGHT = 0.3
# The scale of the features beside the terms: of the meaning, and of what the text matches.
_MEANING_SCALE = 0.5
_MATCH_SCALES = FeatureWeights(phrases=0.06, together=0.2, refused=-0.2, meaning=0.033)
# The least standard deviation of the log-odds of the background, if it has so many papers; the most they are raised.
_LEAST_SPREAD = 0.7
_LEAST_BACKGROUND = 50
_MOST_STEEPER = 4.0
# Inverse strength of the L2 penalty.
_C = 6.0
# A hundred times the default: three steps of Newton's method instead of five, at no measured difference.
_TOLERANCE = 0.01


def time_decay(days: float) -> float:
    """Return the weight of a vote given this many days ago: 1 today, never 0."""
    return float(0.5 ** (max(days, 0.0) / HALF_LIFE))


@dataclass(frozen=True)
class Learned:
    """A linear model: ``weights`` (n_columns,) of the terms in ``columns``, and those of meaning and matches.

    ``direction`` is (DIMENSIONS,); ``vocabulary`` is the identity of the corpus that it was fitted over.
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
    """Papers to learn from: ``terms`` (n, n_terms), ``meanings`` (n, DIMENSIONS) and ``matches`` (n, 4).

    ``matches`` is as ``MatchFeatures.matrix`` gives it.
    """

    terms: sp.csr_matrix
    meanings: np.ndarray
    matches: np.ndarray


@dataclass(frozen=True)
class TrainingVotes:
    """One reader's votes: ``papers``, ``liked`` (n,), and ``weight`` (n,) after time decay.

    ``written`` are what the reader wants and refuses by the profile's text, and ``wanted`` (n_written,) which is which;
    ``background`` are papers without a vote.
    """

    papers: Examples
    liked: np.ndarray
    weight: np.ndarray
    written: Examples
    wanted: np.ndarray
    background: Examples


def learn(votes: TrainingVotes, vocabulary: int) -> Learned:
    """Fit to at least one vote.

    Papers of one class only teach nothing: the model is then 0 for every paper.
    """
    parts = [votes.papers, votes.background, votes.written]
    background = len(votes.background.meanings)
    liked = np.concatenate([votes.liked, np.zeros(background, bool), votes.wanted])
    share = _BACKGROUND_WEIGHT * votes.weight.sum() / max(background, 1)
    weight = np.concatenate([votes.weight, np.full(background, share), np.full(len(votes.wanted), _TEXT_WEIGHT)])
    if liked.all() or not liked.any():  # a home so new that it has no background papers beside those liked
        nothing = FeatureWeights(0.0, 0.0, 0.0, 0.0)
        return Learned(np.zeros(0, int), np.zeros(0, np.float32), np.zeros(DIMENSIONS), nothing, 0.0, vocabulary)
    rows = sp.vstack([part.terms for part in parts], format="csr")
    # Without the columns of zeros, which get a weight of 0 anyway: votes use few of the vocabulary's terms.
    columns = np.flatnonzero(np.bincount(rows.indices, minlength=rows.shape[1]))
    place = np.zeros(rows.shape[1], dtype=np.int32)
    place[columns] = np.arange(len(columns))
    compact = sp.csr_matrix((rows.data, place[rows.indices], rows.indptr), (rows.shape[0], len(columns)))
    scales = _MATCH_SCALES.vector()
    meanings = _MEANING_SCALE * np.concatenate([part.meanings for part in parts])
    matches = scales * np.concatenate([part.matches for part in parts])
    features = sp.hstack([compact, sp.csr_matrix(meanings), sp.csr_matrix(matches)], format="csr")
    # liblinear takes a fifth of the time of the default solver here.
    model = LogisticRegression(C=_C, solver="liblinear", tol=_TOLERANCE).fit(features, liked, weight)
    weights = model.coef_.ravel()
    of_background = features[len(votes.liked) : len(votes.liked) + background] @ weights
    # A few votes leave a flat model, as the penalty outweighs them; in order it is as good as a steeper one.
    mean, steeper = 0.0, 1.0
    if background >= _LEAST_BACKGROUND and of_background.std():
        mean = float(of_background.mean())
        steeper = float(np.clip(_LEAST_SPREAD / of_background.std(), 1.0, _MOST_STEEPER))
    intercept = float(model.intercept_[0]) + mean - steeper * mean
    terms, direction, of_matches = np.split(steeper * weights, [len(columns), len(columns) + DIMENSIONS])
    return Learned(
        columns,
        terms.astype(np.float32),
        (_MEANING_SCALE * direction).astype(np.float32),
        FeatureWeights(*(scales * of_matches).tolist()),
        intercept,
        vocabulary,
    )


# Format, vocabulary, intercept, weights of matches; bytes of the columns, and their number.
_HEADER = struct.Struct("<4sq5d2I")
_FORMAT = b"PBM3"
_VALUE = "<f4"


def dump(learned: Learned) -> bytes:
    """Return the model as some 40 KB; its columns must be in ascending order."""
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


# What a whole library weighs at most, in votes of today.
LIBRARY_VOTES = 20.0
# Papers of a library that are ranked by, those added last: more make no better model, and each batch of readers
# transforms them.
MOST_PAPERS = 500


def library_weights(ages: Mapping[PaperId, float]) -> dict[PaperId, float]:
    """Return the factor on the weight of each paper of a library; ``ages`` are in days.

    Relative to the paper added last: the same library gives the same factors on any later day, and fades as a whole.
    """
    newest = min(ages.values(), default=0.0)
    total = sum(time_decay(age - newest) for age in ages.values())
    return dict.fromkeys(ages, min(1.0, LIBRARY_VOTES / total) if total else 1.0)
