"""What a vote changes, and what was learned from all votes of a reader.

    rank the next edition's candidates --> record the vote --> rank them again --> compare

Both are read off the scores: whatever the model, its contributions by word and its order of papers say what changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from bot.config.profiles import Profile
from bot.domain import Paper, PaperId, Reader, ReasonKind, Vote
from bot.editions.composer import EditionComposer
from bot.feedback.service import record
from bot.store import Store
from bot.terms import is_topical

if TYPE_CHECKING:
    from bot.ranking import Ranking

# The mean contribution of a word is taken over this many of the newest papers: over the reader's own papers it would
# show what they voted on, not what moves their next editions.
_REFERENCE_PAPERS = 300
# The newest candidates are enough to see what moves; a store of a year has 100,000 for a new reader.
_MAX_CANDIDATES = 500
# Without candidates, those of the newest papers stand in that the reader was not sent.
_STAND_IN_PAPERS = 5_000
_MIN_CHANGE = 0.01  # of a word's weight, in log-odds
_MIN_SHARE = 0.03  # of the heaviest word's weight; lighter words are noise


@dataclass(frozen=True, slots=True)
class Word:
    """A word's weight in what was learned; ``share`` is its size relative to the heaviest word's, 0 to 1."""

    term: str
    weight: float
    share: float


@dataclass(frozen=True, slots=True)
class Learned:
    """The words that raise a paper and those that lower it, heaviest first."""

    likes: Sequence[Word]
    dislikes: Sequence[Word]


@dataclass(frozen=True, slots=True)
class Move:
    """A paper that a vote moved, and its ranks among the candidates before and after, from 1."""

    paper: Paper
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class VoteEffect:
    """What a vote changed: words that gained or lost weight, and candidates that moved.

    ``rise`` says whether the vote raised the score of its paper. ``moved`` has the candidates that moved the same
    way, the farthest first. ``waiting`` says whether the candidates are those of the next edition; without such, the
    newest papers that the reader was not sent stand in.
    """

    raised: Sequence[str]
    lowered: Sequence[str]
    moved: Sequence[Move]
    rise: bool
    candidates: int
    waiting: bool


def learned(
    store: Store,
    composer: EditionComposer,
    reader: Reader,
    profile: Profile,
    *,
    now: datetime,
    most: int = 12,
) -> Learned:
    """Return the words with the largest mean contribution to the scores of recent papers, up to ``most`` a side."""
    recent = [paper_id for paper_id, _, _ in store.papers.recent_texts(_REFERENCE_PAPERS)]
    ranking = composer.ranking(reader, profile, recent, now)
    reasons = (
        [reason for reason in ranking.mean_contributions() if is_topical(reason.term)] if ranking else []
    )
    heaviest = max((abs(reason.weight) for reason in reasons), default=1.0)
    words = [Word(reason.term, reason.weight, abs(reason.weight) / heaviest) for reason in reasons]
    words = sorted((word for word in words if word.share >= _MIN_SHARE), key=lambda word: -word.share)
    return Learned(
        likes=[word for word in words if word.weight > 0][:most],
        dislikes=[word for word in words if word.weight < 0][:most],
    )


def vote_with_effect(
    store: Store,
    composer: EditionComposer,
    reader: Reader,
    profile: Profile,
    *,
    paper: Paper,
    vote: Vote,
    now: datetime,
    via: str,
    voter: str = "",
) -> VoteEffect:
    """Record a vote and return what it changed."""
    # The candidates are chosen before the vote: a paper that was voted on is none any more, and both rankings must
    # be of the same papers.
    candidates = [paper_id for paper_id in composer.candidates(reader, profile).ids if paper_id != paper.id]
    waiting = bool(candidates)
    if not waiting:
        oldest = max(store.papers.newest_id() - _STAND_IN_PAPERS, 0)
        unsent = store.papers.new_to(reader.id, oldest, sources=profile.sources)
        candidates = [paper_id for paper_id in unsent if paper_id != paper.id]
    candidates = candidates[-_MAX_CANDIDATES:]

    before = composer.ranking(reader, profile, [*candidates, paper.id], now)
    record(store, reader, paper, vote, now=now, via=via, voter=voter)
    after = composer.ranking(reader, profile, [*candidates, paper.id], now)

    assert before is not None and after is not None  # noqa: S101, PT018 - the voted paper is ranked
    return compare(store, before, after, paper.id, candidates=len(candidates), waiting=waiting)


def compare(
    store: Store, before: Ranking, after: Ranking, voted: PaperId, *, candidates: int, waiting: bool
) -> VoteEffect:
    """Compare two rankings of the same papers, the paper voted on among them."""
    odds_before, weights_before = _odds_and_weights(before, voted)
    odds_after, weights_after = _odds_and_weights(after, voted)
    changes = {
        term: weights_after.get(term, 0.0) - weights_before.get(term, 0.0)
        for term in {**weights_before, **weights_after}
    }
    terms = [term for term, change in changes.items() if abs(change) >= _MIN_CHANGE]
    terms.sort(key=lambda term: (-abs(changes[term]), term))

    rise = odds_after >= odds_before
    ranks_before = _ranks(before, voted)
    ranks_after = _ranks(after, voted)
    # Only papers that moved the way the vote points: for each paper that rises others have to fall, and to show a
    # fall after "thumbs up" reads as a mistake.
    climbed = {paper_id: ranks_before[paper_id] - rank for paper_id, rank in ranks_after.items()}
    moved = [paper_id for paper_id, by in climbed.items() if (by > 0 if rise else by < 0)]
    moved.sort(key=lambda paper_id: (-abs(climbed[paper_id]), paper_id))
    papers = store.papers.get(moved)
    return VoteEffect(
        raised=[term for term in terms if changes[term] > 0],
        lowered=[term for term in terms if changes[term] < 0],
        moved=[Move(papers[i], ranks_before[i], ranks_after[i]) for i in moved],
        rise=rise,
        candidates=candidates,
        waiting=waiting,
    )


def _odds_and_weights(ranking: Ranking, paper_id: PaperId) -> tuple[float, dict[str, float]]:
    """Return the log-odds of a ranked paper, and the contribution of each of its words."""
    (score,) = ranking.explained([score for score in ranking.scores if score.paper == paper_id])
    weights = {
        reason.term: reason.weight
        for reason in score.reasons
        if reason.kind is ReasonKind.WORD and is_topical(reason.term)
    }
    return score.log_odds, weights


def _ranks(ranking: Ranking, voted: PaperId) -> dict[PaperId, int]:
    """Return the rank of each paper but the one voted on, from 1."""
    others = (score.paper for score in ranking.scores if score.paper != voted)
    return {paper_id: rank for rank, paper_id in enumerate(others, 1)}
