"""The places that matches leave: the exploratory pick, and more after a new reader's first dislikes."""

from types import SimpleNamespace

import pytest

from bot.config.profiles import EditionSection, Profile
from bot.editions.choices import Ranked, choices_of
from bot.model import PickKind, Score
from bot.ranking.selection import VOTES_OF_NEW_READER

SET = EditionSection(threshold=0.15)


def chosen(
    votes: int,
    probabilities: list[float],
    edition: EditionSection | None = None,
    touching: int = 9,
    waiting=(),
    disliked: int = 0,
):
    """Return paper and kind of each choice; papers are numbered by rank, the first ``touching`` touch the text."""
    profile = Profile(title="Owls", interests="owls at night", edition=edition or EditionSection())
    choices = choices_of(profile, ranked_as(votes, probabilities, touching, disliked), waiting)
    return [(choice.score.paper, choice.kind) for choice in choices]


def ranked_as(votes: int, probabilities: list[float], touching: int = 9, disliked: int = 0) -> Ranked:
    scores = [Score(n, p, log_odds=p, rest=0.0) for n, p in enumerate(probabilities)]
    ranking = SimpleNamespace(
        scores=scores,
        model=SimpleNamespace(votes=SimpleNamespace(own=votes, disliked=disliked, liked=votes - disliked)),
        similarity=lambda *_: 0.0,
        interest=lambda _: None,
        touches=lambda paper: paper < touching,
    )
    return Ranked(ranking, papers={}, read=None, evidence=None, reader=None)


MATCH, EXPLORE = PickKind.MATCH, PickKind.EXPLORE


@pytest.mark.parametrize(
    ("votes", "disliked", "edition", "touching", "picks"),
    [
        (0, 0, None, 9, 0),
        (4, 2, None, 9, 0),
        (4, 3, None, 9, 4),
        (VOTES_OF_NEW_READER - 1, VOTES_OF_NEW_READER - 1, None, 3, 2),
        (VOTES_OF_NEW_READER - 1, 0, None, 9, 0),
    ],
)
def test_new_readers_get_an_exploratory_pick_and_more_once_they_dislike_most(votes, disliked, edition, touching, picks):
    choices = chosen(votes, [0.1 - n / 100 for n in range(6)], edition, touching, disliked=disliked)
    assert choices == [*((n, MATCH) for n in range(picks)), (picks, EXPLORE)]


def test_an_unlikely_match_is_no_pick_and_a_threshold_of_the_file_holds_from_the_first_day():
    assert chosen(9, [0.039, 0.01], disliked=9) == []
    assert chosen(9, [0.1, 0.09], SET, disliked=9) == []
    assert chosen(60, [0.14, 0.1]) == []


def test_only_good_matches_fill_places_and_the_best_near_hit_is_explored():
    assert chosen(60, [0.9, 0.41, 0.39, 0.3, 0.1]) == [(0, MATCH), (1, MATCH), (2, EXPLORE)]
    assert chosen(60, [0.9, 0.41, 0.39, 0.3], touching=2) == [(0, MATCH), (1, MATCH)]
    assert chosen(60, [0.9, 0.2, 0.1], SET) == [(0, MATCH), (1, MATCH)]


def test_good_papers_that_had_no_place_come_back_and_another_may_be_explored():
    picks = [(0, MATCH), (1, MATCH), (2, MATCH), (3, EXPLORE)]
    assert chosen(60, [0.9, 0.8, 0.6, 0.39], waiting={1, 2, 3}) == picks


def test_without_a_like_a_match_touches_the_text():
    assert chosen(0, [0.9, 0.8, 0.6], touching=1) == [(0, MATCH)]
    assert chosen(0, [0.9, 0.8, 0.6], SET, touching=1) == [(0, MATCH), (1, MATCH), (2, MATCH)]


def test_of_the_papers_that_would_fit_too_none_is_off_the_text_before_the_first_like():
    profile = Profile(title="Owls", interests="owls at night")
    assert [score.paper for score in ranked_as(0, [0.9, 0.8, 0.6, 0.3], touching=2).good(profile)] == [0, 1]
    assert [score.paper for score in ranked_as(9, [0.9, 0.8, 0.6, 0.3], touching=2).good(profile)] == [0, 1, 2]
