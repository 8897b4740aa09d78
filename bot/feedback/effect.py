"""What was learned of a reader, and what a vote changes, in words that people understand.

Both are read off the scores themselves, before and after: nothing here knows how they are made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from bot.config.profiles import Profile
from bot.domain import Paper, PaperId, Reader, ReasonKind, Score, Vote
from bot.editions.composer import EditionComposer
from bot.feedback.service import record
from bot.store import Store

if TYPE_CHECKING:
    from bot.ranking import Ranking

_RECENT = 300  # papers that stand for what usually comes in
_CANDIDATES = 500  # of tomorrow's, the newest; enough to see what moves
_LATE = 5_000  # papers among which those are looked for that stand for tomorrow's
_LEAST_CHANGE = 0.01  # of a word's weight, in log-odds
_LEAST_SHARE = 0.03  # a word that moves papers by less of what the heaviest does is chance


@dataclass(frozen=True, slots=True)
class Word:
    """A word's part in what was learned; ``share`` is its size beside the heaviest word's, 0 to 1."""

    term: str
    weight: float
    share: float


@dataclass(frozen=True, slots=True)
class Learned:
    """The words that speak for a paper, and those that speak against one, heaviest first."""

    likes: Sequence[Word]
    dislikes: Sequence[Word]


@dataclass(frozen=True, slots=True)
class Move:
    """A paper that a vote moved, and its places among tomorrow's candidates, from 1."""

    paper: Paper
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class VoteEffect:
    """What a vote changed: words that weigh more or less from now on, and candidates that moved.

    ``moved`` has those that rose where the vote speaks for them and those that fell where it speaks against,
    the farthest first. The candidates are those ``waiting`` for the next edition; as long as there are none,
    the newest papers that the reader was not sent stand for them.
    """

    raised: Sequence[str]
    lowered: Sequence[str]
    moved: Sequence[Move]
    rise: bool
    candidates: int
    waiting: bool


def learned(
    store: Store, editor: EditionComposer, reader: Reader, profile: Profile, *, now: datetime, most: int = 12
) -> Learned:
    """The ``most`` words on either side that move this reader's editions most, by the papers of late."""
    recent = [paper_id for paper_id, _, _ in store.papers.recent_texts(_RECENT)]
    ranking = editor.ranking(reader, profile, recent, now)
    ordered = sorted(ranking.usual_words() if ranking else (), key=lambda word: -word.weight)
    heaviest = max((abs(word.weight) for word in ordered), default=1.0)
    shares = [Word(word.term, word.weight, abs(word.weight) / heaviest) for word in ordered]
    words = [word for word in shares if word.share >= _LEAST_SHARE]
    likes, dislikes = [w for w in words if w.weight > 0], [w for w in reversed(words) if w.weight < 0]
    return Learned(likes[:most], dislikes[:most])


def vote_with_effect(
    store: Store,
    editor: EditionComposer,
    reader: Reader,
    profile: Profile,
    *,
    paper: Paper,
    vote: Vote,
    now: datetime,
    via: str,
    voter: str = "",
) -> VoteEffect:
    """Record a vote, and tell what it changed."""
    waiting = [i for i in editor.candidates(reader, profile).ids if i != paper.id]
    candidates = (waiting or _unseen(store, reader, profile, paper))[-_CANDIDATES:]

    def press() -> None:
        record(store, reader, paper, vote, now=now, via=via, voter=voter)

    before, after = editor.before_and_after(reader, profile, [*candidates, paper.id], now, press)
    was, is_now = _explained(before, paper.id), _explained(after, paper.id)
    changes = _changes(was, is_now)
    rise = is_now.log_odds >= was.log_odds
    moves = _moves(_places(before, paper.id), _places(after, paper.id), rise=rise)
    papers = store.papers.get(paper_id for paper_id, _, _ in moves)
    return VoteEffect(
        raised=[term for term, change in changes if change > 0],
        lowered=[term for term, change in changes if change < 0],
        moved=[Move(papers[paper_id], was, place) for paper_id, was, place in moves],
        rise=rise,
        candidates=len(candidates),
        waiting=bool(waiting),
    )


def _unseen(store: Store, reader: Reader, profile: Profile, but: Paper) -> list[PaperId]:
    """Papers of late that the reader was not sent."""
    late = max(store.papers.newest_id() - _LATE, 0)
    return [i for i in store.papers.fresh(reader.id, late, sources=profile.sources) if i != but.id]


def _explained(ranking: Ranking, paper_id: PaperId) -> Score:
    return ranking.explained([score for score in ranking.scores if score.paper == paper_id])[0]


def _words(score: Score) -> dict[str, float]:
    return {r.term: r.weight for r in score.reasons if r.kind is ReasonKind.WORD}


def _changes(before: Score, after: Score) -> list[tuple[str, float]]:
    """How much more each word of a paper weighs than before, the greatest change first."""
    was, now = _words(before), _words(after)
    changes = {term: now.get(term, 0.0) - was.get(term, 0.0) for term in {**was, **now}}
    noticed = [(term, change) for term, change in changes.items() if abs(change) >= _LEAST_CHANGE]
    return sorted(noticed, key=lambda item: (-abs(item[1]), item[0]))


def _places(ranking: Ranking, but: PaperId) -> dict[PaperId, int]:
    others = (score.paper for score in ranking.scores if score.paper != but)
    return {paper_id: place for place, paper_id in enumerate(others, 1)}


def _moves(was: dict[PaperId, int], now: dict[PaperId, int], *, rise: bool) -> list[tuple[PaperId, int, int]]:
    """Papers that went the way the vote points, with both places, the farthest first."""
    way = 1 if rise else -1
    moved = [(paper_id, was[paper_id], place) for paper_id, place in now.items()]
    moved = [move for move in moved if way * (move[1] - move[2]) > 0]
    return sorted(moved, key=lambda move: (-abs(move[1] - move[2]), move[0]))
