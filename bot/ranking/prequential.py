"""Prequential evaluation (Dawid 1984): metrics of each fold under the model of earlier votes.

Metrics take ``liked``, booleans, and ``scores``, floats, (n_papers,) each. They average over all orders of tied papers
(McSherry and Najork 2008), so a constant score gives the metrics of chance.
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
    """A mean with its standard error and 95 % confidence interval."""

    mean: float
    error: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Bin:
    """Papers with a probability from ``low`` to ``high``: number, mean probability, liked share."""

    low: float
    high: float
    papers: int
    predicted: float
    liked: float


def hits_at(liked: np.ndarray, scores: np.ndarray, k: int) -> float:
    """Count the liked papers among the k scored highest, 0 to k.

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
    """Return the normalised discounted cumulative gain of the first k (Järvelin 2002), 0 to 1.

    None if nothing was liked or there is nothing to order.
    """
    if not liked.any() or len(liked) < 2:
        return None
    return float(ndcg_score([liked.astype(float)], [scores], k=k))


def auc(liked: np.ndarray, scores: np.ndarray) -> float | None:
    """Return the area under the ROC curve, 0.5 by chance, None if all or none were liked."""
    if liked.all() or not liked.any():
        return None
    return float(roc_auc_score(liked, scores))


def reliability(liked: Sequence[bool], probabilities: Sequence[float], bins: int = 10) -> list[Bin]:
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
    """Return the mean distance of probabilities from liked shares (Naeini 2015), 0 to 1."""
    papers = sum(row.papers for row in table)
    return sum(row.papers * abs(row.predicted - row.liked) for row in table) / papers if papers else 0.0


def estimate(values: Sequence[float], weights: Sequence[float]) -> Estimate:
    """Estimate the weighted mean of at least two independent values.

    The error is a ratio's (Cochran 1977, 6.4). The interval uses Student's t.
    """
    x = np.asarray(values, float)
    w = np.asarray(weights, float)
    mean = float((w * x).sum() / w.sum())
    error = math.sqrt(((w * (x - mean)) ** 2).sum() * len(x) / (len(x) - 1)) / float(w.sum())
    # With 3 folds, a normal interval would be 2.2 times too narrow.
    reach = error * float(student.ppf((1 + _CONFIDENCE) / 2, len(x) - 1))
    return Estimate(mean, error, mean - reach, mean + reach)


# More need too much memory, fewer transform shared papers again.
_BATCH = 20
# 0 and 1 have no finite log-odds.
_FINITE_LOG_ODDS = (1e-12, 1 - 1e-12)


@dataclass(frozen=True, slots=True)
class PredictionTask:
    """One fold: the interest as trained before it, and the papers to rank.

    ``seen`` are the papers that the reader could judge.
    """

    interest: Interest
    papers: Sequence[Paper]
    liked: frozenset[PaperId]
    seen: frozenset[PaperId]


@dataclass(frozen=True, slots=True)
class RankingMetrics:
    """Hits and nDCG among the first places, AUC among the papers seen."""

    hits: float
    ndcg: float | None
    auc: float | None


@dataclass(frozen=True, slots=True)
class FoldMetrics:
    """The metrics of one fold by model and baselines, and calibration data.

    ``places`` is the maximum of ``hits``. ``probabilities`` and ``liked`` are (n_seen,).
    """

    places: int
    learned: RankingMetrics
    words: RankingMetrics
    chance: RankingMetrics
    probabilities: Sequence[float]
    liked: Sequence[bool]


def measure_folds(ranker: Ranker, tasks: Iterable[PredictionTask], words: Interest, size: int) -> Iterator[FoldMetrics]:
    """Yield the metrics of each task's first ``size`` places. ``words`` is the interest without votes.

    Scores include keywords, but no upvotes.
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
    """Return (n_interests, n_papers)."""
    rules = interests[-1].rules
    weights = [sum(bonus.weight for bonus in rules.matches(paper).bonuses) for paper in papers]
    log_odds = np.tile(np.array(weights, float), (len(interests), 1))
    for row, best in zip(log_odds, ranker.best(interests, papers, len(papers)), strict=True):
        # Papers without a required term come last.
        row[np.setdiff1d(np.arange(len(papers)), best.rows)] = logit(_FINITE_LOG_ODDS[0])
        row[best.rows] += logit(np.clip(best.probabilities, *_FINITE_LOG_ODDS))
    return log_odds
