"""Marking: the reader's words in the sentence's own spelling, each once."""

import pytest

from bot.summaries.summary import marked, occurrence


@pytest.mark.parametrize(
    ("sentence", "phrase", "expected"),
    [
        ("Two Reward  Models agree.", "reward model", "Reward  Models"),
        ("Policies differ.", "policy", "Policies"),
        ("Of Pokémon we tell.", "pokemon", "Pokémon"),
        ("With GRPO (new).", "GRPO", "GRPO"),
        ("A reward, models of it.", "reward model", None),
        ("Rewardless work.", "reward", None),
        ("We train LLMs.", "large language models", "LLMs"),
        ("Vision–language models", "vision-language model", "Vision–language models"),
        ("", "reward", None),
        ("Reward.", "", None),
    ],
)
def test_a_phrase_is_found_as_it_stands(sentence, phrase, expected):
    assert occurrence(sentence, phrase) == expected


def test_each_phrase_is_marked_once_at_its_first_occurrence():
    texts = ["See the sea.", "The sea has fish.", "Fish and sea."]
    assert marked(texts, ["sea", "fish"]) == [("sea",), ("fish",), ()]


def test_a_phrase_that_two_reasons_name_is_marked_once():
    assert marked(["Fish swim."], ["fish", "Fish"]) == [("Fish",)]
