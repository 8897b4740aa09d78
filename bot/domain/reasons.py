"""Reasons: why a paper was picked for a reader, as it is shown to the reader."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.domain.papers import PaperId


class ReasonKind(StrEnum):
    """What a reason for a pick rests on, and what its ``text`` holds."""

    ALERT = "alert"  # a keyword or author of the profile's alert rule
    AUTHOR = "author"  # an author whom the reader follows
    KEYWORD = "keyword"  # a keyword of the profile
    WROTE = "wrote"  # a topic in the reader's own words
    MENTIONED = "mentioned"  # the same, of a paper that names it once in passing
    NEAR = "near"  # a phrase of the paper; ``near`` is the reader's topic that shares a word with it
    NEAR_MENTIONED = "near mentioned"  # the same, of a paper that names the phrase once in passing
    TOGETHER = "together"  # a written topic that the reader likes beside the topic ``near``, and rarely alone
    LEARNED = "learned"  # a phrase of the paper that liked papers have
    LIKED = "liked"  # the title of the liked paper that has most of what speaks for this one
    OWNED = "owned"  # the same of a paper in the reader's library
    LEARNED_FROM_LIBRARY = (
        "learned from library"  # a phrase of the paper that papers in the reader's library have
    )
    LIBRARY_OVERALL = "library overall"  # nothing: the wording as a whole resembles the library
    TRENDING = "trending"  # the upvotes
    EXPLORATION = (
        "exploration"  # what no judged paper has; ``near`` is the topic that it is close to, or empty
    )
    VOTES_OVERALL = (
        "votes overall"  # nothing: no phrase can be named, the wording as a whole resembles liked papers
    )
    PROFILE_OVERALL = "profile overall"  # nothing: the wording as a whole comes close to the profile


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason for a pick. ``weight`` is the log-odds of the terms that it names, 0 where it names none."""

    kind: ReasonKind
    text: str = ""
    weight: float = 0.0
    near: str = ""
    paper: PaperId | None = None  # the liked paper
