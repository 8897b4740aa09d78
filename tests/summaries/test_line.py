"""A paper in one line: its name, and what was found or made."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.summaries.clauses import short_forms
from bot.summaries.line import candidates, line_of
from bot.summaries.references import name_of
from bot.summaries.sentences import split
from bot.summaries.titles import labels, without_subtitle
from bot.summaries.worth import MAX_WORDS
from bot.text.tokens import stem_terms

TASK = "Owls are hard to count."
KNOWN = "In recent years, owls have become hard to count."


def lines(title, abstract):
    """Return the lines that could be taken for a paper."""
    return [candidate.line[:1].upper() + candidate.line[1:] for candidate in candidates(title, abstract)]


@pytest.mark.parametrize(
    ("title", "abstract", "line"),
    [
        # The words before the clause, what stands in parentheses, and what follows the object are left out.
        (
            "Counting owls",
            "Extensive experiments on three forests (all wet) show that larger nets detect 31% more owls than calls, "
            "highlighting the role of moonlight.",
            "Larger nets detect 31% more owls than calls",
        ),
        # "Our method", "it" and "we" are the paper's name.
        (
            "STRIX: Counting owls",
            "We propose STRIX. On two large forests of the north, our method reduces missed owls by 40%, at no cost.",
            "STRIX reduces missed owls by 40%, at no cost",
        ),
        (
            "STRIX: Counting owls",
            "We propose STRIX. We reduce missed owls by 40% on average.",
            "STRIX reduces missed owls by 40% on average",
        ),
        # A finding without the name gets it as a prefix.
        (
            "STRIX: Counting owls",
            "We present STRIX. Results show that young owls are missed in 40% of nets.",
            "STRIX: young owls are missed in 40% of nets",
        ),
        (
            "Finding owls",
            "We find that STRIX not only detects 40% more owls but also bats.",
            "STRIX detects 40% more owls",
        ),
        # Without a finding the line says what was made.
        (
            "Counting owls by ear",
            f"{TASK} To address this, we introduce STRIX, a novel network that tells owls from bats by their calls.",
            "STRIX: a network that tells owls from bats by their calls",
        ),
        (
            "Counting owls by ear",
            f"{TASK} We propose Silent Owl Search (SOS), a lightweight method for owls that never call at night.",
            "SOS: a lightweight method for owls that never call at night",
        ),
        (
            "Counting owls by ear",
            f"{TASK} We build STRIX, the most comprehensive network of microphones for owls.",
            "STRIX: the most comprehensive network of microphones for owls",
        ),
        (
            "Counting owls by ear",
            f"{TASK} We build an unusual network of microphones for owls.",
            "An unusual network of microphones for owls",
        ),
        # Neither is in the abstract, or stands by itself.
        ("Counting the owls at night: a study", f"{KNOWN} Nobody knows why.", "Counting the owls at night"),
        (
            "Counting the owls at night: a study",
            "This method gains 40% over those baselines.",
            "Counting the owls at night",
        ),
        ("Counting the owls at night", "", "Counting the owls at night"),
        # The title's capitals stay where it has many.
        ("Counting Old Owls by Night", "We propose STRIX.", "STRIX: Counting Old Owls by Night"),
        ("Counting old owls by night", "We propose STRIX.", "STRIX: counting old owls by night"),
    ],
)
def test_a_line_says_what_was_found_else_what_was_made_else_the_title(title, abstract, line):
    assert line_of(title, abstract) == line


def test_what_is_posited_or_only_true_without_some_is_no_line():
    posited = "We posit that calm is a desirable benchmark property, indicating that owls are at home in all gardens."
    assert lines("Calm of owls", posited) == ["Calm of owls"]
    excluded = "When these owls were excluded from analysis, the reduction in calls after sunrise was significant."
    assert lines("Calm of owls", excluded) == ["Calm of owls"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Calls were measured by nine microphones.",
        "Owls were then randomly assigned to two gardens.",
        "Larger nets boost the performance.",
    ],
)
def test_what_was_done_and_an_unnamed_gain_are_no_lines(sentence):
    assert lines("Owls in larger nets", sentence) == ["Owls in larger nets"]


def test_a_line_does_not_end_within_a_list_of_another_group():
    listed = "Coughs were more often reported with lamps and headache, sweating, and hot flushes with nets."
    assert not [line for line in lines("Coughs", listed) if "headache" in line]


def test_an_item_of_a_list_is_no_insertion():
    abstract = "Low temperatures, raised nets, reduced shade or water, and early snow were followed by deaths of owls."
    assert not [line for line in lines("Deaths of owls", abstract) if "emperatures reduced" in line]


@pytest.mark.parametrize(
    ("sentence", "line"),
    [
        # What an abstract abbreviates, and the same in fewer words.
        (
            "Large owl nets (LONs) help. We find that large owl nets are able to detect 31% of the owls that call.",
            "LONs can detect 31% of the owls that call",
        ),
        # Adjectives, adverbs and articles without which a claim is a little wider.
        (
            "We find that extensive nets considerably reduce the winter hunger of the various northern owls by 31%.",
            "Nets considerably reduce the winter hunger of the northern owls by 31%",
        ),
        # A phrase before a figure.
        (
            "We find that nets reduce the hunger of owls in the very large and very wet northern forests by 31%.",
            "Nets reduce the hunger of owls by 31%",
        ),
        # Items of a list, and of what is denied.
        (
            "Nets improve the sleep of owls, the hunger of all of the bats, and the mood of the mice in winter.",
            "Nets improve the sleep of owls",
        ),
        (
            "Nets had no demonstrable effect on the sleep of the owls or on the hunger and the mood of the bats.",
            "Nets had no demonstrable effect on the sleep of the owls",
        ),
        # Whom and when it is about, also in a denial, and inside a comparison or the subject.
        (
            "Nets did not alter the sleep of the very old owls during the first months.",
            "Nets did not alter the sleep of the very old owls",
        ),
        (
            "Nets are not inferior to traps for the treatment of the hunger of owls in long winters.",
            "Nets are not inferior to traps for treatment of hunger of owls",
        ),
        (
            "Nets increased the sleep and weight in very old animals of the far north compared with calls.",
            "Nets increased the sleep and weight compared with calls",
        ),
        (
            "We find that feeding of very old animals with hunger after winter is associated with fewer bites of bats.",
            "Feeding is associated with fewer bites of bats",
        ),
        # An inserted phrase, a list behind "do not affect", and verbs that need no object.
        (
            "Large nets, at two and at four feet above the forest, significantly improved the total sleep of the owls.",
            "Large nets improved the total sleep of the owls",
        ),
        (
            "Large nets do not affect the sleep of the owls, the hunger of the bats and the mood of all of the mice.",
            "Large nets do not affect the sleep of the owls",
        ),
        (
            "Bites of the bats occurred in 31% of the owls, and in 9% of all of the mice of the wet southern forests.",
            "Bites of the bats occurred in 31% of the owls",
        ),
        # A further clause has its own comparison.
        (
            "Nets as well as traps reduced the hunger of the owls, but nets had a more pronounced effect than traps.",
            "Nets as well as traps reduced the hunger of the owls",
        ),
        # A participle and a name look like a verb and like "us"; "it" refers to nothing.
        (
            "In tests that were adjusted for the age of owls, elevated nets of wool were associated with more bites.",
            "Elevated nets of wool were associated with more bites",
        ),
        (
            "The hunger of the owls of the north increases with higher levels of US wheat.",
            "Hunger of owls of north increases with higher levels of US wheat",
        ),
        (
            "The study has demonstrated that it is difficult to keep the owls of the north awake.",
            "It is difficult to keep the owls of the north awake",
        ),
        # Words on what supports it, and on where.
        (
            "Our data provide robust evidence that large nets reduce the hunger of owls.",
            "Large nets reduce the hunger of owls",
        ),
        (
            "In old owls of the far north that had not eaten, feeding improved the sleep of young owls.",
            "Feeding improved the sleep of young owls",
        ),
        ("Nets, therefore, reduce the hunger of the owls.", "Nets reduce the hunger of the owls"),
        ("There were no further changes in the hunger of owls.", "No further changes in the hunger of owls"),
        # A denied report stays denied.
        (
            "There is no clear evidence that the nets reduce the hunger of owls.",
            "No clear evidence that the nets reduce the hunger of owls",
        ),
        # Without what it is compared with, and what stands between an object and a later phrase.
        (
            "Loss of weight caused by winter was significantly less in owls given nets than in those fed with bats.",
            "Loss of weight caused by winter was less in owls given nets",
        ),
        (
            "Nets increased the weight of owls in the large and very wet old forests of the north during the winter.",
            "Nets increased the weight of owls during the winter",
        ),
        # Spreads of figures; a name behind what it is; a further clause; what a method achieves.
        ("Weight rose from 38 +/- 12 to 48 +/- 15 grams in the owls.", "Weight rose from 38 to 48 grams in the owls"),
        (
            "The large and quiet net of the north, fishnet, reduces the hunger and the weight of many owls.",
            "Fishnet reduces the hunger and the weight of many owls",
        ),
        (
            "Owls of the large and very wet northern forests were seen at all times; bats reduced the hunger of mice.",
            "Bats reduced the hunger of mice",
        ),
        # What was observed, in a noun phrase; and without "there was".
        (
            "In all of our nets we observe a strong correlation between the hunger of owls and moonlight.",
            "A strong correlation between the hunger of owls and moonlight",
        ),
        (
            "There was no significant difference in hunger between owls of the north and bats.",
            "No significant difference in hunger between owls of the north and bats",
        ),
    ],
)
def test_a_long_finding_is_said_in_fewer_words(sentence, line):
    assert line in lines("A study of animals", f"{TASK} {sentence}")


@pytest.mark.parametrize(
    ("sentence", "never"),
    [
        ("No effects of nets were noticed on the old owls of 3 large and very quiet northern forests.", "noticed"),
        ("Owls with nets were 5.5 times more frequent in wet forests versus all of the dry ones nearby.", "forests"),
        ("STRIX reached 0.66 for old owls, 0.72 for young owls, 0.76 for bats, and 0.81 for all others.", "0.72"),
        ("Nets trained on the very large owls of the north outperform by 5% those of the wet south.", "north"),
        (
            "These results indicate that despite a significant increase in body weight, the hunger of the owls of the "
            "north is not significantly affected by nets of any size.",
            "weight",
        ),
        (
            "The overview of trials of nets in owls revealed reductions in weight of 30% and in hunger of 20%.",
            "reductions",
        ),
        # An adjective is no item of a list.
        (
            "The nets led to a greater loss of weight in clinical and social tests of the many owls of the north.",
            "clinical",
        ),
        (
            "We propose STRIX, a method that identifies and modifies only the subspace of owls relevant to the edit.",
            "relevant",
        ),
        ("The gap between the owls of the north and those of the wet south was 40% in total here.", "north"),
        ("On maps of 2-tree forests, STRIX achieves 15.4 bites of owls versus 22.1 for all of the many bats.", "22.1"),
        # What a denial needs: of what, on what, and instead of what.
        ("There was no difference between large nets and small nets in the hunger of the owls of the north.", "nets"),
        ("There was no effect of large nets or of traps on the hunger of the very old owls.", "traps"),
        (
            "We find that real progress of owls requires not larger nets but a moon that shines all winter.",
            "larger nets",
        ),
        (
            "A net may be useful for animals with essential hunger who have failed to benefit from moonlight.",
            "moonlight",
        ),
        (
            "The therapy of winter hunger in animals with long nets is similar to that of animals without nets.",
            "without nets",
        ),
        (
            "The hunger of the owls of the north was greater in old men of the farms than women.",
            "women",
        ),
        ("Nets significantly suppressed, in all of the owls of the far north, the hunger of the bats.", "north"),
        # What goes on behind another subject, another figure or a verb that is bare.
        (
            "The sleep was longer only after nets, and the hunger of owls, which was lower, was gone after traps.",
            "hunger of owls",
        ),
        ("The hunger fell by 45% in the owls with the nets and by 28% in the many old bats of the south.", "by 28%"),
        ("Nets modified the sleep of the owls, but the effects occurred after the very long winters.", "occurred"),
        (
            "In farm and forest settings, where tame owls have a hidden calling style or lifestyle, our approach finds "
            "calls and adapts to them better than a map.",
            "style",
        ),
        # What a sentence is about.
        ("The screening for winter hunger of young owls is not useful in most farms of the cold north.", "north"),
        ("The heat began less than 14 days after the nets of the farm had gone from the far north.", "north"),
    ],
)
def test_a_cut_that_would_be_false_or_unfinished_is_not_made(sentence, never):
    assert not [line for line in lines("A study", f"{TASK} {sentence}") if line.endswith(never)]


def test_a_line_says_no_instead_without_what_it_is_instead_of():
    made = lines(
        "STRIX: Counting owls", "Nets miss owls. We propose STRIX, a method that instead counts their calls at night."
    )
    assert "STRIX: a method that counts their calls at night" in made
    made = lines("STRIX: Counting owls", "We propose STRIX, a method that counts owls by their calls instead.")
    assert "STRIX: a method that counts owls by their calls" in made
    found = lines("Counting owls", "We find that larger nets catch bats instead of owls.")
    assert "Larger nets catch bats instead of owls" in found


def test_a_denied_report_is_not_taken_as_one():
    abstract = f"{TASK} Group studies do not suggest that nets reduce the hunger of owls."
    assert "Nets reduce the hunger of owls" not in lines("A study of owls", abstract)


@pytest.mark.parametrize(
    ("sentence", "line"),
    [
        ("We show in this work that the calls of owls depend on their nets.", "The calls of owls depend on their nets"),
        (
            "Our method improves the detection of young owls by 15%.",
            "Method improves the detection of young owls by 15%",
        ),
        (
            "A tuned STRIX-7B network has shown promising calls, achieving up to a 2x speedup.",
            "A tuned STRIX-7B network achieves up to a 2x speedup",
        ),
        (
            "Nets did not significantly reduce transition to hunger or feather loss.",
            "Nets did not significantly reduce transition to hunger",
        ),
        (
            "We find that ringing induces a large drop in weight, consistent with old concerns about nets and rings.",
            "Ringing induces a large drop in weight",
        ),
        (
            "This review provided no evidence that nets change sleep or weight, though it suggests that rings do so.",
            "No evidence that nets change sleep or weight",
        ),
        (
            "We find a minimal correlation between calls and nets at the forest level and no differences by age.",
            "A minimal correlation between calls and nets at the forest level",
        ),
        (
            "This study presents the design and evaluation of an acoustic tool for owls of New Zealand.",
            "An acoustic tool for owls of New Zealand",
        ),
        (
            "We developed and rigorously tested a network that tells owls from bats.",
            "A network that tells owls from bats",
        ),
        ("This paper establishes a novel connection between calls and nets.", "A connection between calls and nets"),
        ("We propose STRIX, which trains two small networks on calls.", "STRIX trains two small networks on calls"),
        (
            "We present silent owl search (SOS), a method that elicits calls from owls and maps these to nets.",
            "SOS: a method that elicits calls from owls",
        ),
    ],
)
def test_a_line_can_be_made_of(sentence, line):
    assert line in lines("Counting by ear", f"{TASK} {sentence}")


def test_what_a_method_achieves_is_said_of_its_name():
    abstract = "We present STRIX for owls of all ages that live in large and very wet forests, reducing misses by 40%."
    assert "STRIX reduces misses by 40%" in lines("STRIX: Counting owls", abstract)


@pytest.mark.parametrize(
    "sentence",
    [
        "Studies of nets should go on to confirm that the owls of the north are rare.",
        "The gains are largest in the crucial winters of the north.",
        "Large nets can improve its sleep and its weight by 31%.",
        "The drug reduces the hunger of many owls of the north.",
        "Owls, left wings smaller than 35%.",
        "On the basis of clinical findings and results of the tests.",
        "The owls of group A had a higher weight than bats.",
        "Whenever the nets of the owls were kept at a higher level.",
        "The noise of many large nets confuses them by 31%.",
        # Cut inside parentheses.
        "Mean differences were 21.8 (feathers, g/m(2)) and 3.1 in both of the large forests of the far north.",
    ],
)
def test_what_is_wanted_points_back_or_has_no_clause_is_no_line(sentence):
    assert line_of("A study of owls: nets and hunger", f"{KNOWN} {sentence}") == "A study of owls"


def test_short_forms_are_those_that_an_abstract_introduces():
    text = "Retrieval-Augmented Generation (RAG) and Large Language Models (LLMs), in a trial (CONSORT) of rats (RATS)."
    assert short_forms(text) == {"retrieval-augmented generation": "RAG", "large language models": "LLMs"}


@pytest.mark.parametrize(
    ("title", "abstract", "name"),
    [
        ("STRIX: Counting owls", "We count.", "STRIX"),
        ("Owl Finder: Counting owls", "We call it Owl Finder.", "Owl Finder"),
        ("Counting owls: a study", "We count.", ""),
        ("Counting owls", "A large owl model (LOM) fails. We propose a Large Owl Model (LOM) with ears.", ""),
        ("Counting owls", "We propose a network called Strix for owls.", "Strix"),
        ("Counting owls", "We train Large Owl Models (LOMs) here.", ""),
        ("Counting owls", "We present a systematic evaluation of StrixNet, OWL, CROW, and BatNet.", ""),
    ],
)
def test_a_name_is_of_what_the_paper_makes(title, abstract, name):
    assert name_of(title, [text for text, _ in split(abstract)]) == name


def test_a_title_loses_its_subtitle_but_not_all_it_says():
    assert without_subtitle("Do owls count at night? A study of calls") == "Do owls count at night?"
    assert without_subtitle("Owls at night: a study") == "Owls at night: a study"


@pytest.mark.parametrize(
    ("title", "line"),
    [
        (
            "Finish first, perfect later: token-level validation for owl models",
            "Finish first, perfect later: token-level validation for owl models",
        ),
        (
            "From the longest dusk to the earliest dawn: a survey of large owl models",
            "A survey of large owl models",
        ),
        ("Owls:A survey of owl calls at night", "Owls: A survey of owl calls at night"),
    ],
)
def test_a_subtitle_can_say_what_a_catchy_title_doesnt(title, line):
    assert line_of(title, f"{KNOWN} Nobody knows why.") == line


def test_a_subtitle_gets_the_name_of_what_is_made():
    made = lines("Finish first, perfect later: token-level validation for owl models", "We propose STRIX.")
    assert "STRIX: token-level validation for owl models" in made


def test_a_subtitle_on_how_it_was_studied_or_behind_a_full_stop_is_none():
    head = "Sleep of owls on ramipril"
    assert lines(f"{head}: a randomised controlled trial", "") == [head]
    assert lines(f"{head}. The Owl Heart Study Group", "") == [head]


def test_a_topic_of_the_title_stands_before_what_does_not_say_what_it_is_about():
    title = "Effects of moonlight on the sleep of owls: a randomised trial in children"
    abstract = "Moonlight was tried on owls and children. We found that eggs were larger in the north after a month."
    found = lines(title, abstract)
    assert "Moonlight: eggs were larger in the north after a month" in found
    assert "Owls: eggs were larger in the north after a month" in found
    assert not [line for line in found if line.startswith(("Sleep:", "Randomised trial:"))]
    assert all(len(line.split()) <= MAX_WORDS for line in found[:-1])


def test_a_topic_that_is_in_the_statement_is_not_said_twice():
    found = lines("Effects of moonlight on owls", "We found that owls are smaller by moonlight.")
    assert found[0] == "Owls are smaller by moonlight"
    assert not [line for line in found if ":" in line]


def test_with_a_name_no_topic_stands_before_a_statement():
    found = lines("STRIX: Counting owls by moonlight", "We propose STRIX. By moonlight, eggs were larger in nets.")
    assert "STRIX: eggs were larger in nets" in found
    assert not [line for line in found if line.startswith("Moonlight")]


@given(st.text(max_size=80))
def test_topics_of_any_title_are_phrases_of_it(title):
    for label in labels(title, set(stem_terms(title))):
        assert label.text.casefold() in title.casefold()
        assert label.stems


@pytest.mark.parametrize(
    ("sentence", "line"),
    [
        (
            "Changes in wing length were related to changes in weight.",
            "Changes in wing length were related to changes in weight",
        ),
        (
            "The study indicates that both owls and bats were equally beneficial for reducing garden beetles and the "
            "larvae of garden moths in the north.",
            "Both owls and bats were equally beneficial for reducing garden beetles",
        ),
        (
            "Larger nets showed a similar effect in these gardens which was not associated with differences in weight.",
            "Larger nets showed a similar effect",
        ),
        ("A lower loss was associated with class I nets.", "A lower loss was associated with class I nets"),
        (
            "Larger nets reach the level of human observers in only 30% of the nights with three kinds of lamps.",
            "Larger nets reach level of human observers in only 30% of nights",
        ),
        (
            "Larger nets detect more owls and far more bats like Leisler's or Daubenton's at night in six forests.",
            "Larger nets detect more owls and far more bats",
        ),
    ],
)
def test_a_clause_is_kept_though_it_looks_unfinished(sentence, line):
    assert line in lines("Wings of owls", sentence)


@given(st.text(max_size=60), st.text(max_size=400))
def test_any_text_gives_one_line(title, abstract):
    line = line_of(title, abstract)
    assert "\n" not in line
    assert len(line.split()) <= MAX_WORDS or line.casefold() in " ".join(title.split()).casefold()


@pytest.mark.slow
def test_long_abstracts_take_linear_time():
    sentence = "We propose a network, which counts owls, and bats, and results on many tasks show that, on 3 sets, "
    assert line_of("Owls", sentence * 120)


@pytest.mark.parametrize(
    ("title", "line"),
    [
        ("Captopril improves the vessels of patients.", "Captopril improves the vessels of patients"),
        ("[Captopril does not alter sleep in rats]", "Captopril does not alter sleep in rats"),
        ("Captopril protects the vessels. Results of a study", "Captopril protects the vessels"),
        # A play on words, two noun phrases, and what is not said in the main clause.
        ("The Devil Is in the Small Details", "A method that measures vessels of pigs by sound"),
        (
            "Effects of captopril on ventricular ectopic beats in pigs",
            "A method that measures vessels of pigs by sound",
        ),
        ("Captopril when blood pressure is resistant", "A method that measures vessels of pigs by sound"),
    ],
)
def test_a_title_that_states_a_finding_is_the_line(title, line):
    assert line_of(title, "Vessels age. We propose a method that measures vessels of pigs by sound.") == line


def test_a_noun_is_no_verb():
    abstract = "The minimum cost intervention in the trial consisted of mailing guidelines to all of the dentists."
    assert line_of("Guidelines for dentists", f"{abstract} It increased costs.") == "Guidelines for dentists"
