"""Digest formats: from the bytes that a source delivered to papers.

How to add a format: write one file here that ends in a ``Format`` (see ``format.py``), and add one line to
``FORMATS`` below. A format gets clean lines (see ``text.py``: encodings, line ends and control characters are
dealt with) and returns what it read, with a sentence for each block that it could not read. It opens nothing,
and it recognises its digests by what stands in them, never by a file's name.

A file may hold several digests, of one format or of several: each begins where its format says so and ends
where the next one begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.digests import daily_papers, keyword
from bot.digests.format import Format
from bot.digests.text import Line, lines
from bot.digests.unknown import explain
from bot.digests.wording import LONGEST_TITLE, quoted
from bot.domain import ParsedDigest, RawDigest
from bot.errors import DigestError

FORMATS: tuple[Format, ...] = (
    keyword.FORMAT,
    daily_papers.FORMAT,
)


def parse(raw: RawDigest) -> tuple[ParsedDigest, ...]:
    """The digests in the bytes, in their order, at least one.

    Raises DigestError, which says what the bytes look like instead (it does not name the source: the caller
    knows it), where no format recognises them.
    """
    text = lines(raw.content)
    starts = sorted((start, i) for i, form in enumerate(FORMATS) for start in form.starts(text))
    if not starts:
        raise DigestError(explain(text, FORMATS))
    ends = [start for start, _ in starts[1:]] + [len(text)]
    first, *others = (FORMATS[i].parse(text[start:end]) for (start, i), end in zip(starts, ends, strict=True))
    unread = _unread(text[: starts[0][0]])
    return replace(first, rejected=unread + first.rejected), *others


def _unread(above: Sequence[Line]) -> tuple[str, ...]:
    """A sentence if something of substance stands above the first digest; a greeting or a menu is none."""
    long = [line for line in above if len(line.text) > LONGEST_TITLE]
    return tuple(f"line {line.number}: of no known format: {quoted(line.text)}" for line in long[:1])


__all__ = ["FORMATS", "Format", "parse"]
