"""Tokens and stems: what ranking weighs and reasons name."""

from itertools import pairwise

import pytest

from bot.text.tokens import PUNCTUATION, phrases, stem, stem_sequence, stem_terms, tokens


def stems(text):
    return [token.stem for token in tokens(text)]


def pairs(table: str) -> list[list[str]]:
    return [[part.strip() for part in pair.split("=")] for pair in table.replace("\n", "|").split("|") if pair.strip()]


VARIANTS = """
reward modeling = reward models | robotics = robot | LLMs = LLM | VLMs = vlm | multi-modal = multimodal
pre-training = pretraining | fine-tuned = finetuning | behaviour = behavior | optimisation = optimization
summarisation = summarizing | financial = finance | vision–language models = vision-language model
Poincaré = Poincare | the model’s reward = the model reward | molecules = molecular | visuals = visual
visualizations = visualization | computers = computer | accesses = access | studies = study | robots' = robot
"""
# Not even words of one root, whose meanings differ.
DIFFERENT = """
supervised = superb | noise = nozzle | general = generative | GPT-4 = GPT-3 | promise = prom
visual = visualization | access = accessibility | compute = computer | computing = computers
"""


@pytest.mark.parametrize(("some", "other"), pairs(VARIANTS))
def test_variants_of_a_word_meet(some, other):
    assert stem_terms(some) == stem_terms(other) != []


@pytest.mark.parametrize(("some", "other"), pairs(DIFFERENT))
def test_different_words_and_derivations_stay_apart(some, other):
    assert stem_terms(some) != stem_terms(other)


def test_a_paper_is_a_sequence_of_stems_with_their_places_among_all_words():
    sequence = stem_sequence("Reward models of LLMs\nWe train, and test it. A reward")
    assert list(zip(sequence.stems, sequence.positions, strict=True))[:3] == [("reward", 0), ("model", 1), ("llm", 3)]
    assert sequence.title == 3
    assert sequence.terms() == stem_terms("Reward models of LLMs\nWe train, and test it. A reward")
    assert stem_sequence("reward models").title == 2
    assert stem_sequence("") == ([], [], 0)
    gaps = [later - earlier for earlier, later in pairwise(sequence.positions)]
    assert [gap > PUNCTUATION for gap in gaps] == [False, False, True, True, True]


def test_a_token_has_its_position_and_its_spelling():
    text = r"\textbf{LoRA} for VLMs: multi-hop question answering, see https://x.org/LoRA"
    assert [text[t.start : t.end] for t in tokens(text)] == [t.spelling for t in tokens(text)]
    assert [t.spelling for t in tokens(text)] == ["LoRA", "VLMs", "multi-hop", "question", "answering", "see"]


BREAKS = [" of the ", ", ", " (", " 2025 ", "\n", " / ", ". ", " https://example.org ", " \u2014 ", "--", " --- "]


@pytest.mark.parametrize("between", BREAKS)
def test_no_bigram_reaches_across_a_break(between):
    assert stem_terms(f"reward{between}models") == ["reward", "model"]


def test_a_compound_is_split_where_its_parts_are_words():
    assert stems("vision-language-action") == ["vision", "languag", "action"]
    assert "languag model" in stem_terms("vision-language models")
    kept = ["k-means", "gpt-4o", "llm-as-a-judge", "few-shot", "off-policy"]
    assert stems("k-means and GPT-4o, LLM-as-a-judge, few-shot, off-policy") == kept
    assert stems("pre- and post-training") == ["posttrain"]  # "pre" alone says nothing
    assert stems("pass@1 of 10x, 7B, 36.0%, 3D") == ["pass@1", "3d"]


def test_a_verb_with_a_particle_is_not_a_term():
    assert stems("trading off privacy against stock trading") == ["privaci", "stock", "trade"]
    assert stems("trade-offs, a trade-off and stock trades") == ["stock", "trade"]


def test_links_and_addresses_are_not_terms():
    text = "at https://github.com/a/reward-model, www.x.org/y, z.github.io/page and ada@example.org; this https URL"
    assert stems(text) == []


def test_phrases_group_neighbouring_tokens():
    spelled = [[t.spelling for t in phrase] for phrase in phrases("Deep RL agents with verifiable rewards, tested")]
    assert spelled == [["Deep", "RL", "agents"], ["verifiable", "rewards"], ["tested"]]


def test_stem_terms_are_the_stems_and_bigrams_of_the_tokens():
    text = r"Process reward models (PRMs) for $k$-step reasoning; large language models' chain-of-thought in \LaTeX{}"
    expected = []
    for phrase in phrases(text):
        for i, token in enumerate(phrase):
            expected += [token.stem] + ([f"{phrase[i - 1].stem} {token.stem}"] if i else [])
    assert sorted(stem_terms(text)) == sorted(expected)


def test_an_overlong_word_is_not_a_term():
    assert stem_terms("a" * 100_000) == []
    assert stem("") == ""
