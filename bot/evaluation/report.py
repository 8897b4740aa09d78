"""Summarise the metrics of folds: a verdict, means, confidence intervals, calibration and a learning curve."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from statistics import fmean

from bot.evaluation.folds import Fold
from bot.ranking.metrics import Bin, Estimate, estimate, expected_calibration_error, reliability
from bot.ranking.prequential import FoldMetrics, RankingMetrics

# With fewer predicted likes, or fewer folds to compare, no verdict is given.
MIN_LIKES = 10
MIN_FOLDS = 3
# The smallest gain in AUC that counts as learning. "No" takes a gain certainly below it: with a limit of 0, a ranking
# that certainly gains next to nothing would stay "unclear" forever.
_SMALLEST_GAIN = 0.05
_CHANCE_AUC = 0.5
# The learning curve has at most this many points, each with at least this many likes.
_MAX_POINTS = 8
_MIN_LIKES_PER_POINT = 5
# The last point may have fewer likes by this factor, otherwise its folds join the point before it.
_LAST_POINT_FACTOR = 0.8


class Verdict(StrEnum):
    """Whether votes have made the ranking better than the interest words alone."""

    YES = "yes"  # certainly better than words alone, and certainly better than chance
    NO = "no"  # certainly no better than words alone, or by a negligible gain
    UNCLEAR = "unclear"  # the confidence interval allows both
    TOO_FEW = "too few"  # too few votes were predicted


@dataclass(frozen=True, slots=True)
class FoldResult:
    """A fold and its metrics."""

    fold: Fold
    metrics: FoldMetrics


@dataclass(frozen=True, slots=True)
class Quality:
    """Means over folds for one ranking; 0 to 1, higher is better.

    ``precision`` is at edition size. ``auc`` weights folds by their likes; it is the probability that a liked paper
    ranks above a paper that the reader saw and did not like. None without such a pair.
    """

    precision: float
    ndcg: float
    auc: float | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """Expected calibration error over the papers seen, and the reliability table that it comes from."""

    error: float
    papers: int
    table: Sequence[Bin]


@dataclass(frozen=True, slots=True)
class Point:
    """A point of the learning curve: the AUC of neighbouring folds with votes and by words alone."""

    since: datetime
    until: datetime
    prior_votes: int
    likes: int
    learned: Estimate
    words: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The evaluation of one reader: ``likes`` of ``thumbs`` were predicted, in ``folds``. None: too few votes."""

    reader: str
    verdict: Verdict
    size: int
    thumbs: int
    likes: int
    folds: int
    learned: Quality | None = None
    words: Quality | None = None
    chance: Quality | None = None
    auc: Estimate | None = None  # with votes; None with fewer than MIN_FOLDS folds to compare
    gain: Estimate | None = None  # in AUC, with votes over words alone
    calibration: Calibration | None = None
    points: Sequence[Point] = ()


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean over readers; ``gain`` is None for fewer than two."""

    verdict: Verdict
    readers: int
    learned: Quality | None
    words: Quality | None
    chance: Quality | None
    gain: Estimate | None


def summarize_folds(reader: str, size: int, thumbs: int, results: Sequence[FoldResult]) -> Evaluation:
    """Return the evaluation of one reader; ``size`` is the edition's, ``thumbs`` the number of votes."""
    likes = sum(result.fold.likes for result in results)
    if likes < MIN_LIKES or len(results) < MIN_FOLDS:
        return Evaluation(reader, Verdict.TOO_FEW, size, thumbs, likes, len(results))

    # A fold in which all papers seen were liked has no pair to compare, so no AUC.
    comparable = [result for result in results if result.metrics.learned.auc is not None]
    auc = gain = None
    if len(comparable) >= MIN_FOLDS:
        weights = [result.fold.likes for result in comparable]
        learned = [_auc(result.metrics.learned) for result in comparable]
        words = [_auc(result.metrics.words) for result in comparable]
        auc = estimate(learned, weights)
        # Paired differences: folds differ in difficulty, which cancels out. Two separate intervals would be wider.
        gain = estimate([a - b for a, b in zip(learned, words, strict=True)], weights)

    labels = [label for result in results for label in result.metrics.liked]
    probabilities = [value for result in results for value in result.metrics.probabilities]
    table = reliability(labels, probabilities)
    return Evaluation(
        reader=reader,
        verdict=_verdict(auc, gain),
        size=size,
        thumbs=thumbs,
        likes=likes,
        folds=len(results),
        learned=_quality(results, lambda metrics: metrics.learned),
        words=_quality(results, lambda metrics: metrics.words),
        chance=_quality(results, lambda metrics: metrics.chance),
        auc=auc,
        gain=gain,
        calibration=Calibration(expected_calibration_error(table), len(labels), table),
        points=_learning_curve(comparable),
    )


def mean_of_readers(evaluations: Iterable[Evaluation]) -> Mean:
    """Return the mean of the readers with enough votes, each with the same weight (macro average)."""
    measured = [evaluation for evaluation in evaluations if evaluation.learned]
    auc = _unweighted([evaluation.auc.mean for evaluation in measured if evaluation.auc])
    gain = _unweighted([evaluation.gain.mean for evaluation in measured if evaluation.gain])
    return Mean(
        verdict=_verdict(auc, gain) if gain else Verdict.TOO_FEW,
        readers=len(measured),
        learned=_mean_quality([evaluation.learned for evaluation in measured if evaluation.learned]),
        words=_mean_quality([evaluation.words for evaluation in measured if evaluation.words]),
        chance=_mean_quality([evaluation.chance for evaluation in measured if evaluation.chance]),
        gain=gain,
    )


def _unweighted(values: Sequence[float]) -> Estimate | None:
    return estimate(values, [1.0] * len(values)) if len(values) > 1 else None


def _mean_quality(qualities: Sequence[Quality]) -> Quality | None:
    if not qualities:
        return None
    aucs = [quality.auc for quality in qualities if quality.auc is not None]
    return Quality(
        fmean(quality.precision for quality in qualities),
        fmean(quality.ndcg for quality in qualities),
        fmean(aucs) if aucs else None,
    )


def _verdict(auc: Estimate | None, gain: Estimate | None) -> Verdict:
    if auc is None or gain is None:
        return Verdict.UNCLEAR
    # A gain alone is not enough: words alone can be worse than chance, and a ranking at chance then "gains".
    if gain.low > 0 and auc.low > _CHANCE_AUC:
        return Verdict.YES
    return Verdict.NO if gain.high < _SMALLEST_GAIN else Verdict.UNCLEAR


def _quality(results: Sequence[FoldResult], ranking: Callable[[FoldMetrics], RankingMetrics]) -> Quality:
    metrics = [ranking(result.metrics) for result in results]
    places = sum(result.metrics.places for result in results)
    ndcgs = [fold.ndcg for fold in metrics if fold.ndcg is not None]
    aucs = [
        (fold.auc, result.fold.likes)
        for fold, result in zip(metrics, results, strict=True)
        if fold.auc is not None
    ]
    return Quality(
        precision=sum(fold.hits for fold in metrics) / places,
        ndcg=fmean(ndcgs) if ndcgs else 0.0,
        auc=_weighted_mean(aucs) if aucs else None,
    )


def _learning_curve(comparable: Sequence[FoldResult]) -> list[Point]:
    """Group neighbouring folds into points; each point has enough likes and folds for an interval."""
    likes_per_point = max(sum(result.fold.likes for result in comparable) / _MAX_POINTS, _MIN_LIKES_PER_POINT)
    groups: list[list[FoldResult]] = [[]]
    for result in comparable:
        if _is_complete(groups[-1], likes_per_point):
            groups.append([])
        groups[-1].append(result)
    if len(groups) > 1 and not _is_complete(groups[-1], likes_per_point * _LAST_POINT_FACTOR):
        groups[-2:] = [groups[-2] + groups[-1]]

    points = []
    for group in groups:
        if len(group) < 2:
            continue
        likes = [result.fold.likes for result in group]
        words = [_auc(result.metrics.words) for result in group]
        points.append(
            Point(
                since=group[0].fold.since,
                until=group[-1].fold.until,
                prior_votes=group[0].fold.prior_votes,
                likes=sum(likes),
                learned=estimate([_auc(result.metrics.learned) for result in group], likes),
                words=_weighted_mean(list(zip(words, likes, strict=True))),
            )
        )
    return points


def _is_complete(group: Sequence[FoldResult], likes: float) -> bool:
    return len(group) >= MIN_FOLDS and sum(result.fold.likes for result in group) >= likes


def _auc(metrics: RankingMetrics) -> float:
    """Return the AUC of a comparable fold."""
    if metrics.auc is None:
        raise ValueError("no pair to compare")
    return metrics.auc


def _weighted_mean(values: Sequence[tuple[float, float]]) -> float:
    return sum(value * weight for value, weight in values) / sum(weight for _, weight in values)
