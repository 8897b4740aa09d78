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
from bot.domain import Edition, EditionKind, Paper, PaperId, Pick, PickKind, Reader, Score
from bot.editions.candidates import Candidates, EditionRequest, Readers, candidates_of, interests_of
from bot.editions.explaining import Explainer, Explanation, PaperTexts
from bot.editions.picks import compose, new_pick
from bot.editions.quiet_days import SourceActivitySince
from bot.editions.source_activity import SourceMonitor
from bot.reasons import without_repetition
from bot.selection.alert_rules import urgent
from bot.selection.selector import Choice, SelectionLimits, select
from bot.selection.trending import with_trending
from bot.store import Store

if TYPE_CHECKING:  # scikit-learn takes a second to import: only ranking itself pays for it
    from bot.ranking import Ranker, Ranking

# A reader with fewer votes gets exploratory picks where nothing reaches the threshold: one who dislikes most of the
# first papers would otherwise be shown none for weeks, and could teach nothing. In two loops of 33 readers precision
# and share are .58/.78 and .56/.79, without them .57/.78 and .54/.82; the reader who is shown least of what could be
# liked in the first nine days is shown .10 and .26, not .02 and .05.
_VOTES_OF_NEW_READER = 60


@dataclass(frozen=True, slots=True)
class Ranked:
    """The ranking of one reader, what explains it, and the ranked papers by id."""

    ranking: Ranking
    explainer: Explainer
    papers: Mapping[PaperId, Paper]

    @property
    def scores(self) -> Sequence[Score]:
        """The scores without their terms, best first."""
        return self.ranking.scores

    def picks(self, choices: Sequence[Choice], summary_sentences: int) -> list[Pick]:
        """Return a pick for each choice, with its reasons and summary."""
        if not choices:
            return []
        picks = []
        scores = self.ranking.explained([choice.score for choice in choices])
        for choice, score in zip(choices, scores, strict=True):
            paper = self.papers[score.paper]
            explained = replace(choice, score=score)
            reasons = self.explainer.reasons(paper, explained)
            picks.append(new_pick(paper, explained, reasons, summary_sentences))
        # After the summaries, which highlight the phrases of all reasons.
        of_edition = without_repetition([pick.reasons for pick in picks])
        return [replace(pick, reasons=reasons) for pick, reasons in zip(picks, of_edition, strict=True)]

    def explained(self, paper_id: PaperId) -> Score | None:
        """Return the score of a paper with its terms; None where the paper isn't ranked."""
        scores = [score for score in self.scores if score.paper == paper_id]
        return next(iter(self.ranking.explained(scores)), None)

    def without(self, paper_id: PaperId) -> Ranked:
        """Return the ranking of the other papers."""
        scores = tuple(score for score in self.scores if score.paper != paper_id)
        return replace(self, ranking=replace(self.ranking, scores=scores))


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
        self._texts = PaperTexts()

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
            profile = request.profile
            picks = (
                ranked.picks(choices_of(profile, ranked), profile.edition.summary_sentences) if ranked else []
            )
            yield compose(
                request,
                picks,
                scores=ranked.scores if ranked else [],
                watermark=new.watermark,
                now=now,
                activity=activity,
            )

    def alerts(
        self, reader: Reader, profile: Profile, day: date, now: datetime, candidates: Candidates
    ) -> list[Edition]:
        """Return an alert for each candidate that the profile's alert rule matches, best first."""
        request = EditionRequest(reader, profile, day)
        ranked = self.ranked(reader, profile, candidates.ids, now)
        if ranked is None:
            return []
        choices = _alert_choices(profile, ranked)
        alerts = [
            compose(
                request,
                [pick],
                scores=[choice.score],
                watermark=candidates.watermark,
                now=now,
                activity=SourceActivitySince(),
            )
            for choice, pick in zip(
                choices, ranked.picks(choices, profile.edition.summary_sentences), strict=True
            )
        ]
        return [replace(alert, kind=EditionKind.ALERT) for alert in alerts]

    def ranked(
        self, reader: Reader, profile: Profile, ids: Sequence[PaperId], now: datetime
    ) -> Ranked | None:
        """Return these papers, ranked under the current profile and votes; None if there is nothing to rank."""
        return next(self._ranked([(reader, profile)], [ids], now))

    def explanation(
        self, reader: Reader, profile: Profile, paper: Paper, now: datetime
    ) -> Explanation | None:
        """Return what explains one paper's score under the current profile and votes; None if it isn't ranked."""
        ranked = self.ranked(reader, profile, [paper.id], now)
        score = ranked.explained(paper.id) if ranked else None
        if not (ranked and score):
            return None
        # A paper that was sent as an exploratory pick is explained as one.
        kind = self._store.editions.pick_kind(reader.id, paper.id) or PickKind.MATCH
        return ranked.explainer.explanation(paper, Choice(score, kind))

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

    def _ranked(
        self, readers: Readers, ids: Sequence[Sequence[PaperId]], now: datetime
    ) -> Iterator[Ranked | None]:
        """Yield for each reader their papers as ranked, None where there is nothing to rank."""
        if not any(ids):
            # Most ticks of a quiet day end here, without scikit-learn in memory.
            yield from [None] * len(readers)
            return
        interests = interests_of(self._store, readers, now)
        papers = self._store.papers.get(paper_id for reader_ids in ids for paper_id in reader_ids)
        # A paper may have been merged into another since its id was read: it is left out.
        candidates = [[papers[i] for i in reader_ids if i in papers] for reader_ids in ids]
        rankings = self._ranker().rankings(interests, candidates)
        for (_, profile), interest, ranking in zip(readers, interests, rankings, strict=True):
            if not ranking.scores:
                yield None
                continue
            scores = with_trending(ranking.scores, papers, profile.edition.trending)
            explainer = Explainer(self._texts, interest, ranking)
            yield Ranked(replace(ranking, scores=scores), explainer, papers)


def choices_of(profile: Profile, ranked: Ranked) -> list[Choice]:
    """Return what the alert rule matches (and had no alert of its own) first, then what selection chooses."""
    rules = profile.edition
    alerts = _alert_choices(profile, ranked)[: rules.size]
    alerted = {choice.score.paper for choice in alerts}
    others = [score for score in ranked.scores if score.paper not in alerted]
    places = rules.size - len(alerts)
    # Before the first vote a match rests on words and a library alone: in a home of one topic no paper stands out by
    # them, and a reader who gets no paper can't vote.
    votes = ranked.ranking.model.votes.own
    threshold = rules.threshold if votes else rules.lowest
    lowest_alone = rules.lowest_alone if votes < _VOTES_OF_NEW_READER else None
    limits = SelectionLimits(places, min(rules.explore, places), threshold, rules.lowest, lowest_alone)
    if not ranked.ranking.model.has_several_interests:
        return alerts + select(others, ranked.ranking.pool.similarity, limits)
    return alerts + select(others, ranked.ranking.pool.similarity, limits, ranked.ranking.interest)


def _alert_choices(profile: Profile, ranked: Ranked) -> list[Choice]:
    """Return the papers that the profile's alert rule matches, best first, each with the matching names."""
    from bot.ranking import Rules

    rule = profile.alerts
    if rule is None:
        return []
    # The same matcher as for the profile's keywords and authors, so that "GRPO" means the same in both.
    matcher = Rules(rule.keywords, rule.authors)
    alerted_by: dict[PaperId, list[str]] = {}
    for score in ranked.scores:
        matches = matcher.matches(ranked.papers[score.paper])
        names = [bonus.text for bonus in matches.bonuses]
        if matches.followed:
            names.append(matches.followed)
        if names:
            alerted_by[score.paper] = names
    return [
        Choice(score, PickKind.ALERT, alerted_by.get(score.paper, ()))
        for score in urgent(ranked.scores, alerted_by, rule.min_score)
    ]
