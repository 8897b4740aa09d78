"""Kinds: forward-backward agrees with summing over all sequences, and never underflows."""

from dataclasses import replace
from itertools import pairwise, product
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.summaries.roles import KINDS, marginals, shipped_weights

EMISSIONS = st.lists(st.lists(st.floats(-4, 4), min_size=5, max_size=5), min_size=1, max_size=4)


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
    rows = marginals([[50.0, 0.0, 0.0, 0.0, 0.0]] * 2_000, shipped_weights())
    assert all(row[0] > 0.99 and sum(row) == pytest.approx(1) for row in rows)


def test_the_kind_of_a_sentence_depends_on_the_kind_before_it():
    unsure = [[0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 9.0, 0.0]]
    chained = marginals(unsure, shipped_weights())
    weights = shipped_weights()
    free = replace(weights, kind_transitions=[[0.0] * len(KINDS)] * len(KINDS))
    assert chained[0] != pytest.approx(marginals(unsure, free)[0], abs=0.01)
    assert marginals([], weights) == []
