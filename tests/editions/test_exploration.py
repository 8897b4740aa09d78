"""The places that matches leave: a new reader's best papers by rank, and the exploratory pick."""

from types import SimpleNamespace

import pytest

from bot.config.profiles import EditionSection, Profile
from bot.editions.ranked import Ranked, choices_of
from bot.model import PickKind, Score
from bot.ranking.selection import VOTES_OF_NEW_READER

SET = EditionSection(threshold=0.15)


def chosen(
    votes: int, probabilities: list[float], edition: EditionSection | None = None, touching: int = 9, waiting=()
):
    """Return paper and kind of each choice; papers are numbered by rank, the first ``touching`` touch the text."""
    scores = [Score(n, p, log_odds=p, rest=0.0) for n, p in enumerate(probabilities)]
    ranking = SimpleNamespace(
        scores=scores,
        model=SimpleNamespace(votes=SimpleNamespace(own=votes)),
        similarity=lambda *_: 0.0,
        interest=lambda _: None,
        touches=lambda paper: paper < touching,
    )
    profile = Profile(title="Owls", interests="owls at night", edition=edition or EditionSection())
    choices = choices_of(profile, Ranked(ranking, papers={}, read=None, evidence=None, reader=None), waiting)
    return [(choice.score.paper, choice.kind) for choice in choices]


MATCH, EXPLORE = PickKind.MATCH, PickKind.EXPLORE


@pytest.mark.parametrize(
    ("votes", "edition", "touching", "picks"),
    [
        (0, None, 9, 5),
        (VOTES_OF_NEW_READER - 1, None, 9, 5),
        (VOTES_OF_NEW_READER - 1, None, 3, 3),
        (VOTES_OF_NEW_READER, None, 9, 0),
        (0, SET, 9, 0),
    ],
)
def test_a_new_reader_gets_up_to_five_by_rank_of_papers_that_touch_the_text(votes, edition, touching, picks):
    choices = chosen(votes, [0.1 - n / 100 for n in range(9)], edition, touching)
    assert choices == [(n, MATCH) for n in range(picks)]


def test_after_that_only_good_matches_fill_places_and_the_best_near_hit_is_explored():
    assert chosen(60, [0.9, 0.41, 0.39, 0.3, 0.1]) == [(0, MATCH), (1, MATCH), (2, EXPLORE)]
    assert chosen(60, [0.9, 0.41, 0.39, 0.3], touching=2) == [(0, MATCH), (1, MATCH)]
    assert chosen(60, [0.9, 0.2, 0.1], SET) == [(0, MATCH), (1, MATCH)]


def test_a_strong_paper_that_had_no_place_comes_back_and_another_may_be_explored():
    assert chosen(60, [0.9, 0.8, 0.6, 0.5], waiting={1, 2}) == [(0, MATCH), (1, MATCH), (3, MATCH), (2, EXPLORE)]
