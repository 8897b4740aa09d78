"""Roles: shares that add up, whatever an abstract says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.summaries.roles import cues, forms, role_shares, words_of


@given(st.lists(st.text(max_size=40), min_size=1, max_size=12))
def test_each_role_is_shared_out_among_the_sentences(told):
    shares = role_shares(told)
    assert len(shares) == len(told)
    assert [sum(column) for column in zip(*shares, strict=True)] == pytest.approx([1, 1, 1])


def test_of_no_sentences_there_are_no_shares():
    assert role_shares([]) == []


def test_authors_say_what_came_out_where_they_say_that_experiments_show_it():
    told = ["We like tea.", "Experiments show that we outperform all others by 3%.", "We also have cups."]
    assert max(role_shares(told), key=lambda share: share.result) == role_shares(told)[1]


def test_names_figures_and_addresses_are_words_of_their_kind():
    words = words_of("WeedNet (R1) gains 3.5% and 2x, 10 in all: see https://a.example/b")
    assert words == [
        "NAME",
        "(",
        "NAME",
        ")",
        "gains",
        "#%",
        "and",
        "#x",
        "#",
        "in",
        "all",
        ":",
        "see",
        "URL",
    ]


def test_cues_are_phrases_of_up_to_three_words_and_know_where_the_sentence_begins():
    assert cues(["we", "show", "it"]) == {
        *("we", "show", "it", "we show", "show it", "we show it"),
        *("^we", "^we show", "^we show it"),
    }
    assert cues([]) == set()


def test_a_link_to_code_is_not_the_end_of_an_abstract():
    told = ["We propose A1.", "It works.", "Code is available at https://a.example/b"]
    words = [words_of(sentence) for sentence in told]
    places = [set(some) for some in forms(told, words, [cues(some) for some in words])]
    assert "from end 0" in places[1]
    assert {"from end -1", "link True"} <= places[2]
    assert "from proposal +1" in places[1]
    assert "new names 1" in places[0]
