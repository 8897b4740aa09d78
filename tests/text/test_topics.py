"""Profile texts as topics, general academic vocabulary, abbreviations and spellings."""

import pytest

from bot.text.tokens import phrases, stem, tokens
from bot.text.topics import expanded, profile_topics
from bot.text.vocabulary import Spellings, is_general, names_topic, topical_phrases, topical_terms


def written(text):
    return [topic.text for topic in profile_topics(text)]


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        ("I work on reward hacking, and how models help reasoning.", ["reward hacking", "reasoning"]),
        ("Papers about LLM agents, please; not robots or vision", ["LLM agents"]),
        ("How can models help with financial markets?", ["financial markets"]),
        ("What's new in RLHF and reward modeling?", ["RLHF", "reward modeling"]),
        (
            "Reinforcement learning for large language models: verifiable rewards",
            ["Reinforcement learning", "large language models", "verifiable rewards"],
        ),
        (
            "databases\nquery optimization\nlearned indexes",
            ["databases", "query optimization", "learned indexes"],
        ),
        (
            "I am interested in stock return prediction for portfolios and in limit\norder books",
            ["stock return prediction", "portfolios", "limit order books"],
        ),
        ("How do language models hallucinate?", ["language models", "hallucinate"]),
        ("gene expression & chromatin accessibility", ["gene expression", "chromatin accessibility"]),
        ("optimization, robustness", ["optimization", "robustness"]),
        ("not only proofs but also Lean", ["proofs", "Lean"]),
        ("AI", ["AI"]),
        ("graphs https://example.org/reward-models", ["graphs"]),
        ("", []),
        ("??", []),
    ],
)
def test_a_profile_names_topics_without_requests(text, topics):
    assert written(text) == topics


def test_a_topic_is_named_once_whatever_its_variant():
    assert written("Reward models, reward modeling, RL, reinforcement learning") == ["Reward models", "RL"]


def test_a_topic_has_the_terms_that_ranking_weighs():
    (topic,) = profile_topics("LLM agents")
    assert topic.stems == ("larg", "languag", "model", "agent")
    assert topic.terms == (*topic.stems, "larg languag", "languag model", "model agent")


@pytest.mark.parametrize(
    "word",
    "strong performance show task propose component help work turn acquire enabling model approach".split(),
)
def test_general_academic_vocabulary_names_no_topic(word):
    assert is_general(stem(word))
    assert not names_topic([stem(word)])


@pytest.mark.parametrize("word", "robot reward genome protein retrieval privacy hallucination speech graph".split())
def test_topical_words_name_topics(word):
    assert names_topic([stem(word)])


@pytest.mark.parametrize(
    ("text", "topical"),
    [
        ("We show strong performance on robot manipulation", ["robot manipulation"]),
        ("a novel process reward model", ["process reward model"]),
        ("patterns in electronic health record data", ["electronic health record data"]),
        ("Large language models achieve significant improvements", ["Large language models"]),
        ("time series and test-time compute of the components", ["time series", "test-time compute"]),
    ],
)
def test_phrases_of_a_paper_are_whole_and_topical(text, topical):
    assert [text[run[0].start : run[-1].end] for run in topical_phrases(phrases(text))] == topical


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("LLMs", "large language models"),
        ("RL", "reinforcement learning"),
        ("VLM", "vision-language model"),
        ("VLA models", "vision-language-action models"),
    ],
)
def test_abbreviations_match_what_they_stand_for(short, long):
    assert expanded(token.stem for token in tokens(short)) == tuple(token.stem for token in tokens(long))


def test_a_phrase_is_recognised_by_its_bigrams_and_topical_words():
    assert topical_terms("reward models") == ("reward", "reward model")
    assert topical_terms("language models") == ("languag model",)
    assert topical_terms("show") == ("show",)


def test_words_are_spelled_as_in_running_text():
    abstracts = ["We train LoRA adapters by Bayesian rules. Reward hacking is rare, as reward hacking was."]
    learned = Spellings.learn(abstracts)
    for spellings in (learned, Spellings(learned.text)):
        assert spellings.usual("Reward Hacking with Lora and bayesian PRMs") == (
            "reward hacking with LoRA and Bayesian PRMs"
        )


def test_the_second_part_of_a_compound_has_no_capital_of_its_own():
    spellings = Spellings.learn(["at a low rate by Euclidean means"])
    assert spellings.usual("Low-Bitrate and Non-Euclidean GPT-Neo") == "low-bitrate and Non-Euclidean GPT-Neo"


def test_a_word_of_a_title_alone_that_can_be_no_name_has_no_capital():
    spellings = Spellings.learn(["we see"])
    assert spellings.usual("Credit Assignment, Curiosity and Kalman") == "Credit assignment, curiosity and Kalman"


def test_an_adjective_before_and_belongs_to_the_noun_behind():
    topics = profile_topics("sequential and generative recommendation, dense or learned sparse retrieval")
    assert [topic.text for topic in topics][:2] == ["sequential recommendation", "generative recommendation"]
    assert [topic.text for topic in profile_topics("robotic, and graph learning")] == [
        "robotic",
        "graph learning",
    ]


def test_the_s_of_a_possessive_is_no_word():
    assert Spellings.learn(["We train S models"]).usual("children's speech") == "children's speech"
    assert Spellings.learn(["images of WISE are layer-wise"]).usual("layer-wise") == "layer-wise"


@pytest.mark.parametrize(
    "text",
    ["no " * 30_000, "how do " * 30_000, "and " * 50_000, "a\n" * 50_000, "(A" * 50_000, "x (AB) " * 20_000],
)
def test_hostile_texts_are_read_in_time_that_grows_with_their_length(text):
    profile_topics(text)
    Spellings.learn([text]).usual(text)
    topical_phrases(phrases(text))
