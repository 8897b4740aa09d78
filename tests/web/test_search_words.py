"""The words of a search: misspelt ones are corrected by the vocabulary, and abstracts shown where they have them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.web.papers import corrected, snippet

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


ABSTRACT = "We study agents. Reward models hallucinate. A third sentence, on rewards."


def shown(abstract, words):
    return "".join(f"[{piece.text}]" if piece.marked else piece.text for piece in snippet(abstract, words))


def test_the_sentence_with_the_most_words_is_shown_with_them_marked():
    assert shown(ABSTRACT, "rewards hallucination") == "… [Reward] models [hallucinate]."
    assert shown(ABSTRACT, "agent") == "We study [agents]."


def test_without_a_hit_there_is_no_snippet():
    assert shown(ABSTRACT, "diffusion") == ""
    assert shown("", "diffusion") == ""
    assert shown(ABSTRACT, "") == ""
    assert shown("A 4.2-fold gain in 10 owls.", "https://doi.org/10.5555/owls.4") == ""


def test_a_long_sentence_is_cut_before_the_hit():
    text = shown("word " * 100 + "reward is here " + "more " * 100, "reward")
    assert text.startswith("… [reward] is here")
    assert text.endswith("…")
    assert len(text) < 300


@given(st.text(), st.text())
def test_any_text_is_shown_with_hits_inside_it(abstract, words):
    for piece in snippet(abstract, words):
        assert piece.text
