"""What the readers of a group's profile see of one another's votes: the papers that others like, with their names.

A reader's likes are shown only under the name that the reader gave for it (``Override.shown_as``). They are read for
each message and page, and stored with no edition, so that taking the name back hides them from then on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from bot.config.profiles import Profile
from bot.model import NOT_STORED, GroupLike, Paper, PaperId, Reader
from bot.store import Store
from bot.store.editions import StoredEdition
from bot.store.readers import ShownLike

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
        known = self._known(reader)
        papers = self._store.papers.get(paper_id for paper_id in names if paper_id not in known).values()
        likes = [GroupLike(paper, names[paper.id]) for paper in papers if not rules.matches(paper).muted]
        return sorted(likes, key=lambda like: (-len(like.names), -like.paper.id))

    def _of_others(self, reader: Reader) -> list[ShownLike]:
        likes = self._by_profile.get(reader.profile, []) if reader.id != NOT_STORED else []
        return [like for like in likes if like.reader != reader.id]

    def _known(self, reader: Reader) -> Collection[PaperId]:
        voted = {vote.paper for vote in self._store.feedback.votes(reader.id)}
        return voted | self._store.editions.shown(reader.id).keys()


def listed(likes: Sequence[GroupLike], papers: Collection[PaperId]) -> tuple[GroupLike, ...]:
    """Return the first likes of other papers than these, as many as a message lists."""
    return tuple([like for like in likes if like.paper.id not in papers][:_MOST_LISTED])


def _names_by_paper(likes: Iterable[ShownLike]) -> dict[PaperId, tuple[str, ...]]:
    names: dict[PaperId, dict[str, None]] = {}
    for like in likes:
        names.setdefault(like.paper, {})[like.name] = None
    return {paper: tuple(of_paper) for paper, of_paper in names.items()}
