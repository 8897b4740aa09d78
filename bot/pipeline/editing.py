"""From the store to an edition, for one reader: candidates, scores, choices, picks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from bot.config.profiles import Profile
from bot.domain import Edition, EditionKind, Paper, PaperId, PickKind, Reader, Score, Thumb, Vote
from bot.edition import Choice, Limits, Supply, compose, select, with_trending
from bot.edition.alerts import urgent
from bot.edition.ignoring import without
from bot.pipeline.supplying import Sources
from bot.store import Store

if TYPE_CHECKING:  # scikit-learn takes a second to import: only ranking itself pays for it
    from bot.ranking import Interest, Ranker, Ranking

# A reader's first edition looks back this far from the newest paper; later ones to the one before.
FIRST_LOOK_BACK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Papers new to a reader, and the highest paper id known when they were gathered."""

    ids: Sequence[PaperId]
    watermark: PaperId


class Editor:
    """Makes editions; stores nothing."""

    def __init__(self, store: Store, ranker: Callable[[], Ranker], sources: Sources) -> None:
        """``ranker`` is asked for only when there is something to rank, ``sources`` only when there isn't."""
        self._store = store
        self._ranker = ranker
        self._sources = sources

    def candidates(self, reader: Reader, profile: Profile) -> Candidates:
        """What is new to the reader since the last edition, and later versions of papers that they like.

        New is what was never sent to them or judged by them.
        """
        papers = self._store.papers
        watermark = papers.newest_id()
        last = self._store.editions.last(reader.id)
        ids = papers.fresh(
            reader.id,
            after=last.watermark if last else 0,
            upto=watermark,
            first_seen_since=None if last else self._first_look(),
            sources=profile.sources,
        )
        revised = papers.revised(reader.id, since=last.composed_at) if last else ()
        return Candidates([*ids, *(paper for paper in revised if paper not in ids)], watermark)

    def edition(
        self,
        reader: Reader,
        profile: Profile,
        day: date,
        now: datetime,
        candidates: Candidates | None = None,
    ) -> Edition:
        """The reader's edition for a day; of other ``candidates`` where they are given."""
        candidates = candidates or self.candidates(reader, profile)
        ranking = self.ranking(reader, profile, candidates.ids, now)
        scores = ranking.scores if ranking else ()
        choices = self._choices(profile, ranking) if ranking else []
        return self._compose(
            reader, profile, day, now, watermark=candidates.watermark, scores=scores, choices=choices
        )

    def alerts(
        self, reader: Reader, profile: Profile, day: date, now: datetime, candidates: Candidates
    ) -> list[Edition]:
        """An alert for each candidate that the profile's alert rule matches, best first."""
        ranking = self.ranking(reader, profile, candidates.ids, now)
        alerts = [
            self._compose(
                reader,
                profile,
                day,
                now,
                watermark=candidates.watermark,
                scores=[score],
                choices=[Choice(score, PickKind.ALERT)],
            )
            for score in (self._urgent(profile, ranking.scores) if ranking else ())
        ]
        return [replace(alert, kind=EditionKind.ALERT) for alert in alerts]

    def _choices(self, profile: Profile, ranking: Ranking) -> list[Choice]:
        """What can't wait (and had no alert of its own) comes first, the rest as selection says."""
        rules = profile.edition
        first = [Choice(s, PickKind.ALERT) for s in self._urgent(profile, ranking.scores)[: rules.size]]
        taken = {choice.score.paper for choice in first}
        rest = [score for score in ranking.scores if score.paper not in taken]
        size = rules.size - len(first)
        limits = Limits(size, min(rules.explore, size), rules.threshold)
        return first + select(rest, ranking.similarity, limits, ranking.interest)

    def _urgent(self, profile: Profile, scores: Sequence[Score]) -> list[Score]:
        from bot.ranking import Rules

        rule = profile.alerts
        if rule is None:
            return []
        names = Rules(rule.keywords, rule.authors)
        papers = self._store.papers.get(score.paper for score in scores)
        named = {i for i, paper in papers.items() if names.reasons(paper) or names.followed(paper)}
        return urgent(scores, named, rule.min_score)

    def _compose(
        self,
        reader: Reader,
        profile: Profile,
        day: date,
        now: datetime,
        *,
        watermark: PaperId,
        scores: Sequence[Score],
        choices: Sequence[Choice],
    ) -> Edition:
        return compose(
            reader=reader,
            profile_title=profile.title,
            day=day,
            now=now,
            watermark=watermark,
            scores=scores,
            choices=choices,
            papers=self._store.papers.get(_named_by(choices)),
            summary_sentences=profile.edition.summary_sentences,
            threshold=profile.edition.threshold,
            supply=Supply() if scores else self._supply(reader, profile, now),
        )

    def _supply(self, reader: Reader, profile: Profile, now: datetime) -> Supply:
        last = self._store.editions.last(reader.id)
        timezone = profile.schedule.timezone or "UTC"
        return self._sources.supply(profile.sources, last.composed_at if last else None, now, timezone)

    def ranking(
        self, reader: Reader, profile: Profile, ids: Sequence[PaperId], now: datetime
    ) -> Ranking | None:
        """Every one of these papers scored for the reader; None where there are none."""
        if not ids:
            return None
        return self._rank(reader, profile, self._store.papers.get(ids), now)

    def score(self, reader: Reader, profile: Profile, paper: Paper, now: datetime) -> Score:
        """One paper's score for one reader, under today's profile and thumbs."""
        return self._rank(reader, profile, {paper.id: paper}, now).scores[0]

    def _rank(
        self, reader: Reader, profile: Profile, papers: Mapping[PaperId, Paper], now: datetime
    ) -> Ranking:
        ranking = self._ranker().rank(self._interest(reader, profile, now), list(papers.values()))
        kept = _without(ranking, self._store.overrides.get(reader.id).ignored)
        return replace(kept, scores=with_trending(kept.scores, papers, profile.edition.trending))

    def _interest(self, reader: Reader, profile: Profile, now: datetime) -> Interest:
        thumbs = self._store.feedback.votes(reader.id)
        papers = self._store.papers.get(thumb.paper for thumb in thumbs)
        return interest(profile, thumbs, papers, now)

    def _first_look(self) -> datetime | None:
        newest = self._store.papers.newest_first_seen()
        return newest - FIRST_LOOK_BACK if newest else None


def interest(
    profile: Profile, thumbs: Sequence[Thumb], papers: Mapping[PaperId, Paper], now: datetime
) -> Interest:
    """What to rank by: the profile, and thumbs on papers, as old as they are now."""
    from bot.ranking import Interest, Rules

    return Interest(
        text=profile.interests,
        rules=Rules(profile.keywords, profile.authors, profile.mute),
        up=[papers[thumb.paper] for thumb in thumbs if thumb.vote is Vote.UP],
        down=[papers[thumb.paper] for thumb in thumbs if thumb.vote is Vote.DOWN],
        ages={thumb.paper: max((now - thumb.at) / timedelta(days=1), 0.0) for thumb in thumbs},
    )


def _without(ranking: Ranking, ignored: Collection[str]) -> Ranking:
    """The ranking as it is without the words that the reader has taken out of what was learned."""
    if not ignored:
        return ranking
    scores = sorted(
        (without(score, ignored) for score in ranking.scores), key=lambda s: (-s.log_odds, s.paper)
    )
    return replace(ranking, scores=tuple(scores))


def _named_by(choices: Sequence[Choice]) -> list[PaperId]:
    """The papers that an edition speaks of: those chosen, and the liked ones they resemble."""
    liked = (choice.score.because for choice in choices)
    return [*(choice.score.paper for choice in choices), *(paper for paper in liked if paper is not None)]
