"""Roles: shares that add up, whatever an abstract says."""

from dataclasses import replace
from itertools import pairwise, product
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.summaries.roles import KINDS, Shares, forms, marginals, phrases, read, shipped_weights, words_of


@given(st.lists(st.text(max_size=40), min_size=1, max_size=12))
def test_each_role_is_shared_out_among_the_sentences(texts):
    readings = read(texts, shipped_weights())
    assert len(readings) == len(texts)
    shares = [reading.shares for reading in readings]
    assert [sum(column) for column in zip(*shares, strict=True)] == pytest.approx([1] * len(Shares._fields))
    assert [sum(reading.kinds) for reading in readings] == pytest.approx([1] * len(texts))


def test_without_sentences_there_are_no_shares():
    assert read([], shipped_weights()) == []


def test_authors_say_what_came_out_where_they_say_that_experiments_show_it():
    texts = ["We like tea.", "Experiments show that we outperform all others by 3%.", "We also have cups."]
    readings = read(texts, shipped_weights())
    assert max(readings, key=lambda reading: reading.shares.chosen) == readings[1]
    assert max(readings, key=lambda reading: reading.kinds[KINDS.index("result")]) == readings[1]


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


def test_phrases_have_up_to_three_words_and_know_where_the_sentence_begins():
    assert phrases(["we", "show", "it"]) == {
        *("we", "show", "it", "we show", "show it", "we show it"),
        *("^we", "^we show", "^we show it"),
    }
    assert phrases([]) == set()


def test_a_link_to_code_is_not_the_end_of_an_abstract():
    texts = ["We propose A1.", "It works.", "Code is available at https://a.example/b"]
    words = [words_of(sentence) for sentence in texts]
    places = [set(row) for row in forms(texts, words, [phrases(row) for row in words])]
    assert "from end 0" in places[1]
    assert {"from end -1", "link True"} <= places[2]
    assert "from proposal +1" in places[1]
    assert "new names 1" in places[0]


EMISSIONS = st.lists(st.lists(st.floats(-4, 4), min_size=len(KINDS), max_size=len(KINDS)), min_size=1, max_size=4)


@given(EMISSIONS)
def test_marginals_are_those_of_all_sequences(emissions):
    weights = shipped_weights()
    kinds = range(len(KINDS))
    expected = [[0.0 for _ in kinds] for _ in emissions]
    for sequence in product(kinds, repeat=len(emissions)):
        score = weights.kind_start[sequence[0]] + weights.kind_end[sequence[-1]]
        score += sum(row[kind] for row, kind in zip(emissions, sequence, strict=True))
        score += sum(weights.kind_transitions[a][b] for a, b in pairwise(sequence))
        for row, kind in zip(expected, sequence, strict=True):
            row[kind] += exp(score)
    total = sum(expected[0])
    for row, expected_row in zip(marginals(emissions, weights), expected, strict=True):
        assert row == pytest.approx([odds / total for odds in expected_row], abs=1e-6)


def test_a_long_abstract_of_one_kind_keeps_its_probabilities():
    rows = marginals([[50.0, *[0.0] * (len(KINDS) - 1)]] * 2_000, shipped_weights())
    assert all(row[0] > 0.99 and sum(row) == pytest.approx(1) for row in rows)


def test_the_kind_of_a_sentence_depends_on_the_kind_before_it():
    unsure = [[0.0] * len(KINDS), [0.0, 0.0, 0.0, 9.0, 0.0, 0.0]]
    chained = marginals(unsure, shipped_weights())
    weights = shipped_weights()
    free = replace(weights, kind_transitions=[[0.0] * len(KINDS)] * len(KINDS))
    assert chained[0] != pytest.approx(marginals(unsure, free)[0], abs=0.01)
    assert marginals([], weights) == []
