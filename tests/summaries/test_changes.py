"""Find the sentence of a later abstract that says something else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.summaries.changes import Change, changed_sentence

BACKGROUND = "Owls are hard to count at night."
METHOD = "We propose STRIX, which counts owls by their calls."
RESULT = "STRIX finds 31% more owls than people do."
CONCLUSION = "Our results show that calls suffice to count owls in dense forests."


@pytest.mark.parametrize(
    ("after", "change"),
    [
        ([BACKGROUND, METHOD, RESULT, CONCLUSION], None),
        # Other words and marks alone are no change.
        (["Owls are very hard to count at night!", METHOD, RESULT.replace(".", ""), CONCLUSION], None),
        # A figure of a result says more than a new sentence on the method.
        (
            [BACKGROUND, METHOD, "It also has 3 heads.", RESULT.replace("31%", "12%"), CONCLUSION],
            Change(RESULT, "STRIX finds 12% more owls than people do."),
        ),
        (
            [BACKGROUND, METHOD, RESULT, CONCLUSION.replace("suffice", "do not suffice")],
            Change(CONCLUSION, "Our results show that calls do not suffice to count owls in dense forests."),
        ),
        # A sentence that was moved is none.
        ([METHOD, BACKGROUND, CONCLUSION, RESULT], None),
    ],
)
def test_a_sentence_counts_if_its_figures_or_its_claim_differ(after, change):
    assert changed_sentence(" ".join([BACKGROUND, METHOD, RESULT, CONCLUSION]), " ".join(after)) == change


def test_a_new_finding_with_figures_counts():
    new = "On a second forest, STRIX outperforms people by 20%."
    before = " ".join([BACKGROUND, METHOD, RESULT])
    assert changed_sentence(before, f"{before} {new}") == Change("", new)


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_two_texts_are_compared(before, after):
    change = changed_sentence(before, after)
    assert change is None or (change.after in after and change.before in before)
    assert changed_sentence(after, after) is None
