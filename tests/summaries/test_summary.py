"""Summaries: whole sentences, word for word, in order, for this reader."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain import Role
from bot.summaries.sentences import sentences
from bot.summaries.summary import summarise

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
        ("We use RGB-D. After that it works.", ["We use RGB-D.", "After that it works."]),
        ("Light, wind, etc. To mend this, we do.", ["Light, wind, etc.", "To mend this, we do."]),
        ("It is an object.This paper ends it.", ["It is an object.", "This paper ends it."]),
        ("U.S. Government data. We", ["U.S. Government data.", "We"]),
        ("All are i.i.d. We show it.", ["All are i.i.d.", "We show it."]),
        ("Steps: 1. We dig. 2. We sow. It grows.", ["Steps: 1. We dig.", "2. We sow.", "It grows."]),
        ("See no. 3 there. The answer is no. We go.", ["See no. 3 there.", "The answer is no.", "We go."]),
        ("It won by 12. We go.", ["It won by 12.", "We go."]),
        ("A title\n \nIt begins.", ["A title", "It begins."]),
        ("Look here. iSeed is new.", ["Look here.", "iSeed is new."]),
        ("\\textbf{Good.} We", ["\\textbf{Good.}", "We"]),
        ("It costs $3.$ We pay $x. y$ more.", ["It costs $3.$", "We pay $x. y$ more."]),
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


def texts(summary):
    return [sentence.text for sentence in summary]


def test_what_was_done_and_what_came_out_is_kept_rather_than_the_scene():
    assert texts(summarise(ABSTRACT, 2, {})) == [
        "We propose WeedNet, which pulls weeds by their roots.",
        "Experiments show that it removes 95% of weeds.",
    ]


def test_the_idea_and_the_result_are_called_so():
    roles = {sentence.text.split()[0]: sentence.role for sentence in summarise(ABSTRACT, 6, {})}
    assert (roles["We"], roles["Experiments"]) == (Role.IDEA, Role.RESULT)
    assert [role for role in roles.values() if role].count(Role.RESULT) == 1


def test_of_sentences_of_like_use_the_one_on_the_readers_words_is_kept():
    abstract = ABSTRACT.replace(
        "It is trained on two beds.", "It reads the red leaves. It reads the blue stones."
    )
    kept, blue, grey = (
        texts(summarise(abstract, 5, weights)) for weights in ({}, {"blue stone": 1.0}, {"we": 1.0})
    )
    assert "Squirrels are discussed at length." in kept
    assert [sentence for sentence in blue if sentence not in kept] == ["It reads the blue stones."]
    assert grey == kept


def test_the_readers_words_cost_no_role():
    kept = texts(summarise(ABSTRACT, 3, {"squirrel": 9.0, "bed": 9.0}))
    assert "We propose WeedNet, which pulls weeds by their roots." in kept
    assert "Experiments show that it removes 95% of weeds." in kept


def test_words_to_mark_are_marked_where_they_are_said_first():
    summary = summarise(ABSTRACT, 6, {}, ["weed", "two beds", "tulip"])
    assert [sentence.marks for sentence in summary] == [(), ("weeds",), (), ("two beds",), (), ()]


def test_a_short_abstract_is_shown_whole():
    assert texts(summarise("One. Two.", 3, {})) == ["One.", "Two."]


def test_no_sentences_wanted_none_given():
    assert summarise(ABSTRACT, 0, {}) == ()


@given(st.integers(0, 6), st.dictionaries(st.sampled_from(["weeds", "beds", "it is"]), st.floats(-2, 2)))
def test_the_order_is_the_abstracts(how_many, weights):
    kept = summarise(ABSTRACT, how_many, weights)
    places = [ABSTRACT.index(sentence.text) for sentence in kept]
    assert places == sorted(places)
    assert len(kept) == min(how_many, 6)
