"""The error message for text that no format recognises."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.digests.fields import quoted
from bot.digests.format import Document, Format
from bot.digests.html_lines import HtmlLine
from bot.digests.mail import Mail
from bot.digests.text import Line
from bot.wording import plural

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


def explain_mail(mail: Mail, lines: Sequence[HtmlLine]) -> str:
    """Return the beginning of a sentence, or a sentence: whose mail no reader understands, and what is in it."""
    sender = mail.sender or "an unnamed sender"
    about = f"a mail from {sender}" + (f", {quoted(mail.subject)}," if mail.subject else "")
    if mail.plain.strip() and not mail.html:
        return f"{about} has only plain text"
    first = next((line.text for line in lines if line.text), "")
    if not first:
        return f"{about} has no text"
    links = sum(len(line.links) for line in lines)
    seen = f"{plural(links, 'link')}, the first line {quoted(first)}"
    remedy = "if it lists papers, ask its sender for plain text"
    return f"{about} has nothing in its HTML that is certainly a paper ({seen}); {remedy}"
