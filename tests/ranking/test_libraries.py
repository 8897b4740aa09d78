"""What a reader's library counts, by when its papers were added and beside the reader's votes."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config.profiles import Profile
from bot.editions.models import interest
from bot.model import LibraryPaper, Paper, RecordedVote, Vote
from bot.ranking.corpus import Corpus
from bot.ranking.experts import HALF_LIFE, LIBRARY_VOTES, dump, library_weights, load
from bot.ranking.prequential import auc
from bot.ranking.ranker import Interest, Ranker
from tests.ranking.test_ranker import TOPICS, paper

AGES = st.lists(st.floats(0, 50_000), min_size=1, max_size=60).map(lambda ages: dict(enumerate(ages)))


@given(ages=AGES)
def test_a_whole_library_weighs_a_few_votes_and_each_paper_one_at_most(ages):
    weights = library_weights(ages)
    assert sum(weights.values()) == pytest.approx(min(len(ages), LIBRARY_VOTES))
    assert max(weights.values()) <= 1
    newest_first = sorted(ages, key=ages.__getitem__)
    assert all(weights[newer] >= weights[older] * (1 - 1e-9) for newer, older in pairwise(newest_first))


@given(ages=AGES, days=st.floats(0, 1_000))
def test_on_a_later_day_a_library_weighs_the_same(ages, days):
    later = library_weights({paper: age + days for paper, age in ages.items()})
    assert later == pytest.approx(library_weights(ages))


def test_only_the_papers_of_a_large_library_fade_and_only_beside_one_another():
    assert library_weights({}) == {}
    assert library_weights({1: 0.0, 2: 700.0}) == {1: 1.0, 2: 1.0}
    weights = library_weights({1: 5.0, **dict.fromkeys(range(2, 301), 730.0), 301: 730.0 + HALF_LIFE})
    assert weights[1] == 1
    assert weights[2] == pytest.approx(2 * weights[301])
    # A paper every three days for years, as of a followed Zotero library.
    followed = library_weights({number: 3.0 * number for number in range(500)})
    assert followed[440] == pytest.approx(followed[400] / 2)


NOW = datetime(2026, 11, 1, tzinfo=UTC)
# Papers of a home, some on each topic, and one more on each that nobody has read yet.
HOME = [
    paper(100 * number + n, f"On {topic} {n}", f"{text}. Part {n} of {n % 7} about word{n % 7}.")
    for number, (topic, text) in enumerate(TOPICS.items(), 1)
    for n in range(60)
]
NEW = {topic: paper(n, f"News of {topic}", f"{text}, as we show.") for n, (topic, text) in enumerate(TOPICS.items(), 1)}


@pytest.fixture(scope="module")
def ranker():
    return Ranker(Corpus().fit([paper.text for paper in HOME]))


def reader(days: Sequence[float] = (), votes: Mapping[float, Vote] = MappingProxyType({})) -> Interest:
    """A reader with a library on rewards, of papers added so many days ago, and votes on robots, by their age."""
    library = [
        LibraryPaper(
            paper(-n - 1, f"My reward {n}", f"{TOPICS['reward']}, word{n % 7}."), NOW - timedelta(days=age), "x"
        )
        for n, age in enumerate(days)
    ]
    robots = HOME[60 : 60 + len(votes)]
    recorded = [
        RecordedVote(item.id, vote, NOW - timedelta(days=age), "cli")
        for item, (age, vote) in zip(robots, votes.items(), strict=True)
    ]
    papers = {item.id: item for item in robots}
    # An author to follow changes no match; a profile needs something.
    return interest(Profile(title="Any", authors=("Ada Lovelace",)), recorded, papers, NOW, library=library)


def match(ranker, interest, topic="reward"):
    return {score.paper: score.probability for score in ranker.rank(interest, list(NEW.values())).scores}[NEW[topic].id]


@pytest.mark.parametrize(
    "days",
    [
        [365.0] * 40,
        [730.0] * 40,
        [5.0, *[730.0] * 39],  # one paper lately
        [45.0 * n for n in range(40)],  # followed for years
    ],
)
def test_an_old_library_matches_as_one_without_dates(ranker, days):
    undated = match(ranker, reader([0.0] * 40))
    assert undated > 0.6
    assert match(ranker, reader(days)) >= 0.9 * undated
    assert match(ranker, reader(days), "speech") < 0.3


def test_a_small_old_library_matches_as_one_without_dates(ranker):
    undated = match(ranker, reader([0.0] * 10))
    assert match(ranker, reader([800.0] * 10)) == pytest.approx(undated)
    assert match(ranker, reader()) < 0.2 < undated


def test_votes_fade_beside_a_library(ranker):
    lately, long_ago = ({age + n: Vote.UP for n in range(5)} for age in (1.0, 600.0))
    library = [2.0] * 20
    matches = [match(ranker, reader(library, votes), "robot") for votes in (lately, long_ago, {})]
    assert matches[0] > 2 * matches[1] > 2 * matches[2]


def test_recent_votes_outweigh_no_library_and_an_old_library_no_vote(ranker):
    dislikes = {1.0 + n: Vote.DOWN for n in range(5)}
    for days in (2.0, 730.0):
        both = reader([days] * 40, dislikes)
        assert match(ranker, both) > 0.6
        assert match(ranker, both, "robot") < match(ranker, reader([days] * 40), "robot")
    old, new = (reader([days] * 40, {1.0 + n: Vote.UP for n in range(5)}) for days in (730.0, 1.0))
    assert match(ranker, old) == pytest.approx(match(ranker, new))
    assert match(ranker, old, "robot") == pytest.approx(match(ranker, new, "robot"))


@pytest.mark.parametrize("library", [[], [30.0 * n for n in range(40)], [700.0] * 5])
def test_the_same_votes_and_library_give_the_same_model_on_any_later_day(ranker, library):
    votes = {20.0: Vote.UP, 100.0: Vote.UP, 300.0: Vote.DOWN}
    today, later = (
        reader([age + days for age in library], {age + days: vote for age, vote in votes.items()}) for days in (0, 90)
    )
    models = [load(dump(model)) for model in ranker.learn([today, later])]
    assert models[0].weights == pytest.approx(models[1].weights)
    assert models[0].intercept == pytest.approx(models[1].intercept)
    # The library as a whole doesn't fade, and votes do.
    assert (match(ranker, later) >= 0.9 * match(ranker, today)) is bool(library)


@pytest.mark.parametrize("pattern", ["agent|tool", "reason"])
def test_a_library_of_titles_ranks_better_than_none(sample_ranker, sample_papers, pattern):
    wanted = [item for item in sample_papers if re.search(pattern, item.text.lower())]
    liked = wanted[: len(wanted) // 2]
    voted, owned = liked[:3], [paper(-n, item.title, "") for n, item in enumerate(liked[3:], 1)]
    others = [item for item in sample_papers if item not in liked]

    def quality(up: Sequence[Paper]) -> float:
        ranked = sample_ranker.rank(Interest(up=up), others).scores
        log_odds = {score.paper: score.log_odds for score in ranked}
        return auc(np.array([item in wanted for item in others]), np.array([log_odds[item.id] for item in others]))

    assert quality([*voted, *owned]) > quality(voted)


@pytest.mark.parametrize("likes", [6, 15])
def test_likes_alone_make_few_good_matches(sample_ranker, sample_papers, likes):
    wanted = [item for item in sample_papers if re.search("agent|tool", item.text.lower())]
    others = [item for item in sample_papers if item not in wanted]
    interest = Interest("Tool use by language model agents", up=wanted[:likes])
    good = {score.paper for score in sample_ranker.rank(interest, sample_papers).scores if score.probability >= 0.4}
    assert sum(item.id in good for item in others) <= 0.1 * len(others)
    assert sum(item.id in good for item in wanted[likes:]) >= 0.2 * len(wanted[likes:])
