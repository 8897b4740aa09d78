"""Summaries: whole sentences, word for word, in order, for this reader."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.edition.sentences import sentences
from bot.edition.summary import summarise

ABSTRACT = (
    "Recent years have seen much work on gardens. However, weeds remain a problem. "
    "We propose WeedNet, which pulls weeds by their roots. It is trained on two beds. "
    "Squirrels are discussed at length. Experiments show that it removes 95% of weeds."
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two.", ["One.", "Two."]),
        ("We use e.g. Rust and i.e. Go. Next", ["We use e.g. Rust and i.e. Go.", "Next"]),
        ("Smith et al. Show it. Yes.", ["Smith et al. Show it.", "Yes."]),
        ("It rose by 3.5 points. Good!", ["It rose by 3.5 points.", "Good!"]),
        ("As J. Doe said. Fine.", ["As J. Doe said.", "Fine."]),
        ("See Fig. 2 and Sec. 3. Done.", ["See Fig. 2 and Sec. 3.", "Done."]),
        ("Is it so? Yes (indeed.) Quite.", ["Is it so?", "Yes (indeed.)", "Quite."]),
        ("Code at https://a.example/x.y. Enjoy.", ["Code at https://a.example/x.y.", "Enjoy."]),
        ("It beats vs. all. 10 of 12 agree.", ["It beats vs. all.", "10 of 12 agree."]),
        ("  ", []),
    ],
)
def test_sentences_end_where_people_see_them_end(text, expected):
    assert sentences(text) == expected


@given(st.text(alphabet="aB. !?()e.g\n1", max_size=80))
def test_no_letter_is_lost_and_each_sentence_stands_in_the_text(text):
    found = sentences(text)
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(sentence in text for sentence in found)


def test_what_was_done_and_what_came_out_is_kept_rather_than_the_scene():
    kept = summarise(ABSTRACT, 2, {})
    assert kept == (
        "We propose WeedNet, which pulls weeds by their roots.",
        "Experiments show that it removes 95% of weeds.",
    )


def test_a_sentence_on_the_readers_own_words_is_kept():
    assert "Squirrels are discussed at length." in summarise(ABSTRACT, 3, {"squirrel": 2.0})


def test_a_pair_of_words_counts_too():
    assert "See red squirrels." in summarise(
        "See red squirrels. So what. Who knows.", 1, {"red squirrel": 9.0}
    )


def test_a_short_abstract_is_shown_whole():
    assert summarise("One. Two.", 3, {}) == ("One.", "Two.")


def test_no_sentences_wanted_none_given():
    assert summarise(ABSTRACT, 0, {}) == ()


@given(st.integers(0, 6), st.dictionaries(st.sampled_from(["weeds", "beds", "it is"]), st.floats(-2, 2)))
def test_the_order_is_the_abstracts(how_many, weights):
    kept = summarise(ABSTRACT, how_many, weights)
    places = [ABSTRACT.index(sentence) for sentence in kept]
    assert places == sorted(places)
    assert len(kept) == min(how_many, 6)
