"""Reasons from what the reader voted, and from the reader's library."""

import pytest
from reasons.papers_and_readers import ABSTRACTS, even, evidence, read, reasons_for

from bot.channels.phrases import sentence
from bot.model import Reason, ReasonKind
from bot.ranking.reasons import without_repetition


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
