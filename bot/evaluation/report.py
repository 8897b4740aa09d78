"""From rounds that were measured to an answer that a stranger understands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from statistics import fmean

from bot.ranking.examining import Graded, Marks
from bot.ranking.metrics import Bin, Estimate, estimate, expected_calibration_error, reliability

# Fewer predicted likes, or fewer rounds to compare, say nothing: then nothing is said.
MIN_LIKES = 10
MIN_FOLDS = 3
# A gain that is surely below this (of 1, the whole way from the bottom to the top) is none worth the name.
_NO_GAIN = 0.05
_CHANCE = 0.5
_POINTS = 8
_LIKES_A_POINT = 5
_WHOLE = 0.8  # what is left over at the end is a point of its own with this much of another's likes


class Verdict(StrEnum):
    """Whether thumbs have made the ranking better than the interest words alone."""

    YES = "yes"  # surely better than words alone, and surely better than chance
    NO = "no"  # surely no better than words alone, or by too little to be worth the name
    UNCLEAR = "unclear"  # too uncertain to tell one from the other
    TOO_FEW = "too few"  # not enough was predicted to say anything


@dataclass(frozen=True, slots=True)
class FoldResult:
    """One round, measured."""

    since: datetime
    until: datetime
    known: int
    likes: int
    grade: Graded


@dataclass(frozen=True, slots=True)
class Quality:
    """How well one way of ranking did, as means over rounds; 0 to 1, higher is better.

    ``precision`` is the liked share of an edition's places; ``auc``, each like weighing the same, how often a
    liked paper stood above one that the reader saw and did not like (None where there was no such pair).
    """

    precision: float
    ndcg: float
    auc: float | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """Whether papers at 60% are liked six times of ten: the mean distance from that, and the table behind it."""

    error: float
    papers: int
    table: Sequence[Bin]


@dataclass(frozen=True, slots=True)
class Point:
    """Some neighbouring rounds: how often a liked paper stood above another, by thumbs and by words alone."""

    since: datetime
    until: datetime
    known: int
    likes: int
    learned: Estimate
    words: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Is it learning this reader? ``likes`` of ``thumbs`` were predicted, in ``rounds``; None: too few to say."""

    reader: str
    verdict: Verdict
    size: int
    thumbs: int
    likes: int
    rounds: int
    learned: Quality | None = None
    words: Quality | None = None
    chance: Quality | None = None
    auc: Estimate | None = None  # by thumbs; None where there was too little to compare
    gain: Estimate | None = None  # of AUC, by thumbs over words alone
    calibration: Calibration | None = None
    points: Sequence[Point] = ()


@dataclass(frozen=True, slots=True)
class Mean:
    """Several readers together; ``gain`` is None for fewer than two."""

    verdict: Verdict
    readers: int
    learned: Quality | None
    words: Quality | None
    chance: Quality | None
    gain: Estimate | None


def judge(reader: str, size: int, thumbs: int, rated: Sequence[FoldResult]) -> Evaluation:
    """What the rounds say of one reader."""
    likes = sum(one.likes for one in rated)
    comparable = [one for one in rated if one.grade.learned.auc is not None]
    if likes < MIN_LIKES or len(rated) < MIN_FOLDS:
        return Evaluation(reader, Verdict.TOO_FEW, size, thumbs, likes, len(rated))
    auc, gain = _auc_and_gain(comparable) if len(comparable) >= MIN_FOLDS else (None, None)
    return Evaluation(
        reader=reader,
        verdict=_verdict(auc, gain),
        size=size,
        thumbs=thumbs,
        likes=likes,
        rounds=len(rated),
        learned=_quality(rated, lambda one: one.grade.learned),
        words=_quality(rated, lambda one: one.grade.words),
        chance=_quality(rated, lambda one: one.grade.chance),
        auc=auc,
        gain=gain,
        calibration=_calibration(rated),
        points=_points(comparable),
    )


def mean(evaluations: Iterable[Evaluation]) -> Mean:
    """The mean of the readers of whom something can be said, each weighing the same."""
    told = [one for one in evaluations if one.learned]
    auc = _of_readers([one.auc.mean for one in told if one.auc])
    gain = _of_readers([one.gain.mean for one in told if one.gain])
    return Mean(
        verdict=_verdict(auc, gain) if gain else Verdict.TOO_FEW,
        readers=len(told),
        learned=_mean([one.learned for one in told if one.learned]),
        words=_mean([one.words for one in told if one.words]),
        chance=_mean([one.chance for one in told if one.chance]),
        gain=gain,
    )


def _of_readers(values: Sequence[float]) -> Estimate | None:
    return estimate(values, [1.0] * len(values)) if len(values) > 1 else None


def _mean(qualities: Sequence[Quality]) -> Quality | None:
    if not qualities:
        return None
    aucs = [one.auc for one in qualities if one.auc is not None]
    return Quality(
        fmean(one.precision for one in qualities),
        fmean(one.ndcg for one in qualities),
        fmean(aucs) if aucs else None,
    )


def _verdict(auc: Estimate | None, gain: Estimate | None) -> Verdict:
    if auc is None or gain is None:
        return Verdict.UNCLEAR
    if gain.low > 0 and auc.low > _CHANCE:
        return Verdict.YES
    return Verdict.NO if gain.high < _NO_GAIN else Verdict.UNCLEAR


def _auc_and_gain(comparable: Sequence[FoldResult]) -> tuple[Estimate, Estimate]:
    weights = [one.likes for one in comparable]
    learned = [_auc(one.grade.learned) for one in comparable]
    gains = [by_thumbs - _auc(one.grade.words) for by_thumbs, one in zip(learned, comparable, strict=True)]
    return estimate(learned, weights), estimate(gains, weights)


def _quality(rated: Sequence[FoldResult], of: Callable[[FoldResult], Marks]) -> Quality:
    places = sum(one.grade.places for one in rated)
    ndcgs = [marks.ndcg for one in rated if (marks := of(one)).ndcg is not None]
    pairs = [(marks.auc, one.likes) for one in rated if (marks := of(one)).auc is not None]
    return Quality(
        precision=sum(of(one).hits for one in rated) / places,
        ndcg=fmean(ndcgs) if ndcgs else 0.0,
        auc=_weighted(pairs) if pairs else None,
    )


def _calibration(rated: Sequence[FoldResult]) -> Calibration:
    liked = [each for one in rated for each in one.grade.liked]
    table = reliability(liked, [each for one in rated for each in one.grade.probabilities])
    return Calibration(expected_calibration_error(table), len(liked), table)


def _points(comparable: Sequence[FoldResult]) -> list[Point]:
    """The rounds in order, some at a time: as many points as have a fair number of likes and rounds each."""
    likes = sum(one.likes for one in comparable)
    a_point = max(likes / _POINTS, _LIKES_A_POINT)
    groups: list[list[FoldResult]] = [[]]
    for one in comparable:
        if _is_whole(groups[-1], a_point):
            groups.append([])
        groups[-1].append(one)
    if len(groups) > 1 and not _is_whole(groups[-1], a_point * _WHOLE):
        groups[-2:] = [groups[-2] + groups[-1]]
    return [_point(group) for group in groups if len(group) > 1]


def _is_whole(group: Sequence[FoldResult], likes: float) -> bool:
    return len(group) >= MIN_FOLDS and sum(one.likes for one in group) >= likes


def _point(group: Sequence[FoldResult]) -> Point:
    likes = [one.likes for one in group]
    return Point(
        since=group[0].since,
        until=group[-1].until,
        known=group[0].known,
        likes=sum(likes),
        learned=estimate([_auc(one.grade.learned) for one in group], likes),
        words=_weighted([(_auc(one.grade.words), one.likes) for one in group]),
    )


def _auc(marks: Marks) -> float:
    """Of a round in which there was a pair to compare."""
    if marks.auc is None:
        raise ValueError("nothing to compare")
    return marks.auc


def _weighted(values: Sequence[tuple[float, float]]) -> float:
    return sum(value * weight for value, weight in values) / sum(weight for _, weight in values)
