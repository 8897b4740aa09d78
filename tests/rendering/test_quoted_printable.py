"""Texts that are encoded one by one and joined as bytes arrive as their joined text."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from bot.rendering.quoted_printable import decoded, encoded

TEXTS = st.lists(
    st.text(st.sampled_from("a=-_. \tü€\n"), max_size=100) | st.text("x", max_size=80), max_size=4
)


@given(TEXTS)
@example(["ends in a blank ", "\n", " begins with one"])
@example(["x" * 74, "x" * 75, "x" * 76, "x" * 77])
@example(["=", "_not a boundary", "\n.", "\n", ""])
def test_joined_bytes_are_the_joined_text_in_short_lines(texts: list[str]) -> None:
    content = b"".join(map(encoded, texts))
    assert decoded(content) == "".join(texts)
    assert content.isascii()
    assert b"=_" not in content
    lines = content.split(b"\r\n")
    assert lines.pop() == b""
    # Blanks at the end of a line are lost on the way; one in the last column makes it longer by one character.
    assert all(line == line.rstrip() and len(line) <= 77 for line in lines)


def test_every_text_is_encoded_as_whole_lines() -> None:
    assert encoded("") == b""
    assert encoded("one line") == b"one line=\r\n"
    assert encoded("one line\n") == b"one line\r\n"
    assert encoded("a\rb\r\nc") == b"a\r\nb\r\nc=\r\n"
