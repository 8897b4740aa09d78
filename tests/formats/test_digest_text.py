"""Bytes to clean lines."""

from __future__ import annotations

import codecs

import pytest

from bot.formats.format import MAX_BYTES, MAX_LINES, Line, charset, decode, split_lines, tidy
from bot.model import limits
from bot.model.errors import DigestError

TEXT = "Pokémon \u2013 a naïve study\nof Erdős\u2019 graphs\n"
LINES = [Line(1, "Pokémon \u2013 a naïve study"), Line(2, "of Erdős\u2019 graphs"), Line(3, "")]


def lines(content: bytes) -> list[Line]:
    return split_lines(decode(content))


@pytest.mark.parametrize(
    "content",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        TEXT.encode("utf-16"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        TEXT.encode("utf-16-le"),
        TEXT.encode("utf-16-be"),
        TEXT.encode("utf-32"),
        codecs.BOM_UTF32_BE + TEXT.encode("utf-32-be"),
    ],
    ids=[
        "utf-8",
        "utf-8 bom",
        "utf-16",
        "utf-16-be bom",
        "utf-16-le",
        "utf-16-be",
        "utf-32",
        "utf-32-be bom",
    ],
)
def test_every_unicode_encoding_is_read(content: bytes) -> None:
    assert lines(content) == LINES


def test_windows_1252_is_read_if_it_is_not_utf_8() -> None:
    assert lines("Jörg \u2013 “naïve”".encode("windows-1252")) == [Line(1, "Jörg \u2013 “naïve”")]


def test_latin_1_fills_the_gaps_of_windows_1252() -> None:
    assert lines(b"J\xf6rg and the byte \x81 that Windows-1252 lacks")[0].text.startswith("Jörg and the byte")


def test_one_broken_character_does_not_affect_the_others() -> None:
    assert lines("Jörg, Zoë and Ren".encode() + b"\xc3") == [Line(1, "Jörg, Zoë and Ren\ufffd")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_every_line_end_counts_once(end: str) -> None:
    assert lines(f"a{end}{end}b".encode()) == [Line(1, "a"), Line(2, ""), Line(3, "b")]


def test_lines_are_trimmed_and_blanks_are_single() -> None:
    assert lines("\t a\tb \u00a0 c\u2028d\u2029e\x0bf\x0cg\u0085h  \t".encode()) == [Line(1, "a b c d e f g h")]


@pytest.mark.parametrize("unwanted", "\x00\x08\x1b\x7f\x9f\u202e\u2066\u200b\ufeff\u00ad")
def test_unwanted_characters_are_removed(unwanted: str) -> None:
    assert lines(f"a title that is{unwanted} long enough".encode()) == [Line(1, "a title that is long enough")]


def test_the_zero_width_joiner_stays() -> None:
    assert lines("नमस्\u200dते 👩\u200d🔬".encode()) == [Line(1, "नमस्\u200dते 👩\u200d🔬")]


def test_lone_surrogates_are_removed() -> None:
    content = codecs.BOM_UTF16_LE + "a good title".encode("utf-16-le") + b"\x00\xd8" + "!".encode("utf-16-le")
    (line,) = lines(content)
    assert line.text.startswith("a good title")
    line.text.encode()


def test_latex_is_unchanged() -> None:
    latex = r"\textbf{X} of Pok\'emon, $\epsilon < 1$ and Erd\~os"
    assert lines(latex.encode()) == [Line(1, latex)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty file"),
        (b" \r\n\t\n", "empty file"),
        (codecs.BOM_UTF8, "empty file"),
        (b"PK\x03\x04rest", "a ZIP archive"),
        (b"%PDF-1.7 rest", "a PDF"),
        (b"\x89PNG\r\n\x1a\nrest", "a PNG picture"),
        (b"\x1f\x8brest", "a gzip archive"),
        (bytes(range(256)) * 4, "too many control characters"),
        (b"x" * (MAX_BYTES + 100_000), "10.1 MB, more than the 10 MB"),
        (b"x\n" * MAX_LINES, "200,000 lines"),
    ],
)
def test_binary_and_oversized_content_is_refused_by_name(content: bytes, message: str) -> None:
    with pytest.raises(DigestError, match=message):
        lines(content)


def test_one_line_of_the_maximum_file_size_is_cut_to_the_maximum_line() -> None:
    (line,) = lines(b"x" * MAX_BYTES)
    assert len(line.text) == limits.LINE


def test_runs_of_combining_marks_are_cut() -> None:
    assert tidy("e" + "\u0301" * 100 + "!") == "e" + "\u0301" * limits.COMBINING + "!"
    assert tidy("\u2013" * 100) == "\u2013" * 100


@pytest.mark.parametrize(
    ("declared", "codec"),
    [
        ("UTF8", "utf-8"),
        ("latin1", "iso8859-1"),
        ("punycode", ""),
        ("idna", ""),
        ("rot13", ""),
        ("x\0", ""),
        ("", ""),
    ],
)
def test_codecs_that_are_not_character_sets_are_refused(declared: str, codec: str) -> None:
    assert charset(declared) == codec
