"""Which sentences say what a paper proposes."""

import pytest

from bot.summaries.summary import find_proposals


@pytest.mark.parametrize(
    ("sentence", "proposes"),
    [
        ("We propose WeedNet.", True),
        ("This paper introduces WeedNet.", True),
        ("We leave the usual assumption about the roots of weeds behind, and introduce WeedNet.", True),
        ("WeedNet pulls weeds. Others propose robots.", False),
    ],
)
def test_a_sentence_proposes_what_the_paper_introduces(sentence, proposes):
    assert find_proposals([sentence], [False]) == [0] * proposes


def test_the_first_sentence_that_says_what_is_studied_stands_for_a_missing_proposal():
    abstract = ["Weeds grow.", "This work examines where.", "We analyse nine beds.", "Most stand by a fence."]
    assert find_proposals(abstract, [False] * 4) == [1]
    assert find_proposals(abstract, [False, True, False, False]) == [2]
    assert find_proposals([*abstract, "We propose a shorter fence."], [False] * 5) == [4]


def test_an_abstract_may_say_nowhere_what_is_proposed_or_studied():
    assert find_proposals(["Weeds grow.", "Most stand by a fence."], [False, False]) == []
