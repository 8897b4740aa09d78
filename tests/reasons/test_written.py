"""Reasons from what the reader wrote, and from what lies next to it."""

import pytest
from reasons.papers_and_readers import even, evidence, read, reasons_for

from bot.channels.phrases import sentence
from bot.model import ReasonKind
from bot.ranking.phrases import PaperText
from bot.text.vocabulary import Spellings


def test_a_topic_that_the_reader_wrote_is_named_in_the_readers_words_without_general_ones():
    text = "LLMs: we show strong performance. The component turns to help against Reward Hacking in LLMs."
    reasons = reasons_for(
        read("Reward Hacking", text),
        even(text, 2.0),
        evidence("I work on reward hacking. How do large language models help?"),
    )
    assert sentence(reasons) == "You wrote “reward hacking” and “large language models”."


@pytest.mark.parametrize(
    ("profile", "named"),
    [
        ("reward models", "reward models"),
        ("human feedback", "human feedback"),
        ("VLA models", "VLA models"),
    ],
)
def test_variants_and_abbreviations_of_a_topic_are_recognised(profile, named):
    paper = read("Low-Rank Reward Modeling for RLHF by Vision-language-action models", "They differ.")
    assert sentence(reasons_for(paper, {}, evidence(profile))).lower() == f"you wrote “{named.lower()}”."


@pytest.mark.parametrize(
    ("abstract", "reason"),
    [
        ("Robots walk, unlike owls.", "You wrote “robots”."),
        ("We do without owls or robots.", "You wrote “robots”."),
    ],
)
def test_a_topic_in_passing_is_not_named_beside_the_papers_own(abstract, reason):
    reasons = reasons_for(read("Robots at home", abstract), {}, evidence("owls; robots"))
    assert sentence(reasons) == reason


def test_a_topic_in_passing_that_weighs_more_than_the_papers_own_is_said_to_be_mentioned():
    paper = read("Robots at home", "Robots walk, unlike owls.")
    reasons = reasons_for(paper, {"owl": 2.0, "robot": 1.0}, evidence("owls; robots"))
    assert sentence(reasons) == "You wrote “robots”; it mentions “owls”, which you wrote."


def test_a_paper_that_names_a_topic_once_is_said_to_mention_it():
    reasons = reasons_for(read("At home", "We teach robots."), {}, evidence("robots"))
    assert sentence(reasons) == "It mentions “robots”, which you wrote."


@pytest.mark.parametrize(
    "text",
    [
        "We train without any reward model.",
        "Neither critics nor reward models help.",
        "A reward model-free method.",
    ],
)
def test_what_a_paper_does_without_is_not_named(text):
    reasons = reasons_for(read("At home", text), {}, evidence("reward models"))
    assert "you wrote “reward" not in sentence(reasons).lower()
    assert "it mentions" not in sentence(reasons).lower()


@pytest.mark.parametrize(
    ("profile", "text", "is_named"),
    [
        ("reasoning", "It gives the agent a reason to be curious, for two reasons.", False),
        ("reasoning", "Models reason for long, which has a reason.", True),
        ("grounding", "Planes leave the ground.", False),
        ("reasoning", "The reasoning of agents.", True),
        ("reward models", "The reward model of agents.", True),
    ],
)
def test_a_noun_with_the_stem_of_an_activity_is_not_that_activity(profile, text, is_named):
    reasons = reasons_for(read("At home", text), {}, evidence(profile))
    assert (profile in sentence(reasons).lower()) == is_named


def test_a_single_word_is_not_close_to_a_topic_of_many():
    paper = read("On vision", "Vision.")
    reasons = reasons_for(paper, {"vision": 1.0}, evidence("vision-language-action models"))
    assert [reason.kind for reason in reasons] == [ReasonKind.PROFILE_OVERALL]


@pytest.mark.parametrize(
    ("title", "abstract", "reason"),
    [
        (
            "Robot learning at home",
            "We teach.",
            "On “robot learning”, close to “robot manipulation”, which you wrote.",
        ),
        (
            "At home",
            "Robot learning needs robot learning.",
            "On “robot learning”, close to “robot manipulation”",
        ),
        (
            "At home",
            "Of use in robot learning.",
            "It mentions “robot learning”, close to “robot manipulation”",
        ),
    ],
)
def test_a_neighbour_of_a_topic_says_so(title, abstract, reason):
    reasons = reasons_for(read(title, abstract), {"robot": 1.0}, evidence("robot manipulation"))
    assert sentence(reasons).startswith(reason)


@pytest.mark.parametrize("topic", ["video", "language models"])
def test_beside_one_topic_the_title_is_said_to_be_close_to_another(topic):
    reader = evidence(f"{topic}; multimodal reinforcement learning")
    title = f"Multimodal Reward Functions for {topic}"
    near = read(title, f"We judge {topic} by multimodal reward functions.")
    assert sentence(reasons_for(near, even(title), reader)) == (
        f"You wrote “{topic}”; on “multimodal reward functions”, close to “multimodal reinforcement learning”, "
        "which you wrote."
    )
    in_passing = reasons_for(read(topic, "Others try multimodal reward functions."), even(title), reader)
    assert sentence(in_passing) == f"You wrote “{topic}”."


def test_a_topic_that_votes_turned_against_is_not_named():
    reasons = reasons_for(read("Robots", "Robots walk."), {"robot": -1.0}, evidence("robots; graphs"))
    assert [reason.kind for reason in reasons] == [ReasonKind.PROFILE_OVERALL]


def test_of_a_topic_at_the_start_of_a_sentence_only_the_first_letter_changes():
    spellings = Spellings.learn(["the Retrieval by retrieval of an Augmented one, and retrieval"])
    paper = PaperText("Owls", "Retrieval Augmented generation.", spellings)
    reasons = reasons_for(paper, even("retrieval"), evidence("Retrieval-augmented generation"))
    assert [reason.text for reason in reasons] == ["retrieval-augmented generation"]


def test_a_topic_at_the_start_of_a_sentence_is_spelled_as_in_the_paper():
    paper = read("At home", "We care for factuality. Such factuality.")
    assert sentence(reasons_for(paper, {}, evidence("Factuality"))) == "You wrote “factuality”."


def test_a_topic_that_has_more_than_a_removed_phrase_is_still_named():
    reader = evidence("reward hacking", ignored=["reward models"])
    paper = read("Reward hacking", "Reward models.")
    assert sentence(reasons_for(paper, {}, reader)) == "You wrote “reward hacking”."
