"""Weekly letters: liked papers, learned phrases, a missed paper, and how good the matches were.

    votes of the week --> liked papers          papers of the week, not shown --rank as of now--> the best match
    all votes --> learned phrases               picks of a month with a vote --> how many matches were liked

A reader gets at most one letter a week, whichever process puts it into the outbox.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from bot.config.profiles import Profile
from bot.editions.composer import Context, EditionComposer
from bot.editions.due import due_letters, letter_day, letter_slot
from bot.editions.models import refit
from bot.model import Edition, EditionKind, Letter, Match, MatchRecord, PaperId, Pick, PickKind, Problem, Reader, Vote
from bot.model.problems import in_one_line
from bot.ranking.phrases import Phrase, whole_phrases
from bot.ranking.selection import Choice
from bot.store import Store
from bot.store.readers import IdRange
from bot.text.vocabulary import names_topic

if TYPE_CHECKING:  # it takes a tenth of the time of a run in which nothing is due
    from bot.editions.ranked import Ranked


@dataclass(frozen=True, slots=True)
class WeeklyLetters:
    """Composes the letters of the context's profiles."""

    context: Context

    def put_due(self, ids: IdRange, now: datetime) -> list[Problem]:
        """Store the letters that are due with their messages; return what failed for a reader.

        A letter with nothing to say takes its slot, and no message goes out.
        """
        store = self.context.store
        problems: list[Problem] = []
        for reader, profile, day in due_letters(store, self.context.profiles, now, ids):
            try:
                refit(store, self.context.ranker, [(reader, profile)], now)
                letter = compose_letter(self.context, reader, profile, day, now)
                slot = letter_slot(letter.edition.date)
                # Stores nothing where another process has taken the slot.
                messages = [] if letter.is_empty else self.context.renderer.letter(letter, slot)
                store.editions.save(letter.edition, slot, messages)
            except Exception as error:
                problems.append(Problem(reader.name, f"weekly letter: {in_one_line(error)}"))
        return problems

    def preview(self, reader: Reader, profile: Profile, now: datetime) -> Letter:
        """Return the letter as it would be now, whatever the day; nothing is stored."""
        return compose_letter(self.context, reader, profile, letter_day(now, profile), now)


_WEEK = timedelta(days=7)
_MONTH = timedelta(days=30)
# Of fewer votes, the share that was liked says next to nothing: of five, 60 % may be 15 to 95 %.
_MIN_VOTES = 5
_NEW_PHRASES = 5
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
        for paper_id in store.papers.new_to(reader.id, store.papers.last_before(now - _WEEK), sources=profile.sources)
        if paper_id <= last.watermark
    ]
    ranked = context.composer.ranked(reader, profile, ids, now)
    if ranked is None:
        return ()
    best = next((score for score in ranked.scores if not (score.muted or score.missing_terms)), None)
    if best is None or Match.for_probability(best.probability) not in _MATCHES:
        return ()
    kind = PickKind.FOLLOW if best.followed else PickKind.MATCH
    picks = ranked.picks([Choice(best, kind)], profile.edition.summary_sentences)
    return tuple(replace(pick, predictions=()) for pick in picks)


def _beyond_profile(phrases: Sequence[LearnedPhrase], profile: Profile) -> tuple[str, ...]:
    """Return the heaviest phrases that the reader did not write."""
    written = " ".join([profile.interests, *profile.keywords]).casefold()
    new = [phrase.text for phrase in phrases if phrase.text.casefold() not in written]
    return tuple(new[:_NEW_PHRASES])


def _match_record(shown: Mapping[PaperId, float], votes: Mapping[PaperId, Vote]) -> MatchRecord | None:
    matches = [
        votes[paper_id]
        for paper_id, probability in shown.items()
        if Match.for_probability(probability) in _MATCHES and paper_id in votes
    ]
    if len(matches) < _MIN_VOTES:
        return None
    return MatchRecord(len(matches), matches.count(Vote.UP))


# The mean contribution of a term is taken over this many of the newest papers: over the reader's own papers it would
# show what they voted on, not what moves their next editions.
_REFERENCE_PAPERS = 300
# The most phrases that raise a paper, and the most that lower it; a convention.
_MAX_PHRASES = 12
# Of the heaviest term's weight; lighter terms are noise.
_MIN_SHARE = 0.01
# Terms for which the papers are searched for phrases: more than are shown, as several may be of one phrase.
_TERMS_PER_PHRASE = 4


@dataclass(frozen=True, slots=True)
class LearnedPhrase:
    """A phrase's weight in what was learned; ``share`` is its size relative to the heaviest phrase's, 0 to 1."""

    text: str
    weight: float
    share: float


@dataclass(frozen=True, slots=True)
class LearnedPhrases:
    """The phrases that raise a paper and those that lower it, the heaviest first."""

    likes: Sequence[LearnedPhrase]
    dislikes: Sequence[LearnedPhrase]


def learned(
    store: Store, composer: EditionComposer, reader: Reader, profile: Profile, *, now: datetime
) -> LearnedPhrases:
    """Return the phrases with the largest mean contribution to the scores of recent papers, a few a side."""
    recent = [paper_id for paper_id, _, _ in store.papers.recent_texts(_REFERENCE_PAPERS)]
    ranked = composer.ranked(reader, profile, recent, now)
    if ranked is None:
        return LearnedPhrases([], [])
    means = ranked.ranking.mean_contributions()
    topical = {term: weight for term, weight in means.items() if names_topic(term.split())}
    least = _MIN_SHARE * max(map(abs, topical.values()), default=0.0)
    likes = {term: weight for term, weight in topical.items() if weight > least}
    dislikes = {term: -weight for term, weight in topical.items() if -weight > least}
    liked = _phrases(ranked, likes)
    disliked = _phrases(ranked, dislikes)
    heaviest = max([*liked.values(), *disliked.values()], default=1.0)
    return LearnedPhrases(
        likes=[LearnedPhrase(text, weight, weight / heaviest) for text, weight in liked.items()],
        dislikes=[LearnedPhrase(text, -weight, weight / heaviest) for text, weight in disliked.items()],
    )


def _phrases(ranked: Ranked, weights: Mapping[str, float]) -> dict[str, float]:
    """Return whole phrases of the ranked papers that consist of these terms, with the sum of their terms' weights.

    All weights are positive. For each of the heaviest terms a few papers that have it are searched for phrases.
    """
    heaviest = sorted(weights, key=lambda term: -weights[term])[: _MAX_PHRASES * _TERMS_PER_PHRASE]
    texts = [ranked.text(ranked.papers[paper_id]) for paper_id in ranked.ranking.papers_with(heaviest)]
    phrases = {phrase.stems: phrase for text in texts for phrase in text.phrases if phrase.bigrams}
    for term in heaviest:
        words = Counter(word for text in texts if (word := text.spelled(term)))
        if words:
            # In lower case if a paper has that: "mathematics" rather than "MATH".
            commonest = max(words, key=lambda word: (word.islower(), words[word]))
            phrases[term,] = Phrase(commonest, (term,))
    candidates = {
        phrase: phrase.weight(weights)
        for phrase in phrases.values()
        if phrase.is_whole
        and not phrase.is_adjective
        and all(term in weights for term in phrase.bigrams or phrase.stems)
    }
    return {phrase.text: candidates[phrase] for phrase in whole_phrases(candidates, (), _MAX_PHRASES)}
