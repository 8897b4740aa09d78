"""Summaries: whole sentences, word for word, in order, for this reader."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.model import Role
from bot.summaries.references import refers_back, without_head
from bot.summaries.roles import KINDS, Reading, Shares
from bot.summaries.sentences import CUT, sentences
from bot.summaries.summary import (
    SET_FEATURES,
    Read,
    Worth,
    are_background,
    best_set,
    choose,
    find_proposals,
    finding,
    occurrence,
    summarise,
)

ABSTRACT = (
    "Recent years have seen much work on gardens. However, weeds remain a problem. "
    "We propose WeedNet, which pulls weeds by their roots. It is trained on two beds. "
    "Squirrels are discussed at length. Experiments show that it removes 95% of weeds."
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two.", ["One.", "Two."]),
        ("We use e.g. Rust and i.e. Go. Next", ["We use e.g. Rust and i.e. Go.", "Next"]),
        ("Smith et al. Show it. Yes.", ["Smith et al. Show it.", "Yes."]),
        ("It rose by 3.5 points. Good!", ["It rose by 3.5 points.", "Good!"]),
        ("As J. Doe said. Fine.", ["As J. Doe said.", "Fine."]),
        ("See Fig. 2 and Sec. 3. Done.", ["See Fig. 2 and Sec. 3.", "Done."]),
        ("Is it so? Yes (indeed.) Quite.", ["Is it so?", "Yes (indeed.)", "Quite."]),
        ("Code at https://a.example/x.y. Enjoy.", ["Code at https://a.example/x.y.", "Enjoy."]),
        ("It beats vs. all. 10 of 12 agree.", ["It beats vs. all.", "10 of 12 agree."]),
        ("We use RGB-D. After that it works.", ["We use RGB-D.", "After that it works."]),
        ("Light, wind, etc. To mend this, we do.", ["Light, wind, etc.", "To mend this, we do."]),
        ("It is an object.This paper ends it.", ["It is an object.", "This paper ends it."]),
        ("U.S. Government data. We", ["U.S. Government data.", "We"]),
        ("It is of the U.S. Evaluating owls, we see.", ["It is of the U.S.", "Evaluating owls, we see."]),
        ("The U.S. Department and the U.S. Nursing Home Act", ["The U.S. Department and the U.S. Nursing Home Act"]),
        ("By J. Harding and others.", ["By J. Harding and others."]),
        ("All are i.i.d. We show it.", ["All are i.i.d.", "We show it."]),
        ("Steps: 1. We dig. 2. We sow. It grows.", ["Steps: 1. We dig.", "2. We sow.", "It grows."]),
        ("See no. 3 there. The answer is no. We go.", ["See no. 3 there.", "The answer is no.", "We go."]),
        ("It won by 12. We go.", ["It won by 12.", "We go."]),
        ("It rose from 64. 36% to 80. 5% in 2004. 12% fell.", ["It rose from 64. 36% to 80. 5% in 2004.", "12% fell."]),
        ("A title\n \nIt begins.", ["A title", "It begins."]),
        ("Look here. iSeed is new.", ["Look here.", "iSeed is new."]),
        ("\\textbf{Good.} We", ["\\textbf{Good.}", "We"]),
        ("It costs $3.$ We pay $x. y$ more.", ["It costs $3.$", "We pay $x. y$ more."]),
        ("  ", []),
    ],
)
def test_sentences_end_where_people_see_them_end(text, expected):
    assert sentences(text) == expected


@given(st.text(alphabet="aB. !?()e.g\n1", max_size=80))
def test_no_letter_is_lost_and_each_sentence_is_in_the_text(text):
    parts = sentences(text)
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(sentence in text for sentence in parts)


def texts(summary):
    return [sentence.text for sentence in summary]


def test_what_was_done_and_what_came_out_is_kept_rather_than_the_scene():
    assert texts(summarise(ABSTRACT, 2, {})) == [
        "We propose WeedNet, which pulls weeds by their roots.",
        "Experiments show that it removes 95% of weeds.",
    ]


def test_the_idea_and_the_result_are_called_so():
    roles = {sentence.text.split()[0]: sentence.role for sentence in summarise(ABSTRACT, 6, {})}
    assert (roles["We"], roles["Experiments"]) == (Role.IDEA, Role.RESULT)
    assert [role for role in roles.values() if role].count(Role.RESULT) == 1


def test_of_sentences_of_like_use_the_one_on_the_readers_words_is_kept():
    abstract = (
        "We propose WeedNet, which pulls weeds by their roots. The arms hold the red leaves. The arms hold "
        "the blue stones."
        " Experiments show that it removes 95% of weeds."
    )
    chosen, blue, grey = (texts(summarise(abstract, 3, weights)) for weights in ({}, {"blue stone": 1.0}, {"we": 1.0}))
    assert "The arms hold the red leaves." in chosen
    assert [sentence for sentence in blue if sentence not in chosen] == ["The arms hold the blue stones."]
    assert grey == chosen


# Few values, so that many sets are worth the same.
@given(
    st.lists(st.sampled_from([0.0, 0.1, 0.3, 1.0]), min_size=20, max_size=20),
    st.lists(st.sampled_from([0.0, 0.05, 0.1, 0.2]), min_size=6, max_size=6),
)
def test_the_set_that_is_worth_most_is_found_without_looking_at_all_of_them(to_any, extras):
    sets = [Worth(*row) for row in zip(to_any, combinations(range(6), 3), strict=True)]
    sets.sort(key=lambda row: -row.worth)
    expected = max(sets, key=lambda row: row.worth + sum([extras[i] for i in row.places]))
    assert best_set(sets, extras) == expected.places


def test_the_readers_words_cost_no_role():
    chosen = texts(summarise(ABSTRACT, 3, {"squirrel": 9.0, "bed": 9.0}))
    assert "We propose WeedNet, which pulls weeds by their roots." in chosen
    assert "Experiments show that it removes 95% of weeds." in chosen


def test_words_to_mark_are_marked_at_their_first_occurrence():
    summary = summarise(ABSTRACT, 6, {}, ["weed", "two beds", "tulip"])
    assert [sentence.marks for sentence in summary] == [
        (),
        ("weeds",),
        (),
        ("beds",),
        (),
        (),
    ]  # "two" is no topic


def test_a_short_abstract_is_shown_whole():
    assert texts(summarise("One. Two.", 3, {})) == ["One.", "Two."]


@given(st.integers(0, 6), st.dictionaries(st.sampled_from(["weeds", "beds", "it is"]), st.floats(-2, 2)))
def test_each_sentence_is_a_part_of_the_abstract_and_shown_once(how_many, weights):
    chosen = texts(summarise(ABSTRACT, how_many, weights))
    assert all(text in ABSTRACT for text in chosen)
    assert len(chosen) == len(set(chosen)) == min(how_many, 6)


def test_sentences_keep_their_order_and_have_roles():
    abstract = (
        "Weeds have been a problem in gardens for many years. We propose WeedNet, which pulls weeds by their roots. "
        "Experiments show that it removes 95% of weeds, 20% more than previous methods. "
        "Code is available at https://a.example/b."
    )
    summary = summarise(abstract, 3, {})
    assert [text.split()[0] for text in texts(summary)] == ["Weeds", "We", "Experiments"]
    assert [sentence.role for sentence in summary] == [Role.BACKGROUND, Role.IDEA, Role.RESULT]
    assert not any(sentence.after_gap for sentence in summary)


def test_what_we_all_know_is_not_what_is_new():
    abstract = (
        "Heat has enhanced our understanding of weeds. We propose WeedNet, which pulls weeds by their roots. "
        "Experiments show that it removes 95% of weeds, 20% more than previous methods. It runs on a phone."
    )
    assert texts(summarise(abstract, 3, {}))[0].startswith("We propose")


@pytest.mark.parametrize(
    ("known", "count"),
    [
        ("Weeds have been a problem in gardens for many years.", 1),
        ("Weeds have been a problem for years. Gardeners have often tried to burn them.", 2),
        ("Background: Weeds have been a problem in gardens for many years.", 1),
        ("A robot is presented that weeds gardens.", 0),
        ("The study explores weeds in gardens.", 0),
    ],
)
def test_what_was_known_is_background(known, count):
    new = "We propose WeedNet, which pulls weeds. It removes 95% of weeds. Code is available at https://a.example/b."
    abstract = f"{known} {new}"
    roles = [sentence.role for sentence in summarise(abstract, len(sentences(abstract)) - 1, {})]
    assert roles.count(Role.BACKGROUND) == count


def test_the_main_finding_is_bold_before_a_side_result():
    main = "Robots removed more weeds than hand weeding (91% versus 80%)."
    side = "Batteries lasted 3% longer than before in one of the gardens (p = 0.04)."
    assert finding(summarise(f"We compared two ways of weeding in 40 beds. {main} {side}", 3, {})) == main


def test_a_study_is_told_by_its_main_finding_and_what_it_comes_to():
    main = "The mean pull was 31 N in clay and 12 N in sand (p < 0.001)."
    answer = "These findings suggest that robots need stronger motors in clay than in sand."
    before = "The pull of weeding robots was measured in 12 gardens. Each robot pulled 40 weeds."
    after = "In two gardens batteries failed within 3 hours. Temperature had no effect on pull (p = 0.6)."
    abstract = f"{before} {main} Pull rose with soil moisture (r = 0.4). {answer} {after}"
    assert {main, answer} <= set(texts(summarise(abstract, 3, {})))


def test_what_says_nothing_is_shown_only_where_nothing_else_is_left_and_never_bold():
    empty = [
        "Code is available at https://a.example/b.",
        "We hope that this work inspires future research.",
        "The results establish a robust foundation for gardens.",
        "The use of nets in gardens will also be addressed.",
    ]
    abstract = " ".join(["Weeds grow.", "We propose WeedNet.", *empty, "It removes 95% of weeds."])
    assert not set(empty) & set(texts(summarise(abstract, 3, {})))
    summary = summarise(abstract, 3 + len(empty), {})
    assert set(empty) < set(texts(summary))
    assert finding(summary) not in empty


@pytest.mark.parametrize(
    ("sentence", "bold"),
    [
        ("Experiments show that WeedNet removes 95% of weeds, 20% more than RootBot.", True),
        ("We find that weeds grow faster in wet beds than in dry ones.", True),
        ("Extensive experiments demonstrate the effectiveness of our method.", False),
        ("Experiments show that our method outperforms existing baselines.", True),
        # Who was studied, not what came out.
        ("At the beginning of the study, 35% of the old owls were in the class of the very hungry.", False),
        ("We hope that our findings will inspire future research on weeds.", False),
        ("This work was done when the first author was an intern at Weed Labs.", False),
        ("The results show that pulling roots provides a robust strategy for gardens.", False),
        (
            "Experiments show that WeedNet achieves state-of-the-art performance across 25 hard datasets.",
            True,
        ),
        ("Experiments on 25 datasets show that WeedNet pulls 20 points more than RootBot.", True),
        ("We evaluate 32 robots, revealing substantial challenges in pulling roots.", False),
        ("For example, one robot is shown to follow the two other robots.", False),
        ("We find that robots which are tested in wet beds weed better than others.", True),
        ("We find that pulling roots by night improves the robots' performance.", True),
        (
            "Our analysis reveals that robots excel at pulling roots, yet fail to pull weeds in wet beds.",
            True,
        ),
        ("WeedNet outperforms existing methods, both quantitatively and qualitatively.", True),
        ("This paper serves as both a technical roadmap and a critical reflection.", False),
        ("The result is a robot that weeds 3.5 beds in an hour.", False),
        (
            "In our experiments, we train WeedNet 2.5 on a 4 x 4 grid of beds, and find that it removes all weeds.",
            True,
        ),
        ("With WeedNet we hope to remove 95% of weeds.", False),
        ("Evaluation results demonstrate that the robot can weed with a high precision rate.", False),
        ("Results show substantial improvements over strong baselines, confirming the merits of WeedNet.", True),
        ("Experiments show that WeedNet can improve the yield of most gardens.", True),
        ("Experiments show that WeedNet could improve the yield of most gardens.", False),
        ("The pre-intervention rate of weeding was 85.2% (785 of 921 gardens).", False),
        ("Experiments show that WeedNet surpasses RootBot by 9.5%, demonstrating the power of roots.", True),
        ("© 2004 Weed Society, doi:10.1117/1.1636761, all rights reserved.", False),
    ],
)
def test_only_what_came_out_is_set_in_bold(sentence, bold):
    summary = summarise(f"Weeds are a problem. We propose WeedNet, which pulls weeds. {sentence}", 3, {})
    assert finding(summary) == (sentence if bold else None)


def test_a_sentence_that_refers_back_is_shown_with_what_it_refers_to_or_not_at_all():
    abstract = (
        "Gardens are full of weeds. Two paradigms for weeding exist. This paradigm is slow. Squirrels eat bulbs. "
        "We propose WeedNet, which pulls weeds by their roots. Experiments show that it removes 95% of weeds."
    )
    for how_many in range(1, 6):
        chosen = texts(summarise(abstract, how_many, {}))
        assert "This paradigm is slow." not in chosen or "Two paradigms for weeding exist." in chosen


def read_as(*chosen, **weights):
    """An abstract whose sentences have these shares of being chosen, and weights of the features of sets."""
    no = [False] * len(chosen)
    return Read(
        sentences=["Weeds grow.", "We pull weeds.", "By night, too.", "It wins."],
        readings=[Reading((0.0,) * len(KINDS), Shares(0.0, 0.0, 0.0, share), 0.0) for share in chosen],
        terms=[],
        sentence_terms=[[]] * len(chosen),
        leads=[0.0] * len(chosen),
        empty=no,
        expansions={},
        sample=None,
        antecedents=[None] * len(chosen),
        continues=no,
        background=no,
        introduces=False,
        proposals=(),
        set_weights=[weights.get(name, float(name == "chosen")) for name in SET_FEATURES],
        options={},
    )


def test_the_sentences_are_shown_that_an_editor_would_choose_most_probably():
    paper = read_as(0.1, 0.4, 0.2, 0.3)
    assert choose(paper, 2, {}) == (1, 3)
    assert choose(paper, 3, {}) == (1, 2, 3)


def test_a_set_gains_by_its_proposal_its_finding_and_its_sample():
    paper = read_as(0.1, 0.4, 0.2, 0.3, proposal=2.0, finding=2.0, sample=2.0)
    assert choose(paper._replace(proposals=(2,)), 2, {}) == (1, 2)
    assert choose(paper._replace(leads=[0.9, 0.0, 0.0, 0.0], options={}), 2, {}) == (0, 1)
    assert choose(paper._replace(sample=0, options={}), 2, {}) == (0, 1)


def test_a_set_loses_by_a_sentence_that_needs_one_left_out():
    paper = read_as(0.1, 0.4, 0.2, 0.3, loose=-1.0)._replace(antecedents=[None, None, None, 2])
    assert choose(paper, 2, {}) == (1, 2)
    assert choose(paper, 3, {}) == (1, 2, 3)


def test_a_head_that_only_links_is_left_out_behind_a_gap():
    abstract = (
        "Weeds are a problem. Many robots are slow. To address these limits, we propose WeedNet, which pulls weeds."
        " It is trained on two beds. Finally, experiments show that WeedNet removes 95% of weeds, 9% more than RootBot."
    )
    summary = summarise(abstract, 2, {})
    assert texts(summary) == [
        "we propose WeedNet, which pulls weeds.",
        "experiments show that WeedNet removes 95% of weeds, 9% more than RootBot.",
    ]
    assert [sentence.after_gap for sentence in summary] == [True, True]


@pytest.mark.parametrize(
    ("sentence", "refers"),
    [
        ("This paradigm fails.", True),
        ("It fails.", True),
        ("Such methods fail.", True),
        ("To address these challenges, they fail.", True),
        ("One is slow.", True),
        ("One of the robots fails.", False),
        ("With them, weeds fail.", True),
        ("While it is slow, WeedNet fails.", False),
        ("To address these challenges, in this paper, we fail.", False),
        ("To help gardeners, this framework fails.", True),
        ("We propose WeedNet, a robot that tackles these challenges.", True),
        ("We introduce WeedGym to evaluate these applications more directly.", True),
        ("To demonstrate its effectiveness, we fail.", False),
        ("To demonstrate its effectiveness, roots were pulled.", True),
        ("We show that this assumption fails.", True),
        ("The above fails.", True),
        ("For example, weeds fail.", False),
        ("However, we fail.", False),
        ("To address these challenges, we fail.", False),
        ("It is challenging to fail.", False),
        ("In contrast to previous work, we fail.", False),
        ("In this paper, we fail.", False),
        ("", False),
    ],
)
def test_openers_that_refer_back_are_known_from_those_that_do_not(sentence, refers):
    assert refers_back(sentence) is refers


@given(st.text(max_size=60))
def test_a_sentence_without_its_head_is_a_part_of_it(text):
    assert text.endswith(without_head(text))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "To " * 20_000,
        "show " * 20_000,
        "To this " * 10_000,
        "the code, " * 10_000,
        "1" * 100_000,
        "1 weed " * 15_000,
        "reveals " * 15_000,
        "address these " * 10_000,
        "a." * 50_000,
    ],
)
def test_long_hostile_text_is_read(text):
    assert len(summarise(text, 3, {})) <= 3


KNOWN = Reading((0.9, 0.0, 0.0, 0.1, 0.0, 0.0), Shares(0.0, 0.0, 0.0, 0.0), 0.0)
NEW = Reading((0.1, 0.0, 0.0, 0.9, 0.0, 0.0), Shares(0.0, 0.0, 0.0, 0.0), 0.0)


@pytest.mark.parametrize(
    ("abstract", "known"),
    [
        ([("Weeds grow.", KNOWN), ("Robots fall.", KNOWN), ("We pull.", NEW)], [True, True, False]),
        ([("We present a robot.", NEW), ("The model joins arms and eyes.", KNOWN)], [False, False]),
        ([("We all know weeds.", KNOWN), ("Robots fall.", KNOWN), ("We pull.", NEW)], [False, True, False]),
        ([("This pilot study explores weeds.", KNOWN), ("We pull.", NEW)], [False, False]),
        ([("Weeds fell by half.", NEW), ("Weeds had been tall.", KNOWN)], [False, True]),
    ],
)
def test_what_was_known_stands_before_what_the_paper_says_of_itself(abstract, known):
    sentences, readings = zip(*abstract, strict=True)
    assert are_background(sentences, readings, []) == known


def test_what_is_proposed_is_new_even_where_it_reads_as_known():
    sentences = ["Our robots fall.", "The model joins arms and eyes."]
    assert are_background(sentences, [KNOWN, KNOWN], [0]) == [False, False]
    assert are_background(sentences, [KNOWN, KNOWN], []) == [False, True]


@pytest.mark.parametrize(
    ("sentence", "proposes"),
    [
        ("We propose WeedNet.", True),
        ("This paper introduces WeedNet.", True),
        ("We leave the usual assumption about the roots of weeds behind, and introduce WeedNet.", True),
        ("WeedNet pulls weeds. Others propose robots.", False),
    ],
)
def test_a_sentence_proposes_what_the_paper_introduces(sentence, proposes):
    assert find_proposals([sentence], [False]) == [0] * proposes


def test_the_first_sentence_that_says_what_is_studied_stands_for_a_missing_proposal():
    abstract = ["Weeds grow.", "This work examines where.", "We analyse nine beds.", "Most stand by a fence."]
    assert find_proposals(abstract, [False] * 4) == [1]
    assert find_proposals(abstract[:1], [False]) == []
    assert find_proposals(abstract, [False, True, False, False]) == [2]
    assert find_proposals([*abstract, "We propose a shorter fence."], [False] * 5) == [4]


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


TRIAL = (
    "Back pain is common among gardeners, and drugs are often prescribed for it. "
    "The aim of this study was to compare weeding with rest in gardeners with back pain. "
    "Sixty patients were randomly assigned to weeding or rest for 12 weeks. "
    "The mean age of the patients was 50.1 years. "
    "The two treatment groups were well balanced for baseline pain. "
    "Pain was reduced by 42% with weeding and by 12% with rest (P < 0.001). "
    "Weeding was well tolerated. "
    "These results suggest that weeding is more effective than rest in gardeners with back pain."
)


def test_what_was_known_before_is_not_bold():
    known = "Gardeners answer questions on roots at length, whereas robots tend to answer them in a word."
    assert finding(summarise(f"{known} We propose WeedNet, which pulls weeds.", 3, {})) is None


def test_a_summary_tells_who_was_studied_what_was_found_and_what_follows():
    summary = summarise(TRIAL, 3, {})
    assert texts(summary)[0].startswith("Sixty patients were randomly assigned")
    assert texts(summary)[1].startswith("Pain was reduced by 42%")
    assert finding(summary) == texts(summary)[-1]
    assert texts(summary)[-1].startswith("These results suggest")


def test_harm_is_bold_only_in_a_study_of_it():
    effect = "Pain fell by 42% with weeding and by 12% with rest."
    harm = "Side effects were more frequent with weeding than with rest (21% and 4%, P < 0.01)."
    aim = "The aim of this study was to compare {} of weeding with that of rest."
    assert finding(summarise(f"{aim.format('the effect')} {effect} {harm}", 3, {})) == effect
    assert finding(summarise(f"{aim.format('the safety')} {effect} {harm}", 3, {})) == harm


def test_a_description_of_the_sample_is_never_bold():
    for number in range(1, 9):
        assert not (finding(summarise(TRIAL, number, {})) or "").startswith(("The mean age", "The two", "Sixty"))


def test_headings_say_which_sentence_is_the_conclusion():
    parts = ["Weeds grow in 95% of gardens.", "We pulled weeds for two years.", "Roots were left in 12% of beds."]
    abstract = "BACKGROUND: {} METHODS: {} RESULTS: {} CONCLUSIONS: {} TRIAL REGISTRATION: {}"
    summary = summarise(abstract.format(*parts, "Roots stay in the beds.", "GARDEN 0123."), 3, {})
    assert finding(summary) == "Roots stay in the beds."
    swapped = summarise(abstract.format(parts[0], parts[1], "Roots stay in the beds.", parts[2], "GARDEN 0123."), 3, {})
    assert "GARDEN 0123." not in texts(swapped)
    assert parts[2] in texts(swapped)


def test_the_figure_of_all_that_was_tried_is_bold_before_that_of_the_best_part():
    best = "WeedNet removes up to 75% of the weeds on BedBench, which is 20% more than RootBot."
    overall = "Overall, WeedNet removes 58% of the weeds on BedBench, which is 10% more than RootBot."
    for pair in (f"{best} {overall}", f"{overall} {best}"):
        assert finding(summarise(f"We propose WeedNet. {pair}", 3, {})) == overall


def test_one_sentence_says_the_gist():
    abstract = (
        "Gardens are full of weeds, and weeds are hard to pull. Many robots are slow. "
        "In this paper, we propose WeedNet, a robot that pulls weeds by their roots. "
        "It has two arms. It was trained on two beds. Experiments were made in nine gardens."
    )
    assert texts(summarise(abstract, 1, {}))[0].endswith("we propose WeedNet, a robot that pulls weeds by their roots.")


def test_a_sentence_that_lost_its_words_to_a_link_is_left_out():
    swallowed = "Robots remove 95% of this http URL propose that they rest, too."
    whole = "Robots of wood remove 80% of thistles."
    shown = texts(
        summarise(f"We propose WeedNet, a net of robots. {swallowed} {whole} Robots of tin remove 12%.", 3, {})
    )
    assert whole in shown
    assert not any("URL" in text for text in shown)


def test_an_address_in_parentheses_costs_a_sentence_nothing():
    sentence = "Experiments on nine beds (this https URL) show that WeedNet removes 95% of weeds."
    assert finding(summarise(f"Weeds grow. We propose WeedNet, a robot. {sentence}", 3, {})) == sentence


def test_an_addition_is_no_main_finding():
    main = "These results show that weeding is more effective than rest."
    side = "Additionally, these data show that warm days are better than cold ones."
    assert finding(summarise(f"We compared weeding with rest in 90 beds. {main} {side}", 3, {})) == main


def test_two_ellipses_never_meet():
    long = f"We present RootBot, a small robot with {'a long arm and ' * 8}a net, which was made by hand in May."
    abstract = (
        f"Beds are wide. {long} Nets are dear. It has nine long arms. However, RootBot removes 95% of weeds. Others "
        "remove 12%. Nobody knows why. All of them fail in winter."
    )
    summary = summarise(abstract, 2, {})
    assert [sentence.text.endswith(CUT) for sentence in summary] == [True, False]
    assert not summary[1].after_gap


def test_an_abbreviation_has_its_expansion_behind_its_first_mention():
    abstract = (
        "Many gardens have hidden weed banks (HWB). We propose WeedNet, which pulls weeds by their roots. "
        "Experiments show that it removes 95% of the HWB, and that each HWB had 20% more weeds than the last."
    )
    shown = "Experiments show that it removes 95% of the HWB [hidden weed banks], and that each HWB had"
    assert texts(summarise(abstract, 2, {}))[1].startswith(shown)
    assert all(text in abstract for text in texts(summarise(abstract, 2, {}, is_verbatim=True)))
    assert "[" not in " ".join(texts(summarise(abstract, 3, {}))[:1])


def test_an_abstract_without_words_on_itself_begins_with_its_first_finding():
    abstract = "Weeding at night doubled the yield of nine beds (p < 0.01). Weeding by day had no effect on yield."
    assert finding(summarise(abstract, 1, {})) is not None
