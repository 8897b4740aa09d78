"""The experts that match papers with a reader's vectors: Rocchio, and the words of the profile.

    votes, library --time_decay, library_weights, centroids--> UserVectors --ReaderModels--> log-odds of Rocchio
    profile's text --topics_row, Conjunctions--> Words --> log-odds of the words

Rocchio (1971): a reader's weights are interests + liked papers - disliked papers, rare terms raised, smoothed over
latent components (LSA), minus the closest papers without a vote (hard negatives).

Words: similarity to the profile's topics ranks a paper that repeats one topic above a paper with both of "reinforcement
learning for language models". So a conjunction is added: the product of the shares that the paper has of each two
topics of one segment. Segments ("reward models, RLHF, and verifiable rewards") are alternatives: the most complete one
counts, since with their mean two loose topics of a long segment outrank the whole phrase of a short one.

Scores are linear in the terms of a paper and of its neighbours, so what each term adds is exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from bot.model import PaperId
from bot.ranking.corpus import Corpus, PaperVectors, TermEntries, l2_normalize
from bot.text.topics import profile_topics

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
    """Return each reader's weighted sum of the rows they own, L2-normalised: (readers, n_terms)."""
    shape = (readers, rows.shape[0])
    weights = sp.csr_matrix((np.asarray(weight, np.float32), (owner, np.arange(rows.shape[0]))), shape=shape)
    return l2_normalize((weights @ rows).tocsr())


def time_decay(days: float) -> float:
    """Return the weight of a vote given this many days ago: 1 today, never 0."""
    return float(0.5 ** (max(days, 0.0) / HALF_LIFE))


# ``docs/decisions/ranking-rocchio.md`` has other values.
# The weight of the interests without liked papers; beside n liked papers it is divided by (1 + n / 2) ** 0.8.
_INTERESTS_WEIGHT = 3.5
_INTERESTS_DECAY_FROM = 2.0
_INTERESTS_DECAY = 0.8
# The power of the idf by which a reader's terms are weighed, beside the idf in the rows of their papers.
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

        Without interests and votes all papers get the same score.
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
        """Return what each term adds, (n_entries,); a paper's sum and the intercept are its log-odds."""
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


# A bigram is more specific than its words: it counts double in a topic's share.
_PAIR_WEIGHT = 2.0
# Log-odds: intercept + weight of the similarity + weight of the completeness, 0 to 1, as fitted
# (``docs/decisions/ranking-experts.md``). In small corpora papers have few neighbours and there are few latent
# components, so similarities are smaller: weight and intercept are interpolated in the logarithm of the corpus size.
_CORPUS_SIZES = (30, 200, 1_000)
_SIMILARITY_WEIGHTS = (10.0, 5.5, 3.5)
_INTERCEPTS = (-6.9, -6.25, -5.6)
_CONJUNCTION_WEIGHT = 2.4
# What words add is compressed from the knee on and stays below the limit, however often an abstract repeats them: at
# most nine of ten papers are liked for their words alone.
_GAIN_KNEE, _GAIN_LIMIT = 6.0, 8.0


@dataclass(frozen=True)
class Conjunctions:
    """The segments of many readers' profiles: topics of one segment are meant together, segments are alternatives.

    A segment's completeness for a paper is the sum of the products of each two of its topics' shares, or the square of
    the share if it has one topic, divided by that of a paper with all of its terms. A sum of products is half of (the
    square of the sum minus the sum of the squares), so a segment is a sum of signed squares: ``sums`` (n_squares,
    n_terms) gives what is squared from the presence of terms, ``factors`` (n_segments, n_squares) its factor.
    ``owners`` (n_segments,) are the readers, in ascending order; ``texts`` are those of each reader.
    """

    sums: sp.csr_matrix
    factors: sp.csr_matrix
    owners: np.ndarray
    texts: Sequence[tuple[str, ...]]
    # By texts: readers of one profile have the same.
    _dense: dict[tuple[str, ...], tuple[np.ndarray, np.ndarray, np.ndarray]] = field(
        default_factory=dict, init=False, repr=False
    )

    @classmethod
    def from_texts(cls, corpus: Corpus, texts: Sequence[Sequence[str]]) -> Self:
        """Take the segments from the texts of each reader's profile."""
        rows: list[sp.csr_matrix] = [sp.csr_matrix((0, len(corpus.terms_)))]
        factors: list[float] = []
        segment_of: list[int] = []
        segment_owners: list[int] = []
        # Readers of one profile have the same text.
        segments = {text: _segments(corpus, text) for text in dict.fromkeys(chain.from_iterable(texts))}
        for owner, own_texts in enumerate(texts):
            for squares in chain.from_iterable(segments[text] for text in own_texts):
                complete = sum(sign * row.sum() ** 2 for sign, row in squares)
                rows += [row for _, row in squares]
                factors += [sign / complete for sign, _ in squares]
                segment_of += [len(segment_owners)] * len(squares)
                segment_owners.append(owner)
        places = (np.array(segment_of, dtype=int), np.arange(len(factors)))
        shape = (len(segment_owners), len(factors))
        return cls(
            sp.vstack(rows, format="csr"),
            sp.csr_matrix((np.array(factors), places), shape),
            np.array(segment_owners, dtype=int),
            [tuple(own_texts) for own_texts in texts],
        )

    def shares(self, papers: PaperVectors) -> np.ndarray:
        """Return the completeness of each reader's most complete segment, 0 to 1: (n_readers, n_papers)."""
        shares = np.zeros((len(self.texts), len(papers)))
        first = np.flatnonzero(np.diff(self.owners, prepend=-1))
        if len(first):
            terms = papers.terms
            presence = sp.csr_matrix((np.ones_like(terms.data), terms.indices, terms.indptr), shape=terms.shape)
            completeness = self.factors @ (self.sums @ presence.T).toarray() ** 2
            shares[self.owners[first]] = np.maximum.reduceat(completeness, first, axis=0)
        return shares

    def contributions(self, reader: int, entries: TermEntries) -> np.ndarray:
        """Divide each paper's share among its entries, (n_entries,): a square is divided like its sum."""
        texts = self.texts[reader]
        if texts not in self._dense:
            self._dense[texts] = self._squares(reader)
        columns, by_term, by_square = self._dense[texts]
        if not len(by_square):
            return np.zeros(len(entries.columns))
        sums = entries.presence(columns) @ by_term.T
        most_complete = (by_square @ sums.T**2).argmax(axis=0)
        return entries.values_of(columns, (sums * by_square[most_complete]) @ by_term)

    def _squares(self, reader: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the terms (n_used,) of a reader's segments, their sums (n_squares, n_used), and factors.

        The factors are (n_segments, n_squares). A profile has few terms, so these are dense.
        """
        factors = self.factors[np.flatnonzero(self.owners == reader)]
        squares = np.unique(factors.indices)
        own_sums = self.sums[squares]
        columns = np.unique(own_sums.indices)
        return columns, own_sums[:, columns].toarray(), factors[:, squares].toarray()


class Words:
    """The words of each reader's profile, over one corpus.

    Log-odds are similarity and completeness in fixed units, never relative to the papers of a home: a paper about the
    whole topic is a good match in a home of one topic, too.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def fit(self, users: UserVectors, conjunctions: Conjunctions) -> Self:
        """Take the interests and the segments of each reader."""
        size, sizes = np.log(max(self.corpus.rows_.shape[0], 1)), np.log(_CORPUS_SIZES)
        weight = float(np.interp(size, sizes, _SIMILARITY_WEIGHTS))
        intercept = float(np.interp(size, sizes, _INTERCEPTS))
        # Readers of one profile have the same words: ``profile_`` (n_readers,) are their rows of the similarity.
        profiles: dict[tuple[str, ...], int] = {}
        self.profile_ = np.array([profiles.setdefault(text, len(profiles)) for text in conjunctions.texts], int)
        _, first_readers = np.unique(self.profile_, return_index=True)
        interests = users.interests[first_readers]
        self.similarity_ = ReaderModels(self.corpus).fit_interests(interests, weight, intercept)
        self.conjunctions_ = conjunctions
        return self

    @property
    def intercept_(self) -> np.ndarray:
        """The log-odds (n_readers,) of a paper without any of the words."""
        return np.asarray(self.similarity_.intercept_[self.profile_])

    def decision_function(self, papers: PaperVectors) -> np.ndarray:
        """Return log-odds (n_readers, n_papers)."""
        conjunction = _CONJUNCTION_WEIGHT * self.conjunctions_.shares(papers)
        intercept = self.intercept_[:, None]
        similarity = self.similarity_.decision_function(papers)[self.profile_]
        return np.asarray(intercept + _compressed(similarity - intercept + conjunction))

    def contributions(self, reader: int, entries: TermEntries) -> np.ndarray:
        """Return what each term adds, (n_entries,)."""
        conjunction = _CONJUNCTION_WEIGHT * self.conjunctions_.contributions(reader, entries)
        gains = self.similarity_.contributions(self.profile_[reader], entries) + conjunction
        gain = entries.sums(gains)
        share = np.divide(_compressed(gain), gain, out=np.ones_like(gain), where=gain > _GAIN_KNEE)
        return np.asarray(gains * share[entries.paper])


def topics_row(corpus: Corpus, text: str) -> sp.csr_matrix:
    """Return a text's topics as a row (1, n_terms) of L2 norm 1; zeros where no topic is in the vocabulary."""
    topics = np.zeros(len(corpus.terms_), np.float32)
    for topic in profile_topics(text):
        columns, _ = corpus.columns(topic.terms)
        if len(columns):
            # Each topic has norm 1 before the sum, so that a topic of many words doesn't outweigh a topic of one.
            row = corpus.idf_[columns] * corpus.term_weights_[columns]
            topics[columns] += row / np.linalg.norm(row)
    return l2_normalize(sp.csr_matrix(topics))


def _segments(corpus: Corpus, text: str) -> list[list[tuple[float, sp.csr_matrix]]]:
    """Return each segment as signed squares: of the sum of its topics' shares, and of each of several shares.

    A share is a row (1, n_terms) whose sum over a paper's terms is the topic's mean idf if the paper has them all.
    """
    segments: list[list[tuple[float, sp.csr_matrix]]] = []
    for _, segment in groupby(profile_topics(text), key=lambda topic: topic.segment):
        shares = []
        used: set[int] = set()
        for topic in segment:
            columns, pairs = corpus.columns(topic.terms)
            # A word of two topics counts for the first alone: "model" forms no conjunction with itself.
            first = np.array([column not in used for column in columns.tolist()], dtype=bool)
            columns = columns[first]
            if not len(columns):
                continue
            used.update(columns.tolist())
            rarity = corpus.idf_[columns].astype(float)
            share = rarity * np.where(pairs[first], _PAIR_WEIGHT, 1)
            share *= rarity.mean() / share.sum()
            places = (np.zeros(len(columns), dtype=int), columns)
            shares.append(sp.csr_matrix((share, places), (1, len(corpus.terms_))))
        if len(shares) == 1:
            segments.append([(1.0, shares[0])])
        elif shares:
            segments.append([(1.0, sp.csr_matrix(sum(shares[1:], shares[0]))), *((-1.0, share) for share in shares)])
    return segments


def _compressed(gain: np.ndarray) -> np.ndarray:
    span = _GAIN_LIMIT - _GAIN_KNEE
    above = np.maximum(gain - _GAIN_KNEE, 0)
    return np.asarray(np.minimum(gain, _GAIN_KNEE) - span * np.expm1(-above / span))


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
