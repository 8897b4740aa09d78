"""The phrases of a paper."""

import pytest
from reasons.papers_and_readers import even, evidence, read, reasons_for

from bot.ranking.reasons import breakdown


def test_no_phrase_begins_inside_a_compound():
    paper = read("Strategy-augmented planning of large-scale robot control by human-centric hate speech removal", "")
    assert "planning" in {phrase.text for phrase in paper.phrases}
    assert not {phrase.text for phrase in paper.phrases} & {
        "augmented planning",
        "centric hate speech removal",
        "scale robot control",
        "scale robot",
    }


def test_no_phrase_ends_in_a_verb_before_an_article():
    phrases = {phrase.text for phrase in read("Can a robot learn a policy?", "Robot policies fail.").phrases}
    assert "robot learn" not in phrases
    assert "robot" in phrases


@pytest.mark.parametrize(
    ("title", "last_phrase"),
    [("Policies tuned for cooperation", "policies"), ("Cooperation of policies tuned", "policies tuned")],
)
def test_no_phrase_ends_in_a_participle_before_a_preposition(title, last_phrase):
    phrases = {phrase.text.lower() for phrase in read(title, "").phrases}
    assert phrases & {"policies", "policies tuned"} == {last_phrase}


@pytest.mark.parametrize("text", ["owl " * 20_000, "(owl) " * 20_000, "we owl-bee " * 10_000, "RL " * 20_000])
@pytest.mark.slow
def test_hostile_texts_are_read_in_time_that_grows_with_their_length(text):
    paper = read(text, text)
    reasons = reasons_for(paper, even(text[:100]), evidence("owl bees; RL", [("Owl", "owl bee")]))
    assert reasons
    assert breakdown(paper, {"owl": 1.0})
