"""Which picks join two topics of their reader that no paper sent to this reader had together.

    a pick's reasons: two topics that the reader wrote --not together in the reasons of the last weeks' picks-->
        all papers sent to the reader --words of the first, of the second, of both--> a reason, if none has both

Topics are found by their words, not by meaning. A paper counts against the claim if the words of both are in it,
however far apart: it may join them in other phrases. Both topics must be known: two earlier papers must have each. Of
the picks of one edition that join the same topics, the first says so.

A batch takes two queries, and two more for each reader for whom the claim is left after the last weeks' reasons.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from bot.model import PaperId, Pick, Reader, ReaderId, Reason, ReasonKind, is_library_paper
from bot.model.clock import local_date
from bot.store import Store

if TYPE_CHECKING:  # scikit-learn takes a second to import: only ranking itself pays for it
    from bot.editions.ranked import Ranked
    from bot.ranking.corpus import Corpus
    from bot.ranking.matching import PhraseIndex
    from bot.ranking.meaning import PaperWords

_HISTORY = timedelta(weeks=4)  # that a reader must have
_RECENT = timedelta(weeks=2)  # whose reasons are looked at first
_LEAST = 2  # papers that had each topic

Stems = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Join:
    """Two topics, in how many of ``papers`` that a reader was sent since a day each was, and that none had both."""

    first: str
    second: str
    papers: int
    with_first: int
    with_second: int
    since: date

    @property
    def topics(self) -> frozenset[str]:
        """Both topics, in either order."""
        return frozenset([self.first, self.second])

    @property
    def reason(self) -> Reason:
        """The reason of the pick that joins them."""
        return Reason(ReasonKind.JOINS, self.first, near=self.second, since=self.since.isoformat())


class Joins:
    """What a batch of readers was sent before ``now``, read when the first pick asks for it."""

    def __init__(self, store: Store, readers: Sequence[ReaderId], now: datetime, papers: PaperReader) -> None:
        self._store = store
        self._readers = readers
        self._now = now
        self._papers = papers
        self._last: tuple[ReaderId, _Past | None] | None = None

    def noted(self, reader: Reader, timezone: str, ranked: Ranked, picks: Sequence[Pick]) -> list[Pick]:
        """Return a reader's picks, each that joins two topics for the first time with a reason that says so."""
        voted = {paper for paper in ranked.reader.ages if not is_library_paper(paper)}
        noted = []
        stated: set[frozenset[str]] = set()
        for pick in picks:
            join = self.of_pick(reader, timezone, ranked, pick.paper.id, pick.reasons, voted=voted)
            if join and join.topics not in stated:
                stated.add(join.topics)
                noted.append(replace(pick, reasons=with_join(pick.reasons, join)))
            else:
                noted.append(pick)
        return noted

    def of_pick(
        self,
        reader: Reader,
        timezone: str,
        ranked: Ranked,
        paper: PaperId,
        reasons: Sequence[Reason],
        *,
        voted: Collection[PaperId],
    ) -> Join | None:
        """Return the first pair of the topics that these reasons name that the paper is the first to join.

        ``voted`` are papers that the reader voted on, sent or not; one with both topics counts against it, too.
        """
        named = [reason.text for reason in reasons if reason.kind is ReasonKind.WROTE]
        if len(named) < 2 or (recent := self._recent.get(reader.id)) is None:
            return None
        topics = {topic.text.casefold(): topic.stems for topic in ranked.evidence.topics}
        for first, second in combinations(named, 2):
            stems = (topics.get(first.casefold()), topics.get(second.casefold()))
            if stems[0] is None or stems[1] is None or _are_together(recent, first, second):
                continue
            past = self._past_of(reader.id, voted, list(topics.values()), ranked.ranking.pool.corpus)
            if past is None or past.since > self._now - _HISTORY or paper in past.papers:
                return None
            counts = past.counts(stems[0], stems[1])
            if counts and min(counts) >= _LEAST:
                return Join(first, second, len(past.sent), *counts, since=local_date(past.since, timezone))
        return None

    def _past_of(
        self, reader_id: ReaderId, voted: Collection[PaperId], topics: Sequence[Stems], corpus: Corpus
    ) -> _Past | None:
        """Return what a reader was sent and voted on, by these topics; None for one who was sent nothing."""
        # The picks of one edition ask one after another.
        if self._last is None or self._last[0] != reader_id:
            sent = self._store.history.sent(reader_id, self._now)
            past = None
            if sent:
                self._papers.begin(self._now, corpus)
                papers = list(sent.papers.union(voted))
                past = _Past(papers, sent.papers, sent.since, self._papers.index(papers, topics, corpus))
            self._last = (reader_id, past)
        return self._last[1]

    @cached_property
    def _recent(self) -> Mapping[ReaderId, str]:
        return self._store.history.recent_reasons(
            self._readers, began=self._now - _HISTORY, since=self._now - _RECENT, before=self._now
        )


def with_join(reasons: Sequence[Reason], join: Join) -> tuple[Reason, ...]:
    """Return a pick's reasons with that of a join before the topics that it names."""
    place = next(place for place, reason in enumerate(reasons) if reason.kind is ReasonKind.WROTE)
    return (*reasons[:place], join.reason, *reasons[place:])


def _are_together(recent: str, first: str, second: str) -> bool:
    """Whether one of these lines of stored reasons names both topics."""
    # As ``bot.store.engine`` writes JSON.
    texts = [f'"text":{json.dumps(topic)}' for topic in (first, second)]
    return any(all(text in line for text in texts) for line in recent.splitlines())


@dataclass(frozen=True, slots=True)
class _Past:
    """The ``papers`` that a reader was ``sent`` from ``since`` on, or voted on, and an index of them in this order."""

    papers: Sequence[PaperId]
    sent: set[PaperId]
    since: datetime
    index: PhraseIndex

    def counts(self, first: Stems, second: Stems) -> tuple[int, int] | None:
        """Return how many papers that the reader was sent have each topic; None if a paper may have both."""
        if self.index.has_words((*first, *second)).any():
            return None
        return self._with(first), self._with(second)

    def _with(self, stems: Stems) -> int:
        rows = self.index.presence(stems).nonzero()[0].tolist()
        return sum(self.papers[row] in self.sent for row in rows)


class PaperReader:
    """Indexes stored papers by topics; in one run each paper is read once, for all readers."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._run: tuple[datetime, Corpus] | None = None
        self._rows: dict[PaperId, int] = {}
        self._others: dict[PaperId, PaperWords] = {}

    def begin(self, now: datetime, corpus: Corpus) -> None:
        """Forget what was read if this is another run, or another corpus: texts and rows may have changed."""
        if self._run is None or self._run[0] != now or self._run[1] is not corpus:
            self._run = (now, corpus)
            self._rows, self._others = {}, {}

    def index(self, papers: list[PaperId], topics: Sequence[Stems], corpus: Corpus) -> PhraseIndex:
        """Return an index of these papers by these topics; the papers are put into its order."""
        from bot.ranking.matching import PhraseIndex, words_of_topics
        from bot.ranking.meaning import PaperWords

        self._read([paper for paper in papers if paper not in self._rows], corpus)
        # Those on which the corpus was fitted come first; the others' words are their own.
        papers.sort(key=lambda paper: paper in self._others)
        fitted = [self._rows[paper] for paper in papers if paper not in self._others]
        parts = [corpus.words_[fitted], *(self._others[paper] for paper in papers[len(fitted) :])]
        words = PaperWords.concatenate(parts) if len(parts) > 1 else parts[0]
        return PhraseIndex(words_of_topics(words, topics))

    def _read(self, papers: Sequence[PaperId], corpus: Corpus) -> None:
        if not papers:
            return
        from bot.ranking.meaning import PaperWords
        from bot.text.tokens import stem_sequence

        texts = {paper.id: paper.text for paper in self._store.papers.voted(papers).values()}
        self._rows |= zip(texts, corpus.rows_of(list(texts.values())).tolist(), strict=True)
        for paper in papers:
            if self._rows.get(paper, -1) < 0:
                # One that was deleted meanwhile has no words.
                self._rows[paper] = -1
                self._others[paper] = PaperWords.from_sequences([stem_sequence(texts.get(paper, ""))])
