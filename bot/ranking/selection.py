"""Choose an edition's papers and alerts from scores, and add the bonus of trending papers."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import time
from typing import TYPE_CHECKING

from bot.config.profiles import EditionSection
from bot.model import GOOD, POSSIBLE, STRONG, Bonus, BonusKind, FactKind, Paper, PaperId, PickKind, Score
from bot.model.wording import plural

if TYPE_CHECKING:  # NumPy and SciPy, which most ticks need not import
    from bot.ranking.scoring import Ranking

Similarity = Callable[[PaperId, PaperId], float]  # symmetric, 0 to 1

# One work reported twice. For these constants see ``docs/decisions/selection.md``.
_NEAR_DUPLICATE = 0.75
# Closer log-odds are equal, and the least similar paper is taken. Probabilities near 1 are all close.
_EQUAL = 0.1
_MOST_EQUAL = 10


def best_different(
    candidates: Sequence[Score], chosen: Sequence[Score], similarity: Similarity, places: int
) -> list[Score]:
    """Return up to ``places`` candidates, best first, without near-duplicates."""
    compared = list(chosen)
    remaining = list(candidates)
    picked: list[Score] = []
    while remaining and len(picked) < places:
        equals = [score for score in remaining if score.log_odds > remaining[0].log_odds - _EQUAL]
        redundancy = [max_similarity(score, compared, similarity) for score in equals[:_MOST_EQUAL]]
        least = min(range(len(redundancy)), key=redundancy.__getitem__)
        score = remaining.pop(least)
        if redundancy[least] < _NEAR_DUPLICATE:
            picked.append(score)
            compared.append(score)
    return sorted(picked, key=lambda score: -score.log_odds)


def is_near_duplicate(score: Score, chosen: Sequence[Score], similarity: Similarity) -> bool:
    return max_similarity(score, chosen, similarity) >= _NEAR_DUPLICATE


def max_similarity(score: Score, chosen: Sequence[Score], similarity: Similarity) -> float:
    return max([similarity(other.paper, score.paper) for other in chosen], default=0.0)


# A newer reader with more dislikes than likes gets more papers below the threshold, to find what they want.
VOTES_OF_NEW_READER = 30
_PICKS_AFTER_DISLIKES = 5


@dataclass(frozen=True, slots=True)
class SelectionLimits:
    """The limits of one edition, from a profile's ``[edition]``.

    ``explore`` of ``size`` papers are exploratory. ``threshold`` and ``lowest`` are the minimum probabilities of
    matches and of exploration. With less than ``fill`` papers, the best that touch the text follow. Matches ``by_text``
    alone must touch it or have a keyword.
    """

    size: int
    explore: int = 0
    threshold: float = 0.0
    lowest: float = 0.0
    fill: int = 0
    by_text: bool = False

    @classmethod
    def of(
        cls, section: EditionSection, places: int, votes: int, disliked: int = 0, *, by_text: bool = False
    ) -> SelectionLimits:
        """``places`` are left by alerts. ``votes`` include the ``disliked`` papers."""
        is_new = votes < VOTES_OF_NEW_READER and "threshold" not in section.model_fields_set
        return cls(
            size=places,
            explore=min(section.explore, places),
            threshold=section.fills_from,
            # An unlikely match is never a pick, unless the profile says so.
            lowest=POSSIBLE if is_new else section.threshold,
            fill=min(_PICKS_AFTER_DISLIKES, places) if is_new and 2 * disliked > votes else 0,
            by_text=by_text and "threshold" not in section.model_fields_set,
        )


@dataclass(frozen=True, slots=True)
class Choice:
    """A chosen score. ``alerted_by`` are the matching keywords and authors of the alert rule."""

    score: Score
    kind: PickKind
    alerted_by: Sequence[str] = ()


def touches_text(score: Score, papers: Ranking) -> bool:
    """Return whether a paper touches the reader's text, or has a keyword of theirs."""
    return papers.touches(score.paper) or any(bonus.kind is BonusKind.KEYWORD for bonus in score.bonuses)


def select(
    scores: Sequence[Score], papers: Ranking, limits: SelectionLimits, waiting: Collection[PaperId] = ()
) -> list[Choice]:
    """Return an edition's choices: followed authors and matches by score, then exploration.

    ``scores`` are sorted, best first. Muted papers are never chosen. Followed authors always are, whatever their score.
    ``waiting`` papers had no place in earlier editions. Strong and good matches compete again, others may be explored
    beside new ones.
    """
    if all(score.paper in waiting for score in scores):
        limits = replace(limits, explore=0)
    unmuted = [score for score in scores if not score.muted]
    followed = [score for score in unmuted if score.followed and score.paper not in waiting][: limits.size]
    others = [score for score in unmuted if not (score.followed or score.missing_terms)]
    least = max(GOOD, limits.threshold)
    eligible = [s for s in others if s.probability >= (least if s.paper in waiting else limits.threshold)]
    if limits.by_text:
        eligible = [score for score in eligible if touches_text(score, papers)]
    similarity = papers.similarity

    # Exploration never replaces a strong match.
    free = limits.size - len(followed)
    strong = sum(score.probability >= STRONG for score in eligible)
    places = max(free - limits.explore, min(strong, free))
    # After the strong matches the best of each interest: one of few papers would never appear otherwise.
    best: dict[int, Score] = {}
    for score in eligible:
        if (interest := papers.interest(score.paper)) is not None:
            best.setdefault(interest, score)
    matches: list[Score] = []
    for turn in ([s for s in eligible if s.probability >= STRONG], list(best.values()), eligible):
        chosen = [*followed, *matches]
        matches += best_different(_without(turn, chosen), chosen, similarity, places - len(matches))
    chosen = [*followed, *matches]

    near = [
        score
        for score in _without(others, chosen)
        if score.probability >= limits.lowest
        and papers.touches(score.paper)
        and not any(bonus.kind is BonusKind.REFUSED for bonus in score.bonuses)
    ]
    # The last one is exploratory.
    fill = min(limits.fill - len(chosen), len(near)) - limits.explore
    filled = best_different([s for s in near if s.paper not in waiting], chosen, similarity, fill)
    matches += filled
    chosen += filled
    explored = best_different(
        _without(near, chosen), chosen, similarity, min(limits.explore, limits.size - len(chosen))
    )
    unused = limits.size - len(chosen) - len(explored)
    matches += best_different(_without(eligible, [*chosen, *explored]), [*chosen, *explored], similarity, unused)
    choices = [Choice(score, PickKind.FOLLOW) for score in followed]
    choices += [Choice(score, PickKind.MATCH) for score in matches]
    choices.sort(key=lambda choice: -choice.score.log_odds)
    return choices + [Choice(score, PickKind.EXPLORE) for score in explored]


def _without(scores: Sequence[Score], excluded: Collection[Score]) -> list[Score]:
    if not excluded:
        return list(scores)
    papers = {score.paper for score in excluded}
    return [score for score in scores if score.paper not in papers]


Hours = tuple[time, time]  # begin, end


def urgent(scores: Sequence[Score], named: Collection[PaperId], min_score: float | None) -> list[Score]:
    """Return papers that match an alert rule, best first, unless muted or without a required term.

    ``named`` papers match its keywords or authors, others from the probability ``min_score`` on.
    """
    return [
        score
        for score in scores
        if not (score.muted or score.missing_terms)
        and (score.paper in named or (min_score is not None and score.probability >= min_score))
    ]


def is_quiet(clock: time, hours: Hours | None) -> bool:
    """Return whether a local time is within quiet hours, end exclusive. They may span midnight.

    >>> is_quiet(time(23, 30), (time(22), time(7))), is_quiet(time(7), (time(22), time(7)))
    (True, False)
    """
    if hours is None:
        return False
    begin, end = hours
    return begin <= clock < end if begin <= end else clock >= begin or clock < end


# Log-odds: with weight 1 and a hundred upvotes, 50 % becomes 88 %.
_MAX_BONUS = 2.0
_MAX_UPVOTES = 100  # more add nothing
_VENUE_UPVOTES = 10  # a venue counts as these


def with_trending(scores: Sequence[Score], papers: Mapping[PaperId, Paper], weight: float) -> tuple[Score, ...]:
    """Add a bonus for upvotes and venue, and sort best first. ``weight`` is 0 to 1."""
    if not weight:
        return tuple(scores)
    raised = []
    for score in scores:
        upvotes = papers[score.paper].upvotes or 0
        venue = next((fact for fact in papers[score.paper].facts if fact.kind is FactKind.VENUE), None)
        is_refused = any(added.kind is BonusKind.REFUSED for added in score.bonuses)
        if is_refused or not (upvotes or venue):
            raised.append(score)
            continue
        added = bonus(upvotes + (_VENUE_UPVOTES if venue else 0), weight)
        named = [*([plural(upvotes, "upvote")] if upvotes else []), *([venue.value] if venue else [])]
        log_odds = score.log_odds + added
        raised.append(
            score._replace(
                log_odds=log_odds,
                # math.exp overflows above 709.
                probability=1.0 / (1.0 + math.exp(-log_odds)) if log_odds > -700 else 0.0,
                bonuses=(*score.bonuses, Bonus(", ".join(named), added, BonusKind.TRENDING)),
            )
        )
    return tuple(sorted(raised, key=lambda score: -score.log_odds))


def bonus(upvotes: int, weight: float) -> float:
    """Return the bonus in log-odds.

    >>> bonus(0, 1.0), bonus(100, 0.5), bonus(100_000, 1.0)
    (0.0, 1.0, 2.0)
    """
    return _MAX_BONUS * weight * min(1.0, math.log1p(upvotes) / math.log1p(_MAX_UPVOTES))
