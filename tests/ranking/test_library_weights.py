"""How much a reader's own library counts beside votes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.ranking.matching import HALF_LIFE, LIBRARY_VOTES, centroid_weight, library_weights, time_decay


def total(ages):
    weights = library_weights(ages)
    return sum(weights[paper] * time_decay(age) for paper, age in ages.items())


AGES = st.lists(st.floats(0, 5_000), min_size=1, max_size=60).map(lambda ages: dict(enumerate(ages)))


@given(ages=AGES)
def test_a_whole_library_weighs_a_few_votes_at_most_and_each_paper_one(ages):
    assert total(ages) <= LIBRARY_VOTES * (1 + 1e-9)
    assert max(library_weights(ages).values()) <= 1


@given(ages=AGES, days=st.floats(0, 1_000))
def test_on_a_later_day_the_factors_are_the_same(ages, days):
    later = library_weights({paper: age + days for paper, age in ages.items()})
    assert later == pytest.approx(library_weights(ages))


def test_a_few_papers_weigh_like_votes_and_fade_like_votes():
    assert library_weights({1: 0.0, 2: 100.0}) == {1: 1.0, 2: 1.0}
    assert total(dict.fromkeys(range(1_000), HALF_LIFE)) == pytest.approx(LIBRARY_VOTES / 2)


def test_no_library_has_no_weights():
    assert library_weights({}) == {}


def test_in_the_centroid_the_papers_of_a_small_library_weigh_as_much_as_votes():
    (of_small,) = set(library_weights(dict.fromkeys(range(50), 0.0)).values())
    (of_large,) = set(library_weights(dict.fromkeys(range(1_000), 0.0)).values())
    assert centroid_weight(1.0) == centroid_weight(of_small) == 1
    assert of_large < centroid_weight(of_large) < 1
