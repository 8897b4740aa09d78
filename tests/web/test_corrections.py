"""Misspelt words of a search are corrected by the vocabulary."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.web.papers import corrected

WORDS = [
    "hallucination",
    "hallucinations",
    "reward",
    "rewards",
    "LoRA",
    "diffusion",
    "transformer",
    "Bayesian",
    "agents",
    "VANETs",
]
SPELLINGS = {word.lower(): word for word in WORDS}


def is_known(word):
    return word.lower() in SPELLINGS


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("halucination", "hallucination"),
        ("halucination in transfromer", "hallucination in transformer"),
        ("baysian rewrad", "Bayesian reward"),
        ("agnets", "agents"),
        ("reward", "reward"),
        ("zyzzyva", "zyzzyva"),
        ("rwd", "rwd"),
        ("", ""),
    ],
)
def test_words_that_no_paper_has_become_the_nearest(typed, meant):
    assert corrected(typed, SPELLINGS, is_known) == meant


def test_an_empty_vocabulary_corrects_nothing():
    assert corrected("halucination", {}, lambda _word: False) == "halucination"


@given(st.text())
def test_only_words_are_replaced(text):
    assert corrected(text, SPELLINGS, lambda _word: True) == text
