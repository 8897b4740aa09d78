"""Choose the papers of an edition from ranked scores: threshold, size, diversity (MMR), interests, exploration."""

from __future__ import annotations

from bisect import insort
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.config.profiles import EditionSection
from bot.domain import PaperId, PickKind, Score
from bot.selection.diversity import Similarity, diverse, max_similarity

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

    ``lowest`` is the minimum probability of exploration, ``threshold`` if None, and ``lowest_alone`` where nothing
    else is chosen, of which there is none if it is None.
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
    """A chosen score and the kind of pick.

    ``alerted_by`` are the alert rule's keywords and authors in the paper.
    """

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
    others = [score for score in unmuted if not (score.followed or score.lacks)]
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
        explored = [
            s for s in others[: min(_PICKS_ALONE, limits.size)] if s.probability >= limits.lowest_alone
        ]

    free = limits.size - len(chosen) - len(explored)
    if free:
        matches += diverse(_without(eligible, [*explored, *matches]), chosen, similarity, free)

    choices = [Choice(score, PickKind.FOLLOW) for score in followed]
    choices += [Choice(score, PickKind.MATCH) for score in matches]
    choices.sort(key=lambda choice: -choice.score.log_odds)
    return choices + [Choice(score, PickKind.EXPLORE) for score in explored]


def _interest_shares(
    eligible: Sequence[Score],
    followed: Sequence[Score],
    papers: RankedPapers,
    places: int,
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
    # p (1 - p) is the variance of the vote, highest at one half. A paper like the chosen ones would teach little more
    # than they do; as this only lowers the value, most similarities of hundreds of candidates needn't be computed.
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
