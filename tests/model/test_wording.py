"""Text is safe to display and within its width."""

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.model.wording import oneline, shorten, visible, wrap

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=300)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\u202ecba\u2069\x00\x1b[1m", "acba[1m"),
        ("a\ud800b", "a?b"),
        # Scripts and emoji need joiners.
        ("👩\u200d🔬 می\u200cخواهم", "👩\u200d🔬 می\u200cخواهم"),
    ],
)
def test_only_harmful_characters_are_removed(text: str, expected: str) -> None:
    assert visible(text) == expected


@given(ANY_TEXT)
def test_oneline_gives_one_line_that_utf8_can_encode(text: str) -> None:
    assert len(oneline(text).splitlines()) <= 1
    oneline(text).encode()


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [("as it is", 8, "as it is"), ("To be, or not to be", 7, "To be…"), ("x" * 50, 10, "x" * 9 + "…")],
)
def test_a_long_text_is_cut_after_a_word_if_possible(text: str, width: int, expected: str) -> None:
    assert shorten(text, width) == expected


@given(ANY_TEXT, st.integers(1, 100))
def test_shortened_text_never_exceeds_its_width(text: str, width: int) -> None:
    assert len(shorten(text, width)) <= width


@pytest.mark.parametrize("width", [20, 72])
def test_wrapped_lines_stay_within_their_width_but_words_stay_whole(width: int) -> None:
    lines = wrap("word " * 40 + "https://example.org/" + "u" * 80, "  ", "- ", width).splitlines()
    assert lines[0].startswith("- word")
    assert all(len(line) <= width for line in lines[:-1])
    assert lines[-1] == "  https://example.org/" + "u" * 80


@given(
    st.text(st.sampled_from("ab-é \t\n\xa0")) | st.lists(st.text("abc", max_size=9)).map(" ".join),
    st.sampled_from(["", "  ", "1. ", " " * 12]),
    st.sampled_from(["", "   "]),
)
def test_a_paragraph_is_wrapped_as_textwrap_does(text: str, first: str, indent: str) -> None:
    expected = textwrap.fill(
        text, 12, initial_indent=first, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    assert wrap(text, indent, first, 12) == expected
