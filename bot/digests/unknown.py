"""What to say of text that no format recognises."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.digests.format import Document, Format
from bot.digests.text import Line

_KINDS = (
    (re.compile(r"<!doctype html|<html\b", re.IGNORECASE), "an HTML page; copy its text into a text file"),
    (re.compile(r"\{\\rtf"), "an RTF document; save it as text"),
)


def explain(lines: Sequence[Line], formats: Sequence[Format], documents: Sequence[Document]) -> str:
    """One sentence: the formats known, and what the text looks like, or else how a digest would begin."""
    beginning = next(line.text for line in lines if line.text)
    known = ", ".join([*(form.title for form in formats), *(form.title for form in documents)])
    hint = "; one begins with " + ", or with ".join(form.hint for form in formats)
    ending = next((f", but {kind}" for pattern, kind in _KINDS if pattern.match(beginning)), hint)
    return f"no digest that Paperbot knows (known: {known}){ending}"
