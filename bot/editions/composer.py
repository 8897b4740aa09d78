"""Compose editions for a batch of readers: candidates, ranking, selection, picks.

    candidates --rank--> scores --alert rule, select--> choices --explain, summarise--> edition

A batch is read from the store in a few queries and ranked in a few matrix products; a single edition is a batch of
one. Reasons are computed for chosen papers only: with 500 candidates and 10 picks, explaining all of them would take
fifty times as many rows. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import TYPE_CHECKING

from bot.config.profiles import Profile
from bot.domain import Edition, EditionKind, Paper, PaperId, PickKind, Reader, Score
from bot.editions.candidates import Candidates, EditionRequest, Readers, candidates_of, ranking_inputs
from bot.editions.picks import compose
from bot.editions.quiet_days import SourceActivitySince
from bot.editions.source_activity import SourceMonitor
from bot.selection.alert_rules import urgent
from bot.selection.selector import Choice, Limits, select
from bot.selection.trending import with_trending
from bot.store import Store

if TYPE_CHECKING:  # scikit-learn takes a second to import: only ranking itself pays for it
    from bot.ranking import Ranker, Ranking

# Terms that are named of an exploratory pick, of which the reader has judged nothing.
_UNJUDGED_TERMS = 2


@dataclass(frozen=True, slots=True)
class _Ranked:
    """The ranking of one reader, None without candidates, and all papers that their edition may refer to."""

    ranking: Ranking | None
    papers: Mapping[PaperId, Paper]

    @property
    def scores(self) -> Sequence[Score]:
        return self.ranking.scores if self.ranking else ()

    def explained(self, choices: Sequence[Choice]) -> list[Choice]:
        """Return these choices with all reasons of their scores."""
        if not self.ranking:
            return []
        scores = self.ranking.explained([choice.score for choice in choices])
        return [
            replace(
                choice,
                score=score,
                unjudged=self.ranking.unjudged(score.paper, _UNJUDGED_TERMS)
                if choice.kind is PickKind.EXPLORE
                else (),
            )
            for choice, score in zip(choices, scores, strict=True)
        ]


class EditionComposer:
    """Composes editions; reads the store and writes nothing."""

    def __init__(
        self,
        store: Store,
        ranker: Callable[[], Ranker],
        sources: SourceMonitor,
        *,
        samples: Collection[str] = (),
    ) -> None:
        """Create a composer.

        ``ranker`` is called only if there is something to rank, as loading a corpus takes a second. ``samples``
        names the sources that are excluded once another source has delivered papers.
        """
        self._store = store
        self._ranker = ranker
        self._sources = sources
        self._samples = samples

    def candidates(self, reader: Reader, profile: Profile) -> Candidates:
        """Return the papers new to a reader since the last edition, and later versions of papers they liked."""
        return candidates_of(self._store, [(reader, profile)], self._samples)[0]

    def candidates_of(self, requests: Sequence[EditionRequest]) -> list[Candidates]:
        """Return what ``candidates`` does for the reader of each request, in a few queries for all."""
        readers = [(request.reader, request.profile) for request in requests]
        return candidates_of(self._store, readers, self._samples)

    def edition(
        self,
        reader: Reader,
        profile: Profile,
        day: date,
        now: datetime,
        candidates: Candidates | None = None,
    ) -> Edition:
        """Return a reader's edition for a local date, chosen from ``candidates`` instead of the new papers if given."""
        request = EditionRequest(reader, profile, day)
        return next(self.editions([request], now, [candidates] if candidates else None))

    def editions(
        self,
        requests: Sequence[EditionRequest],
        now: datetime,
        candidates: Sequence[Candidates] | None = None,
    ) -> Iterator[Edition]:
        """Yield the requested editions in their order; memory grows with their number."""
        readers = [(request.reader, request.profile) for request in requests]
        candidates = candidates or self.candidates_of(requests)
        # All reading is done before the first edition is yielded: the caller stores each edition as it comes,
        # and a later reader of the batch must see the same state of the store as the first.
        activities = self._activities(requests, candidates, now)
        rankings = self._ranked(readers, [new.ids for new in candidates], now)
        for request, new, ranked, activity in zip(requests, candidates, rankings, activities, strict=True):
            yield compose(
                request,
                ranked.explained(_choices(request.profile, ranked)),
                scores=ranked.scores,
                papers=ranked.papers,
                watermark=new.watermark,
                now=now,
                activity=activity,
            )

    def alerts(
        self, reader: Reader, profile: Profile, day: date, now: datetime, candidates: Candidates
    ) -> list[Edition]:
        """Return an alert for each candidate that the profile's alert rule matches, best first."""
        request = EditionRequest(reader, profile, day)
        ranked = next(self._ranked([(reader, profile)], [candidates.ids], now))
        alerts = []
        for choice in ranked.explained(_alert_choices(profile, ranked)):
            alert = compose(
                request,
                [choice],
                scores=[choice.score],
                papers=ranked.papers,
                watermark=candidates.watermark,
                now=now,
                activity=SourceActivitySince(),
            )
            alerts.append(replace(alert, kind=EditionKind.ALERT))
        return alerts

    def ranking(
        self, reader: Reader, profile: Profile, ids: Sequence[PaperId], now: datetime
    ) -> Ranking | None:
        """Return the ranking of these papers under the current profile and votes; None without papers."""
        return next(self._ranked([(reader, profile)], [ids], now)).ranking

    def score(self, reader: Reader, profile: Profile, paper: Paper, now: datetime) -> Score:
        """Return one paper's score for a reader, with all its reasons, under the current profile and votes."""
        ranking = self.ranking(reader, profile, [paper.id], now)
        assert ranking  # noqa: S101 - there is a paper to rank
        return ranking.explained(ranking.scores)[0]

    def _activities(
        self, requests: Sequence[EditionRequest], candidates: Sequence[Candidates], now: datetime
    ) -> list[SourceActivitySince]:
        """Return what the sources did for each reader without candidates; empty activity for the others."""
        without_candidates = [
            request.reader.id for request, new in zip(requests, candidates, strict=True) if not new.ids
        ]
        last_editions = self._store.editions.last_by_reader(without_candidates) if without_candidates else {}
        activities = []
        for request, new in zip(requests, candidates, strict=True):
            if new.ids:
                activities.append(SourceActivitySince())
                continue
            last = last_editions.get(request.reader.id)
            activities.append(
                self._sources.activity_since(
                    request.profile.sources,
                    last.composed_at if last else None,
                    now,
                    request.profile.schedule.timezone,
                )
            )
        return activities

    def _ranked(self, readers: Readers, ids: Sequence[Sequence[PaperId]], now: datetime) -> Iterator[_Ranked]:
        """Yield for each reader the ranking of their papers."""
        if not any(ids):
            # Most ticks of a quiet day end here, without scikit-learn in memory.
            yield from [_Ranked(None, {})] * len(readers)
            return
        inputs = ranking_inputs(self._store, readers, now)
        papers = self._store.papers.get(paper_id for reader_ids in ids for paper_id in reader_ids)
        # A paper may have been merged into another since its id was read: it is left out.
        candidates = [[papers[i] for i in reader_ids if i in papers] for reader_ids in ids]
        rankings = self._ranker().rankings(inputs.interests, candidates)
        for (_, profile), ranking in zip(readers, rankings, strict=True):
            scores = with_trending(ranking.scores, papers, profile.edition.trending)
            yield _Ranked(replace(ranking, scores=scores) if scores else None, {**inputs.papers, **papers})


def _choices(profile: Profile, ranked: _Ranked) -> list[Choice]:
    """Return what the alert rule matches (and had no alert of its own) first, then what selection chooses."""
    if not ranked.ranking:
        return []
    rules = profile.edition
    alerts = _alert_choices(profile, ranked)[: rules.size]
    alerted = {choice.score.paper for choice in alerts}
    others = [score for score in ranked.scores if score.paper not in alerted]
    places = rules.size - len(alerts)
    # Before the first vote a match rests on words alone: in a home of one topic no paper stands out by them, and a
    # reader who gets no paper can't vote.
    threshold = rules.threshold if ranked.ranking.model.judged.size else rules.lowest
    limits = Limits(places, min(rules.explore, places), threshold, rules.lowest)
    return alerts + select(others, ranked.ranking.similarity, limits, ranked.ranking.interest)


def _alert_choices(profile: Profile, ranked: _Ranked) -> list[Choice]:
    """Return the papers that the profile's alert rule matches, best first, each with the matching names."""
    from bot.ranking import Rules

    rule = profile.alerts
    if rule is None:
        return []
    # The same matcher as for the profile's keywords and authors, so that "GRPO" means the same in both.
    matcher = Rules(rule.keywords, rule.authors)
    alerted_by: dict[PaperId, list[str]] = {}
    for score in ranked.scores:
        verdict = matcher.verdict(ranked.papers[score.paper])
        names = [reason.term for reason in verdict.reasons]
        if verdict.followed:
            names.append(verdict.followed)
        if names:
            alerted_by[score.paper] = names
    return [
        Choice(score, PickKind.ALERT, alerted_by.get(score.paper, ()))
        for score in urgent(ranked.scores, alerted_by, rule.min_score)
    ]
