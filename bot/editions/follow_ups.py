"""What became of papers that a reader liked: published, changed in a later version, continued by an author.

    papers that changed since the reader's last picks --liked before?--> published, or what a later version says
    the day's papers --first and last authors--> earlier papers --liked, on the same topic?--> continued

An edition has them beside its picks, at most three; they make no edition of their own. A batch takes two queries, and
a few more for each reader who liked a paper of these.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from bot.model import FollowUp, FollowUpKind, Paper, PaperId, Reader, is_library_paper
from bot.model.papers import leading_authors, normalised_title, publication
from bot.store import Store
from bot.store.papers import PaperChange

if TYPE_CHECKING:  # scikit-learn takes a second to import: only ranking itself pays for it
    from bot.editions.models import CurrentRanker
    from bot.editions.ranked import Ranked

_MOST = 3
# Further back there was no edition with picks for weeks.
_LOOK_BACK = timedelta(days=60)
# A venue or DOI that another digest has within days of the first was known all along.
_NEWS_AFTER = timedelta(days=7)
# ``Pool.similarity`` from which two papers of one author were found to be on one topic, and that without a further
# author in common, where two people may share a name.
_SAME_TOPIC = 0.35
_SAME_TOPIC_BY_NAME = 0.4


@dataclass
class _Batch:
    """What the papers of a batch, and changes of stored papers, say about papers that somebody may have liked."""

    changes: Mapping[PaperId, Sequence[PaperChange]]
    by_author: Mapping[PaperId, Sequence[PaperId]]  # the day's papers, by an earlier one of the same author
    continuations: dict[tuple[PaperId, PaperId], FollowUp | None] = field(default_factory=dict)


class FollowUps:
    """The follow-ups of one run's readers at ``now``; what they share is read once for each set of papers."""

    def __init__(self, store: Store, ranker: CurrentRanker) -> None:
        self._store = store
        self._ranker = ranker
        self._last: tuple[datetime, Mapping[PaperId, Paper], _Batch] | None = None

    def of_reader(self, reader: Reader, ranked: Ranked, new: Sequence[PaperId], now: datetime) -> tuple[FollowUp, ...]:
        """Return what became of papers that a reader liked; ``new`` are the candidates of the edition."""
        liked = {paper.id for paper in ranked.reader.up if not is_library_paper(paper.id)}
        if not liked:
            return ()
        batch = self._batch(ranked.papers, now)
        changed, continued = liked & batch.changes.keys(), liked & batch.by_author.keys()
        follow_ups: dict[PaperId, FollowUp] = {}
        if changed:
            changes = [change for paper in sorted(changed) for change in batch.changes[paper]]
            follow_ups |= self._of_changes(reader, ranked, changes, now)
        arrived = set(new) if continued else set()
        said: set[PaperId] = set()
        for earlier in sorted(continued - follow_ups.keys(), reverse=True):
            for later in sorted(arrived.intersection(batch.by_author[earlier]) - said):
                if follow_up := self._continuation(batch, earlier, later):
                    follow_ups[earlier] = follow_up
                    said.add(later)
                    break
        order = list(FollowUpKind)
        return tuple(sorted(follow_ups.values(), key=lambda follow_up: order.index(follow_up.kind))[:_MOST])

    def _batch(self, papers: Mapping[PaperId, Paper], now: datetime) -> _Batch:
        # The readers of a batch have one mapping of papers.
        if self._last is None or self._last[0] != now or self._last[1] is not papers:
            changes: dict[PaperId, list[PaperChange]] = defaultdict(list)
            for change in self._store.papers.changes(now - _LOOK_BACK):
                changes[change.paper].append(change)
            self._last = (now, papers, _Batch(changes, self._by_author(papers.values())))
        return self._last[2]

    def _by_author(self, papers: Iterable[Paper]) -> Mapping[PaperId, Sequence[PaperId]]:
        """Return the papers by each stored paper that has one of their first or last authors in such a place."""
        names = {paper.id: leading_authors(paper) for paper in papers}
        all_names = sorted({name for of_paper in names.values() for name in of_paper})
        stored = self._store.papers.by_leading_authors(all_names)
        by_earlier: dict[PaperId, list[PaperId]] = defaultdict(list)
        for later, of_paper in names.items():
            for earlier in dict.fromkeys(paper for name in of_paper for paper in stored.get(name, ())):
                if earlier != later:
                    by_earlier[earlier].append(later)
        return by_earlier

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
            if follow_up := _of_change(paper, change):
                # A publication says more than a new version of the same day.
                follow_ups.setdefault(paper.id, follow_up)
                if follow_up.kind is FollowUpKind.PUBLISHED:
                    follow_ups[paper.id] = follow_up
        return follow_ups

    def _continuation(self, batch: _Batch, earlier: PaperId, later: PaperId) -> FollowUp | None:
        """Return how a later paper follows an earlier one by its first or last author; None on another topic."""
        if (earlier, later) not in batch.continuations:
            papers = self._store.papers.get([earlier, later])
            batch.continuations[earlier, later] = (
                self._compared(papers[earlier], papers[later]) if len(papers) == 2 else None
            )
        return batch.continuations[earlier, later]

    def _compared(self, earlier: Paper, later: Paper) -> FollowUp | None:
        shared = [name for name in leading_authors(later) if name in leading_authors(earlier)]
        if not shared:
            return None
        if normalised_title(earlier.title) == normalised_title(later.title):
            # A journal's version of a preprint whose server gives DOIs of its own.
            venue = publication(later)
            is_news = venue and not publication(earlier) and later.first_seen - earlier.first_seen >= _NEWS_AFTER
            return FollowUp(FollowUpKind.PUBLISHED, earlier, venue, paper=later) if is_news else None
        names = [{normalised_title(author) for author in paper.authors} for paper in (earlier, later)]
        least = _SAME_TOPIC if len(names[0] & names[1]) > 1 else _SAME_TOPIC_BY_NAME
        (similarity,) = self._ranker.get().similarities(earlier, [later])
        if similarity < least:
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
