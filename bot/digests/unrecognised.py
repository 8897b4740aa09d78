"""The error message for text that no format recognises."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.digests.format import Document, Format
from bot.digests.text import Line

_LOOKALIKES = (
    (re.compile(r"<!doctype html|<html\b", re.IGNORECASE), "an HTML page; copy its text into a text file"),
    (re.compile(r"\{\\rtf"), "an RTF document; save it as text"),
)


def explain(lines: Sequence[Line], formats: Sequence[Format], documents: Sequence[Document]) -> str:
    """Return one sentence: the formats that are supported, and what the text looks like or how a digest begins."""
    beginning = next(line.text for line in lines if line.text)
    titles = ", ".join([*(form.title for form in formats), *(document.title for document in documents)])
    ending = "; one begins with " + ", or with ".join(form.hint for form in formats)
    for pattern, kind in _LOOKALIKES:
        if pattern.match(beginning):
            ending = f", but {kind}"
            break
    return f"no digest that Paperbot knows (known: {titles}){ending}"
