"""Compose a reader's letter: liked papers, learned phrases, a missed paper, and how good the matches were.

votes of the week --> liked papers          papers of the week, not shown --rank as of now--> the best match
all votes --> learned phrases               picks of a month with a vote --> how many matches were liked
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from bot.config.profiles import Profile
from bot.domain import (
    Edition,
    EditionKind,
    Letter,
    Match,
    MatchRecord,
    PaperId,
    Pick,
    PickKind,
    Reader,
    Vote,
)
from bot.editions.context import Context
from bot.feedback.learned import LearnedPhrase, learned
from bot.selection.selector import Choice

_WEEK = timedelta(days=7)
_MONTH = timedelta(days=30)
# Of fewer votes, the share that was liked says next to nothing: of five, 60 % may be 15 to 95 %.
_MIN_VOTES = 5
_MAX_PHRASES = 5
_MATCHES = (Match.STRONG, Match.GOOD)


def compose_letter(context: Context, reader: Reader, profile: Profile, day: date, now: datetime) -> Letter:
    """Return the letter of the week up to ``now``; ``day`` is its Friday. Nothing is stored."""
    store = context.store
    current = store.feedback.current(reader.id)
    of_week = [vote for vote in current.values() if now - _WEEK < vote.at <= now]
    liked_ids = [vote.paper for vote in reversed(of_week) if vote.vote is Vote.UP]
    papers = store.papers.get(liked_ids)
    phrases = learned(store, context.composer, reader, profile, now=now) if current else None
    missed = _missed_paper(context, reader, profile, now)
    edition = Edition(
        reader=reader,
        profile_title=profile.title,
        date=day,
        composed_at=now,
        picks=missed,
        considered=0,
        watermark=store.papers.newest_id(),
        kind=EditionKind.LETTER,
        language=profile.language,
    )
    return Letter(
        edition=edition,
        liked=tuple(papers[paper_id] for paper_id in liked_ids if paper_id in papers),
        disliked=len(of_week) - len(liked_ids),
        raised=_beyond_profile(phrases.likes, profile) if phrases else (),
        lowered=_beyond_profile(phrases.dislikes, profile) if phrases else (),
        record=_match_record(
            store.editions.probabilities(reader.id, now - _MONTH),
            {paper_id: vote.vote for paper_id, vote in current.items()},
        ),
    )


def _missed_paper(context: Context, reader: Reader, profile: Profile, now: datetime) -> tuple[Pick, ...]:
    """Return the best match by today's votes among the week's papers that no edition showed, if there is a good one."""
    store = context.store
    last = store.editions.last_by_reader([reader.id]).get(reader.id)
    if last is None:
        return ()
    # Papers beyond the last edition are not missed: the next one considers them.
    ids = [
        paper_id
        for paper_id in store.papers.new_to(
            reader.id, store.papers.last_before(now - _WEEK), sources=profile.sources
        )
        if paper_id <= last.watermark
    ]
    ranked = context.composer.ranked(reader, profile, ids, now)
    if ranked is None:
        return ()
    best = next((score for score in ranked.scores if not (score.muted or score.lacks)), None)
    if best is None or Match.of(best.probability) not in _MATCHES:
        return ()
    kind = PickKind.FOLLOW if best.followed else PickKind.MATCH
    picks = ranked.picks([Choice(best, kind)], profile.edition.summary_sentences)
    return tuple(replace(pick, predictions=()) for pick in picks)


def _beyond_profile(phrases: Sequence[LearnedPhrase], profile: Profile) -> tuple[str, ...]:
    """Return the heaviest phrases that the reader did not write."""
    written = " ".join([profile.interests, *profile.keywords]).casefold()
    new = [phrase.text for phrase in phrases if phrase.text.casefold() not in written]
    return tuple(new[:_MAX_PHRASES])


def _match_record(shown: Mapping[PaperId, float], votes: Mapping[PaperId, Vote]) -> MatchRecord | None:
    matches = [
        votes[paper_id]
        for paper_id, probability in shown.items()
        if Match.of(probability) in _MATCHES and paper_id in votes
    ]
    if len(matches) < _MIN_VOTES:
        return None
    return MatchRecord(len(matches), matches.count(Vote.UP))
