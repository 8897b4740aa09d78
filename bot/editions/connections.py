"""What connects a day's papers with those that a reader knows, beside their scores.

    joins        a pick joins two topics that no paper sent to this reader had together
    citations    a paper cites one that the reader liked or has in their library
    follow-ups   a paper that the reader liked was published, changed in a later version, or continued by an author
    group        others of the reader's group like a paper

Joins and citations are reasons of picks; follow-ups and the group's likes stand beside the picks, and make no edition
of their own.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cached_property
from itertools import combinations, islice
from typing import TYPE_CHECKING

from bot.config.profiles import Profile
from bot.editions.due import Readers
from bot.model import (
    NOT_STORED,
    Entry,
    FactKind,
    FollowUp,
    FollowUpKind,
    GroupLike,
    LibraryPaper,
    Paper,
    PaperId,
    Pick,
    Reader,
    ReaderId,
    Reason,
    ReasonKind,
    is_library_paper,
)
from bot.model.clock import local_date
from bot.model.papers import cited_paper, is_cited, keys, leading_authors, normalised_title, publication
from bot.store import Store
from bot.store.editions import StoredEdition
from bot.store.papers import PaperChange
from bot.store.readers import ShownLike

if TYPE_CHECKING:  # scikit-learn takes a second to import: only ranking itself pays for it
    from bot.editions.models import CurrentRanker
    from bot.editions.ranked import Ranked
    from bot.ranking.corpus import Corpus
    from bot.ranking.matching import PhraseIndex
    from bot.ranking.meaning import PaperWords
    from bot.ranking.ranker import Interest


# Which picks join two topics of their reader that no paper sent to this reader had together.
#
#     a pick's reasons: two topics that the reader wrote --not together in the reasons of the last weeks' picks-->
#         all papers sent to the reader --words of the first, of the second, of both--> a reason, if none has both
#
# Topics are found by their words, not by meaning. A paper counts against the claim if the words of both are in it,
# however far apart: it may join them in other phrases. Both topics must be known: two earlier papers must have each. Of
# the picks of one edition that join the same topics, the first says so.
#
# A batch takes two queries, and two more for each reader for whom the claim is left after the last weeks' reasons.
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
            if join and (topics := frozenset([join.first, join.second])) not in stated:
                stated.add(topics)
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
    reason = Reason(ReasonKind.JOINS, join.first, near=join.second, since=join.since.isoformat())
    return (*reasons[:place], reason, *reasons[place:])


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


# Which papers cite one that their reader liked or has in their library.
#
#     papers --facts: cites--> cited papers --by identity keys--> stored papers, libraries --of this reader?--> reasons
#
# What a paper cites is stated by Google Scholar's alerts, and where ``links.resolve`` is set by OpenAlex. A batch takes
# three queries, and none if no paper of it has a citation.

# By the paper that cites; the reasons name what it cites.
Citations = Mapping[PaperId, Sequence[Reason]]

# Titles that a pick's reasons name.
_MOST_NAMED = 2


def citations_of(
    store: Store, readers: Readers, interests: Sequence[Interest], papers: Iterable[Paper]
) -> list[Citations]:
    """Return for each reader which of these papers cite one that they liked, or one in their library."""
    cited = {
        paper.id: [cited_paper(fact) for fact in paper.facts if fact.kind is FactKind.CITES]
        for paper in papers
        if any(fact.kind is FactKind.CITES for fact in paper.facts)
    }
    if not cited:
        return [{}] * len(readers)
    identity_keys = list(dict.fromkeys(key for entries in cited.values() for entry in entries for key in keys(entry)))
    stored = store.papers.with_keys(identity_keys)
    libraries = store.library.with_keys([reader.id for reader, _ in readers], identity_keys)
    citations: list[Citations] = []
    for (reader, _), interest in zip(readers, interests, strict=True):
        liked_ids = {paper.id for paper in interest.up if not is_library_paper(paper.id)}
        liked = [paper for paper in stored if paper.id in liked_ids]
        owned = libraries.get(reader.id, ())
        of_reader = {paper_id: _reasons(entries, liked, owned) for paper_id, entries in cited.items()}
        citations.append({paper_id: reasons for paper_id, reasons in of_reader.items() if reasons})
    return citations


def _reasons(cited: Sequence[Entry], liked: Sequence[Paper], owned: Sequence[LibraryPaper]) -> Sequence[Reason]:
    """Return a reason for each cited paper that is the reader's, with the title as it is stored; votes first."""
    by_vote, by_library = {}, {}
    for entry in cited:
        if paper := next((paper for paper in liked if is_cited(entry, paper)), None):
            by_vote[paper.id] = Reason(ReasonKind.CITES_LIKED, paper.title, paper=paper.id)
        elif item := next((item for item in owned if is_cited(entry, item.paper)), None):
            by_library[item.paper.id] = Reason(ReasonKind.CITES_OWNED, item.paper.title)
    return [*by_vote.values(), *by_library.values()][:_MOST_NAMED]


# What became of papers that a reader liked: published, changed in a later version, continued by an author.
#
#     papers that changed since the reader's last picks --liked before?--> published, or what a later version says
#     the day's papers --first and last authors--> earlier papers --liked, on the same topic?--> continued
#
# An edition has at most three of them. A run takes three queries, and a few more for each reader who liked a paper of
# these.
_MOST_FOLLOW_UPS = 3
_MOST_READ = 6  # pairs of papers of one author, the most similar
_MOST_COMPARED = 200  # such pairs, for one reader
_MOST_KEPT = 100_000  # similarities of pairs, which readers who like the same papers share
# Further back there was no edition with picks for weeks.
_LOOK_BACK = timedelta(days=60)
# A venue or DOI that another digest has within days of the first was known all along.
_NEWS_AFTER = timedelta(days=7)
# ``Pool.similarity`` from which two papers of one author were found to be on one topic, and that without a further
# author in common, where two people may share a name.
_SAME_TOPIC = 0.35
_SAME_TOPIC_BY_NAME = 0.4


class FollowUps:
    """The follow-ups of the readers of a run; changes of papers, and the authors of each, are read once for all."""

    def __init__(self, store: Store, ranker: CurrentRanker) -> None:
        self._store = store
        self._ranker = ranker
        self._now: datetime | None = None
        self._changes: dict[PaperId, list[PaperChange]] = {}
        self._read: set[PaperId] = set()  # new papers
        self._new_by_name: dict[str, list[PaperId]] = {}  # by their first and last authors
        self._names: dict[PaperId, list[str]] = {}  # which of these authors each stored paper has
        self._similarities: dict[tuple[PaperId, PaperId], float] = {}  # of an earlier and a new paper

    def of_reader(self, reader: Reader, ranked: Ranked, new: Sequence[PaperId], now: datetime) -> tuple[FollowUp, ...]:
        """Return what became of papers that a reader liked; ``new`` are the candidates of the edition."""
        liked = {paper.id for paper in ranked.reader.up if not is_library_paper(paper.id)}
        if not liked:
            return ()
        self._begin(now)
        unread = [paper_id for paper_id in new if paper_id not in self._read and paper_id in ranked.papers]
        self._read_authors({paper_id: ranked.papers[paper_id] for paper_id in unread})
        follow_ups: dict[PaperId, FollowUp] = {}
        if changed := liked & self._changes.keys():
            changes = [change for paper in sorted(changed) for change in self._changes[paper]]
            follow_ups |= self._of_changes(reader, ranked, changes, now)
        pairs = sorted(self._continued(liked - follow_ups.keys(), ranked, new), reverse=True)[:_MOST_READ]
        earlier_papers = self._store.papers.get(earlier for _, earlier, _ in pairs) if pairs else {}
        named: set[PaperId] = set()
        for similarity, earlier, later in pairs:
            if earlier in follow_ups or later in named or earlier not in earlier_papers:
                continue
            if follow_up := _of_authors(earlier_papers[earlier], ranked.papers[later], similarity):
                follow_ups[earlier] = follow_up
                named.add(later)
        order = list(FollowUpKind)
        return tuple(sorted(follow_ups.values(), key=lambda follow_up: order.index(follow_up.kind))[:_MOST_FOLLOW_UPS])

    def _begin(self, now: datetime) -> None:
        if self._now == now:
            return
        self._now = now
        self._changes, self._read, self._similarities = defaultdict(list), set(), {}
        self._new_by_name, self._names = defaultdict(list), defaultdict(list)
        for change in self._store.papers.changes(now - _LOOK_BACK):
            self._changes[change.paper].append(change)

    def _read_authors(self, papers: Mapping[PaperId, Paper]) -> None:
        """Note the first and last authors of new papers, and the stored papers of each of them."""
        self._read.update(papers)
        unread = set()
        for paper_id, paper in papers.items():
            for name in leading_authors(paper):
                if name not in self._new_by_name:
                    unread.add(name)
                self._new_by_name[name].append(paper_id)
        for name, stored in self._store.papers.by_leading_authors(sorted(unread)).items() if unread else ():
            for paper_id in stored:
                self._names[paper_id].append(name)

    def _continued(
        self, liked: Collection[PaperId], ranked: Ranked, new: Sequence[PaperId]
    ) -> list[tuple[float, PaperId, PaperId]]:
        """Return liked papers and new ones on their topic of the same author, each pair after its similarity."""
        arrived = ranked.papers.keys() & new
        # Of one who liked many papers of a common name, the newest: all pairs would be the square of them.
        pairs = islice(
            (
                (earlier, later)
                for earlier in sorted(self._names.keys() & liked, reverse=True)
                for later in dict.fromkeys(paper for name in self._names[earlier] for paper in self._new_by_name[name])
                if earlier != later and later in arrived
            ),
            _MOST_COMPARED,
        )
        texts = {paper.id: paper.text for paper in ranked.reader.up}
        compared = list(pairs)
        if unread := [pair for pair in compared if pair not in self._similarities]:
            if len(self._similarities) > _MOST_KEPT:
                self._similarities.clear()
                unread = compared
            similarities = self._ranker.get().similarities(
                [(texts[earlier], ranked.papers[later].text) for earlier, later in unread]
            )
            self._similarities |= zip(unread, similarities, strict=True)
        similar = ((self._similarities[pair], *pair) for pair in compared)
        return [pair for pair in similar if pair[0] >= _SAME_TOPIC]

    def _of_changes(
        self, reader: Reader, ranked: Ranked, changes: Sequence[PaperChange], now: datetime
    ) -> dict[PaperId, FollowUp]:
        since = self._store.editions.last_picks_at(reader.id, now)
        if since is None:
            return {}
        papers = self._store.papers.get(change.paper for change in changes)
        follow_ups: dict[PaperId, FollowUp] = {}
        for change in changes:
            paper = papers.get(change.paper)
            voted_at = now - timedelta(days=ranked.reader.ages.get(change.paper, 0.0))
            if paper is None or change.at < since or change.at <= voted_at:
                continue
            follow_up = _of_change(paper, change)
            # A publication says more than a new version of the same day.
            if follow_up and (paper.id not in follow_ups or follow_up.kind is FollowUpKind.PUBLISHED):
                follow_ups[paper.id] = follow_up
        return follow_ups


def _of_authors(earlier: Paper, later: Paper, similarity: float) -> FollowUp | None:
    """Return how a paper follows one on its topic by an author; None where two people may share the name."""
    shared = [name for name in leading_authors(later) if name in leading_authors(earlier)]
    if normalised_title(earlier.title) == normalised_title(later.title):
        # A journal's version of a preprint whose server gives DOIs of its own.
        venue = publication(later)
        is_news = venue and not publication(earlier) and later.first_seen - earlier.first_seen >= _NEWS_AFTER
        return FollowUp(FollowUpKind.PUBLISHED, earlier, venue, paper=later) if is_news else None
    all_names = [{normalised_title(author) for author in paper.authors} for paper in (earlier, later)]
    have_coauthor = len(all_names[0] & all_names[1]) > 1
    if not shared or not (have_coauthor or similarity >= _SAME_TOPIC_BY_NAME):
        return None
    author = next(author for author in later.authors if normalised_title(author) == shared[0])
    return FollowUp(FollowUpKind.CONTINUED, earlier, author, paper=later)


def _of_change(paper: Paper, change: PaperChange) -> FollowUp | None:
    if change.version is None:
        is_news = change.at - paper.first_seen >= _NEWS_AFTER
        return FollowUp(FollowUpKind.PUBLISHED, paper, publication(paper)) if is_news and publication(paper) else None
    if not change.before:
        return None
    # Imported here, as a change is rare, and reading abstracts takes weights into memory.
    from bot.summaries.changes import changed_sentence

    sentence = changed_sentence(change.before, paper.abstract)
    return FollowUp(FollowUpKind.REVISED, paper, sentence.after, sentence.before) if sentence else None


# What the readers of a group's profile see of one another's votes: the papers that others like, with their names.
#
# A reader's likes are shown only under the name that the reader gave for it (``Override.shown_as``). They are read for
# each message and page, and stored with no edition, so that taking the name back hides them from then on.

# How far back likes count beside a pick, and for the list of a reader without an edition so far.
_BESIDE_PICKS = timedelta(days=30)
_LISTED = timedelta(days=7)
_MOST_LISTED = 3


class GroupLikes:
    """What the members of groups have liked lately, read once for a batch of readers."""

    def __init__(self, store: Store, profiles: Mapping[str, Profile], now: datetime) -> None:
        """``profiles`` are those of the batch, by slug."""
        self._store = store
        self._now = now
        self._by_profile = {
            slug: store.feedback.shown_likes(slug, now - _BESIDE_PICKS)
            for slug, profile in profiles.items()
            if profile.group
        }

    def of_papers(self, reader: Reader, papers: Sequence[Paper]) -> tuple[GroupLike, ...]:
        """Return those of the papers that others of the reader's group like."""
        names = _names_by_paper(self._of_others(reader))
        return tuple(GroupLike(paper, names[paper.id]) for paper in papers if paper.id in names)

    def unseen(self, reader: Reader, profile: Profile, last: StoredEdition | None) -> list[GroupLike]:
        """Return the papers that others have liked since the reader's ``last`` edition, those of most members first.

        Left out are papers that the reader was sent or voted on, and those with a term that they muted.
        """
        since = last.composed_at if last else self._now - _LISTED
        names = _names_by_paper(like for like in self._of_others(reader) if like.at > since)
        if not names:
            return []
        # Imported here, as it imports NumPy: most profiles are no group's.
        from bot.ranking.ranking import Rules

        rules = Rules(mute=profile.mute)
        voted = {vote.paper for vote in self._store.feedback.votes(reader.id)}
        known = voted | self._store.editions.shown(reader.id).keys()
        papers = self._store.papers.get(paper_id for paper_id in names if paper_id not in known).values()
        likes = [GroupLike(paper, names[paper.id]) for paper in papers if not rules.matches(paper).muted]
        return sorted(likes, key=lambda like: (-len(like.names), -like.paper.id))

    def _of_others(self, reader: Reader) -> list[ShownLike]:
        likes = self._by_profile.get(reader.profile, []) if reader.id != NOT_STORED else []
        return [like for like in likes if like.reader != reader.id]


def listed(likes: Sequence[GroupLike], papers: Collection[PaperId]) -> tuple[GroupLike, ...]:
    """Return the first likes of other papers than these, as many as a message lists."""
    return tuple([like for like in likes if like.paper.id not in papers][:_MOST_LISTED])


def _names_by_paper(likes: Iterable[ShownLike]) -> dict[PaperId, tuple[str, ...]]:
    names: dict[PaperId, dict[str, None]] = {}
    for like in likes:
        names.setdefault(like.paper, {})[like.name] = None
    return {paper: tuple(of_paper) for paper, of_paper in names.items()}
