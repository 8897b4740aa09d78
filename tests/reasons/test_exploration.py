"""The reason for an exploratory pick."""

import pytest
from reasons.papers_and_readers import evidence, read, reasons_for

from bot.channels.phrases import sentence
from bot.model import PickKind

EXPLORED = "We train robots by protein folding. Protein folding is odd, and robots like it."


@pytest.mark.parametrize(
    ("profile", "reason"),
    [
        ("robots", "Close to “robots”, but on “protein folding”, of which you have judged nothing."),
        (
            "",
            "Its wording is close to your topics, but it is on “protein folding”, of which you have judged nothing.",
        ),
    ],
)
def test_an_exploratory_pick_says_what_is_new_about_it(profile, reason):
    reader = evidence(profile, [("Robots walk", "Robots walk.")])
    paper = read("MyNet: Robots for protein folding", EXPLORED)
    assert sentence(reasons_for(paper, {}, reader, kind=PickKind.EXPLORE)) == reason


def test_an_exploratory_pick_is_not_said_to_be_on_a_whole_field():
    text = "We use artificial intelligence for protein folding. Protein folding is odd."
    reader = evidence("robots", [("Robots walk", "Robots walk.")])
    named = sentence(reasons_for(read("Artificial intelligence", text), {}, reader, kind=PickKind.EXPLORE))
    assert "on “protein folding”" in named


def test_an_exploratory_phrase_is_not_the_end_of_a_familiar_one():
    text = "Language model agents plan. Language model agents walk. Tool belts help, as tool belts do."
    reader = evidence("language models", [("Robots walk", "Robots walk.")])
    named = sentence(reasons_for(read("On agents", text), {}, reader, kind=PickKind.EXPLORE))
    assert "but on “tool belts”" in named


def test_an_exploratory_pick_without_anything_new_has_its_other_reasons():
    reader = evidence("robots", [("Robots walk", EXPLORED)])
    reasons = reasons_for(read("Robots", EXPLORED), {}, reader, kind=PickKind.EXPLORE)
    assert sentence(reasons) == "You wrote “robots”."
