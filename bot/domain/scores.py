"""Scores: how much a reader is predicted to want a paper, and the reasons that sum to it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.domain.papers import PaperId


class Match(StrEnum):
    """A probability in words: of a hundred strong matches a reader likes 70 or more, in every home."""

    STRONG = "strong"
    GOOD = "good"
    POSSIBLE = "possible"

    @classmethod
    def of(cls, probability: float) -> Match:
        """Return the word for a probability.

        >>> Match.of(0.7), Match.of(0.69), Match.of(0.39)
        (<Match.STRONG: 'strong'>, <Match.GOOD: 'good'>, <Match.POSSIBLE: 'possible'>)
        """
        if probability >= _STRONG:
            return cls.STRONG
        return cls.GOOD if probability >= _GOOD else cls.POSSIBLE


# The probabilities from which a match is strong, and good; the README states them.
_STRONG = 0.7
_GOOD = 0.4


class ReasonKind(StrEnum):
    """The origin of a reason's weight."""

    WORD = "word"  # a word of the paper, weighted by the reader's model
    ABSENT = "absent"  # a word that the paper does not have, where the model learned to look for it
    KEYWORD = "keyword"  # a keyword of the profile
    TRENDING = "trending"  # the paper's upvotes
    ALERT = "alert"  # a keyword or author of the profile's alert rule; its weight is 0
    UNJUDGED = "unjudged"  # what an exploratory pick is about that no paper with a vote is; its weight is 0


@dataclass(frozen=True, slots=True)
class Reason:
    """One term's exact contribution to a score's log-odds (natural logarithm), positive or negative."""

    term: str
    weight: float
    kind: ReasonKind = ReasonKind.WORD


@dataclass(frozen=True, slots=True)
class Score:
    """The predicted probability that a reader wants a paper.

    ``log_odds == rest + sum(r.weight for r in reasons)`` and ``probability`` is its logistic function; ``rest`` is
    the model's intercept. ``reasons`` are complete and sorted by absolute weight, the heaviest first. ``because`` is
    the most similar paper that the reader liked. ``followed`` names the author whom the profile always shows,
    ``muted`` the mute that hides the paper, ``lacks`` the terms of a required group that has none in the paper, which
    is therefore not ranked. ``predictions`` are the log-odds of each expert of the ranking, and what
    keywords, upvotes and excluded words add to their mixture; empty until the score is explained.
    """

    paper: PaperId
    probability: float
    log_odds: float
    reasons: tuple[Reason, ...]
    rest: float
    because: PaperId | None = None
    followed: str | None = None
    muted: str | None = None
    lacks: tuple[str, ...] = ()
    predictions: tuple[float, ...] = ()
