"""Choose the papers of an edition from ranked scores; which papers are alerts; the bonus of trending papers.

scores --with_trending--> scores --select--> choices: followed authors, matches, exploration
                                 --urgent--> alerts
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import time
from heapq import heapify, heappop, heapreplace
from typing import Protocol

from bot.config.profiles import EditionSection
from bot.model import Bonus, BonusKind, FactKind, Paper, PaperId, PickKind, Score
from bot.model.wording import plural

Similarity = Callable[[PaperId, PaperId], float]  # symmetric, 0 to 1

# From this similarity on, two papers are near-duplicates, and the one ranked lower is left out: it is meant
# for one work that is reported twice. ``docs/decisions/selection.md`` has figures for these constants.
_NEAR_DUPLICATE = 0.75
# The weight of redundancy in MMR (Carbonell and Goldstein 1998): a candidate identical to a chosen paper loses this
# share of its own probability. Their criterion subtracts; a product keeps it positive.
_REDUNDANCY_WEIGHT = 0.7
# MMR considers this many candidates for each free place: further down, relevance is lost for no gain in diversity.
# It bounds the similarities that are computed, too.
_CANDIDATES_PER_PLACE = 5


def diverse(candidates: Sequence[Score], chosen: Sequence[Score], similarity: Similarity, places: int) -> list[Score]:
    """Return up to ``places`` candidates by greedy MMR, without near-duplicates of chosen papers or each other."""
    # With each chosen paper a candidate's redundancy can only rise, so it is updated only where the candidate would be
    # the next to be picked (lazy greedy, Minoux 1978): that takes a third of all similarities.
    compared = list(chosen)
    considered = candidates[: places * _CANDIDATES_PER_PLACE]
    # Negated worth, place among the candidates, redundancy, number of chosen papers compared with.
    heap = [(-score.probability, place, 0.0, 0) for place, score in enumerate(considered)]
    heapify(heap)
    picked: list[Score] = []
    while heap and len(picked) < places:
        _, place, redundancy, count = heap[0]
        score = considered[place]
        if count == len(compared):
            heappop(heap)
            picked.append(score)
            compared.append(score)
            continue
        redundancy = max(redundancy, max_similarity(score, compared[count:], similarity))
        if redundancy >= _NEAR_DUPLICATE:
            heappop(heap)
        else:
            worth = score.probability * (1 - _REDUNDANCY_WEIGHT * redundancy)
            heapreplace(heap, (-worth, place, redundancy, len(compared)))
    return picked


def max_similarity(score: Score, chosen: Sequence[Score], similarity: Similarity) -> float:
    """Return the highest similarity of a paper to the chosen ones, 0 without any."""
    return max([similarity(other.paper, score.paper) for other in chosen], default=0.0)


# A reader with fewer votes gets exploratory picks where nothing reaches the threshold: one who dislikes most of the
# first papers would otherwise be shown none for weeks, and could teach nothing. In two loops of 33 readers precision
# and share are .58/.78 and .56/.79, without them .57/.78 and .54/.82; the reader who is shown least of what could be
# liked in the first nine days is shown .10 and .26, not .02 and .05.
VOTES_OF_NEW_READER = 60
# An exploratory pick below the threshold needs this many other picks beside it. Of 18 readers over 22 days, with a
# threshold of .2 and such picks from .1 on (``bench/constants.py editions``), each was shown 8.6 of them, liked
# 3.8, and precision was .61; with one every day 17.6, 7.6 and .58, with 2 13.2, 6.0 and .60, with 8 2.4, 1.1 and .62.
_PICKS_PER_EXPLORATION = 4
# Exploratory picks where nothing else is chosen. In two loops of 33 readers (see above) the share of what could
# be liked that was shown in the first nine days is .56 and .64 with 1, .57 and .66 with 2; with 3 one reader's later
# share fell to 0.
_PICKS_ALONE = 2


@dataclass(frozen=True, slots=True)
class SelectionLimits:
    """What a profile's ``[edition]`` means for one edition.

    The maximum number of papers, how many of them are exploration, and the minimum probability.

    ``lowest`` is the minimum probability of exploration, ``threshold`` if None; ``lowest_alone`` is that where nothing
    else is chosen, None for no exploration there.
    """

    size: int
    explore: int = 0
    threshold: float = 0.0
    lowest: float | None = None
    lowest_alone: float | None = None

    @classmethod
    def of(cls, section: EditionSection, places: int, votes: int) -> SelectionLimits:
        """Return the limits for the places that alerts leave, and for a reader with so many votes."""
        return cls(
            places,
            min(section.explore, places),
            # Before the first vote a match rests on words and a library alone: in a home of one topic no paper stands
            # out by them, and a reader who gets no paper can't vote.
            section.threshold if votes else section.lowest,
            section.lowest,
            section.lowest_alone if votes < VOTES_OF_NEW_READER else None,
        )


class RankedPapers(Protocol):
    """What selection compares: ranked papers with one another, and with the reader's interests."""

    def similarity(self, paper: PaperId, other: PaperId) -> float:
        """Return the similarity of two papers, 0 to 1."""

    def interest(self, paper: PaperId) -> int | None:
        """Return which of the reader's interests a paper is nearest to, if there are several."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A chosen score and the kind of pick; ``alerted_by`` are the alert rule's keywords and authors in the paper."""

    score: Score
    kind: PickKind
    alerted_by: Sequence[str] = ()


def select(scores: Sequence[Score], papers: RankedPapers, limits: SelectionLimits) -> list[Choice]:
    """Return an edition's choices: followed authors and matches by score, then exploration.

    ``scores`` are sorted, best first. Muted papers are never chosen; followed authors always are, as far as the
    size allows, whatever their score and the terms that are required of other papers. Exploration may go below the
    threshold, down to ``lowest``, where there are enough other picks, and down to ``lowest_alone`` where there is
    none; its places without a suitable paper go to matches.
    """
    unmuted = [score for score in scores if not score.muted]
    followed = [score for score in unmuted if score.followed][: limits.size]
    others = [score for score in unmuted if not (score.followed or score.missing_terms)]
    lowest = limits.threshold if limits.lowest is None else min(limits.lowest, limits.threshold)
    plausible = [score for score in others if score.probability >= lowest]
    eligible = [score for score in plausible if score.probability >= limits.threshold]

    # With several interests each first gets a share: with one list by score, an interest of few papers or lower
    # probabilities would never appear.
    places = max(limits.size - len(followed) - limits.explore, 0)
    similarity = papers.similarity
    matches = _interest_shares(eligible, followed, papers, places)
    matches += diverse(_without(eligible, matches), [*followed, *matches], similarity, places - len(matches))

    chosen = [*followed, *matches]
    explore_places = min(limits.explore, limits.size - len(chosen))
    explorable = plausible if len(chosen) >= _PICKS_PER_EXPLORATION * explore_places else eligible
    explored = _most_instructive(_without(explorable, chosen), chosen, similarity, explore_places)
    if not chosen and not explored and limits.explore and limits.lowest_alone is not None:
        explored = [s for s in others[: min(_PICKS_ALONE, limits.size)] if s.probability >= limits.lowest_alone]

    free = limits.size - len(chosen) - len(explored)
    if free:
        matches += diverse(_without(eligible, [*explored, *matches]), chosen, similarity, free)

    choices = [Choice(score, PickKind.FOLLOW) for score in followed]
    choices += [Choice(score, PickKind.MATCH) for score in matches]
    choices.sort(key=lambda choice: -choice.score.log_odds)
    return choices + [Choice(score, PickKind.EXPLORE) for score in explored]


def _interest_shares(
    eligible: Sequence[Score], followed: Sequence[Score], papers: RankedPapers, places: int
) -> list[Score]:
    """Return the best papers of each interest, in half of the places; nothing if there are fewer than two."""
    by_interest: dict[int, list[Score]] = {}
    for score in eligible:
        interest = papers.interest(score.paper)
        if interest is not None:
            by_interest.setdefault(interest, []).append(score)
    if len(by_interest) < 2:
        return []
    # Half only: the other half stays open to the best of all, so that a weak interest can't fill an edition.
    share = max(places // (2 * len(by_interest)), 1)
    chosen: list[Score] = []
    # In the order of their best papers, as ``eligible`` is sorted: with more interests than places, the strongest win.
    for scores in by_interest.values():
        chosen += diverse(scores, [*followed, *chosen], papers.similarity, min(share, places - len(chosen)))
    return chosen


def _most_instructive(
    candidates: Sequence[Score], chosen: Sequence[Score], similarity: Similarity, places: int
) -> list[Score]:
    """Return the candidates whose votes would teach most, the best first (uncertainty sampling)."""
    if places <= 0:
        return []
    # p (1 - p) is the variance of the vote, highest at one half. A paper like the chosen ones would teach little more;
    # as this only lowers the value, most similarities needn't be computed.
    values: list[tuple[float, int, Score]] = []
    negated = [score.probability * (score.probability - 1) for score in candidates]
    for place in sorted(range(len(candidates)), key=negated.__getitem__):
        if len(values) >= places and negated[place] > values[places - 1][0]:
            break
        score = candidates[place]
        novelty = 1 - max_similarity(score, chosen, similarity)
        insort(values, (negated[place] * novelty, place, score), key=lambda value: value[:2])
    return [score for _, _, score in values[:places]]


def _without(scores: Sequence[Score], excluded: Collection[Score]) -> list[Score]:
    if not excluded:
        return list(scores)
    papers = {score.paper for score in excluded}
    return [score for score in scores if score.paper not in papers]


Hours = tuple[time, time]  # begin, end


def urgent(scores: Sequence[Score], named: Collection[PaperId], min_score: float | None) -> list[Score]:
    """Return the papers that an alert rule matches, best first; never one that is muted or lacks a required term.

    ``named`` are the papers that contain a keyword or author of the rule; other papers match from the probability
    ``min_score`` on, if it is given.
    """
    return [
        score
        for score in scores
        if not (score.muted or score.missing_terms)
        and (score.paper in named or (min_score is not None and score.probability >= min_score))
    ]


def is_quiet(clock: time, hours: Hours | None) -> bool:
    """Return whether a local time is within quiet hours, which may span midnight; the end is exclusive.

    >>> is_quiet(time(23, 30), (time(22), time(7))), is_quiet(time(7), (time(22), time(7)))
    (True, False)
    """
    if hours is None:
        return False
    begin, end = hours
    return begin <= clock < end if begin <= end else clock >= begin or clock < end


# Log-odds, chosen for the effect: with weight 1 and a hundred upvotes a probability of 50 % becomes 88 %.
_MAX_BONUS = 2.0
_MAX_UPVOTES = 100  # upvotes; more add nothing
_VENUE_UPVOTES = 10  # that a venue counts for


def with_trending(scores: Sequence[Score], papers: Mapping[PaperId, Paper], weight: float) -> tuple[Score, ...]:
    """Return the scores with upvotes and venue as one more bonus, best first; ``weight`` is 0 to 1."""
    if not weight:
        return tuple(scores)
    raised = []
    for score in scores:
        upvotes = papers[score.paper].upvotes or 0
        venue = next((fact for fact in papers[score.paper].facts if fact.kind is FactKind.VENUE), None)
        if not upvotes and not venue:
            raised.append(score)
            continue
        added = bonus(upvotes + (_VENUE_UPVOTES if venue else 0), weight)
        named = [*([plural(upvotes, "upvote")] if upvotes else []), *([venue.value] if venue else [])]
        log_odds = score.log_odds + added
        raised.append(
            score._replace(
                log_odds=log_odds,
                # math.exp overflows above 709, where the logistic function is 0 in double precision anyway.
                probability=1.0 / (1.0 + math.exp(-log_odds)) if log_odds > -700 else 0.0,
                bonuses=(*score.bonuses, Bonus(", ".join(named), added, BonusKind.TRENDING)),
            )
        )
    return tuple(sorted(raised, key=lambda score: -score.log_odds))


def bonus(upvotes: int, weight: float) -> float:
    """Return what upvotes add to the log-odds: by their logarithm, as the tenth says more than the hundredth.

    >>> bonus(0, 1.0), bonus(100, 0.5), bonus(100_000, 1.0)
    (0.0, 1.0, 2.0)
    """
    return _MAX_BONUS * weight * min(1.0, math.log1p(upvotes) / math.log1p(_MAX_UPVOTES))
