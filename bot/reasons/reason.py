"""What a reason says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ReasonKind(StrEnum):
    """What a reason rests on; ``text``, ``near`` and ``absent`` of each kind are said beside it."""

    AUTHOR = "author"  # text: an author whom the reader follows
    KEYWORD = "keyword"  # text: a keyword of the profile
    WROTE = "wrote"  # text: a topic in the reader's own words
    LEARNED = "learned"  # text: a phrase of the paper that liked papers have
    TOGETHER = "together"  # text and near: terms liked together; absent: one that speaks against both
    LIKED = "liked"  # text: the title of a liked paper that has much of what speaks for this one
    NEAR = "near"  # text: a phrase of the paper; near: the reader's topic that shares a word with it
    TRENDING = "trending"  # text: how it trends, as in "120 upvotes"
    EXPLORATION = "exploration"  # text: what nothing was judged of; near: the topic it is close to, or empty
    VOTES_OVERALL = "votes overall"  # nothing to name: the paper's wording as a whole, by the votes
    PROFILE_OVERALL = "profile overall"  # nothing to name: the paper's wording as a whole, by the profile


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason. ``weight`` is the log-odds of the terms that it names, 0 where it names none of the model's."""

    kind: ReasonKind
    text: str = ""
    weight: float = 0.0
    near: str = ""
    absent: str = ""
