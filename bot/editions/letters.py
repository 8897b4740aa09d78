"""Weekly letters, and the phrases that votes have taught.

voted papers --phrases--> supported by the votes, not the reader's own words
recent and voted papers --explain--> contributions --> each phrase's mean weight, if its sign is the same in all
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

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
    Paper,
    Pick,
    Problem,
    Reader,
    Vote,
    VotedPaper,
    is_library_paper,
)
from bot.model.errors import DeletedError, in_one_line
from bot.ranking.phrases import PaperText, Phrase, whole_phrases
from bot.store.readers import IdRange
from bot.text.tokens import tokens
from bot.text.topics import expanded

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
    store = composer.store
    recent = [paper_id for paper_id, _, _ in store.papers.recent_texts(_REFERENCE_PAPERS)]
    voted = [*store.feedback.current(reader.id)][-_VOTED_PAPERS:]
    ranked = composer.ranked(reader, profile, list(dict.fromkeys([*recent, *voted])), now)
    if ranked is None:
        return LearnedPhrases()
    contributions = [score.terms for score in ranked.ranking.explained(ranked.scores)]
    totals: Counter[str] = Counter()
    for terms in contributions:
        totals.update(terms)
    own_words = [token.stem for token in tokens(" . ".join([profile.interests_at(now), *profile.keywords]))]
    written = {*own_words, *expanded(own_words)}
    papers: dict[int, list[tuple[Paper | VotedPaper, set[tuple[str, ...]]]]] = {}  # with the stems of their phrases
    weights: dict[int, dict[Phrase, float]] = {}  # by sign: 1 raises papers, -1 lowers them
    for sign, of_votes in ((1, ranked.reader.up), (-1, ranked.reader.down)):
        # Newest vote first, and papers of a library last.
        newest_first = sorted(
            [paper for paper in of_votes if paper.id not in ranked.reader.saved][-_VOTED_PAPERS:],
            key=lambda paper: (is_library_paper(paper.id), ranked.reader.ages.get(paper.id, 0.0)),
        )
        texts = [ranked.text(paper) for paper in newest_first]
        stems = [{phrase.stems for phrase in text.phrases} for text in texts]
        papers[sign] = list(zip(newest_first, stems, strict=True))
        weights[sign] = {
            phrase: sign * phrase.weight(totals) / len(contributions)
            for phrase in _learnable(texts, written, ranked.evidence.excluded)
            if ranked.evidence.votes.supports(phrase.rare_terms, liked=sign > 0)
            and (having := [terms for terms in contributions if all(stem in terms for stem in phrase.stems)])
            and all(sign * phrase.weight(terms) > 0 for terms in having)
        }
    heaviest = max((weight for of_sign in weights.values() for weight in of_sign.values()), default=1.0)
    lessons: dict[int, list[LearnedPhrase]] = {1: [], -1: []}
    for sign, of_sign in weights.items():
        heavy = {phrase: weight for phrase, weight in of_sign.items() if weight > heaviest * _MIN_SHARE_OF_HEAVIEST}
        for phrase in whole_phrases(heavy, (), _MAX_LEARNED):
            weight = heavy[phrase]
            taught_by = [paper for paper, stems in papers[sign] if phrase.stems in stems]
            own = [paper for paper in taught_by if not is_library_paper(paper.id)]
            titles = tuple(paper.title for paper in (own or taught_by)[:_MAX_EXAMPLES])
            lesson = LearnedPhrase(phrase.text, sign * weight, weight / heaviest, titles, is_from_library=not own)
            lessons[sign].append(lesson)
    return LearnedPhrases(tuple(lessons[1]), tuple(lessons[-1]))


def _learnable(texts: Sequence[PaperText], written: set[str], excluded: frozenset[str]) -> list[Phrase]:
    """Return topics of these texts that are neither the reader's own words nor excluded."""
    times = Counter(stems for text in texts for stems in {phrase.stems for phrase in text.phrases})
    # A passing mention in one abstract is no topic.
    phrases = {
        phrase.stems: phrase
        for text in texts
        for phrase in text.learnable_phrases
        if phrase.is_whole and (phrase.in_title or times[phrase.stems] > 1)
    }
    return [
        phrase
        for phrase in phrases.values()
        if 2 * len(phrase.topical_stems & written) <= len(phrase.topical_stems)
        and excluded.isdisjoint(phrase.rare_terms)
    ]


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
