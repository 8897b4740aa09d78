"""Split the text of a digest into clean lines, whatever its line ends."""

from __future__ import annotations

from typing import NamedTuple

from bot import limits
from bot.decoding import UNWANTED, limit_accents
from bot.errors import DigestError

MAX_LINES = 200_000  # a digest of 10 MB with ordinary abstracts has a third of that
_MAX_UNWANTED = 0.05  # share of all characters; with more of them it isn't text


class Line(NamedTuple):
    """One line of a digest: its number, from 1, and its text, trimmed and with single blanks."""

    number: int
    text: str


def split_lines(decoded: str) -> list[Line]:
    """Return the clean lines of a decoded text, empty lines included.

    Raises DigestError if the text is empty, has too many lines, or so many control characters that it is binary data.
    """
    cleaned, unwanted = UNWANTED.subn("", decoded)
    if unwanted > len(decoded) * _MAX_UNWANTED:
        raise DigestError("binary data (too many control characters); remove it, or save it as text")
    text = limit_accents(cleaned).replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise DigestError("empty file")
    if text.count("\n") >= MAX_LINES:
        raise DigestError(f"more than the {MAX_LINES:,} lines that a digest may have; split it")
    cut = (line[: limits.LINE] for line in text.split("\n"))
    return [Line(number, " ".join(line.split())) for number, line in enumerate(cut, start=1)]
