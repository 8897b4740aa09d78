"""Why a paper was picked: phrases, topics written, votes, exploration, what is said once."""

import math

import pytest
import scipy.sparse as sp

from bot.channels.phrases import sentence
from bot.model import Bonus, BonusKind, PickKind, Reason, ReasonKind, Score
from bot.ranking.corpus import Corpus
from bot.ranking.phrases import PaperText
from bot.ranking.ranking import VotedTerms
from bot.ranking.reasons import Evidence, breakdown, choose, without_repetition
from bot.text.tokens import stem_terms
from bot.text.topics import profile_topics
from bot.text.vocabulary import Spellings

ABSTRACTS = [
    "We study reward hacking, where large language models (LLMs) exploit the reward model.",
    "Clinical notes and electronic health records help prediction; an electronic health record is long.",
    "We train VLMs by LoRA, with a KL penalty, and process reward models (PRMs).",
]
SPELLINGS = Spellings.learn([*ABSTRACTS, "an image of a robot"])


def read(title, abstract):
    return PaperText(title, abstract, SPELLINGS)


def evidence(profile, liked=(), disliked=(), ignored=(), *, library=False):
    """The evidence of a reader with these papers, pairs of title and abstract, liked and disliked.

    With ``library`` the liked papers are those of the reader's library.
    """
    texts = [f"{title}\n{abstract}" for title, abstract in (*liked, *disliked)]
    corpus = Corpus().fit([*texts, "another text"])
    rows = corpus.transform(texts) if texts else sp.csr_matrix((0, len(corpus.terms_)))
    ids = [-1 - number if library else number for number in range(len(liked))]
    votes = VotedTerms(corpus, rows, range(len(texts)), ids)
    titles = {number: title for number, (title, _) in zip(ids, liked, strict=True)}
    return Evidence(profile_topics(profile), votes, titles, ignored)


def reasons_for(paper, terms, reader, *, kind=PickKind.MATCH, alerted_by=(), **score):
    explained = Score(1, 0.5, 0.0, rest=0.0, terms=terms, **score)
    return choose(paper, explained, reader, kind, alerted_by)


def even(text, weight=0.1):
    return dict.fromkeys(stem_terms(text), weight)


def test_beside_a_topic_that_explains_little_the_whole_wording_is_named():
    paper = read("Robots at home", "Robots walk, and robots sing by night.")
    reader = evidence("robots", [("Night songs", "Owls sing by night.")])
    light = reasons_for(paper, {"robot": 1.0, "walk": 1.5}, reader)
    assert sentence(light) == "You wrote “robots”; its wording as a whole resembles papers you liked."
    heavy = reasons_for(paper, {"robot": 1.0, "walk": 0.5}, reader)
    assert sentence(heavy) == "You wrote “robots”."


def test_rules_come_first_and_are_not_repeated():
    bonuses = (Bonus("GRPO", 1.4), Bonus("120 upvotes", 0.5, BonusKind.TRENDING))
    reasons = reasons_for(
        read("GRPO for graphs", "A text."),
        {},
        evidence("GRPO, graphs"),
        bonuses=bonuses,
        followed="Ada Byron",
    )
    assert sentence(reasons) == (
        "By Ada Byron, whom you follow; it has your keyword “GRPO”; you wrote “graphs”; trending: 120 upvotes."
    )


def test_what_triggered_an_alert_is_named_once():
    reasons = reasons_for(
        read("GRPO for graphs", ""),
        {},
        evidence("GRPO, graphs"),
        bonuses=(Bonus("GRPO", 1.4),),
        alerted_by=["GRPO"],
    )
    assert [(reason.kind, reason.text) for reason in reasons] == [
        (ReasonKind.ALERT, "GRPO"),
        (ReasonKind.WROTE, "graphs"),
    ]


@pytest.mark.parametrize(("liked", "ending"), [([], "your profile."), ([("Graphs", "")], "papers you liked.")])
def test_where_no_phrase_can_be_named_the_reason_says_so(liked, ending):
    reasons = reasons_for(read("On the method", "We show results."), {"show": 1.0}, evidence("", liked))
    assert sentence(reasons).startswith("It names none of your topics")
    assert sentence(reasons).endswith(ending)


def test_every_kind_of_reason_has_words():
    for kind in set(ReasonKind) - {ReasonKind.ALERT}:
        words = sentence([Reason(kind, "this", 1.0, "that")])
        assert words[0].isupper()
        assert words.endswith(".")
    assert sentence([]) == sentence([Reason(ReasonKind.ALERT, "this")]) == ""


def test_a_breakdown_names_whole_phrases_and_keeps_the_sum():
    title, abstract = (
        "Electronic Health Records",
        "We use electronic health records, and more records of health.",
    )
    contributions = {term: 0.1 * i - 0.3 for i, term in enumerate(stem_terms(f"{title}\n{abstract}"))}
    rows = breakdown(read(title, abstract), {**contributions, "unseen term": -0.2})
    assert math.isclose(sum(row.weight for row in rows), sum(contributions.values()) - 0.2)
    assert {row.text: row.in_paper for row in rows}["electronic health records"]
    assert [row.text for row in rows if not row.in_paper] == ["unseen term"]


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


def learned(text, reader):
    reasons = reasons_for(read("A title", text), even(text), reader)
    return [reason.text for reason in reasons if reason.kind is ReasonKind.LEARNED]


def test_learned_phrases_are_whole_and_in_their_usual_spelling():
    reader = evidence("", [("Notes", ABSTRACTS[1]), ("Tuning", ABSTRACTS[2])])
    assert learned("Electronic Health Record prediction with vlms, fast vlms", reader) == [
        "electronic health record",
        "VLMs",
    ]


def test_an_abbreviation_and_a_part_of_what_it_stands_for_are_not_both_learned():
    text = "RAG helps, and RAG is augmented generation. Augmented generation, by RAG."
    assert len(learned(text, evidence("", [("Liked", text)]))) == 1


@pytest.mark.parametrize("adjective", ["clinically relevant", "cultural", "layer-wise", "semi-automated", "spatial"])
def test_an_adjective_is_not_learned(adjective):
    text = f"{adjective.capitalize()}. It is {adjective}."
    assert adjective not in learned(text, evidence("", [("Liked", text)]))


def test_a_learned_phrase_is_not_cut_before_words_that_another_reason_names():
    liked = [(f"Liked {n}", "Large language models hallucinate.") for n in range(6)]
    text = "Large language models are calm."
    reasons = reasons_for(read("Owls", text), even(text), evidence("language models", liked))
    assert "large language" not in [reason.text for reason in reasons]


def test_two_topics_that_votes_ask_for_together_are_named_together():
    both = "Reinforcement learning of language models."
    alone = "Reinforcement learning of robots."
    liked = [(f"Liked {n}", both) for n in range(4)]
    disliked = [(f"Robots {n}", alone) for n in range(4)]
    profile = "reinforcement learning; language models; owls"
    paper = read("Owls", f"{both} {both} Owls.")
    named = sentence(reasons_for(paper, even(both), evidence(profile, liked, disliked)))
    assert "ou like “reinforcement learning” together with “language models”, rarely without" in named
    assert named.count("language models") == 1
    assert "“owls”" in named

    within = "Reinforcement learning from human feedback."
    reader = evidence(f"{profile}; reinforcement learning from human feedback", liked, disliked)
    within_longer = read("Owls", f"{within} Language models.")
    assert "together" not in sentence(reasons_for(within_longer, even(within), reader))

    also_alone = [(f"Also {n}", alone) for n in range(2)]
    named = sentence(reasons_for(paper, even(both), evidence(profile, [*liked, *also_alone], disliked)))
    assert "together" not in named


def test_a_single_word_that_the_paper_has_once_is_not_learned():
    reader = evidence("", [("Liked", "folding residues"), ("Other", "folding owls")])
    assert learned("We care for residues.", reader) == []
    assert learned("We care for residues. Such residues.", reader) == ["residues"]


def test_a_liked_paper_is_named_at_one_pick_of_an_edition_and_a_pair_once():
    liked = Reason(ReasonKind.LIKED, "Owls at night", paper=1)
    pair = Reason(ReasonKind.TOGETHER, "owls", near="mice")
    topic = Reason(ReasonKind.WROTE, "birds")
    assert without_repetition([(pair, liked), (topic, liked), (liked,), (pair,)]) == [
        (pair, liked),
        (topic,),
        (Reason(ReasonKind.VOTES_OVERALL),),
        (Reason(ReasonKind.WROTE, "owls"), Reason(ReasonKind.WROTE, "mice")),
    ]


def test_a_liked_paper_is_not_named_for_the_topic_that_the_reader_wrote():
    reader = evidence("protein folding", [("Protein folding", "protein folding"), ("Other", "owls")])
    text = "Protein folding again. Protein folding of residues."
    reasons = reasons_for(read("New", text), even(text), reader)
    assert ReasonKind.LIKED not in [reason.kind for reason in reasons]


def test_only_phrases_that_votes_support_are_learned():
    liked = [(f"Liked {n}", "protein folding") for n in range(6)] + [("Once", "tokamak plasma")]
    text = "protein folding in a tokamak plasma"
    assert learned(text, evidence("", liked)) == ["protein folding"]
    disliked = [("No", "protein folding")] * 9 + [("X", "")]
    assert learned(text, evidence("", liked, disliked)) == []


def test_a_phrase_that_the_reader_removed_is_not_named():
    text = "protein folding"
    liked = [("Folding", text)] * 3
    assert "protein" in sentence(reasons_for(read("A title", text), even(text), evidence(text, liked)))
    reader = evidence(text, liked, ignored=["Protein folding"])
    assert "protein" not in sentence(reasons_for(read("A title", text), even(text), reader))


def test_the_liked_paper_has_terms_in_common_that_its_title_shows():
    text = "protein folding by diffusion on residues"
    reader = evidence("", [("Graphs", ""), ("Protein folding", text), ("Notes from afar", text)])

    def liked(title):
        reasons = reasons_for(read(title, text), even(text), reader)
        return [(reason.text, reason.paper) for reason in reasons if reason.kind is ReasonKind.LIKED]

    assert liked("New") == [("Protein folding", 1)]
    assert liked("Protein folding") == []  # itself, liked as its first version


def test_papers_of_the_library_are_named_as_such():
    liked = [("Tokamak plasma control", "protein folding"), ("Protein folding at scale", "protein folding")]
    text = "protein folding"
    reader = evidence("", liked, library=True)
    assert sentence(reasons_for(read("A title", text), even(text), reader)) == (
        "Papers in your library mention “protein folding”."
    )
    assert sentence(reasons_for(read("Owls", "Owls."), {}, reader)) == (
        "It names none of your topics; its wording as a whole resembles your library."
    )


def test_a_similar_paper_of_the_library_is_not_said_to_be_liked():
    text = "protein folding by diffusion on residues"
    reader = evidence("", [("Graphs", ""), ("Protein folding", text), ("Notes from afar", text)], library=True)
    reasons = reasons_for(read("New", text), even(text), reader)
    assert reasons[-1] == Reason(ReasonKind.OWNED, "Protein folding")
    assert "like “Protein folding”, which is in your library" in sentence(reasons)


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
