"""How a reader's taste has moved: phrases that are liked more often in the last quarter than before it, or hardly.

    likes of the quarter, likes of the nine months before --phrases--> how many of each have it --test--> grown, faded

A phrase has to differ by more than chance: by Fisher's exact test, with at most a fifth of false discoveries among
the phrases of a letter (Benjamini and Hochberg). With few likes in either period nothing is said.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import comb, log
from typing import TYPE_CHECKING

from bot.config.profiles import Profile
from bot.editions.learned import lessons_of
from bot.model import RENEWED, ChangedPhrase, LeavingInterest, PaperId, Reader, Taste, Vote, VotedPaper
from bot.model.clock import local_date
from bot.ranking.phrases import Phrase, whole_phrases
from bot.store import Store

if TYPE_CHECKING:  # they take a tenth of the time of a run in which nothing is due
    from bot.editions.composer import EditionComposer
    from bot.editions.ranked import Ranked


_QUARTER = timedelta(weeks=13)
_BEFORE = timedelta(weeks=39)
_WEEK = timedelta(days=7)
_LAST_DAY_OF_FIRST_WEEK = 7
# Of each period; of fewer, one paper more or less changes everything.
_MIN_LIKES = 10
# Of one phrase, in the period that has more of them.
_MIN_OF_PHRASE = 3
# The newest likes that are read: each takes about a millisecond.
_MAX_LIKES = 1_000
# ``docs/decisions/lines.md`` has what other shares say of a taste that stays, and of one that moves.
_FALSE_DISCOVERIES = 0.2
# A phrase has faded if its share of the likes is at most this part of what it was: one like may be an exception.
_SHARE_OF_FADED = 0.1
_MOST = 3
# Phrases of each kind from which those of different papers are chosen.
_CANDIDATES = 12
_MAX_WIDTH = 80  # characters of a phrase, which links hold


def leaving(profile: Profile, day: date) -> tuple[LeavingInterest, ...]:
    """Return the interests whose last day is in the week that begins with the letter of this day."""
    return tuple(
        LeavingInterest(entry.text, entry.until)
        for entry in profile.interests
        if entry.until and day <= entry.until < day + _WEEK
    )


def is_told(day: date) -> bool:
    """Return whether the letter of this Friday tells of the quarter: the first of each month does."""
    return day.day <= _LAST_DAY_OF_FIRST_WEEK


def taste(
    store: Store, composer: EditionComposer, reader: Reader, profile: Profile, day: date, *, now: datetime
) -> Taste | None:
    """Return what has grown and what has faded in the quarter before ``day``; None if nothing can be said."""
    timezone = profile.schedule.timezone
    history = _History.of(store, reader, timezone, now)
    since = day - _QUARTER
    earlier = max(since - _BEFORE, history.complete_from)
    recent_ids = [paper_id for paper_id, liked in history.likes.items() if liked >= since]
    ids_before = [paper_id for paper_id, liked in history.likes.items() if earlier <= liked < since]
    if min(len(recent_ids), len(ids_before)) < _MIN_LIKES:
        return None
    lessons = lessons_of(store, composer, reader, profile, now=now)
    if lessons is None:
        return None
    papers = store.papers.voted([*recent_ids, *ids_before])
    recent = _Likes.of(lessons.ranked, [papers[paper_id] for paper_id in recent_ids])
    before = _Likes.of(lessons.ranked, [papers[paper_id] for paper_id in ids_before])
    texts = [lessons.ranked.text(paper) for paper in (*recent.papers, *before.papers)]
    phrases = [phrase for phrase in lessons.learnable(texts) if len(phrase.text) <= _MAX_WIDTH]

    grown = more_frequent(phrases, recent, before)
    raising = lessons.weights(grown, 1)
    renewed = {paper_id for paper_id, at in history.renewed.items() if at >= since}
    faded = {
        phrase: evidence
        for phrase, evidence in more_frequent(phrases, before, recent).items()
        if recent.share(phrase) <= _SHARE_OF_FADED * before.share(phrase)
        and renewed.isdisjoint(paper.id for paper in before.having(phrase))
    }
    chosen_grown = _of_different_papers({phrase: grown[phrase] for phrase in raising}, recent)
    chosen_faded = _of_different_papers(faded, before)
    if not (chosen_grown or chosen_faded):
        return None
    sent = _sent(store, reader, lessons.ranked, since, timezone) if chosen_faded else None
    return Taste(
        since=since,
        earlier=earlier,
        recent=len(recent.papers),
        before=len(before.papers),
        grown=tuple(_changed(phrase, recent, before, recent) for phrase in chosen_grown),
        faded=tuple(_changed(phrase, recent, before, before, sent) for phrase in chosen_faded),
    )


@dataclass(frozen=True, slots=True)
class _History:
    """A reader's likes that still count, newest first, and when some of them were renewed by a letter's button.

    Days are those of the reader's time zone. Renewing a like is no new one: it has the day of the first.
    ``complete_from`` is the first day of which no like is missing.
    """

    likes: Mapping[PaperId, date]
    renewed: Mapping[PaperId, date]
    complete_from: date

    @classmethod
    def of(cls, store: Store, reader: Reader, timezone: str, now: datetime) -> _History:
        liked: dict[PaperId, datetime] = {}
        renewed: dict[PaperId, datetime] = {}
        for vote in store.feedback.history(reader.id):
            if vote.vote is Vote.UP and vote.at <= now:
                (renewed if vote.via == RENEWED else liked)[vote.paper] = vote.at
        counting = [
            paper_id
            for paper_id, vote in store.feedback.current(reader.id).items()
            if vote.vote is Vote.UP and paper_id in liked
        ]
        newest = sorted(counting, key=lambda paper_id: (liked[paper_id], paper_id), reverse=True)[:_MAX_LIKES]
        days = {paper_id: local_date(liked[paper_id], timezone) for paper_id in newest}
        is_cut = len(counting) > len(newest)
        return cls(
            days,
            {paper_id: local_date(at, timezone) for paper_id, at in renewed.items()},
            min(days.values()) + timedelta(days=1) if is_cut else date.min,
        )


@dataclass(frozen=True, slots=True)
class _Likes:
    """The liked papers of a period, newest like first, and the stems of the phrases of each."""

    papers: Sequence[VotedPaper]
    stems: Sequence[Collection[tuple[str, ...]]]

    @classmethod
    def of(cls, ranked: Ranked, papers: Sequence[VotedPaper]) -> _Likes:
        return cls(papers, [{phrase.stems for phrase in ranked.text(paper).phrases} for paper in papers])

    def having(self, phrase: Phrase) -> list[VotedPaper]:
        return [paper for paper, stems in zip(self.papers, self.stems, strict=True) if phrase.stems in stems]

    def share(self, phrase: Phrase) -> float:
        return len(self.having(phrase)) / len(self.papers)


def more_frequent(phrases: Sequence[Phrase], here: _Likes, there: _Likes) -> dict[Phrase, float]:
    """Return the phrases of a larger share of the likes here than there, by more than chance, with the evidence.

    That is the negative logarithm of the probability that chance alone puts as many of the phrase's likes here.
    """
    probabilities: dict[Phrase, float] = {}
    counts = {phrase: (len(here.having(phrase)), len(there.having(phrase))) for phrase in phrases}
    sizes = len(here.papers), len(there.papers)
    # The family is chosen by what does not depend on the periods: how many likes have the phrase in all.
    family = {phrase: count for phrase, count in counts.items() if sum(count) >= _MIN_OF_PHRASE}
    for phrase, (likes_here, likes_there) in family.items():
        probabilities[phrase] = chance_of(likes_here, likes_there, *sizes)
    ordered = sorted(family, key=probabilities.__getitem__)
    # Benjamini and Hochberg: all up to the last whose probability is below its share of the false discoveries.
    last = max(
        (
            rank
            for rank, phrase in enumerate(ordered, 1)
            if probabilities[phrase] * len(family) <= _FALSE_DISCOVERIES * rank
        ),
        default=0,
    )
    return {phrase: -log(probabilities[phrase]) for phrase in ordered[:last] if counts[phrase][0] >= _MIN_OF_PHRASE}


def chance_of(here: int, there: int, size_here: int, size_there: int) -> float:
    """Return the probability of ``here`` or more of them here, if it were chance (Fisher's exact test, one-sided).

    >>> round(chance_of(5, 0, 30, 25), 3), round(chance_of(6, 1, 31, 40), 3)
    (0.041, 0.024)
    """
    having = here + there
    ways = sum(comb(size_here, k) * comb(size_there, having - k) for k in range(here, min(having, size_here) + 1))
    return ways / comb(size_here + size_there, having)


def _of_different_papers(evidence: Mapping[Phrase, float], likes: _Likes) -> list[Phrase]:
    """Return the phrases with most evidence; of those that mostly the same papers have, one stands for all."""
    chosen: list[Phrase] = []
    told: set[PaperId] = set()
    for phrase in whole_phrases(evidence, (), _CANDIDATES):
        papers = {paper.id for paper in likes.having(phrase)}
        if len(chosen) < _MOST and 2 * len(papers & told) <= len(papers):
            chosen.append(phrase)
            told |= papers
    return chosen


def _changed(
    phrase: Phrase,
    recent: _Likes,
    before: _Likes,
    examples: _Likes,
    sent: Sequence[Collection[tuple[str, ...]]] | None = None,
) -> ChangedPhrase:
    return ChangedPhrase(
        phrase.text,
        len(recent.having(phrase)),
        len(before.having(phrase)),
        tuple(examples.having(phrase)),
        sum(phrase.stems in stems for stems in sent or ()),
    )


def _sent(
    store: Store, reader: Reader, ranked: Ranked, since: date, timezone: str
) -> Sequence[Collection[tuple[str, ...]]]:
    """Return the stems of the phrases of each paper that the reader was first sent since a day."""
    ids = [
        paper_id
        for paper_id, shown in store.editions.shown(reader.id).items()
        if local_date(shown.at, timezone) >= since
    ]
    return _Likes.of(ranked, list(store.papers.voted(ids).values())).stems
