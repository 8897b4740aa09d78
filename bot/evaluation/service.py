"""Is it learning? Each thumb predicted from the ones before it.

The protocol, for one reader:

- What was judged together is a round: a day's thumbs, ten or so at a time (``rounds``). The model of a round is
  trained on the thumbs strictly before its first moment; so no thumb predicts itself, or is predicted by later ones.
- It ranks what the reader could see then: the papers that came in on the same days as those judged, and were known
  by then. Left out is what was judged before, is muted, or gets its thumb in a later round: its fate is open.
- Liked papers are relevant; all others are not. Rounds without a like, or before the first thumb, test nothing.
- Beside it rank the same model without any thumb (interest words and keywords alone), and chance.
- What an edition shows gets thumbs, and it was chosen by what had been learned. So the comparison that the verdict
  rests on, and calibration, look only at papers that the reader saw: those judged, and in the same editions those as
  high up as nine of ten of the reader's thumbs are. One who presses at random among the papers shown, or among the
  first of them, is not taken for one who was understood. Where nothing judged was sent, all that came in was seen.
- Of many papers seen in a round some are drawn, evenly and always the same; so whoever asks gets one answer. How many
  papers that were not seen stand beside them, ``evaluate`` is told: only nDCG and the first places depend on it.

A vote that was changed or taken back counts as it stands at last, from when that was said. The vocabulary is that of
today's papers; it knows no thumbs. Upvotes, followed authors and words taken out are no learning, and play no part.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from bot.config.overrides import with_override
from bot.config.profiles import Profile
from bot.domain import PaperId, Reader, RecordedVote
from bot.editions.candidates import interest
from bot.evaluation.folds import Fold, rounds
from bot.evaluation.report import Evaluation, FoldResult, judge
from bot.ranking.examining import Exam, Graded, examine
from bot.schedule import local_date
from bot.store import Store

if TYPE_CHECKING:
    from bot.ranking import Ranker

_DAY = timedelta(days=1)
# Of a reader's thumbs: what stands below these in an edition may never have been looked at.
_READ_SO_FAR = 0.9


# So many rounds at most: those of neighbouring days are put together. A page waits for them.
_ROUNDS = 100
# So many of the papers seen in a round, beside the judged ones: 300 for 50 changed the mean AUC of 59 rounds by .002.
_SEEN = 50
_UNSEEN = 1_000


def evaluate(
    store: Store, ranker: Callable[[], Ranker], reader: Reader, profile: Profile, *, unseen: int = _UNSEEN
) -> Evaluation:
    """How well this reader's thumbs are predicted; ``ranker`` is asked for only where there is something to.

    With fewer ``unseen`` papers in each round it is quicker. Precision and nDCG are then higher and say less; verdict,
    AUC, gain, calibration and points are the same.
    """
    votes, agreed = store.feedback.votes(reader.id), store.feedback.current(reader.id)
    zone = profile.schedule.timezone
    tested = [r for r in rounds(votes, agreed, zone, _ROUNDS) if r.known and r.likes]
    graded: Iterator[Graded] = iter(())
    if tested:
        exams = _Exams(store, reader, profile, votes, unseen)
        graded = examine(ranker(), map(exams.of, tested), exams.words, profile.edition.size)
    rated = [
        FoldResult(r.since, r.until, r.known, r.likes, grade) for r, grade in zip(tested, graded, strict=True)
    ]
    return judge(reader.name, profile.edition.size, len(votes), rated)


def evaluate_all(
    store: Store, ranker: Callable[[], Ranker], profiles: Mapping[str, Profile]
) -> Iterator[Evaluation]:
    """The same for every reader of these profiles who has a thumb, in the order they came, one after another."""
    overrides, counts = store.overrides.all(), store.feedback.counts()
    readers = [r for r in store.readers.all() if r.profile in profiles and r.id in counts]
    for reader in readers:
        yield evaluate(
            store, ranker, reader, with_override(profiles[reader.profile], overrides.get(reader.id))
        )


class _Exams:
    """Finds what there was to rank in each round; asks the store for it once."""

    def __init__(
        self, store: Store, reader: Reader, profile: Profile, votes: Sequence[RecordedVote], unseen: int
    ) -> None:
        self._store, self._profile, self._votes, self._unseen = store, profile, votes, unseen
        self._zone = profile.schedule.timezone
        self._thumbed = store.papers.get(thumb.paper for thumb in votes)
        self._shown = store.editions.shown(reader.id)
        self._depth = _depth([self._shown[paper].position for paper in self._thumbed if paper in self._shown])
        self._arrivals = self._by_day()
        self.words = interest(profile, [], {}, votes[0].at)

    def of(self, one: Fold) -> Exam:
        """The judged papers and those that came in with them; as much of the reader as was known before."""
        days = dict.fromkeys(self._day(self._thumbed[paper].first_seen) for paper in one.judged)
        there = [paper for day in days for paper, at in self._arrivals[day] if at <= one.until]
        others = [paper for paper in there if paper not in self._thumbed]
        seen = dict.fromkeys(_spread(self._seen(one, others), _SEEN))
        unseen = _spread([paper for paper in others if paper not in seen], self._unseen)
        papers = self._store.papers.get([*seen, *unseen]).values()
        unmuted = [paper for paper in papers if not self.words.rules.muted(paper)]
        known = [thumb for thumb in self._votes if thumb.at < one.since]
        return Exam(
            interest=interest(self._profile, known, self._thumbed, one.since),
            papers=[*(self._thumbed[paper] for paper in one.judged), *unmuted],
            liked=frozenset(paper for paper, liked in one.judged.items() if liked),
            seen=frozenset((*one.judged, *seen)),
        )

    def _seen(self, one: Fold, others: Sequence[PaperId]) -> Sequence[PaperId]:
        """Those of the others that the reader saw, and passed over."""
        read = {where.edition for paper in one.judged if (where := self._shown.get(paper))}
        if not read:
            return others
        return [
            paper
            for paper in others
            if (where := self._shown.get(paper)) and where.edition in read and where.position <= self._depth
        ]

    def _by_day(self) -> Mapping[date, Sequence[tuple[PaperId, datetime]]]:
        """What came in on the days on which judged papers did, or one beside them, by the reader's calendar."""
        times = [paper.first_seen for paper in self._thumbed.values()]
        arrivals: dict[date, list[tuple[PaperId, datetime]]] = defaultdict(list)
        for paper, at in self._store.papers.arrivals(
            min(times) - _DAY, max(times) + _DAY, self._profile.sources
        ):
            arrivals[self._day(at)].append((paper, at))
        return arrivals

    def _day(self, at: datetime) -> date:
        return local_date(at, self._zone)


def _depth(positions: Sequence[int]) -> int:
    """How far down the reader reads, as far as thumbs tell."""
    return sorted(positions)[int(_READ_SO_FAR * (len(positions) - 1))] if positions else 0


def _spread(ids: Sequence[PaperId], most: int) -> list[PaperId]:
    """Up to so many, evenly drawn."""
    if len(ids) <= most:
        return list(ids)
    return [ids[n * len(ids) // most] for n in range(most)]
