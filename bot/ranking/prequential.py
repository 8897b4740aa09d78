"""Prequential evaluation (Dawid 1984): metrics of each fold under the model trained on the votes before it.

Two baselines rank the same papers: the same model without any vote (interest words and keywords), and chance.

Metrics are functions of ``liked``, booleans, and ``scores``, floats, (n_papers,) each. Each is the mean over all orders
of papers with equal scores (McSherry and Najork 2008), so a constant score gives the metrics of chance.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from scipy.special import expit, logit
from scipy.stats import t as student
from sklearn.metrics import ndcg_score, roc_auc_score

from bot.model import Paper, PaperId
from bot.ranking.ranker import Interest, Ranker

_CONFIDENCE = 0.95  # by convention


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its standard error, and the interval that holds the true one 95 times in 100."""

    mean: float
    error: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Bin:
    """Papers whose probability lies from ``low`` to ``high``: how many, the mean, and the share really liked."""

    low: float
    high: float
    papers: int
    predicted: float
    liked: float


def hits_at(liked: np.ndarray, scores: np.ndarray, k: int) -> float:
    """How many of the k papers scored highest were liked, 0 to k; precision at k is k times smaller.

    >>> hits_at(np.array([True, False, True]), np.array([0.9, 0.5, 0.5]), 2)
    1.5
    """
    k = min(k, len(scores))
    if not k:
        return 0.0
    least = np.sort(scores)[-k]
    above = scores > least
    tied = scores == least
    return float(liked[above].sum() + liked[tied].mean() * (k - above.sum()))


def ndcg_at(liked: np.ndarray, scores: np.ndarray, k: int) -> float | None:
    """Normalised discounted cumulative gain of the first k (Järvelin 2002): 1 if all liked papers come first.

    A place's worth falls as 1 / log2(place + 1). None where nothing was liked, or there is nothing to order.
    """
    if not liked.any() or len(liked) < 2:
        return None
    return float(ndcg_score([liked.astype(float)], [scores], k=k))


def auc(liked: np.ndarray, scores: np.ndarray) -> float | None:
    """How often a liked paper stands above one that was not (area under the ROC curve): 1 always, 0.5 by chance.

    None where all or none were liked.
    """
    if liked.all() or not liked.any():
        return None
    return float(roc_auc_score(liked, scores))


def reliability(liked: Sequence[bool], probabilities: Sequence[float], bins: int = 10) -> list[Bin]:
    """Papers by their probability, in ``bins`` of equal width; empty ones are left out."""
    labels = np.asarray(liked, bool)
    predicted = np.asarray(probabilities, float)
    edges = np.linspace(0, 1, bins + 1)
    # A probability of exactly 1 belongs to the last bin.
    bin_of = np.clip((predicted * bins).astype(int), 0, bins - 1)
    return [
        Bin(
            low=float(edges[n]),
            high=float(edges[n + 1]),
            papers=int(members.sum()),
            predicted=float(predicted[members].mean()),
            liked=float(labels[members].mean()),
        )
        for n in range(bins)
        if (members := bin_of == n).any()
    ]


def expected_calibration_error(table: Sequence[Bin]) -> float:
    """How far probabilities are from what came true, on average over papers (Naeini 2015): 0 best, 1 worst."""
    papers = sum(row.papers for row in table)
    return sum(row.papers * abs(row.predicted - row.liked) for row in table) / papers if papers else 0.0


def estimate(values: Sequence[float], weights: Sequence[float]) -> Estimate:
    """Estimate the weighted mean of at least two independent values.

    The error is that of a ratio (Cochran 1977, 6.4); the interval uses Student's t, as values may be few.
    """
    x = np.asarray(values, float)
    w = np.asarray(weights, float)
    mean = float((w * x).sum() / w.sum())
    error = math.sqrt(((w * (x - mean)) ** 2).sum() * len(x) / (len(x) - 1)) / float(w.sum())
    # Not the normal distribution: with 3 folds its interval would be 2.2 times too narrow.
    reach = error * float(student.ppf((1 + _CONFIDENCE) / 2, len(x) - 1))
    return Estimate(mean, error, mean - reach, mean + reach)


# Folds whose papers are scored in one matrix: all at once need too much memory, and one at a time would transform the
# papers that neighbouring folds share once for each.
_BATCH = 20
# Probabilities of exactly 0 or 1 have no finite log-odds.
_FINITE_LOG_ODDS = (1e-12, 1 - 1e-12)


@dataclass(frozen=True, slots=True)
class PredictionTask:
    """One fold as the ranker gets it: the interest as trained before the fold, and the papers to rank.

    ``liked`` are the relevant papers; ``seen`` are the papers that the reader had a chance to judge.
    """

    interest: Interest
    papers: Sequence[Paper]
    liked: frozenset[PaperId]
    seen: frozenset[PaperId]


@dataclass(frozen=True, slots=True)
class RankingMetrics:
    """Metrics of one ranking: hits and nDCG among the first places, AUC among the papers seen."""

    hits: float
    ndcg: float | None
    auc: float | None


@dataclass(frozen=True, slots=True)
class FoldMetrics:
    """The metrics of one fold by model and baselines, and the calibration data of the papers seen.

    ``places`` is the maximum of ``hits``. ``probabilities`` and ``liked`` are (n_seen,) each.
    """

    places: int
    learned: RankingMetrics
    words: RankingMetrics
    chance: RankingMetrics
    probabilities: Sequence[float]
    liked: Sequence[bool]


def measure_folds(ranker: Ranker, tasks: Iterable[PredictionTask], words: Interest, size: int) -> Iterator[FoldMetrics]:
    """Yield the metrics of each task over its first ``size`` places; ``words`` is the interest without votes.

    Tasks are consumed in batches; to the ranker each is one more reader. Scores are those of the daily run with
    keywords, without upvotes.
    """
    remaining = iter(tasks)
    while batch := list(islice(remaining, _BATCH)):
        papers = {paper.id: paper for task in batch for paper in task.papers}
        column_of = {paper_id: column for column, paper_id in enumerate(papers)}
        interests = [*(task.interest for task in batch), words]
        log_odds = _log_odds(ranker, interests, list(papers.values()))
        words_alone = log_odds[-1]
        for task, learned in zip(batch, log_odds[:-1], strict=True):
            columns = [column_of[paper.id] for paper in task.papers]
            liked = np.array([paper.id in task.liked for paper in task.papers])
            seen = np.array([paper.id in task.seen for paper in task.papers])
            # All scores equal: the metrics average over all orders of ties, so this is chance without random numbers.
            chance = np.zeros(len(liked))
            by_model, by_words, by_chance = (
                RankingMetrics(
                    hits_at(liked, scores, size), ndcg_at(liked, scores, size), auc(liked[seen], scores[seen])
                )
                for scores in (learned[columns], words_alone[columns], chance)
            )
            yield FoldMetrics(
                places=min(size, len(liked)),
                learned=by_model,
                words=by_words,
                chance=by_chance,
                probabilities=expit(learned[columns][seen]).tolist(),
                liked=liked[seen].tolist(),
            )


def _log_odds(ranker: Ranker, interests: Sequence[Interest], papers: Sequence[Paper]) -> np.ndarray:
    """Return the log-odds of each interest and paper, (n_interests, n_papers)."""
    rules = interests[-1].rules
    weights = [sum(bonus.weight for bonus in rules.matches(paper).bonuses) for paper in papers]
    log_odds = np.tile(np.array(weights, float), (len(interests), 1))
    for row, best in zip(log_odds, ranker.best(interests, papers, len(papers)), strict=True):
        # Papers without a required term would not be sent: they come last.
        row[np.setdiff1d(np.arange(len(papers)), best.rows)] = logit(_FINITE_LOG_ODDS[0])
        row[best.rows] += logit(np.clip(best.probabilities, *_FINITE_LOG_ODDS))
    return log_odds
