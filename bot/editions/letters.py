"""What a weekly letter tells: the phrases that votes taught, how a reader's taste has moved, and a field's month.

The preferences page and why say the same of phrases, and the pages of open profiles the same of months.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from math import comb, log
from typing import TYPE_CHECKING

from bot.config.profiles import Profile
from bot.model import (
    RENEWED,
    ChangedPhrase,
    FieldMonth,
    GrownTopic,
    LearnedPhrase,
    LeavingInterest,
    Paper,
    PaperId,
    Reader,
    Taste,
    Vote,
    VotedPaper,
    is_library_paper,
)
from bot.model.clock import local_date, moment
from bot.ranking.phrases import PaperText, Phrase, whole_phrases
from bot.store import Store
from bot.text.tokens import tokens
from bot.text.topics import expanded

if TYPE_CHECKING:  # they take a tenth of the time of a run in which nothing is due
    from bot.editions.composer import EditionComposer
    from bot.editions.ranked import Ranked


# What votes have taught: phrases of liked papers that raise a paper, and of disliked ones that lower it.
#
#     voted papers --phrases--> supported by the votes, not the reader's own words
#     recent and voted papers --explain--> contributions --> each phrase's mean weight, if its sign is the same in all

# The mean contribution of a term is taken over this many of the newest papers: over the reader's own papers alone it
# would show what they voted on, not what moves their next editions.
_REFERENCE_PAPERS = 300
# Of the votes of each kind, the newest: their papers' phrases are read.
_VOTED_PAPERS = 100
# The most phrases that raise a paper, and the most that lower it; a convention.
_MAX_LEARNED = 12
# Of the heaviest phrase's weight; lighter ones are noise.
_MIN_SHARE_OF_HEAVIEST = 0.01
_MAX_EXAMPLES = 2


@dataclass(frozen=True, slots=True)
class LearnedPhrases:
    """The phrases that raise a paper and those that lower it, the heaviest first."""

    likes: Sequence[LearnedPhrase] = ()
    dislikes: Sequence[LearnedPhrase] = ()


def learned(composer: EditionComposer, reader: Reader, profile: Profile, *, now: datetime) -> LearnedPhrases:
    """Return the phrases of voted papers with the largest mean contribution to the scores of recent papers."""
    lessons = lessons_of(composer, reader, profile, now=now)
    if lessons is None:
        return LearnedPhrases()
    sides = [_Side(lessons, sign) for sign in (1, -1)]
    heaviest = max((weight for side in sides for weight in side.weights.values()), default=1.0)
    likes, dislikes = (tuple(side.phrases(heaviest)) for side in sides)
    return LearnedPhrases(likes, dislikes)


def lessons_of(composer: EditionComposer, reader: Reader, profile: Profile, *, now: datetime) -> Lessons | None:
    """Return what each term adds to the scores of recent and voted papers; None where nothing is ranked."""
    store = composer.store
    recent = [paper_id for paper_id, _, _ in store.papers.recent_texts(_REFERENCE_PAPERS)]
    voted = [*store.feedback.current(reader.id)][-_VOTED_PAPERS:]
    ranked = composer.ranked(reader, profile, list(dict.fromkeys([*recent, *voted])), now)
    if ranked is None:
        return None
    written = frozenset(_stems(" . ".join([profile.interests_at(now), *profile.keywords])))
    return Lessons(ranked, [score.terms for score in ranked.ranking.explained(ranked.scores)], written)


def _stems(text: str) -> Iterator[str]:
    stems = [token.stem for token in tokens(text)]
    yield from stems
    yield from expanded(stems)


@dataclass(frozen=True, slots=True)
class Lessons:
    """Recent and voted papers as ranked, each one's contributions by term, and the stems of the reader's own words."""

    ranked: Ranked
    contributions: Sequence[Mapping[str, float]]
    written: frozenset[str]

    def learnable(self, texts: Sequence[PaperText]) -> list[Phrase]:
        """Return the phrases that these texts may teach: topics of theirs, neither the reader's own nor excluded."""
        times = Counter(stems for text in texts for stems in {phrase.stems for phrase in text.phrases})
        # What one abstract has in passing is no topic of its paper.
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
        """Return those that raise papers (``sign`` 1) or lower them (-1), with the size of the mean contribution."""
        means: Counter[str] = Counter()
        for terms in self.contributions:
            means.update(terms)
        return {
            phrase: sign * phrase.weight(means) / len(self.contributions)
            for phrase in phrases
            if self.ranked.evidence.votes.supports(phrase.rare_terms, liked=sign > 0)
            and self._has_one_sign(phrase, sign)
        }

    def _has_one_sign(self, phrase: Phrase, sign: int) -> bool:
        having = [terms for terms in self.contributions if all(stem in terms for stem in phrase.stems)]
        return bool(having) and all(sign * phrase.weight(terms) > 0 for terms in having)


class _Side:
    """The phrases of liked papers (``sign`` 1) or disliked ones (-1), with the size of each one's mean contribution."""

    def __init__(self, lessons: Lessons, sign: int) -> None:
        self._sign = sign
        ranked = lessons.ranked
        papers = ranked.reader.up if sign > 0 else ranked.reader.down
        # The newest vote first; papers of a library come after those that were voted on.
        newest_first = sorted(
            list(papers)[-_VOTED_PAPERS:],
            key=lambda paper: (is_library_paper(paper.id), ranked.reader.ages.get(paper.id, 0.0)),
        )
        self._papers = _Papers.of(ranked, newest_first)
        self.weights = lessons.weights(lessons.learnable([ranked.text(paper) for paper in newest_first]), sign)

    def phrases(self, heaviest: float) -> Iterator[LearnedPhrase]:
        """Yield the heaviest phrases, none of which repeats another, each with papers that taught it."""
        candidates = {
            phrase: weight for phrase, weight in self.weights.items() if weight > heaviest * _MIN_SHARE_OF_HEAVIEST
        }
        for phrase in whole_phrases(candidates, (), _MAX_LEARNED):
            weight = candidates[phrase]
            taught_by = self._papers.having(phrase)
            own = [paper for paper in taught_by if not is_library_paper(paper.id)]
            titles = tuple(paper.title for paper in (own or taught_by)[:_MAX_EXAMPLES])
            yield LearnedPhrase(phrase.text, self._sign * weight, weight / heaviest, titles, is_from_library=not own)


# How a reader's taste has moved: phrases that are liked more often in the last quarter than before it, or hardly.
#
#     likes of the quarter, likes of the nine months before --phrases--> how many of each have it --test--> grown, faded
#
# A phrase has to differ by more than chance: by Fisher's exact test, with at most a fifth of false discoveries among
# the phrases of a letter (Benjamini and Hochberg). With few likes in either period nothing is said.
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
_MOST_CHANGED = 3
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


def taste(composer: EditionComposer, reader: Reader, profile: Profile, day: date, *, now: datetime) -> Taste | None:
    """Return what has grown and what has faded in the quarter before ``day``; None if nothing can be said."""
    store, timezone = composer.store, profile.schedule.timezone
    history = _History.of(store, reader, timezone, now)
    since = day - _QUARTER
    earlier = max(since - _BEFORE, history.complete_from)
    recent_ids = [paper_id for paper_id, liked in history.likes.items() if liked >= since]
    ids_before = [paper_id for paper_id, liked in history.likes.items() if earlier <= liked < since]
    if min(len(recent_ids), len(ids_before)) < _MIN_LIKES:
        return None
    lessons = lessons_of(composer, reader, profile, now=now)
    if lessons is None:
        return None
    papers = store.papers.voted([*recent_ids, *ids_before])
    recent = _Papers.of(lessons.ranked, [papers[paper_id] for paper_id in recent_ids])
    before = _Papers.of(lessons.ranked, [papers[paper_id] for paper_id in ids_before])
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
    shown = store.editions.shown(reader.id).items() if chosen_faded else ()
    sent_ids = [paper_id for paper_id, place in shown if local_date(place.at, timezone) >= since]
    sent = _Papers.of(lessons.ranked, list(store.papers.voted(sent_ids).values()))
    return Taste(
        since=since,
        earlier=earlier,
        recent=len(recent.papers),
        before=len(before.papers),
        grown=tuple(_changed(phrase, recent, before, recent, _Papers((), ())) for phrase in chosen_grown),
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
class _Papers:
    """Papers, such as those that were liked in a period, and the stems of the phrases of each."""

    papers: Sequence[Paper | VotedPaper]
    stems: Sequence[Collection[tuple[str, ...]]]

    @classmethod
    def of(cls, ranked: Ranked, papers: Sequence[Paper | VotedPaper]) -> _Papers:
        return cls(papers, [{phrase.stems for phrase in ranked.text(paper).phrases} for paper in papers])

    def having(self, phrase: Phrase) -> list[Paper | VotedPaper]:
        return [paper for paper, stems in zip(self.papers, self.stems, strict=True) if phrase.stems in stems]

    def share(self, phrase: Phrase) -> float:
        return len(self.having(phrase)) / len(self.papers)


def more_frequent(phrases: Sequence[Phrase], here: _Papers, there: _Papers) -> dict[Phrase, float]:
    """Return the phrases of a larger share of the likes here than there, by more than chance, with the evidence.

    That is the negative logarithm of the probability that chance alone puts as many of the phrase's likes here.
    """
    counts = {phrase: (len(here.having(phrase)), len(there.having(phrase))) for phrase in phrases}
    sizes = len(here.papers), len(there.papers)
    # The family is chosen by what does not depend on the periods: how many likes have the phrase in all.
    chances = {phrase: chance_of(*count, *sizes) for phrase, count in counts.items() if sum(count) >= _MIN_OF_PHRASE}
    ordered = sorted(chances, key=chances.__getitem__)
    # Benjamini and Hochberg: all up to the last whose probability is below its share of the false discoveries.
    below = [chances[phrase] * len(ordered) <= _FALSE_DISCOVERIES * rank for rank, phrase in enumerate(ordered, 1)]
    last = max((rank for rank, is_below in enumerate(below, 1) if is_below), default=0)
    return {phrase: -log(chances[phrase]) for phrase in ordered[:last] if counts[phrase][0] >= _MIN_OF_PHRASE}


def chance_of(here: int, there: int, size_here: int, size_there: int) -> float:
    """Return the probability of ``here`` or more of them here, if it were chance (Fisher's exact test, one-sided).

    >>> round(chance_of(5, 0, 30, 25), 3), round(chance_of(6, 1, 31, 40), 3)
    (0.041, 0.024)
    """
    having = here + there
    ways = sum(comb(size_here, k) * comb(size_there, having - k) for k in range(here, min(having, size_here) + 1))
    return ways / comb(size_here + size_there, having)


def _of_different_papers(evidence: Mapping[Phrase, float], likes: _Papers) -> list[Phrase]:
    """Return the phrases with most evidence; of those that mostly the same papers have, one stands for all."""
    chosen: list[Phrase] = []
    told: set[PaperId] = set()
    for phrase in whole_phrases(evidence, (), _CANDIDATES):
        papers = {paper.id for paper in likes.having(phrase)}
        if len(chosen) < _MOST_CHANGED and 2 * len(papers & told) <= len(papers):
            chosen.append(phrase)
            told |= papers
    return chosen


def _changed(phrase: Phrase, recent: _Papers, before: _Papers, examples: _Papers, sent: _Papers) -> ChangedPhrase:
    return ChangedPhrase(
        phrase.text,
        len(recent.having(phrase)),
        len(before.having(phrase)),
        tuple(examples.having(phrase)),
        len(sent.having(phrase)),
    )


# Which topics grew in a field in a month: the papers of its sources, beside those of the three months before.
#
#     first deliveries of four months --sources that brought papers in each--> papers, by the sources that have them
#     titles and abstracts --phrases, exact test (``bot.ranking.growth``)--> topics, each with two papers
#
# A month is compared once it has ended, so that what is found stays: it is computed once for sources, time zone and
# month, never for a reader.
_MONTHS_BEFORE = 3
_TOPICS = 6
_EXAMPLES = 2
# Reading takes .7 ms a paper. Of more papers so many are read, evenly over the time.
_MOST_READ = 20_000
_MOST_OF_MONTH = 10_000
_MOST_CACHED = 100  # months
# What arrives while a month ends may become visible a little later.
_SETTLED = timedelta(hours=2)


class FieldMonths:
    """The months that were asked for, kept; for all threads of a process."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._cache: dict[tuple[tuple[str, ...], str, date], FieldMonth] = {}

    def is_kept(self, profile: Profile, month: date) -> bool:
        return _key(profile, month) in self._cache

    def of(self, profile: Profile, month: date, now: datetime) -> FieldMonth | None:
        """Return the month that begins on ``month`` in the profile's time zone; None before it has ended."""
        if now < moment(month_after(month), time(), profile.schedule.timezone) + _SETTLED:
            return None
        key = _key(profile, month)
        with self._lock:
            if key not in self._cache:
                found = field_month(self._store, profile.sources, profile.schedule.timezone, month)
                if not found.is_enough:  # read in a moment
                    return found
                if len(self._cache) >= _MOST_CACHED:
                    del self._cache[next(iter(self._cache))]
                self._cache[key] = found
            return self._cache[key]

    def of_letter(self, profile: Profile, day: date, now: datetime) -> FieldMonth | None:
        """Return the month before that of a letter's day; None if nothing grew."""
        month = self.of(profile, month_before(day), now)
        return month if month and month.topics else None


def _key(profile: Profile, month: date) -> tuple[tuple[str, ...], str, date]:
    return tuple(sorted(profile.sources)), profile.schedule.timezone, month


def month_before(day: date, months: int = 1) -> date:
    """Return the first day of the month so many before that of ``day``.

    >>> month_before(date(2026, 11, 6)), month_before(date(2026, 1, 31), 3)
    (datetime.date(2026, 10, 1), datetime.date(2025, 10, 1))
    """
    year, month = divmod(12 * day.year + day.month - 1 - months, 12)
    return date(year, month + 1, 1)


def month_after(day: date) -> date:
    """Return the first day of the month after that of ``day``."""
    return month_before(day, -1)


def field_month(store: Store, sources: Collection[str], timezone: str, month: date) -> FieldMonth:
    """Return what grew in the papers of some sources, of all if empty, in a month of a time zone that has ended."""
    begins = [moment(month_before(month, n), time(), timezone) for n in range(_MONTHS_BEFORE, -1, -1)]
    start, end = begins[-1], moment(month_after(month), time(), timezone)
    arrivals = _steady(store.papers.first_deliveries(begins[0], end, sources), begins)
    all_new = [paper_id for paper_id, arrival in arrivals.items() if arrival.at >= start]
    all_before = [paper_id for paper_id, arrival in arrivals.items() if arrival.at < start]
    new = sample_evenly(all_new, _MOST_OF_MONTH)
    earlier = sample_evenly(all_before, _MOST_READ - len(new))
    compared = FieldMonth(
        month,
        len(new),
        len(earlier),
        came=len(all_new) if len(new) < len(all_new) else 0,
        came_before=len(all_before) if len(earlier) < len(all_before) else 0,
    )
    if not compared.is_enough:
        return compared

    from bot.ranking.growth import grown  # scikit-learn's libraries, which nothing else of a letter may need

    papers = store.papers.voted([*new, *earlier])
    strata: dict[frozenset[str], int] = {}
    ids = sorted(papers)
    growths = grown(
        [(papers[paper_id].title, papers[paper_id].abstract) for paper_id in ids],
        [arrivals[paper_id].at >= start for paper_id in ids],
        [strata.setdefault(arrivals[paper_id].sources, len(strata)) for paper_id in ids],
        most=_TOPICS,
    )
    examples = [[ids[row] for row in growth.papers[:_EXAMPLES]] for growth in growths]
    shown = store.papers.get([paper_id for of_topic in examples for paper_id in of_topic])
    topics = [
        GrownTopic(growth.text, len(growth.papers), growth.before, tuple(shown[i] for i in of_topic if i in shown))
        for growth, of_topic in zip(growths, examples, strict=True)
    ]
    return replace(compared, topics=tuple(topics))


def sample_evenly(papers: Sequence[PaperId], most: int) -> Sequence[PaperId]:
    """Return at most so many papers, evenly over their order."""
    return papers if len(papers) <= most else [papers[n * len(papers) // most] for n in range(most)]


@dataclass(frozen=True, slots=True)
class _Arrival:
    """When a paper was first delivered, and the sources that have delivered it."""

    at: datetime
    sources: frozenset[str]


def _steady(
    deliveries: Iterable[tuple[PaperId, str, datetime]], begins: Collection[datetime]
) -> Mapping[PaperId, _Arrival]:
    """Return the papers of the sources that delivered new ones in each month, without those delivered earlier.

    A source that is new, or that stopped, would look like growth of its topics.
    """
    months: defaultdict[str, set[int]] = defaultdict(set)
    by_paper: defaultdict[PaperId, dict[str, datetime]] = defaultdict(dict)
    for paper_id, source, at in deliveries:
        months[source].add(sum(at >= begin for begin in begins))
        by_paper[paper_id][source] = at
    steady = {source for source, delivered in months.items() if delivered >= set(range(1, len(begins) + 1))}
    arrivals = {}
    for paper_id, by_source in by_paper.items():
        times = {source: at for source, at in by_source.items() if source in steady}
        if times and min(times.values()) >= min(begins):
            arrivals[paper_id] = _Arrival(min(times.values()), frozenset(times))
    return arrivals
