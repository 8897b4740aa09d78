"""Make text safe to display: without invisible characters, on one line, limited in length."""

from __future__ import annotations

import re
import textwrap
from functools import lru_cache

# Control characters, line separators, the byte order mark, two characters that XML can't represent, and bidirectional
# overrides, which display text in another order than it has ("Trojan Source", CVE-2021-42574). Zero-width joiners stay:
# emoji and Persian need them.
_INVISIBLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]")
_TRAILING_PUNCTUATION = " ,;:-\u2013\u2014"


def visible(text: str) -> str:
    """Return the text without control characters and bidirectional overrides; a lone surrogate becomes ``?``."""
    if text.isascii() and text.isprintable():
        return text
    # JSON can hold a lone surrogate ("\ud800"), which UTF-8 can't encode: sending it would raise UnicodeEncodeError.
    return _INVISIBLE.sub("", text).encode("utf-8", "replace").decode()


def oneline(text: str) -> str:
    """Return the visible text on one line with single blanks."""
    # First the line breaks: some of them are control characters, whose removal would join two words.
    return " ".join(visible(" ".join(text.split())).split())


# The readers of a batch have the same titles, in the same widths.
@lru_cache(maxsize=10_000)
def shorten(text: str, width: int) -> str:
    """Return the text on one line of at most ``width`` characters; longer text is cut after a word, with ``…``."""
    text = oneline(text)
    if len(text) <= width:
        return text
    cut = textwrap.shorten(text, width, placeholder="…").removesuffix("…")
    # textwrap returns the placeholder alone if the first word is too long.
    return (cut or text[: width - 1]).rstrip(_TRAILING_PUNCTUATION) + "…"


# Mails to many readers have the same titles and reasons; wrapping them anew took a tenth of an edition's time.
@lru_cache(maxsize=10_000)
def wrap(text: str, indent: str = "", first: str = "", width: int = 72) -> str:
    """Return a paragraph in lines of at most ``width`` characters; a longer word, such as a URL, stays whole.

    ``first`` begins the first line and ``indent`` all others.
    """
    words = text.split(" ")
    if text.isprintable() and all(words):
        # Single blanks alone, as in nearly all texts: a third of the time of ``textwrap``, which splits by patterns.
        lines = [first + words[0]]
        for word in words[1:]:
            if len(lines[-1]) + 1 + len(word) <= width:
                lines[-1] += f" {word}"
            else:
                lines.append(indent + word)
        return "\n".join(lines)
    # A URL broken at a hyphen would no longer be a link in the mail program.
    return textwrap.fill(
        text, width, initial_indent=first, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
