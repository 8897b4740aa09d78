"""Which of the scored papers get a place: threshold, size, diversity, each interest's share, one to learn from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.domain import PaperId, PickKind, Score

Similarity = Callable[[PaperId, PaperId], float]
InterestOf = Callable[[PaperId], int | None]  # which of a reader's interests a paper is nearest to

# From this likeness on, two papers are the same news, and the lesser is left out.
_SAME_NEWS = 0.75
# What full likeness to a paper already chosen costs a candidate, as a share of its own probability
# (maximal marginal relevance, Carbonell and Goldstein 1998).
_LIKENESS_COSTS = 0.7
# Diversity looks at this many candidates for each free place: beyond them relevance is lost for no gain.
_DEPTH = 5


@dataclass(frozen=True, slots=True)
class Limits:
    """How many papers at most, how many of them to learn from, and the least probability."""

    size: int
    explore: int = 0
    threshold: float = 0.0


@dataclass(frozen=True, slots=True)
class Choice:
    """A score that got a place, and why: ``alerted_by`` are the alert rule's keywords and authors in the paper."""

    score: Score
    kind: PickKind
    alerted_by: Sequence[str] = ()


def select(
    scores: Sequence[Score], similarity: Similarity, limits: Limits, interest_of: InterestOf = lambda _: None
) -> list[Choice]:
    """The papers of an edition: followed authors and matches by probability, then those to learn from.

    Each of several interests gets a share of the places first, so that a small one is not drowned. Muted
    papers never appear, followed authors always do as far as there is room. Places for exploration that no
    paper is fit for go to matches.
    """
    open_scores = [score for score in scores if not score.muted]
    followed = [score for score in open_scores if score.followed][: limits.size]
    matching = [s for s in open_scores if not s.followed and s.probability >= limits.threshold]
    places = max(limits.size - len(followed) - limits.explore, 0)
    matches = _shares(matching, followed, similarity, places, interest_of)
    matches += _diverse(_but(matching, matches), [*followed, *matches], similarity, places - len(matches))
    explore = _to_learn_from(
        matching, [*followed, *matches], similarity, limits, len(matches) + len(followed)
    )
    left = limits.size - len(followed) - len(matches) - len(explore)
    matches += _diverse(_but(matching, [*explore, *matches]), [*followed, *matches], similarity, left)
    shown = [Choice(s, PickKind.FOLLOW if s.followed else PickKind.MATCH) for s in (*followed, *matches)]
    shown.sort(key=lambda choice: -choice.score.log_odds)
    return shown + [Choice(s, PickKind.EXPLORE) for s in explore]


def _shares(
    matching: Sequence[Score],
    followed: Sequence[Score],
    similarity: Similarity,
    places: int,
    interest_of: InterestOf,
) -> list[Score]:
    """For each of several interests its best papers, in half of the places; the other half is open to all."""
    by_interest: dict[int, list[Score]] = {}
    for score in matching:
        if (interest := interest_of(score.paper)) is not None:
            by_interest.setdefault(interest, []).append(score)
    if len(by_interest) < 2:
        return []
    share = max(places // (2 * len(by_interest)), 1)
    shown: list[Score] = []
    for own in by_interest.values():  # in the order of their best papers: `matching` is sorted
        shown += _diverse(own, [*followed, *shown], similarity, min(share, places - len(shown)))
    return shown


def _diverse(
    candidates: Sequence[Score], chosen: Sequence[Score], similarity: Similarity, places: int
) -> list[Score]:
    """Up to ``places`` candidates, one after another the one that adds most to what is already chosen."""
    pool = list(candidates[: places * _DEPTH])
    likeness = {s.paper: _most_alike(s, chosen, similarity) for s in pool}
    picked: list[Score] = []
    while pool and len(picked) < places:
        pool = [s for s in pool if likeness[s.paper] < _SAME_NEWS]
        if not pool:
            break
        best = max(pool, key=lambda s: s.probability * (1 - _LIKENESS_COSTS * likeness[s.paper]))
        pool.remove(best)
        picked.append(best)
        for other in pool:
            likeness[other.paper] = max(likeness[other.paper], similarity(best.paper, other.paper))
    return picked


def _to_learn_from(
    candidates: Sequence[Score], chosen: Sequence[Score], similarity: Similarity, limits: Limits, taken: int
) -> list[Score]:
    """Papers whose thumb would teach most: uncertain, plausible, and unlike what is chosen.

    Only the better half of what is left is plausible. Uncertainty is p(1-p), highest at one half.
    """
    places = min(limits.explore, limits.size - taken)
    left = _but(candidates, chosen)
    plausible = left[: (len(left) + 1) // 2]

    def teaches(score: Score) -> float:
        p = score.probability
        return p * (1 - p) * (1 - _most_alike(score, chosen, similarity))

    return sorted(plausible, key=teaches, reverse=True)[: max(places, 0)]


def _most_alike(score: Score, chosen: Sequence[Score], similarity: Similarity) -> float:
    return max((similarity(score.paper, other.paper) for other in chosen), default=0.0)


def _but(scores: Sequence[Score], others: Sequence[Score]) -> list[Score]:
    """The scores of papers that are not among the others."""
    papers = {score.paper for score in others}
    return [score for score in scores if score.paper not in papers]
