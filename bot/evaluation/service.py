"""Is it learning my preferences? Prequential evaluation: each vote is predicted from the votes before it.

For one reader:

- Votes of a day, about ten at a time, are a fold (``split_into_folds``). A fold's model is trained on the votes
  strictly before the fold, so no vote predicts itself or is predicted by later votes.
- The reader's own library counts as it does in their editions, as far as it was added before the fold.
- It ranks the papers that the reader could see then: papers that arrived on the same days as the fold's and before
  its end. Papers that are muted, lack a required term or have a vote in another fold are left out.
- Liked papers are relevant, all others are not. Folds without a like, or before the first vote, test nothing.
- Two baselines rank the same papers: the same model without votes (interest words and keywords), and chance.
- Votes have selection bias: they are on papers that the editions showed, which the model had ranked high. So verdict,
  AUC and calibration use only papers that the reader saw: the fold's, and in the same editions the papers as
  high up as nine of ten of the reader's votes. Random votes on what was shown are then not mistaken for learning.
  Where no paper of the fold was in an edition, all papers that arrived count as seen.
- Seen and unseen papers are sampled evenly and deterministically, so page and command give the same answer. Only
  nDCG and precision depend on the number of unseen papers.

A changed or cleared vote counts as it is now, from the time of the change. The vocabulary is fitted on today's papers;
it uses no votes. Upvotes, followed authors and ignored words are not learned, and are left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING

from bot.config.overrides import with_override
from bot.config.profiles import Profile
from bot.domain import PaperId, Reader, RecordedVote
from bot.editions.candidates import interest
from bot.editions.corpus_cache import CurrentRanker
from bot.editions.stored_models import mixtures_of
from bot.evaluation.folds import Fold, split_into_folds
from bot.evaluation.report import Evaluation, FoldResult, summarize_folds
from bot.ranking import MOST_PAPERS
from bot.ranking.prequential import PredictionTask, measure_folds
from bot.ranking.rules import stemmed_phrases
from bot.schedule import local_date
from bot.store import Store

if TYPE_CHECKING:
    from bot.ranking import Learned, Ranker

# Readers give most votes near the top of an edition. Papers below this quantile of the positions with a vote may never
# have been looked at; as negatives they would make random votes near the top look like learning.
_READING_DEPTH = 0.9
# Neighbouring days share a fold beyond this number. The reader's page waits for the evaluation, so it must be bounded.
_MAX_FOLDS = 100
# Seen papers sampled for a fold, beside its own. 100 against 300 changed the mean AUC of 59 folds by .001.
_MAX_SEEN = 50
_MAX_UNSEEN = 1_000
# The models of votes are refitted once there are this many times as many votes as at the last fit. A fit for each of a
# hundred folds would take about ten seconds; earlier models are as honest, as they know fewer votes and none later.
_REFIT_GROWTH = 1.25


def evaluate(
    store: Store,
    ranker: CurrentRanker,
    reader: Reader,
    profile: Profile,
    *,
    unseen: int = _MAX_UNSEEN,
) -> Evaluation:
    """Return how well the reader's votes are predicted; the ranker is made only if there is a fold to predict.

    Fewer ``unseen`` papers in each fold are faster. Precision and nDCG are then higher and mean less; verdict, AUC,
    gain, calibration and learning curve are the same.
    """
    votes = store.feedback.votes(reader.id)
    folds = [
        fold
        for fold in split_into_folds(
            votes, store.feedback.current(reader.id), profile.schedule.timezone, _MAX_FOLDS
        )
        if fold.prior_votes and fold.likes
    ]
    results: list[FoldResult] = []
    if folds:
        fitted_ranker = ranker.get()
        tasks = _PredictionTasks(store, fitted_ranker, reader, profile, votes, unseen=unseen)
        metrics = measure_folds(fitted_ranker, map(tasks.of, folds), tasks.words, profile.edition.size)
        results = [FoldResult(*pair) for pair in zip(folds, metrics, strict=True)]
    return summarize_folds(reader.name, profile.edition.size, len(votes), results)


def evaluate_all(
    store: Store, ranker: CurrentRanker, profiles: Mapping[str, Profile]
) -> Iterator[Evaluation]:
    """Yield the evaluation of every reader of these profiles who has voted, in the order of subscription."""
    for page in store.readers.pages():
        ids = [reader.id for reader in page if reader.profile in profiles]
        counts = store.feedback.counts(ids)
        overrides = store.overrides.of(list(counts))
        for reader in page:
            if reader.id in counts:
                profile = with_override(profiles[reader.profile], overrides.get(reader.id))
                yield evaluate(store, ranker, reader, profile)


class _PredictionTasks:
    """Builds the prediction task of each fold; reads votes, editions and arrivals from the store once for all folds."""

    def __init__(
        self,
        store: Store,
        ranker: Ranker,
        reader: Reader,
        profile: Profile,
        votes: Sequence[RecordedVote],
        *,
        unseen: int,
    ) -> None:
        self._store = store
        self._ranker = ranker
        self._fitted_votes = 0
        self._learned: Learned | None = None
        self._reader = reader
        self._profile = profile
        self._votes = votes
        self._unseen = unseen
        self._papers = store.papers.get(vote.paper for vote in votes)
        self._library = store.library.of([reader.id], MOST_PAPERS).get(reader.id, [])
        self._shown = store.editions.shown(reader.id)
        self.words = interest(profile, [], {}, votes[0].at)

        positions = sorted(self._shown[paper].position for paper in self._papers if paper in self._shown)
        self._depth = positions[int(_READING_DEPTH * (len(positions) - 1))] if positions else 0

        # A day more at either end: the store's limits are moments, the reader's calendar days are not UTC's.
        arrived = [paper.first_seen for paper in self._papers.values()]
        start = min(arrived) - timedelta(days=1)
        end = max(arrived) + timedelta(days=1)
        self._arrivals: dict[date, list[PaperId]] = defaultdict(list)
        self._arrived_at = dict(store.papers.arrivals(start, end, profile.sources))
        for paper_id, at in self._arrived_at.items():
            self._arrivals[local_date(at, profile.schedule.timezone)].append(paper_id)

    def of(self, fold: Fold) -> PredictionTask:
        """Return the fold's papers with those that arrived beside them, and the interest trained before the fold."""
        timezone = self._profile.schedule.timezone
        days = dict.fromkeys(local_date(self._papers[paper].first_seen, timezone) for paper in fold.labels)
        unlabelled = [
            paper
            for day in days
            for paper in self._arrivals[day]
            if self._arrived_at[paper] <= fold.until and paper not in self._papers
        ]
        seen = dict.fromkeys(_sample_evenly(self._passed_over(fold, unlabelled), _MAX_SEEN))
        unseen = _sample_evenly([paper for paper in unlabelled if paper not in seen], self._unseen)
        negatives = [
            paper
            for paper in self._store.papers.get([*seen, *unseen]).values()
            if not (self.words.rules.muted(paper) or self.words.rules.lacks(stemmed_phrases(paper.text)))
        ]
        training_set = [vote for vote in self._votes if vote.at < fold.since]
        library = [item for item in self._library if item.added < fold.since]
        trained_on = interest(self._profile, training_set, self._papers, fold.since, library=library)
        if len(training_set) >= _REFIT_GROWTH * self._fitted_votes:
            self._learned = self._ranker.learn([trained_on])[0]
            self._fitted_votes = len(training_set)
        # The weights of the experts as they were then, too: with the shipped ones the calibration error of five readers
        # with some 300 votes each was .26 to .31, with these .05 to .09.
        as_of = self._store.as_of(fold.since, fold.since, ())
        mixture = mixtures_of(as_of, [self._reader.id])[self._reader.id]
        return PredictionTask(
            interest=replace(trained_on, learned=self._learned, mixture=mixture),
            papers=[*(self._papers[paper] for paper in fold.labels), *negatives],
            liked=frozenset(paper for paper, liked in fold.labels.items() if liked),
            seen=frozenset((*fold.labels, *seen)),
        )

    def _passed_over(self, fold: Fold, unlabelled: Sequence[PaperId]) -> Sequence[PaperId]:
        """Return the unlabelled papers that the reader saw in the fold's editions without voting on them."""
        editions = {self._shown[paper].edition for paper in fold.labels if paper in self._shown}
        if not editions:
            return unlabelled
        return [
            paper
            for paper in unlabelled
            if (pick := self._shown.get(paper)) and pick.edition in editions and pick.position <= self._depth
        ]


def _sample_evenly(ids: Sequence[PaperId], at_most: int) -> list[PaperId]:
    """Return up to ``at_most`` ids at equal distances.

    Not at random: page and command have to draw the same papers.
    """
    if len(ids) <= at_most:
        return list(ids)
    return [ids[n * len(ids) // at_most] for n in range(at_most)]
