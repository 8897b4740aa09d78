"""From the store to editions, for a batch of readers at once: candidates, scores, choices, picks.

A batch of readers is read from the store in a few queries and ranked in a few matrix products; a single edition is
a batch of one. Reasons are worked out for the papers that were chosen only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import TYPE_CHECKING

from bot.config.profiles import Profile
from bot.domain import Edition, EditionKind, Paper, PaperId, PickKind, Reader, Score
from bot.editions.candidates import Candidates, RankingInputs, Readers, candidates_of, ranking_inputs
from bot.editions.picks import compose
from bot.editions.quiet_days import SourceActivitySince
from bot.editions.source_activity import Sources
from bot.selection.alert_rules import urgent
from bot.selection.selector import Choice, Limits, select
from bot.selection.trending import with_trending
from bot.store import Store
from bot.store.editions import StoredEdition

if TYPE_CHECKING:  # scikit-learn takes a second to import: only ranking itself pays for it
    from bot.ranking import Ranker, Ranking


@dataclass(frozen=True, slots=True)
class EditionRequest:
    """An edition to be made: whose, by which profile, of which day."""

    reader: Reader
    profile: Profile
    day: date


@dataclass(frozen=True, slots=True)
class _Ranked:
    """One reader's ranking, None where there is nothing to rank, and all papers that its edition may name."""

    ranking: Ranking | None
    papers: Mapping[PaperId, Paper]

    @property
    def scores(self) -> Sequence[Score]:
        return self.ranking.scores if self.ranking else ()


class EditionComposer:
    """Makes editions; stores nothing."""

    def __init__(
        self, store: Store, ranker: Callable[[], Ranker], sources: Sources, *, samples: Collection[str] = ()
    ) -> None:
        """``ranker`` is asked for only when there is something to rank, ``sources`` only when there isn't.

        ``samples`` names the sources whose papers are no news once another source has brought some.
        """
        self._samples = samples
        self._store = store
        self._ranker = ranker
        self._sources = sources

    def candidates(self, reader: Reader, profile: Profile) -> Candidates:
        """What is new to the reader since the last edition, and later versions of papers that they like."""
        return candidates_of(self._store, [(reader, profile)], self._samples)[0]

    def edition(
        self,
        reader: Reader,
        profile: Profile,
        day: date,
        now: datetime,
        candidates: Candidates | None = None,
    ) -> Edition:
        """The reader's edition for a day; of other ``candidates`` where they are given."""
        wanted = EditionRequest(reader, profile, day)
        return next(self.editions([wanted], now, [candidates] if candidates else None))

    def editions(
        self, wanted: Sequence[EditionRequest], now: datetime, candidates: Sequence[Candidates] | None = None
    ) -> Iterator[Edition]:
        """The readers' editions, in their order; memory grows with their number.

        All that the store is asked for, it is asked for before the first.
        """
        readers = [(one.reader, one.profile) for one in wanted]
        candidates = candidates or candidates_of(self._store, readers, self._samples)
        supplies = self._supplies(wanted, candidates, now)
        ranked = self._ranked(readers, [c.ids for c in candidates], now)
        for one, new, found, supply in zip(wanted, candidates, ranked, supplies, strict=True):
            choices = _choices(one.profile, found)
            yield _edition(one, found, choices, watermark=new.watermark, now=now, supply=supply)

    def alerts(
        self, reader: Reader, profile: Profile, day: date, now: datetime, candidates: Candidates
    ) -> list[Edition]:
        """An alert for each candidate that the profile's alert rule matches, best first."""
        wanted = EditionRequest(reader, profile, day)
        (found,) = self._ranked([(reader, profile)], [candidates.ids], now)
        alerts = [
            _edition(wanted, found, [choice], watermark=candidates.watermark, now=now)
            for choice in _urgent(profile, found)
        ]
        return [replace(alert, kind=EditionKind.ALERT, considered=1) for alert in alerts]

    def _supplies(
        self, wanted: Sequence[EditionRequest], candidates: Sequence[Candidates], now: datetime
    ) -> list[SourceActivitySince]:
        """What those readers' sources did for whom there is nothing new."""
        without = [one.reader.id for one, new in zip(wanted, candidates, strict=True) if not new.ids]
        last = self._store.editions.last_by_reader(without) if without else {}
        return [
            SourceActivitySince() if new.ids else self._supply(one.profile, last.get(one.reader.id), now)
            for one, new in zip(wanted, candidates, strict=True)
        ]

    def _supply(self, profile: Profile, last: StoredEdition | None, now: datetime) -> SourceActivitySince:
        timezone = profile.schedule.timezone
        return self._sources.supply(profile.sources, last.composed_at if last else None, now, timezone)

    def ranking(
        self, reader: Reader, profile: Profile, ids: Sequence[PaperId], now: datetime
    ) -> Ranking | None:
        """Every one of these papers scored for the reader; None where there are none."""
        return next(self._ranked([(reader, profile)], [ids], now)).ranking

    def before_and_after(
        self,
        reader: Reader,
        profile: Profile,
        ids: Sequence[PaperId],
        now: datetime,
        change: Callable[[], None],
    ) -> tuple[Ranking, Ranking]:
        """The ranking of these papers, at least one, as it was before a change and as it is after it."""
        readers = [(reader, profile)]
        was = ranking_inputs(self._store, readers, now)
        change()
        known = ranking_inputs(self._store, readers, now)
        both = RankingInputs([*was.interests, *known.interests], known.papers)
        before, after = self._rankings(readers * 2, both, [ids, ids])
        assert before.ranking  # noqa: S101 - there are papers
        assert after.ranking  # noqa: S101
        return before.ranking, after.ranking

    def score(self, reader: Reader, profile: Profile, paper: Paper, now: datetime) -> Score:
        """One paper's score for one reader, with all its reasons, under today's profile and thumbs."""
        ranking = self.ranking(reader, profile, [paper.id], now)
        assert ranking  # noqa: S101 - there is a paper to rank
        return ranking.explained(ranking.scores)[0]

    def _ranked(self, readers: Readers, ids: Sequence[Sequence[PaperId]], now: datetime) -> Iterator[_Ranked]:
        """For each reader a ranking of their papers."""
        if not any(ids):
            yield from [_Ranked(None, {})] * len(readers)
            return
        yield from self._rankings(readers, ranking_inputs(self._store, readers, now), ids)

    def _rankings(
        self, readers: Readers, known: RankingInputs, ids: Sequence[Sequence[PaperId]]
    ) -> Iterator[_Ranked]:
        new = self._store.papers.get(paper for some in ids for paper in some)
        papers = {**known.papers, **new}
        rankings = self._ranker().rankings(
            known.interests, [[new[i] for i in some if i in new] for some in ids]
        )
        for (_, profile), ranking in zip(readers, rankings, strict=True):
            scores = with_trending(ranking.scores, new, profile.edition.trending)
            yield _Ranked(replace(ranking, scores=scores) if scores else None, papers)


def _choices(profile: Profile, found: _Ranked) -> list[Choice]:
    """What can't wait (and had no alert of its own) comes first, the rest as selection says."""
    if not found.ranking:
        return []
    rules = profile.edition
    first = _urgent(profile, found)[: rules.size]
    taken = {choice.score.paper for choice in first}
    rest = [score for score in found.scores if score.paper not in taken]
    size = rules.size - len(first)
    limits = Limits(size, min(rules.explore, size), rules.threshold)
    return first + select(rest, found.ranking.similarity, limits, found.ranking.interest)


def _urgent(profile: Profile, found: _Ranked) -> list[Choice]:
    """What the profile's alert rule matches, best first, with the names in the rule that did."""
    from bot.ranking import Rules

    rule = profile.alerts
    if rule is None:
        return []
    names = Rules(rule.keywords, rule.authors)
    alerted_by: dict[PaperId, list[str]] = {}
    for score in found.scores:
        verdict = names.verdict(found.papers[score.paper])
        if matches := [*(reason.term for reason in verdict.reasons), *filter(None, [verdict.followed])]:
            alerted_by[score.paper] = matches
    return [
        Choice(score, PickKind.ALERT, alerted_by.get(score.paper, ()))
        for score in urgent(found.scores, alerted_by, rule.min_score)
    ]


def _edition(
    wanted: EditionRequest,
    found: _Ranked,
    choices: Sequence[Choice],
    *,
    watermark: PaperId,
    now: datetime,
    supply: SourceActivitySince | None = None,
) -> Edition:
    profile = wanted.profile
    return compose(
        reader=wanted.reader,
        profile_title=profile.title,
        day=wanted.day,
        now=now,
        watermark=watermark,
        scores=found.scores,
        choices=_explained(found, choices),
        papers=found.papers,
        summary_sentences=profile.edition.summary_sentences,
        threshold=profile.edition.threshold,
        supply=supply or SourceActivitySince(),
    )


def _explained(found: _Ranked, choices: Sequence[Choice]) -> list[Choice]:
    """The choices with all their reasons."""
    if not found.ranking:
        return []
    scores = found.ranking.explained([choice.score for choice in choices])
    return [replace(choice, score=score) for choice, score in zip(choices, scores, strict=True)]
