"""Scores: how much a reader is predicted to want a paper, and the contributions that sum to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from bot.domain.papers import PaperId


class Match(StrEnum):
    """A probability in words: of a hundred strong matches a reader likes 70 or more, in every home."""

    STRONG = "strong"
    GOOD = "good"
    POSSIBLE = "possible"
    UNLIKELY = "unlikely"

    @classmethod
    def of(cls, probability: float) -> Match:
        """Return the word for a probability.

        >>> [str(Match.of(probability)) for probability in (0.7, 0.69, 0.39, 0.03)]
        ['strong', 'good', 'possible', 'unlikely']
        """
        words = zip((cls.STRONG, cls.GOOD, cls.POSSIBLE), _LEAST, strict=True)
        return next((word for word, least in words if probability >= least), cls.UNLIKELY)


# The probabilities from which a match is strong, good, and possible; ``docs/glossary.md`` states them.
_LEAST = (0.7, 0.4, 0.04)


class BonusKind(StrEnum):
    """What raised a score beside the terms of the paper."""

    KEYWORD = "keyword"  # a keyword of the profile
    TRENDING = "trending"  # the paper's upvotes and the venue that accepted it, with ``edition.trending``


@dataclass(frozen=True, slots=True)
class Bonus:
    """What a keyword, or upvotes and venue with ``edition.trending``, add to a score's log-odds (natural logarithm).

    ``text`` names them: the keyword, or ``12 upvotes, ICLR 2026``.
    """

    text: str
    weight: float
    kind: BonusKind = BonusKind.KEYWORD


class Score(NamedTuple):
    """The predicted probability that a reader wants a paper.

    ``log_odds`` is the sum of ``rest`` (the model's intercept), the weights of ``bonuses`` and the values of ``terms``;
    ``probability`` is its logistic function. ``terms`` maps stems and bigrams to what they contribute, positive or
    negative, also those that the paper lacks where the model looks for them; empty until the score is explained.
    ``followed`` names the author whom the profile always shows, ``muted`` the mute that hides the paper, ``lacks`` the
    terms of a required group that has none in the paper, which is therefore not ranked.
    ``predictions`` are the log-odds of each expert of the ranking, and what bonuses and excluded words add to their
    mixture; empty until the score is explained.

    A tuple, as each reader of a day has hundreds: making a frozen dataclass took five times as long.
    """

    paper: PaperId
    probability: float
    log_odds: float
    rest: float
    bonuses: tuple[Bonus, ...] = ()
    terms: Mapping[str, float] = MappingProxyType({})
    followed: str | None = None
    muted: str | None = None
    lacks: tuple[str, ...] = ()
    predictions: tuple[float, ...] = ()
