"""Text is safe to display and within its width."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.model.wording import oneline, shorten, visible, wrap

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=300)


def test_bidirectional_overrides_and_control_characters_are_removed() -> None:
    assert visible("a\u202ecba\u2069\x00\x1b[1m") == "acba[1m"


def test_a_lone_surrogate_becomes_a_question_mark() -> None:
    assert visible("a\ud800b") == "a?b"


def test_joiners_that_scripts_and_emoji_need_stay() -> None:
    assert visible("👩\u200d🔬 می\u200cخواهم") == "👩\u200d🔬 می\u200cخواهم"


@given(ANY_TEXT)
def test_oneline_gives_one_line_that_utf8_can_encode(text: str) -> None:
    assert len(oneline(text).splitlines()) <= 1
    oneline(text).encode()


def test_a_short_text_is_not_shortened() -> None:
    assert shorten("as it is", 8) == "as it is"


def test_a_long_text_is_cut_after_a_word_without_dangling_punctuation() -> None:
    assert shorten("To be, or not to be", 7) == "To be…"


def test_a_single_long_word_is_cut_within_the_word() -> None:
    assert shorten("x" * 50, 10) == "x" * 9 + "…"


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
        text,
        12,
        initial_indent=first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    assert wrap(text, indent, first, 12) == expected
