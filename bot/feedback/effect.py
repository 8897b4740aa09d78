"""What a vote changes: the first papers of the next edition, and the phrases of the paper whose weight it changes.

    rank the next edition's candidates --> record the vote --> rank them again --> compare

Both follow from scores, their contributions by term, and the selection alone, so that they hold for any model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.config.profiles import Profile
from bot.domain import Paper, Reader, Vote
from bot.editions.composer import EditionComposer
from bot.editions.ranked import Ranked, choices_of
from bot.feedback.service import record
from bot.reasons import whole_phrases
from bot.store import Store

# Papers of the next edition that are compared.
_FIRST = 5
# The newest candidates are enough to see what changes; a store of a year has 100,000 for a new reader.
_MAX_CANDIDATES = 500
# Without candidates, as many of the newest papers are searched for some that the reader was not sent.
_STAND_IN_PAPERS = 5_000
_MAX_PHRASES = 8
# Of a phrase's weight, in log-odds.
_MIN_CHANGE = 0.01


@dataclass(frozen=True, slots=True)
class VoteEffect:
    """What a vote changed.

    ``before`` and ``after`` are the first papers of the reader's next edition, as it would have been and as it is now;
    ``waiting`` says whether it has candidates; without any, the newest papers not sent to the reader are compared.
    ``phrases`` are those of the voted paper that gained weight if the vote raised its score (``rise``), or lost it.
    """

    before: Sequence[Paper]
    after: Sequence[Paper]
    waiting: bool
    rise: bool
    phrases: Sequence[str]


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
    """Rank the next edition's candidates, record a vote, rank them again, and return what changed."""
    # The candidates are chosen before the vote: a paper that was voted on is no longer one, and both rankings must
    # be of the same papers.
    candidates = [paper_id for paper_id in composer.candidates(reader, profile).ids if paper_id != paper.id]
    waiting = bool(candidates)
    if not waiting:
        oldest = max(store.papers.newest_id() - _STAND_IN_PAPERS, 0)
        unsent = store.papers.new_to(reader.id, oldest, sources=profile.sources)
        candidates = [paper_id for paper_id in unsent if paper_id != paper.id]
    ids = [*candidates[-_MAX_CANDIDATES:], paper.id]

    before = composer.ranked(reader, profile, ids, now)
    record(store, reader, paper, vote, now=now, via=via, voter=voter)
    after = composer.ranked(reader, profile, ids, now)
    if not (before and after):
        return VoteEffect([], [], waiting, rise=vote is Vote.UP, phrases=[])
    return compare(before, after, profile, paper, waiting=waiting)


def compare(before: Ranked, after: Ranked, profile: Profile, voted: Paper, *, waiting: bool) -> VoteEffect:
    """Compare two rankings of the same papers, the paper voted on among them unless the profile excludes it."""
    old_score = before.explained(voted.id)
    new_score = after.explained(voted.id)
    old_terms = old_score.terms if old_score else {}
    new_terms = new_score.terms if new_score else {}
    rise = not (old_score and new_score) or new_score.log_odds >= old_score.log_odds
    sign = 1 if rise else -1
    changes = {
        term: sign * (new_terms.get(term, 0.0) - old_terms.get(term, 0.0))
        for term in {**old_terms, **new_terms}
    }
    text = after.explainer.text(voted)
    gained = {
        phrase: change
        for phrase in text.phrases
        if (change := phrase.weight(changes)) >= _MIN_CHANGE
        and phrase.is_whole
        and not phrase.is_adjective
        # What the paper says once is not its topic.
        and (phrase.in_title or min([text.counts[stem] for stem in phrase.stems]) > 1)
        and text.own_name.isdisjoint(phrase.stems)
    }

    def first(ranked: Ranked) -> list[Paper]:
        choices = choices_of(profile, ranked.without(voted.id))
        return [ranked.papers[choice.score.paper] for choice in choices[:_FIRST]]

    return VoteEffect(
        before=first(before),
        after=first(after),
        waiting=waiting,
        rise=rise,
        phrases=[phrase.text for phrase in whole_phrases(gained, (), _MAX_PHRASES)],
    )
