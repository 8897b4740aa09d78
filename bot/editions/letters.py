"""Weekly letters, and the phrases that votes have taught.

voted papers --phrases--> supported by the votes, not the reader's own words
recent and voted papers --explain--> contributions --> each phrase's mean weight, if its sign is the same in all
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from bot.config.profiles import Profile
from bot.editions.composer import Context, EditionComposer
from bot.editions.due import due_letters, letter_slot
from bot.editions.models import refit
from bot.model import (
    Edition,
    EditionKind,
    LearnedPhrase,
    LeavingInterest,
    Letter,
    Match,
    MatchRecord,
    Pick,
    Problem,
    Reader,
    Vote,
    is_library_paper,
)
from bot.model.errors import DeletedError, in_one_line
from bot.ranking.phrases import PaperText, Phrase, whole_phrases
from bot.store.readers import IdRange
from bot.text.tokens import tokens
from bot.text.topics import expanded

if TYPE_CHECKING:  # its import takes a tenth of an idle run
    from bot.editions.choices import Ranked


# A mean over voted papers would not show what moves the next editions.
_REFERENCE_PAPERS = 300
_VOTED_PAPERS = 100  # the newest of each kind
_MAX_LEARNED = 12  # in each direction
_MIN_SHARE_OF_HEAVIEST = 0.01  # lighter phrases are noise
_MAX_EXAMPLES = 2


@dataclass(frozen=True, slots=True)
class LearnedPhrases:
    """The phrases that raise or lower papers, heaviest first."""

    likes: Sequence[LearnedPhrase] = ()
    dislikes: Sequence[LearnedPhrase] = ()


def learned(composer: EditionComposer, reader: Reader, profile: Profile, *, now: datetime) -> LearnedPhrases:
    """Return the phrases with the largest mean contribution to recent scores."""
    lessons = lessons_of(composer, reader, profile, now=now)
    if lessons is None:
        return LearnedPhrases()
    sides = [_Side(lessons, sign) for sign in (1, -1)]
    heaviest = max((weight for side in sides for weight in side.weights.values()), default=1.0)
    likes, dislikes = (tuple(side.phrases(heaviest)) for side in sides)
    return LearnedPhrases(likes, dislikes)


def lessons_of(composer: EditionComposer, reader: Reader, profile: Profile, *, now: datetime) -> Lessons | None:
    store = composer.store
    recent = [paper_id for paper_id, _, _ in store.papers.recent_texts(_REFERENCE_PAPERS)]
    voted = [*store.feedback.current(reader.id)][-_VOTED_PAPERS:]
    ranked = composer.ranked(reader, profile, list(dict.fromkeys([*recent, *voted])), now)
    if ranked is None:
        return None
    written = [token.stem for token in tokens(" . ".join([profile.interests_at(now), *profile.keywords]))]
    contributions = [score.terms for score in ranked.ranking.explained(ranked.scores)]
    return Lessons(ranked, contributions, frozenset([*written, *expanded(written)]))


@dataclass(frozen=True, slots=True)
class Lessons:
    """Ranked papers with their contributions by term, and the stems of the reader's own words."""

    ranked: Ranked
    contributions: Sequence[Mapping[str, float]]
    written: frozenset[str]

    def learnable(self, texts: Sequence[PaperText]) -> list[Phrase]:
        """Return topics of these texts that are neither the reader's own words nor excluded."""
        times = Counter(stems for text in texts for stems in {phrase.stems for phrase in text.phrases})
        # A passing mention in one abstract is no topic.
        phrases = {
            phrase.stems: phrase
            for text in texts
            for phrase in text.learnable_phrases
            if phrase.is_whole and (phrase.in_title or times[phrase.stems] > 1)
        }
        excluded = self.ranked.evidence.excluded
        return [
            phrase
            for phrase in phrases.values()
            if 2 * len(phrase.topical_stems & self.written) <= len(phrase.topical_stems)
            and excluded.isdisjoint(phrase.rare_terms)
        ]

    def weights(self, phrases: Iterable[Phrase], sign: int) -> dict[Phrase, float]:
        """Return the phrases that raise papers (``sign`` 1) or lower them (-1), with absolute weights."""
        means: Counter[str] = Counter()
        for terms in self.contributions:
            means.update(terms)
        return {
            phrase: sign * phrase.weight(means) / len(self.contributions)
            for phrase in phrases
            if self.ranked.evidence.votes.supports(phrase.rare_terms, liked=sign > 0)
            and (having := [terms for terms in self.contributions if all(stem in terms for stem in phrase.stems)])
            and all(sign * phrase.weight(terms) > 0 for terms in having)
        }


class _Side:
    def __init__(self, lessons: Lessons, sign: int) -> None:
        self._sign = sign
        ranked = lessons.ranked
        papers = [p for p in (ranked.reader.up if sign > 0 else ranked.reader.down) if p.id not in ranked.reader.saved]
        # Newest vote first, and papers of a library last.
        newest_first = sorted(
            papers[-_VOTED_PAPERS:],
            key=lambda paper: (is_library_paper(paper.id), ranked.reader.ages.get(paper.id, 0.0)),
        )
        texts = [ranked.text(paper) for paper in newest_first]
        stems = [{phrase.stems for phrase in text.phrases} for text in texts]
        self._papers = list(zip(newest_first, stems, strict=True))
        self.weights = lessons.weights(lessons.learnable(texts), sign)

    def phrases(self, heaviest: float) -> Iterator[LearnedPhrase]:
        candidates = {
            phrase: weight for phrase, weight in self.weights.items() if weight > heaviest * _MIN_SHARE_OF_HEAVIEST
        }
        for phrase in whole_phrases(candidates, (), _MAX_LEARNED):
            weight = candidates[phrase]
            taught_by = [paper for paper, stems in self._papers if phrase.stems in stems]
            own = [paper for paper in taught_by if not is_library_paper(paper.id)]
            titles = tuple(paper.title for paper in (own or taught_by)[:_MAX_EXAMPLES])
            yield LearnedPhrase(phrase.text, self._sign * weight, weight / heaviest, titles, is_from_library=not own)


_WEEK = timedelta(days=7)
_MONTH = timedelta(days=30)
# The share of fewer votes is noise: 60 % of five may be 15 to 95 %.
_MIN_VOTES = 5
_PHRASES = 5
_MATCHES = (Match.STRONG, Match.GOOD)


def put_letters(context: Context, ids: IdRange, now: datetime) -> list[Problem]:
    """Store the due letters with their messages, and return problems.

    An empty letter takes its slot and sends nothing.
    """
    store = context.store
    problems: list[Problem] = []
    for reader, profile, day in due_letters(store, context.profiles, now, ids):
        try:
            refit(store, context.ranker, [(reader, profile)], now)
            letter = compose_letter(context, reader, profile, day, now)
            slot = letter_slot(letter.edition.date)
            # Stores nothing if another process has taken the slot.
            messages = [] if letter.is_empty else context.renderer.messages(letter, slot)
            store.editions.save(letter.edition, slot, messages)
        except Exception as error:
            # A forgotten reader is no problem.
            if not isinstance(error, DeletedError) or store.readers.by_id(reader.id):
                problems.append(Problem(reader.name, f"weekly letter: {in_one_line(error)}"))
    return problems


def compose_letter(context: Context, reader: Reader, profile: Profile, day: date, now: datetime) -> Letter:
    """Return the letter of a Friday, on the seven days before. Stores nothing."""
    store = context.store
    current = store.feedback.current(reader.id)
    # Later votes of the letter's own day would be in no letter.
    first, day_of = day - _WEEK, profile.schedule.day_of
    of_week = [vote for vote in current.values() if first <= day_of(vote.at) < day]
    liked_ids = [vote.paper for vote in reversed(of_week) if vote.vote is Vote.UP]
    saved_ids = [
        vote.paper
        for vote in reversed(store.feedback.saved(reader.id))
        if first <= day_of(vote.at) < day and vote.paper not in current
    ]
    papers = store.papers.get([*liked_ids, *saved_ids])
    phrases = learned(context.composer, reader, profile, now=now) if current else LearnedPhrases()
    missed = _missed_paper(context, reader, profile, now)
    matches = [
        current[paper_id].vote
        for paper_id, probability in store.editions.probabilities(reader.id, now - _MONTH).items()
        if Match.for_probability(probability) in _MATCHES and paper_id in current
    ]
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
        raised=tuple(phrases.likes[:_PHRASES]),
        lowered=tuple(phrases.dislikes[:_PHRASES]),
        record=MatchRecord(len(matches), matches.count(Vote.UP)) if len(matches) >= _MIN_VOTES else None,
        leaving=leaving(profile, day),
        saved=tuple(papers[paper_id] for paper_id in saved_ids if paper_id in papers),
    )


def leaving(profile: Profile, day: date) -> tuple[LeavingInterest, ...]:
    return tuple(
        LeavingInterest(entry.text, entry.until)
        for entry in profile.interests
        if entry.until and day <= entry.until < day + _WEEK
    )


def _missed_paper(context: Context, reader: Reader, profile: Profile, now: datetime) -> tuple[Pick, ...]:
    store = context.store
    last = store.editions.last_by_reader([reader.id]).get(reader.id)
    if last is None:
        return ()
    # The next edition considers later papers.
    ids = [
        paper_id
        for paper_id in store.papers.new_to(reader.id, store.papers.last_before(now - _WEEK), sources=profile.sources)
        if paper_id <= last.watermark
    ]
    ranked = context.composer.ranked(reader, profile, ids, now)
    if ranked is None:
        return ()
    elsewhere = store.papers.sent_elsewhere([reader.id], ids[0])
    ranked = ranked.without_sent(elsewhere.get(reader.id, ()))
    best = next((score for score in ranked.scores if not (score.muted or score.missing_terms)), None)
    if best is None or Match.for_probability(best.probability) not in _MATCHES:
        return ()
    picks = ranked.picks_of([best], profile.edition.summary_sentences)
    return tuple(replace(pick, predictions=()) for pick in picks)
