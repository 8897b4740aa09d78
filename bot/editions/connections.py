"""Relate new papers to papers that a reader knows: citations, follow-ups, and likes of the reader's group.

Citations are reasons of picks. Follow-ups and likes accompany picks, and never make an edition alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING

from bot.config.profiles import Profile
from bot.editions.due import Readers
from bot.model import (
    NOT_STORED,
    FactKind,
    FollowUp,
    FollowUpKind,
    GroupLike,
    Paper,
    PaperId,
    Reader,
    Reason,
    ReasonKind,
    is_library_paper,
)
from bot.model.papers import cited_paper, is_cited, keys, leading_authors, normalised_title, publication
from bot.store import Store
from bot.store.editions import StoredEdition
from bot.store.papers import PaperChange
from bot.store.readers import ShownLike

if TYPE_CHECKING:  # scikit-learn takes a second to import
    from bot.editions.choices import Ranked
    from bot.editions.models import CurrentRanker
    from bot.ranking.ranker import Interest


# Reasons that name cited papers, by citing paper.
Citations = Mapping[PaperId, Sequence[Reason]]
_MOST_NAMED = 2


def citations_of(
    store: Store, readers: Readers, interests: Sequence[Interest], papers: Iterable[Paper]
) -> list[Citations]:
    """Return each reader's citations, from Google Scholar's alerts and from OpenAlex (``links.resolve``)."""
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
        liked_ids = {paper.id for paper in interest.up if not is_library_paper(paper.id)} - {*interest.saved}
        liked = [paper for paper in stored if paper.id in liked_ids]
        owned = libraries.get(reader.id, ())
        of_reader: dict[PaperId, Sequence[Reason]] = {}
        for paper_id, entries in cited.items():
            by_vote, by_library = {}, {}
            for entry in entries:
                if paper := next((paper for paper in liked if is_cited(entry, paper)), None):
                    by_vote[paper.id] = Reason(ReasonKind.CITES_LIKED, paper.title, paper=paper.id)
                elif item := next((item for item in owned if is_cited(entry, item.paper)), None):
                    by_library[item.paper.id] = Reason(ReasonKind.CITES_OWNED, item.paper.title)
            if by_vote or by_library:
                of_reader[paper_id] = [*by_vote.values(), *by_library.values()][:_MOST_NAMED]
        citations.append(of_reader)
    return citations


_MOST_FOLLOW_UPS = 3
_MOST_READ = 6  # pairs of papers of an author, the most similar ones
_MOST_COMPARED = 200  # such pairs of a reader
_MOST_KEPT = 100_000  # similarities of pairs, shared by readers
# An edition with picks is rarely older.
_LOOK_BACK = timedelta(days=60)
# A venue or DOI that follows within days is not news.
_NEWS_AFTER = timedelta(days=7)
# The least ``Pool.similarity`` of two papers on one topic. Without a common coauthor, two people may share a name.
_SAME_TOPIC = 0.35
_SAME_TOPIC_BY_NAME = 0.4


class FollowUps:
    """The follow-ups of a run.

    papers that changed since the last picks --liked?--> published or revised
    the day's papers --first and last authors--> earlier papers --liked, on the same topic?--> continued
    """

    def __init__(self, store: Store, ranker: CurrentRanker) -> None:
        self._store = store
        self._ranker = ranker
        self._now: datetime | None = None
        self._changes: dict[PaperId, list[PaperChange]] = {}
        self._read: set[PaperId] = set()  # new papers
        self._new_by_name: dict[str, list[PaperId]] = {}  # by first and last author
        self._names: dict[PaperId, list[str]] = {}  # authors of new papers by stored paper
        self._similarities: dict[tuple[PaperId, PaperId], float] = {}  # of an earlier and a new paper

    def of_reader(self, reader: Reader, ranked: Ranked, new: Sequence[PaperId], now: datetime) -> tuple[FollowUp, ...]:
        liked = {paper.id for paper in ranked.reader.up if not is_library_paper(paper.id)} - {*ranked.reader.saved}
        if not liked:
            return ()
        if self._now != now:
            self._now = now
            self._changes, self._read, self._similarities = defaultdict(list), set(), {}
            self._new_by_name, self._names = defaultdict(list), defaultdict(list)
            for change in self._store.papers.changes(now - _LOOK_BACK):
                self._changes[change.paper].append(change)
        unread = set()
        for paper_id in new:
            if paper_id not in self._read and paper_id in ranked.papers:
                self._read.add(paper_id)
                for name in leading_authors(ranked.papers[paper_id]):
                    if name not in self._new_by_name:
                        unread.add(name)
                    self._new_by_name[name].append(paper_id)
        for name, stored in self._store.papers.by_leading_authors(sorted(unread)).items() if unread else ():
            for paper_id in stored:
                self._names[paper_id].append(name)
        changes = [change for paper in sorted(liked & self._changes.keys()) for change in self._changes[paper]]
        follow_ups = self._of_changes(reader, ranked, changes, now) if changes else {}
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

    def _continued(
        self, liked: Collection[PaperId], ranked: Ranked, new: Sequence[PaperId]
    ) -> list[tuple[float, PaperId, PaperId]]:
        arrived = ranked.papers.keys() & new
        pairs = (
            (earlier, later)
            for earlier in sorted(self._names.keys() & liked, reverse=True)
            for later in dict.fromkeys(paper for name in self._names[earlier] for paper in self._new_by_name[name])
            if earlier != later and later in arrived
        )
        # The newest of a frequent name only: all pairs would be quadratic.
        compared = list(islice(pairs, _MOST_COMPARED))
        texts = {paper.id: paper.text for paper in ranked.reader.up}
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
            if change.version is None:
                # A publication outweighs a new version.
                if change.at - paper.first_seen >= _NEWS_AFTER and (venue := publication(paper)):
                    follow_ups[paper.id] = FollowUp(FollowUpKind.PUBLISHED, paper, venue)
            elif change.before and paper.id not in follow_ups:
                # Imported late: changes are rare, and reading abstracts loads weights.
                from bot.summaries.changes import changed_sentence

                if sentence := changed_sentence(change.before, paper.abstract):
                    revised = FollowUp(FollowUpKind.REVISED, paper, sentence.after, sentence.before)
                    follow_ups[paper.id] = revised
        return follow_ups


def _of_authors(earlier: Paper, later: Paper, similarity: float) -> FollowUp | None:
    shared = [name for name in leading_authors(later) if name in leading_authors(earlier)]
    if normalised_title(earlier.title) == normalised_title(later.title):
        # A journal's version of a preprint whose server gives its own DOIs.
        venue = publication(later)
        is_news = venue and not publication(earlier) and later.first_seen - earlier.first_seen >= _NEWS_AFTER
        return FollowUp(FollowUpKind.PUBLISHED, earlier, venue, paper=later) if is_news else None
    all_names = [{normalised_title(author) for author in paper.authors} for paper in (earlier, later)]
    have_coauthor = len(all_names[0] & all_names[1]) > 1
    if not shared or not (have_coauthor or similarity >= _SAME_TOPIC_BY_NAME):
        return None
    author = next(author for author in later.authors if normalised_title(author) == shared[0])
    return FollowUp(FollowUpKind.CONTINUED, earlier, author, paper=later)


# Ages of likes beside a pick, and in the list of a reader without an edition.
_BESIDE_PICKS = timedelta(days=30)
_LISTED = timedelta(days=7)
_MOST_LISTED = 3


class GroupLikes:
    """Recent likes of group members, under the names that they chose (``Override.shown_as``).

    They are read once for a batch and never stored, so removing the name hides them.
    """

    def __init__(self, store: Store, profiles: Mapping[str, Profile], now: datetime) -> None:
        self._store = store
        self._now = now
        self._profiles = profiles
        # A stranger on an open page neither sees likes nor shows them under a name.
        self._by_profile = {
            slug: [
                like
                for like in store.feedback.shown_likes(slug, now - _BESIDE_PICKS)
                if profile.has_member(like.reader)
            ]
            for slug, profile in profiles.items()
            if profile.group
        }

    def of_papers(self, reader: Reader, papers: Sequence[Paper]) -> tuple[GroupLike, ...]:
        names = _names_by_paper(self._of_others(reader))
        return tuple(GroupLike(paper, names[paper.id]) for paper in papers if paper.id in names)

    def unseen(self, reader: Reader, profile: Profile, last: StoredEdition | None) -> list[GroupLike]:
        """Return papers that others liked since the ``last`` edition, the most popular first.

        Leaves out papers that the reader was sent, voted on or muted.
        """
        since = last.composed_at if last else self._now - _LISTED
        names = _names_by_paper(like for like in self._of_others(reader) if like.at > since)
        if not names:
            return []
        # Imported late because of NumPy: most profiles are no groups.
        from bot.ranking.scoring import Rules

        rules = Rules(mute=profile.mute)
        votes = self._store.feedback
        voted = {vote.paper for vote in (*votes.votes(reader.id), *votes.saved(reader.id))}
        known = voted | self._store.editions.shown(reader.id).keys()
        papers = self._store.papers.get(paper_id for paper_id in names if paper_id not in known).values()
        likes = [GroupLike(paper, names[paper.id]) for paper in papers if not rules.matches(paper).muted]
        return sorted(likes, key=lambda like: (-len(like.names), -like.paper.id))

    def _of_others(self, reader: Reader) -> list[ShownLike]:
        if reader.id == NOT_STORED or not self._profiles[reader.profile].has_member(reader):
            return []
        return [like for like in self._by_profile.get(reader.profile, []) if like.reader.id != reader.id]


def listed(likes: Sequence[GroupLike], papers: Collection[PaperId]) -> tuple[GroupLike, ...]:
    return tuple([like for like in likes if like.paper.id not in papers][:_MOST_LISTED])


def _names_by_paper(likes: Iterable[ShownLike]) -> dict[PaperId, tuple[str, ...]]:
    names: dict[PaperId, dict[str, None]] = {}
    for like in likes:
        names.setdefault(like.paper, {})[like.name] = None
    return {paper: tuple(of_paper) for paper, of_paper in names.items()}
