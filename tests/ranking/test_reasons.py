"""Why a paper was picked: phrases, topics written, closeness in meaning, votes, what is said once."""

import math

import pytest

from bot.model import Bonus, BonusKind, Reason, ReasonKind, Score
from bot.ranking.corpus import Corpus
from bot.ranking.phrases import PaperText
from bot.ranking.reasons import Evidence, breakdown, choose, without_repetition
from bot.ranking.scoring import VotedTerms
from bot.text.tokens import Spellings, stem_terms
from bot.text.topics import read_interests
from bot.wording import sentence

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
    rows = corpus.papers(texts).terms
    ids = [-1 - number if library else number for number in range(len(liked))]
    votes = VotedTerms(corpus, rows, range(len(texts)), ids)
    titles = {number: title for number, (title, _) in zip(ids, liked, strict=True)}
    return Evidence(read_interests(profile).wanted, corpus.meaning_, votes, titles, ignored)


def reasons_for(paper, terms, reader, *, close=(), alerted_by=(), **score):
    """Return the reasons for a paper that is close to the reader's topics of the texts ``close``."""
    explained = Score(1, 0.5, 0.0, rest=0.0, terms=terms, **score)
    topics = [topic for text in close for topic in reader.topics if topic.text == text]
    return choose(paper, explained, reader, topics, alerted_by)


def even(text, weight=0.1):
    return dict.fromkeys(stem_terms(text), weight)


def test_rules_come_first_and_are_not_repeated():
    bonuses = (Bonus("GRPO", 1.4), Bonus("120 upvotes", 0.5, BonusKind.TRENDING))
    paper, reader = read("GRPO for graphs", "A text."), evidence("GRPO, graphs")
    reasons = reasons_for(paper, {}, reader, bonuses=bonuses, followed="Ada Byron")
    assert sentence(reasons) == (
        "By Ada Byron, whom you follow; it has your keyword “GRPO”; it names your “graphs”; trending: 120 upvotes."
    )


def test_what_triggered_an_alert_is_named_once():
    bonuses, reader = (Bonus("GRPO", 1.4),), evidence("GRPO, graphs")
    reasons = reasons_for(read("GRPO for graphs", ""), {}, reader, bonuses=bonuses, alerted_by=["GRPO"])
    assert [(each.kind, each.text) for each in reasons] == [(ReasonKind.ALERT, "GRPO"), (ReasonKind.WROTE, "graphs")]


def test_every_kind_of_reason_has_words():
    for kind in set(ReasonKind) - {ReasonKind.ALERT}:
        words = sentence((Reason(kind, "this", 1.0, "that"),))
        assert words[0].isupper()
        assert words.endswith(".")
    assert sentence(()) == sentence((Reason(ReasonKind.ALERT, "this"),)) == ""


def test_a_breakdown_names_whole_phrases_and_keeps_the_sum():
    title, abstract = "Electronic Health Records", "We use electronic health records, and more records of health."
    contributions = {term: 0.1 * i - 0.3 for i, term in enumerate(stem_terms(f"{title}\n{abstract}"))}
    rows = breakdown(read(title, abstract), {**contributions, "unseen term": -0.2})
    assert math.isclose(sum(row.weight for row in rows), sum(contributions.values()) - 0.2)
    assert {row.text: row.in_paper for row in rows}["electronic health records"]
    assert [row.text for row in rows if not row.in_paper] == ["unseen term"]


def test_no_phrase_begins_or_ends_inside_a_compound():
    paper = read("Strategy-augmented planning of large-scale robot control by human-centric hate speech removal", "")
    assert "planning" in {phrase.text for phrase in paper.phrases}
    inside = {"augmented planning", "centric hate speech removal", "scale robot control", "scale robot"}
    assert not {phrase.text for phrase in paper.phrases} & inside
    halves = {phrase.text for phrase in read("Min-form credit assignment", "").phrases}
    assert halves == {"credit assignment", "assignment"}


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


@pytest.mark.parametrize(
    ("profile", "title", "abstract", "terms", "named"),
    [
        # A topic in the reader's own words, by its variants and abbreviations, without general words.
        ("I work on hacking. How do LLMs help?", "Hacking", "LLMs. We show. LLMs help.", {}, "“LLMs” and"),
        ("reward models", "Low-Rank Reward Modeling", "", {}, "It names your “reward models”."),
        ("human feedback", "Low-Rank RLHF", "", {}, "It names your “human feedback”."),
        ("VLA models", "Vision-language-action models", "", {}, "It names your “VLA models”."),
        (
            "Factuality",
            "At home",
            "We care for factuality. Such factuality.",
            {},
            "It names your “factuality”.",
        ),
        # In passing it is only named if it weighs more than what the paper is on.
        (
            "owls; robots",
            "Robots at home",
            "Robots walk, unlike owls.",
            {},
            "names your “robots”.",
        ),
        (
            "owls; robots",
            "Robots at home",
            "We do without owls or robots.",
            {},
            "names your “robots”.",
        ),
        (
            "owls; robots",
            "Robots at home",
            "Unlike owls.",
            {"owl": 2, "robot": 1},
            "names your “robots” and “owls”.",
        ),
        ("robots", "At home", "We teach robots.", {}, "names your “robots”."),
        # Votes turned against it; or a paper does without it.
        ("robots; graphs", "Robots", "Robots walk.", {"robot": -1}, None),
        ("reward models", "At home", "We train without any reward model.", {}, None),
        ("reward models", "At home", "Neither critics nor reward models help.", {}, None),
        ("reward models", "At home", "A reward model-free method.", {}, None),
        # A noun with the stem of an activity is not that activity.
        ("reasoning", "At home", "It gives the agent a reason to be curious, for two reasons.", {}, None),
        ("reasoning", "At home", "Models reason for long, which has a reason.", {}, "reasoning"),
        ("reasoning", "At home", "The reasoning of agents.", {}, "reasoning"),
        ("grounding", "At home", "Planes leave the ground.", {}, None),
    ],
)
def test_a_topic_that_the_reader_wrote_is_named_where_the_paper_is_on_it(profile, title, abstract, terms, named):
    said = sentence(reasons_for(read(title, abstract), terms, evidence(profile)))
    assert (named in said) if named else said == ""


HANDS = "Dexterous hands at home"
GRIPPERS = "Tactile grippers and manipulators help in the kitchen. The weather is fine."


def test_close_to_a_topic_names_the_papers_own_phrases_that_mean_it():
    terms = even(f"{HANDS} {GRIPPERS}")
    (first, *others) = reasons_for(read(HANDS, GRIPPERS), terms, evidence("robot grasping"), close=["robot grasping"])
    assert (first.kind, first.near) == (ReasonKind.NEAR, "robot grasping")
    assert first.weight > 0
    named = {reason.text.lower() for reason in (first, *others)}
    assert named <= {"tactile grippers", "manipulators", "dexterous hands"}
    assert sentence((first,)) == f"Close to your “robot grasping”: it is on “{first.text}”."


GRASPING = ["robot grasping"]


@pytest.mark.parametrize(
    ("profile", "title", "abstract", "terms", "close"),
    [
        ("robot grasping", HANDS, GRIPPERS, {}, GRASPING),  # nothing of it speaks for the paper
        ("robot grasping", HANDS, GRIPPERS, even(f"{HANDS} {GRIPPERS}", -0.1), GRASPING),
        ("robot grasping", HANDS, GRIPPERS, even(f"{HANDS} {GRIPPERS}"), []),
        ("robot grasping", "Elections", "Voters like fine weather.", even("Elections voters weather"), GRASPING),
        # Two topics that it names are enough, and "grasping" repeats one that it names.
        ("the weather; dexterous hands; robot grasping", HANDS, f"{GRIPPERS} Weather.", even(GRIPPERS), GRASPING),
        ("grasping; robot grasping", "Grasping", GRIPPERS, even(f"grasping {GRIPPERS}"), GRASPING),
    ],
)
def test_a_paper_is_not_said_to_be_close_without_phrases_that_show_it(profile, title, abstract, terms, close):
    reasons = reasons_for(read(title, abstract), terms, evidence(profile), close=close)
    assert ReasonKind.NEAR not in [reason.kind for reason in reasons]


@pytest.mark.parametrize(
    ("title", "abstract", "terms", "named"),
    [
        ("Owl songs", "Owl songs at night.", {"owl song": 1.0, "owl": 0.5}, "In its favour: “Owl songs”."),
        ("Owl songs", "Owl songs at night.", {"owl song": -1.0}, ""),
        ("At night", "Owl songs at night. Owl songs.", {"owl song": 1.0}, ""),
        ("On the method", "We show results.", {"show": 1.0, "result": 1.0}, ""),
        ("", "", {}, ""),
    ],
)
def test_where_nothing_else_can_be_said_phrases_of_the_title_are_named(title, abstract, terms, named):
    assert sentence(reasons_for(read(title, abstract), terms, evidence("robots"))) == named


@pytest.mark.parametrize(("library", "named"), [(False, "that you liked"), (True, "in your library")])
def test_without_any_phrase_a_paper_is_close_to_liked_ones(library, named):
    reader = evidence("robots", [("Bats", "Bats by day.")], library=library)
    assert sentence(reasons_for(read("At night", "Owl songs."), {}, reader)) == f"Close to papers {named}."


def test_of_a_topic_at_the_start_of_a_sentence_only_the_first_letter_changes():
    spellings = Spellings.learn(["the Retrieval by retrieval of an Augmented one, and retrieval"])
    paper = PaperText("Owls", "Retrieval Augmented generation.", spellings)
    reasons = reasons_for(paper, even("retrieval"), evidence("Retrieval-augmented generation"))
    assert [reason.text for reason in reasons] == ["retrieval-augmented generation"]


def test_a_topic_that_has_more_than_a_removed_phrase_is_still_named():
    reader = evidence("reward hacking", ignored=["reward models"])
    paper = read("Reward hacking", "Reward models.")
    assert sentence(reasons_for(paper, {}, reader)) == "It names your “reward hacking”."


def learned(text, reader):
    reasons = reasons_for(read("A title", text), even(text), reader)
    return [reason.text for reason in reasons if reason.kind is ReasonKind.LEARNED]


def test_learned_phrases_are_whole_and_in_their_usual_spelling():
    reader = evidence("", [("Notes", ABSTRACTS[1]), ("Tuning", ABSTRACTS[2])])
    named = learned("Electronic Health Record prediction with vlms, fast vlms", reader)
    assert named == ["electronic health record", "VLMs"]


def test_an_abbreviation_and_a_part_of_what_it_stands_for_are_not_both_learned():
    text = "RAG helps, and RAG is augmented generation. Augmented generation, by RAG."
    assert len(learned(text, evidence("", [("Liked", text)]))) == 1


@pytest.mark.parametrize(
    "adjective",
    [
        "clinically relevant",
        "cultural",
        "layer-wise",
        "owl organizational",
        "semi-automated",
        "spatial",
        "weed semantic",
    ],
)
def test_an_adjective_is_not_learned(adjective):
    text = f"{adjective.capitalize()}. It is {adjective}."
    assert adjective not in learned(text, evidence("", [("Liked", text)]))


def test_a_learned_phrase_is_not_cut_before_words_that_another_reason_names():
    liked = [(f"Liked {n}", "Large language models hallucinate.") for n in range(6)]
    text = "Large language models are calm."
    reasons = reasons_for(read("Owls", text), even(text), evidence("language models", liked))
    assert "large language" not in [reason.text for reason in reasons]


def test_a_single_word_that_the_paper_has_once_is_not_learned():
    reader = evidence("", [("Liked", "folding residues"), ("Other", "folding owls")])
    assert learned("We care for residues.", reader) == []
    assert learned("We care for residues. Such residues.", reader) == ["residues"]


def test_a_liked_paper_is_named_at_the_first_pick_of_an_edition_or_where_it_is_alone():
    liked, topic = Reason(ReasonKind.LIKED, "Owls at night", paper=1), Reason(ReasonKind.WROTE, "birds")
    owned = Reason(ReasonKind.OWNED, "Mice")
    picks = [(topic, liked), (topic, liked), (liked,), (), (owned,), (topic, owned)]
    assert without_repetition(picks) == [(topic, liked), (topic,), (liked,), (), (owned,), (topic,)]


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


@pytest.mark.parametrize("library", [False, True])
def test_the_liked_paper_has_terms_in_common_that_its_title_shows(library):
    text = "protein folding by diffusion on residues"
    liked = [("Graphs", ""), ("Protein folding", text), ("Notes from afar", text)]
    reader = evidence("", liked, library=library)
    (*_, last) = reasons_for(read("New", text), even(text), reader)
    assert last == Reason(
        *((ReasonKind.OWNED, liked[1][0]) if library else (ReasonKind.LIKED, liked[1][0], 0.0, "", 1))
    )
    itself = reasons_for(read("Protein folding", text), even(text), reader)  # liked as its first version
    assert not {reason.kind for reason in itself} & {ReasonKind.LIKED, ReasonKind.OWNED}


def test_papers_of_the_library_are_named_as_such():
    text = "protein folding"
    reader = evidence("", [("Tokamak plasma control", text), ("Protein folding at scale", text)], library=True)
    named = sentence(reasons_for(read("A title", text), even(text), reader))
    assert named.startswith("Papers in your library mention “protein folding”")


def test_papers_of_the_library_are_named_as_such_beside_liked_ones():
    corpus = Corpus().fit([f"{folding} {plasma}" for folding, plasma in 2 * [("protein folding", "tokamak plasma")]])
    rows = corpus.papers(["tokamak plasma", "protein folding"]).terms
    votes = VotedTerms(corpus, rows, range(2), [4, -1])
    reader = Evidence([], corpus.meaning_, votes, {4: "Tokamak", -1: "Protein"})
    text = "On protein folding and tokamak plasma."
    kinds = {reason.text: reason.kind for reason in reasons_for(read("A title", text), even(text), reader)}
    assert kinds == {
        "protein folding": ReasonKind.LEARNED_FROM_LIBRARY,
        "tokamak plasma": ReasonKind.LEARNED,
    }
