"""From the store to an edition, for one reader: candidates, scores, choices, picks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from bot.config.profiles import Profile
from bot.domain import Edition, Paper, PaperId, Reader, Score, Vote
from bot.edition import Choice, Limits, compose, select
from bot.edition.ignoring import without
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

    def __init__(self, store: Store, ranker: Callable[[], Ranker]) -> None:
        """``ranker`` is asked for only when there is something to rank."""
        self._store = store
        self._ranker = ranker

    def candidates(self, reader: Reader, profile: Profile) -> Candidates:
        """What is new to the reader since the last edition, and was never sent to or judged by them."""
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
        return Candidates(ids, watermark)

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
        ranking = self.ranking(reader, profile, candidates.ids)
        rules = profile.edition
        limits = Limits(rules.size, rules.explore, rules.threshold)
        choices = select(ranking.scores, ranking.similarity, limits) if ranking else []
        return compose(
            reader=reader,
            profile_title=profile.title,
            day=day,
            now=now,
            watermark=candidates.watermark,
            scores=ranking.scores if ranking else (),
            choices=choices,
            papers=self._store.papers.get(_named_by(choices)),
            summary_sentences=rules.summary_sentences,
            threshold=rules.threshold,
        )

    def ranking(self, reader: Reader, profile: Profile, ids: Sequence[PaperId]) -> Ranking | None:
        """Every one of these papers scored for the reader; None where there are none."""
        if not ids:
            return None
        papers = self._store.papers.get(ids)
        ranking = self._ranker().rank(self._interest(reader, profile), list(papers.values()))
        return _without(ranking, self._store.overrides.get(reader.id).ignored)

    def score(self, reader: Reader, profile: Profile, paper: Paper) -> Score:
        """One paper's score for one reader, under today's profile and thumbs."""
        ranking = self._ranker().rank(self._interest(reader, profile), [paper])
        return _without(ranking, self._store.overrides.get(reader.id).ignored).scores[0]

    def _interest(self, reader: Reader, profile: Profile) -> Interest:
        from bot.ranking import Interest, Rules

        votes = self._store.feedback.votes(reader.id)
        papers = self._store.papers.get(thumb.paper for thumb in votes)
        return Interest(
            text=profile.interests,
            rules=Rules(profile.keywords, profile.authors, profile.mute),
            up=[papers[thumb.paper] for thumb in votes if thumb.vote is Vote.UP],
            down=[papers[thumb.paper] for thumb in votes if thumb.vote is Vote.DOWN],
        )

    def _first_look(self) -> datetime | None:
        newest = self._store.papers.newest_first_seen()
        return newest - FIRST_LOOK_BACK if newest else None


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
