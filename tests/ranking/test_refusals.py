"""Papers on what a reader refuses, beside twins on something else."""

from dataclasses import replace

import pytest

from bot.ranking.ranker import Interest, Ranker
from tests.ranking.test_ranker import paper

# Wanted, refused, something else. Each paper and its twin differ in the last two only.
READERS = [
    (
        "Treatment of ADHD in adults: stimulants, methylphenidate, long-term outcomes and side effects.",
        "animal studies",
        "register studies",
        "{} of methylphenidate: what they say about treating ADHD in adults",
        "Methylphenidate is the stimulant most used in ADHD. We review {} of long-term treatment and side "
        "effects, and ask what they say about outcomes in adults.",
    ),
    (
        "LLM agents that write and repair code, program repair, agents that use a terminal and tests.",
        "text-to-SQL",
        "data cleaning",
        "{} with LLM agents that test and repair their own code",
        "We let LLM agents write code for {}, run it in a terminal and repair it by tests. They solve more tasks.",
    ),
    (
        "Causal inference from observational data: instruments, treatment effect estimation, causal discovery.",
        "oncology trials",
        "school reforms",
        "Treatment effect estimation beside {}: causal inference from observational data",
        "We combine {} with observational data, and use instruments where confounders are not measured. Causal "
        "discovery shows which are.",
    ),
    (
        "World models and reinforcement learning for robots, planning with learned dynamics, sim-to-real transfer.",
        "driving",
        "folding",
        "World models for {}: planning with learned dynamics",
        "We train world models by reinforcement learning. In {} they transfer from simulation, and planning with "
        "the learned dynamics needs a tenth of the samples.",
    ),
]
# "{}" is what is refused.
WORDINGS = """
Not so much {}.
I couldn't care less about {}.
I don't care about {}.
No {}.
Without {}.
Please no {}.
{} is not for me.
Spare me {}.
Anything but {}.
I want all of this except {}.
Less of {}, please.
I have no use for {}.
I've seen enough of {}.
Keep {} out of my list.
I'm not a fan of {}.
{}? No, thank you.
I have little interest in {}.
Don't bother me with {}.
You can leave out {}.
{} doesn't do anything for me.
""".strip().split("\n")


def matches(ranker: Ranker, interests: str, *papers, up=(), down=()) -> list[float]:
    by_paper = {s.paper: s.probability for s in ranker.rank(Interest(interests, up=up, down=down), papers).scores}
    return [by_paper[p.id] for p in papers]


@pytest.mark.parametrize("reader", READERS, ids=[reader[1] for reader in READERS])
@pytest.mark.parametrize("wording", WORDINGS)
def test_a_paper_on_what_is_refused_ends_below_a_half_and_below_its_twin(sample_ranker, reader, wording):
    wanted, refused, other, title, abstract = reader
    papers = [
        paper(number, title.format(topic[0].upper() + topic[1:]), abstract.format(topic))
        for number, topic in enumerate((refused, other), 1)
    ]
    on_refused, twin = matches(sample_ranker, f"{wanted} {wording.format(refused)}", *papers)
    assert on_refused < min(twin, 0.5)
    assert twin > 0.5


REWARDS = "reward models for language models, reinforcement learning from human feedback. No driving."
IN_TITLE = paper(1, "Reward models for driving", "We train reward models for language models from human feedback.")
IN_ABSTRACT = paper(2, "Reward models for language models", "Human feedback helps. We also test it in driving.")
OTHER = paper(3, "Reward models for language models", "Human feedback helps. We also test what drives them.")


def test_a_title_is_a_veto_and_an_abstract_costs_most_of_the_score(sample_ranker):
    in_title, in_abstract, other = matches(sample_ranker, REWARDS, IN_TITLE, IN_ABSTRACT, OTHER)
    assert other > 0.8  # "drives" is not "driving"
    assert in_title <= 0.02 < in_abstract <= 0.25


def test_a_vote_says_otherwise(sample_ranker):
    liked = paper(4, "Reward models for driving cars", "Language models and human feedback.")
    in_passing = paper(5, "Reward models", "Human feedback for language models that talk while driving.")
    by_title = matches(sample_ranker, REWARDS, IN_TITLE, IN_ABSTRACT, up=[liked])
    by_abstract = matches(sample_ranker, REWARDS, IN_TITLE, IN_ABSTRACT, up=[in_passing])
    assert min(by_title) > 0.5
    assert by_abstract[0] <= 0.02
    assert by_abstract[1] > 0.5
    # A library is no vote.
    owned = matches(sample_ranker, REWARDS, IN_TITLE, IN_ABSTRACT, up=[replace(liked, id=-4)])
    assert max(owned) <= 0.25


def test_what_is_wanted_by_a_longer_name_is_not_refused_by_its_part(sample_ranker):
    text = "Driving simulators for reward models. No driving."
    (simulator,) = matches(sample_ranker, text, paper(1, "Driving simulators for reward models", "We train them."))
    assert simulator > 0.5


COMBINED = [
    # Both in the title, one there and one in the abstract, both in the abstract, one of them alone.
    ("Reinforcement learning for robots with language models", "Planning by language models.", 0.02),
    ("Language models that plan for robots", "We use reinforcement learning.", 0.25),
    ("Language models that plan", "Reinforcement learning of a policy for robots.", 1),
    ("Reinforcement learning for language models that plan", "They plan in games.", 1),
    ("Language models that plan for robots", "They plan in kitchens.", 1),
]
WISH = "Language models, planning, robots."


@pytest.mark.parametrize("refusal", ["No reinforcement learning for robots.", "Not RL on robots.", "No robots in RL."])
def test_two_topics_refused_together_are_refused_together_only(sample_ranker, refusal):
    papers = [paper(number, title, abstract) for number, (title, abstract, _) in enumerate(COMBINED, 1)]
    refused = matches(sample_ranker, f"{WISH} {refusal}", *papers)
    plain = matches(sample_ranker, WISH, *papers)
    for share, match, before in zip([most for *_, most in COMBINED], refused, plain, strict=True):
        if share < 1:
            assert match <= share
        else:
            assert match > 0.5 < before


def test_a_long_phrase_is_refused_where_its_words_stand_close_together(sample_ranker):
    wish = "Transformers, length generalization of language models."
    close = paper(1, "Masks that are causal for attention: length generalization of language models", "Transformers.")
    apart = paper(
        2,
        "Causal length generalization of language models",
        "Transformers generalize. We study how many layers of attention they need to learn this. Masks are random.",
    )
    assert [match <= 0.02 for match in matches(sample_ranker, f"{wish} Not causal attention masks.", close, apart)] == [
        True,
        False,
    ]
