"""Reasons that a person would give: from exact contributions, what was written and what was voted."""

import math

import pytest

from bot.reasons import (
    Claims,
    Conjunction,
    Evidence,
    JudgedPaper,
    PaperText,
    Reason,
    ReasonKind,
    breakdown,
    choose,
    clause,
    sentence,
)
from bot.terms import Spellings, stem_terms

ABSTRACTS = [
    "We study reward hacking, where large language models (LLMs) exploit the reward model.",
    "Clinical notes and electronic health records help prediction; an electronic health record is long.",
    "We train VLMs by LoRA, with a KL penalty, and process reward models (PRMs).",
]
SPELLINGS = Spellings([*ABSTRACTS, "an image of a robot"])


def read(title, abstract):
    return PaperText(title, abstract, spellings=SPELLINGS)


def judged(title, abstract="", *, liked=True):
    return JudgedPaper.read(title, abstract, liked=liked)


def even(text, weight=0.1):
    return dict.fromkeys(stem_terms(text), weight)


def test_a_topic_that_the_reader_wrote_is_named_in_the_readers_words_without_general_ones():
    text = "We show strong performance: the component turns to help against Reward Hacking in LLMs."
    reasons = choose(
        read("Reward Hacking", text),
        even(text, 2.0),
        Evidence("I work on reward hacking. How do large language models help?"),
    )
    assert sentence(reasons) == "You wrote “reward hacking” and “large language models”."


def test_variants_and_abbreviations_meet():
    paper = read("Low-Rank Reward Modeling for RLHF", "Preferences differ.")
    assert sentence(choose(paper, {}, Evidence("reward models"))) == "You wrote “reward models”."
    assert sentence(choose(paper, {}, Evidence("reinforcement learning from human feedback"))).startswith(
        "You wrote"
    )


def test_a_neighbour_of_a_topic_says_so():
    reasons = choose(
        read("Robot learning at home", "We teach."), {"robot": 1.0}, Evidence("robot manipulation")
    )
    assert sentence(reasons) == "On “robot learning”, close to “robot manipulation”, which you wrote."


def test_a_topic_that_votes_turned_against_is_not_named():
    reasons = choose(read("Robots", "Robots walk."), {"robot": -1.0}, Evidence("robots; graphs"))
    assert [reason.kind for reason in reasons] == [ReasonKind.PROFILE_OVERALL]


def test_learned_phrases_are_whole_and_in_their_usual_spelling():
    text = "Electronic Health Record prediction with vlms"
    evidence = Evidence("", [judged("Notes", ABSTRACTS[1]), judged("Tuning", ABSTRACTS[2])])
    learned = [r.text for r in choose(read(text, ""), even(text), evidence) if r.kind is ReasonKind.LEARNED]
    assert learned == ["electronic health record", "VLMs"]


def test_only_what_votes_bear_out_is_learned():
    papers = [judged(f"Liked {i}", "protein folding") for i in range(6)] + [judged("Once", "tokamak plasma")]
    evidence = Evidence("", papers)
    text = "protein folding in a tokamak plasma"
    learned = [
        r.text for r in choose(read("A title", text), even(text), evidence) if r.kind is ReasonKind.LEARNED
    ]
    assert learned == ["protein folding"]
    against = Evidence(
        "", [*papers, *[judged("No", "protein folding", liked=False)] * 9, judged("X", liked=False)]
    )
    assert not against.speaks_for(["protein fold"])


def test_a_word_that_the_reader_removed_is_gone():
    text = "protein folding"
    evidence = Evidence("protein folding", [judged("Folding", text)] * 3, ignored=["protein"])
    assert "protein" not in sentence(choose(read("A title", text), even(text), evidence))


def test_the_liked_paper_shares_what_speaks_for_this_one_visibly():
    text = "protein folding by diffusion on residues"
    evidence = Evidence(
        "", [judged("Graphs"), judged("Protein folding", text), judged("Notes from afar", text)]
    )
    (liked,) = [r for r in choose(read("New", text), even(text), evidence) if r.kind is ReasonKind.LIKED]
    assert liked.text == "Protein folding"
    assert not [
        r for r in choose(read("Protein folding", text), even(text), evidence) if r.text == "Protein folding"
    ]


def test_rules_come_first_and_say_whose_they_are():
    claims = Claims(authors=("Ada Byron",), keywords=("GRPO",), trending="120 upvotes")
    reasons = choose(read("GRPO for graphs", "A text."), {}, Evidence("GRPO, graphs"), claims)
    assert sentence(reasons) == (
        "By Ada Byron, whom you follow; your keyword “GRPO”; you wrote “graphs”; trending: 120 upvotes."
    )


def test_an_exploration_says_what_is_new_about_it():
    text = "We train robots by protein folding. Protein folding is odd, and robots like it."
    evidence = Evidence("robots", [judged("Robots walk", "Robots walk.")])
    reasons = choose(read("MyNet: Robots for protein folding", text), {}, evidence, Claims(exploration=True))
    assert (
        sentence(reasons) == "Close to “robots”, but on “protein folding”, of which you have judged nothing."
    )


def test_a_conjunction_names_both_and_what_must_not_be_there():
    evidence = Evidence("", [judged("A", "reward robots"), judged("B", "image of a robot", liked=False)])
    claims = Claims(conjunctions=(Conjunction(("reward", "robot"), ("imag",), 0.5),))
    reasons = choose(read("On a reward", "A robot. A reward."), {}, evidence, claims)
    assert reasons == [Reason(ReasonKind.TOGETHER, "reward", 0.5, "robot", "image")]


@pytest.mark.parametrize(
    ("votes", "ending"), [([], "your profile."), ([judged("Graphs")], "papers you liked.")]
)
def test_without_anything_to_name_the_sentence_is_honest(votes, ending):
    said = sentence(choose(read("On the method", "We show results."), {"show": 1.0}, Evidence("", votes)))
    assert said.startswith("It names none of your topics")
    assert said.endswith(ending)


def test_every_kind_of_reason_has_words():
    for kind in ReasonKind:
        assert clause(Reason(kind, "this", 1.0, "that"))
    assert sentence([]) == ""


def test_a_breakdown_names_whole_phrases_and_keeps_the_sum():
    title, abstract = (
        "Electronic Health Records",
        "We use electronic health records, and more records of health.",
    )
    contributions = {term: 0.1 * i - 0.3 for i, term in enumerate(stem_terms(f"{title}\n{abstract}"))}
    rows = breakdown(read(title, abstract), {**contributions, "unseen term": -0.2})
    assert math.isclose(sum(row.weight for row in rows), sum(contributions.values()) - 0.2)
    assert sorted(term for row in rows for term in row.terms) == sorted({*contributions, "unseen term"})
    assert "electronic health records" in {row.text for row in rows}
