"""Abbreviations: what an abstract says that they stand for, and where a summary says so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.summaries.abbreviations import expansions, spelled_out


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("We use early weeding (EWD) and large language models (LLMs).", {"EWD": "early weeding"}),
        ("They took a proton pump inhibitor (PPI).", {"PPI": "proton pump inhibitor"}),
        ("We saw exercise-mediated vasodilation (EMVR), too.", {}),
        (
            "We saw exercise-mediated vasodilator response (EMVR; n = 9).",
            {"EMVR": "exercise-mediated vasodilator response"},
        ),
        ("Left-ventricular mass (LVM) of the 'wide net' (WN).", {"LVM": "left-ventricular mass", "WN": "wide net"}),
        # A small letter inside a sentence, unless it begins with a name.
        ("Aim: Median owl weight (MOW).", {"MOW": "median owl weight"}),
        ("It works. Plant–soil feedback (PSF) helps.", {"PSF": "plant–soil feedback"}),
        ("Kalman smoothing (KS) of Mendelian owls (MO).", {"KS": "Kalman smoothing", "MO": "Mendelian owls"}),
        ("Alzheimer’s disease (AD).", {"AD": "Alzheimer’s disease"}),
        ("Monte Carlo (MC) and T cells (TC).", {"MC": "Monte Carlo", "TC": "T cells"}),
        ("The risk (odds ratio [OR], 2.7) of owls or more (OR, 3.1).", {"OR": "odds ratio"}),
        ("It needs 3 or more lifetime disorders (OR, 7.8).", {}),
        (
            "Digital/physical appearance enhancement (DAE, PAEE) and perceived emotion (PE).",
            {"PE": "perceived emotion"},
        ),
        ("The RNA of weeds (DNA) in a robot (WeedNet).", {}),
        ("We use $wide$ nets ($WN$) and \\textbf{wide nets} (WN).", {}),
    ],
)
def test_the_words_before_the_parentheses_spell_it_out_or_nothing_does(sentence, expected):
    assert expansions([sentence]) == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["We use EWDs.", "EWD wins."], ["We use EWDs [early weeding].", "EWD wins."]),
        (["Early weeding (EWD) wins.", "We use EWD."], ["Early weeding (EWD) wins.", "We use EWD."]),
        (["We use EWD-2 and A/EWD.", "EWD wins."], ["We use EWD-2 and A/EWD.", "EWD [early weeding] wins."]),
        (["EWD wins.", "We use early weeding (EWD)."], ["EWD [early weeding] wins.", "We use early weeding (EWD)."]),
    ],
)
def test_the_first_mention_has_the_expansion(texts, expected):
    assert spelled_out(texts, {"EWD": "early weeding"}) == expected


@given(st.text(alphabet="aB cD()-s", max_size=60))
def test_only_brackets_are_added(text):
    (spelled,) = spelled_out([text], expansions([text, f"x {text} (BD)"]))
    assert len(spelled) >= len(text)
