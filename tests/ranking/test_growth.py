"""Which topics grew: the exact test, its correction, and what is named."""

import numpy as np
import pytest
from scipy.stats import fisher_exact

from bot.ranking.growth import grown, holm, phrases_to_test, tail

WORDS = "amber basil cedar delta ember fjord gecko heron indigo jasper koala lemur mango nectar ocean".split()


def papers(number, *having):
    """Papers without a word in common, of which the first have each of some phrases: ("of owls", 12)."""
    texts = []
    for n in range(number):
        mine = " and ".join(phrase for phrase, times in having if n < times)
        texts.append((f"{WORDS[n % 15]} number{n}", f"We look at {mine}." if mine else f"No {n}nth{n} result."))
    return texts


def topics_of(new, before, strata=None, most=6):
    texts = [*new, *before]
    is_new = [True] * len(new) + [False] * len(before)
    return grown(texts, is_new, strata or [0] * len(texts), most=most)


def test_the_test_is_fishers_exact_test():
    # The lady tasting tea: three of four cups right, by chance 17 times in 70.
    assert tail(np.array([[1, 3]]), np.array([[4, 4]])) == pytest.approx(17 / 70)
    for before, after in ((3, 14), (0, 9), (40, 20)):
        table = [[after, 412 - after], [before, 1380 - before]]
        expected = fisher_exact(table, alternative="greater").pvalue
        assert tail(np.array([[before, after]]), np.array([[1380, 412]])) == pytest.approx(expected)


def test_several_strata_are_tested_together_with_the_papers_of_each_fixed():
    sizes = np.array([[8, 4], [3, 9]])
    both = np.array([[2, 2], [1, 4]])
    of_one = [
        [tail(np.array([[n - x, x]]), size[None]) for x in range(n + 2)] for n, size in zip((4, 5), sizes, strict=True)
    ]
    exactly = [-np.diff(tails) for tails in of_one]
    expected = sum(exactly[0][a] * exactly[1][b] for a in range(5) for b in range(6) if a + b >= 6)
    assert tail(both, sizes) == pytest.approx(expected)
    # All papers of a stratum without earlier ones are new, whatever they have.
    assert tail(np.array([[2, 2], [0, 30]]), np.array([[8, 4], [0, 50]])) == tail(both[:1], sizes[:1])


def test_holm_rejects_while_p_is_below_what_is_left():
    assert holm([0.01, 0.0124, 0.016, 0.03], tests=5) == 3
    assert holm([0.01, 0.0124, 0.016, 0.03], tests=4) == 4
    assert holm([], tests=0) == 0


def test_a_topic_is_named_once_as_authors_write_it_with_its_counts_and_best_papers():
    protocol = ("the Model Context Protocol of agents", 14)
    new = papers(200, protocol)
    new[9] = ("Attacks on the Model Context Protocol", new[9][1])
    before = papers(400, ("the Model Context Protocol of agents", 2))
    (topic,) = topics_of(new, before)
    assert (topic.text, len(topic.papers), topic.before) == ("Model Context Protocol", 14, 2)
    assert topic.papers[0] == 9
    assert set(topic.papers) == set(range(14))


def test_what_is_tested_does_not_depend_on_the_month_and_parts_are_tested_with_their_whole():
    texts = papers(40, ("sparse reward models", 12), ("tactile gloves", 8), ("rare words", 7))
    assert {" ".join(stems): len(rows) for stems, rows in phrases_to_test(texts).items()} == {
        "spars reward model": 12,
        "tactil glove": 8,
    }


@pytest.mark.parametrize(("of_new", "of_before"), [(14, 15), (5, 3), (0, 0)])
def test_less_than_twice_the_share_or_too_few_to_tell_is_no_growth(of_new, of_before):
    new, before = papers(200, ("sparse reward models", of_new)), papers(400, ("sparse reward models", of_before))
    assert topics_of(new, before) == []


def test_papers_of_a_new_stratum_are_no_growth():
    old, owls = papers(400), papers(60, ("barn owls", 40))
    new = [*papers(200), *owls]
    assert [topic.text for topic in topics_of(new, old)] == ["barn owls"]
    assert topics_of(new, old, [0] * 200 + [1] * 60 + [0] * 400) == []


def test_no_papers_have_no_topics():
    assert topics_of([], []) == []
    assert topics_of(papers(3, ("barn owls", 3)), []) == []
