"""Which sentences tell what was known before."""

import pytest

from bot.summaries.roles import Reading, Shares
from bot.summaries.summary import tells_known

KNOWN = Reading((0.9, 0.0, 0.0, 0.1, 0.0), Shares(1.0, 0.0, 0.0), 0.0)
NEW = Reading((0.1, 0.0, 0.0, 0.9, 0.0), Shares(0.0, 0.0, 1.0), 0.0)


@pytest.mark.parametrize(
    ("abstract", "known"),
    [
        ([("Weeds grow.", KNOWN), ("Robots fall.", KNOWN), ("We pull.", NEW)], [True, True, False]),
        ([("We present a robot.", NEW), ("The model joins arms and eyes.", KNOWN)], [False, False]),
        ([("We all know weeds.", KNOWN), ("Robots fall.", KNOWN), ("We pull.", NEW)], [False, True, False]),
        ([("This pilot study explores weeds.", KNOWN), ("We pull.", NEW)], [False, False]),
        ([("Weeds fell by half.", NEW), ("Weeds had been tall.", KNOWN)], [False, True]),
    ],
)
def test_what_was_known_stands_before_what_the_paper_says_of_itself(abstract, known):
    sentences, readings = zip(*abstract, strict=True)
    assert tells_known(sentences, readings, []) == known


def test_what_is_proposed_is_new_even_where_it_reads_as_known():
    sentences = ["We present a robot.", "The model joins arms and eyes."]
    assert tells_known(sentences, [KNOWN, KNOWN], [0]) == [False, False]
    assert tells_known(sentences, [KNOWN, KNOWN], []) == [False, True]
