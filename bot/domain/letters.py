"""The weekly letter: what a reader's votes of a week did, and a paper that they missed."""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.editions import Edition
from bot.domain.papers import Paper


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """How many papers that were called a good or strong match the reader voted on, and how many of them they liked."""

    voted: int
    liked: int


@dataclass(frozen=True, slots=True)
class Letter:
    """A reader's week up to ``edition.date``.

    ``edition`` is stored, so that a letter has a slot of its own; its only pick is the missed paper, if there is one.
    ``raised`` and ``lowered`` are the phrases that votes taught, the heaviest first. ``record`` is None with too few
    votes.
    """

    edition: Edition
    liked: tuple[Paper, ...]
    disliked: int
    raised: tuple[str, ...] = ()
    lowered: tuple[str, ...] = ()
    record: MatchRecord | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to write: no vote in the week, and no paper that was missed."""
        return not (self.liked or self.disliked or self.edition.picks)
