"""Prequential evaluation of one reader: each vote is predicted from earlier votes.

- A fold is a day's votes, about ten at a time. Its model learns from votes and library papers before the fold.
- It ranks arrivals of the fold's days before its end, except papers that are muted, lack a required term or have a
  vote in another fold.
- Liked papers are relevant, all others not. Folds without a like or an earlier vote test nothing.
- Two baselines rank the same papers: the model without votes, and chance.
- Editions show papers that the model ranked high, so votes have selection bias. Verdict, AUC and calibration use only
  seen papers: the fold's, and its editions' down to the position of nine in ten votes. Without editions all
  arrivals count as seen.

A changed vote counts as it is now, from the time of the change. The vocabulary is fitted on today's papers. Upvotes,
followed authors and ignored words aren't learned, and don't count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from itertools import chain, groupby
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from bot.config.profiles import Profile
from bot.editions.composer import EditionComposer
from bot.editions.due import with_profiles
from bot.editions.health import SourceMonitor
from bot.editions.models import CorpusCache, CurrentRanker, interest, mixtures_of
from bot.model import Edition, PaperId, Reader, RecordedVote, Vote
from bot.model.clock import days_between, local_date
from bot.model.errors import UsageError
from bot.ranking.experts import MOST_PAPERS
from bot.ranking.prequential import (
    Bin,
    Estimate,
    FoldMetrics,
    PredictionTask,
    RankingMetrics,
    estimate,
    expected_calibration_error,
    measure_folds,
    reliability,
)
from bot.ranking.scoring import stemmed_phrases
from bot.store import Store

if TYPE_CHECKING:
    from bot.ranking.experts import Learned
    from bot.ranking.ranker import Interest, Ranker


# The first votes of a long session may predict the last ones.
_VOTES_PER_FOLD = 10


@dataclass(frozen=True, slots=True)
class Fold:
    """Papers with a first vote from ``since`` to ``until``, labelled by like."""

    since: datetime
    until: datetime
    labels: Mapping[PaperId, bool]
    prior_votes: int

    @property
    def likes(self) -> int:
        return sum(self.labels.values())


def split_into_folds(
    votes: Sequence[RecordedVote], consensus: Mapping[PaperId, RecordedVote], timezone: str, at_most: int
) -> list[Fold]:
    """Return ``at_most`` folds in chronological order, each of one or more days.

    ``votes`` are of all voters, who agree on the papers of ``consensus``. A paper belongs to the fold of its first
    vote, so it is never in its own training set.
    """
    by_time = sorted(votes, key=lambda vote: vote.at)
    first_votes: dict[PaperId, RecordedVote] = {}
    for vote in by_time:
        if vote.paper in consensus:
            first_votes.setdefault(vote.paper, vote)

    sessions: list[list[RecordedVote]] = []
    for _, votes_of_day in groupby(first_votes.values(), key=lambda vote: local_date(vote.at, timezone)):
        session: list[RecordedVote] = []
        for vote in votes_of_day:
            if len(session) >= _VOTES_PER_FOLD and vote.at > session[-1].at:
                sessions.append(session)
                session = []
            session.append(vote)
        sessions.append(session)

    sessions_per_fold = -(-len(sessions) // at_most) or 1
    folds = []
    for start in range(0, len(sessions), sessions_per_fold):
        test_set = list(chain(*sessions[start : start + sessions_per_fold]))
        since = test_set[0].at
        folds.append(
            Fold(
                since=since,
                until=test_set[-1].at,
                labels={vote.paper: consensus[vote.paper].vote is Vote.UP for vote in test_set},
                prior_votes=sum(vote.at < since for vote in by_time),
            )
        )
    return folds


MIN_LIKES = 10
MIN_FOLDS = 3
# In AUC. With 0, a negligible gain would stay "unclear".
_SMALLEST_GAIN = 0.05
_CHANCE_AUC = 0.5
_MAX_POINTS = 8  # of the learning curve
_MIN_LIKES_PER_POINT = 5
_LAST_POINT_FACTOR = 0.8  # a last point with fewer likes joins the one before


class Verdict(StrEnum):
    """The effect of votes on the ranking, compared with the interest words alone."""

    YES = "yes"  # certainly better than words alone and than chance
    NO = "no"  # certainly no better than words alone, or by a negligible gain
    UNCLEAR = "unclear"
    TOO_FEW = "too few"


class FoldResult(NamedTuple):
    """A fold and its metrics."""

    fold: Fold
    metrics: FoldMetrics


@dataclass(frozen=True, slots=True)
class Quality:
    """Means over folds for one ranking, 0 to 1.

    ``auc`` is the probability that a liked paper ranks above another seen paper, weighted by likes.
    """

    precision: float
    ndcg: float
    auc: float | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """Expected calibration error over the papers seen, with its reliability table."""

    error: float
    papers: int
    table: Sequence[Bin]


@dataclass(frozen=True, slots=True)
class Point:
    """A point of the learning curve: AUC of neighbouring folds with votes and by words."""

    since: datetime
    until: datetime
    prior_votes: int
    likes: int
    learned: Estimate
    words: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The prediction of ``likes`` in ``folds``, of all ``thumbs``. Without enough votes, the rest is None."""

    reader: str
    verdict: Verdict
    size: int
    thumbs: int
    likes: int
    folds: int
    learned: Quality | None = None
    words: Quality | None = None
    chance: Quality | None = None
    auc: Estimate | None = None  # with votes
    gain: Estimate | None = None  # in AUC over words alone
    calibration: Calibration | None = None
    points: Sequence[Point] = ()


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean over readers. ``gain`` is None for fewer than two."""

    verdict: Verdict
    readers: int
    learned: Quality | None
    words: Quality | None
    chance: Quality | None
    gain: Estimate | None


class _Aucs(NamedTuple):
    fold: Fold
    learned: float
    words: float


def summarize_folds(reader: str, size: int, thumbs: int, results: Sequence[FoldResult]) -> Evaluation:
    likes = sum(result.fold.likes for result in results)
    if likes < MIN_LIKES or len(results) < MIN_FOLDS:
        return Evaluation(reader, Verdict.TOO_FEW, size, thumbs, likes, len(results))

    # Without an unliked paper there is no AUC.
    comparable = [
        _Aucs(result.fold, metrics.learned.auc, metrics.words.auc)
        for result in results
        if (metrics := result.metrics).learned.auc is not None and metrics.words.auc is not None
    ]
    auc = gain = None
    if len(comparable) >= MIN_FOLDS:
        weights = [aucs.fold.likes for aucs in comparable]
        auc = estimate([aucs.learned for aucs in comparable], weights)
        # Paired differences cancel out the folds' difficulty.
        gain = estimate([aucs.learned - aucs.words for aucs in comparable], weights)

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
    measured = [evaluation for evaluation in evaluations if evaluation.learned]
    auc = _unweighted([evaluation.auc.mean for evaluation in measured if evaluation.auc])
    gain = _unweighted([evaluation.gain.mean for evaluation in measured if evaluation.gain])
    return Mean(
        verdict=_verdict(auc, gain) if gain else Verdict.TOO_FEW,
        readers=len(measured),
        learned=_mean_quality(evaluation.learned for evaluation in measured),
        words=_mean_quality(evaluation.words for evaluation in measured),
        chance=_mean_quality(evaluation.chance for evaluation in measured),
        gain=gain,
    )


def _unweighted(values: Sequence[float]) -> Estimate | None:
    return estimate(values, [1.0] * len(values)) if len(values) > 1 else None


def _mean_quality(of_readers: Iterable[Quality | None]) -> Quality | None:
    qualities = [quality for quality in of_readers if quality]
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
    # A ranking at chance may "gain" over worse words.
    if gain.low > 0 and auc.low > _CHANCE_AUC:
        return Verdict.YES
    return Verdict.NO if gain.high < _SMALLEST_GAIN else Verdict.UNCLEAR


def _quality(results: Sequence[FoldResult], ranking: Callable[[FoldMetrics], RankingMetrics]) -> Quality:
    metrics = [ranking(result.metrics) for result in results]
    places = sum(result.metrics.places for result in results)
    ndcgs = [fold.ndcg for fold in metrics if fold.ndcg is not None]
    aucs = [fold.auc for fold in metrics if fold.auc is not None]
    likes = [result.fold.likes for fold, result in zip(metrics, results, strict=True) if fold.auc is not None]
    return Quality(
        precision=sum(fold.hits for fold in metrics) / places,
        ndcg=fmean(ndcgs) if ndcgs else 0.0,
        auc=fmean(aucs, likes) if aucs else None,
    )


def _learning_curve(comparable: Sequence[_Aucs]) -> list[Point]:
    """Group neighbouring folds into points with enough likes and folds for an interval."""
    likes_per_point = max(sum(aucs.fold.likes for aucs in comparable) / _MAX_POINTS, _MIN_LIKES_PER_POINT)
    groups: list[list[_Aucs]] = [[]]
    for aucs in comparable:
        if _is_complete(groups[-1], likes_per_point):
            groups.append([])
        groups[-1].append(aucs)
    if len(groups) > 1 and not _is_complete(groups[-1], likes_per_point * _LAST_POINT_FACTOR):
        groups[-2:] = [groups[-2] + groups[-1]]

    points = []
    for group in groups:
        if len(group) < 2:
            continue
        likes = [aucs.fold.likes for aucs in group]
        points.append(
            Point(
                since=group[0].fold.since,
                until=group[-1].fold.until,
                prior_votes=group[0].fold.prior_votes,
                likes=sum(likes),
                learned=estimate([aucs.learned for aucs in group], likes),
                words=fmean([aucs.words for aucs in group], likes),
            )
        )
    return points


def _is_complete(group: Sequence[_Aucs], likes: float) -> bool:
    return len(group) >= MIN_FOLDS and sum(aucs.fold.likes for aucs in group) >= likes


# Readers may not have looked lower. As negatives, these papers would make random votes at the top look like learning.
_READING_DEPTH = 0.9
_MAX_FOLDS = 100  # the reader's page waits
_MAX_SEEN = 50  # more hardly change the AUC
_MAX_UNSEEN = 1_000
_REFIT_GROWTH = 1.25  # in votes


def evaluate(
    store: Store, ranker: CurrentRanker, reader: Reader, profile: Profile, *, unseen: int = _MAX_UNSEEN
) -> Evaluation:
    """Return how well a reader's votes are predicted.

    Fewer ``unseen`` papers are faster, and raise precision and nDCG only.
    """
    votes = store.feedback.votes(reader.id)
    folds = [
        fold
        for fold in split_into_folds(votes, store.feedback.current(reader.id), profile.schedule.timezone, _MAX_FOLDS)
        if fold.prior_votes and fold.likes
    ]
    results: list[FoldResult] = []
    size = profile.edition.size
    if folds:
        fitted_ranker = ranker.get()
        words = interest(profile, [], {}, votes[0].at)
        tasks = _prediction_tasks(
            store, fitted_ranker, reader, profile, votes=votes, folds=folds, words=words, unseen=unseen
        )
        metrics = measure_folds(fitted_ranker, tasks, words, size)
        results = list(map(FoldResult, folds, metrics))
    return summarize_folds(reader.name, size, len(votes), results)


def evaluate_all(store: Store, ranker: CurrentRanker, profiles: Mapping[str, Profile]) -> Iterator[Evaluation]:
    for page in store.readers.pages():
        counts = store.feedback.counts([reader.id for reader in page])
        voters = [reader for reader in page if reader.id in counts]
        for reader, profile in with_profiles(store, profiles, voters):
            yield evaluate(store, ranker, reader, profile)


def _prediction_tasks(
    store: Store,
    ranker: Ranker,
    reader: Reader,
    profile: Profile,
    *,
    votes: Sequence[RecordedVote],
    folds: Iterable[Fold],
    words: Interest,
    unseen: int,
) -> Iterator[PredictionTask]:
    """Yield the task of each fold, in chronological order."""
    day_of = profile.schedule.day_of
    papers = store.papers.get(vote.paper for vote in votes)
    library = store.library.of_readers([reader.id], MOST_PAPERS).get(reader.id, [])
    shown = store.editions.shown(reader.id)
    positions = sorted(shown[paper].position for paper in papers if paper in shown)
    depth = positions[int(_READING_DEPTH * (len(positions) - 1))] if positions else 0

    first_seen = [paper.first_seen for paper in papers.values()]
    day = timedelta(days=1)  # by which local days may differ from UTC's
    arrived_at = dict(store.papers.arrivals(min(first_seen) - day, max(first_seen) + day, profile.sources))
    arrivals: dict[date, list[PaperId]] = defaultdict(list)
    for paper_id, at in arrived_at.items():
        arrivals[day_of(at)].append(paper_id)

    learned: Learned | None = None
    fitted_votes = 0
    for fold in folds:
        days = dict.fromkeys(day_of(papers[paper].first_seen) for paper in fold.labels)
        arrived = [paper for day in days for paper in arrivals[day] if arrived_at[paper] <= fold.until]
        unlabelled = [paper for paper in arrived if paper not in papers]
        editions = {shown[paper].edition for paper in fold.labels if paper in shown}
        passed_over = [
            paper
            for paper in unlabelled
            if (pick := shown.get(paper)) and pick.edition in editions and pick.position <= depth
        ]
        seen = dict.fromkeys(_sample_evenly(passed_over if editions else unlabelled, _MAX_SEEN))
        others = _sample_evenly([paper for paper in unlabelled if paper not in seen], unseen)
        negatives = [
            paper
            for paper in store.papers.get([*seen, *others]).values()
            if not (words.rules.matches(paper).muted or words.rules.missing_group(stemmed_phrases(paper.text)))
        ]
        training_set = [vote for vote in votes if vote.at < fold.since]
        earlier_library = [item for item in library if item.added < fold.since]
        trained_on = interest(profile, training_set, papers, fold.since, library=earlier_library)
        if len(training_set) >= _REFIT_GROWTH * fitted_votes:
            learned = ranker.learn([trained_on])[0]
            fitted_votes = len(training_set)
        # The shipped weights don't suit frequent voters.
        mixture = mixtures_of(store.as_of(fold.since, fold.since, ()), [reader.id])[reader.id]
        yield PredictionTask(
            interest=replace(trained_on, learned=learned, mixture=mixture),
            papers=[*(papers[paper] for paper in fold.labels), *negatives],
            liked=frozenset(paper for paper, liked in fold.labels.items() if liked),
            seen=frozenset((*fold.labels, *seen)),
        )


MAX_DAYS = 400


@dataclass(frozen=True, slots=True)
class Outcomes:
    """When each paper was first sent, and its current vote."""

    sent: Mapping[PaperId, datetime]
    votes: Mapping[PaperId, RecordedVote]


def replay(
    store: Store,
    reader: Reader,
    profile: Profile,
    first: date,
    last: date,
    *,
    now: datetime,
    samples: Collection[str] = (),
) -> Iterator[Edition]:
    """Yield the editions of past days, from ``first`` to ``last``, under this profile.

    Each day uses the papers, votes, digests and corpus of its time, so an unchanged profile repeats the sent editions.
    Profile, preferences, texts, upvotes and ``samples`` are today's. Papers of one replayed edition are not new to the
    next. Nothing is stored. Raises UsageError for an empty range, or more than ``MAX_DAYS`` days.
    """
    if first > last:
        raise UsageError(f"--from {first} is after --to {last}; exchange them")
    if last - first > timedelta(days=MAX_DAYS):
        raise UsageError(f"{first} to {last} is more than {MAX_DAYS} days; replay fewer at once")
    composed = {edition.date: edition.composed_at for edition in store.editions.of_reader(reader.id)[::-1]}
    times: dict[date, datetime] = {}
    for day in days_between(first, last, profile.schedule.days):
        at = composed.get(day, profile.schedule.moment(day))
        if at <= now:
            times[day] = at
    editions: list[Edition] = []
    with TemporaryDirectory(prefix="paperbot-") as folder:
        file = Path(folder) / "corpus.npz"
        for day, at in times.items():
            past = store.as_of(at, next(iter(times.values())), editions)
            corpora = CorpusCache(file, past.papers)
            corpora.renew()
            composer = EditionComposer(past, CurrentRanker(corpora), SourceMonitor(past, ()), samples=samples)
            edition = composer.edition(reader, profile, day, at)
            editions.append(edition)
            yield edition


def outcomes(store: Store, reader: Reader) -> Outcomes:
    sent = {paper: place.at for paper, place in store.editions.shown(reader.id).items()}
    return Outcomes(sent, store.feedback.current(reader.id))


def _sample_evenly(papers: Sequence[PaperId], most: int) -> Sequence[PaperId]:
    return papers if len(papers) <= most else [papers[n * len(papers) // most] for n in range(most)]
