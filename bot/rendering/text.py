"""Text made safe to show: without what can't be seen, on one line, no longer than there is room."""

from __future__ import annotations

import re
import textwrap

# Control characters, the two characters that XML can't hold, and the bidirectional overrides that make a text read
# differently from what it says.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]"
)
_DANGLING = " ,;:-\u2013\u2014"  # and dashes


def visible(text: str) -> str:
    """The text without control characters and bidi overrides; a lone surrogate, unsendable, becomes ``?``."""
    return _UNSEEN.sub("", text).encode("utf-8", "replace").decode()


def oneline(text: str) -> str:
    """The visible text on one line, with single spaces."""
    return " ".join(visible(" ".join(text.split())).split())


def shorten(text: str, width: int) -> str:
    """The text on one line of at most ``width`` characters; a longer one is cut after a word, with ``…``."""
    text = oneline(text)
    if len(text) <= width:
        return text
    cut = textwrap.shorten(text, width, placeholder="…").removesuffix("…")
    return (cut or text[: width - 1]).rstrip(_DANGLING) + "…"


def wrap(text: str, indent: str = "", first: str = "", width: int = 72) -> str:
    """A paragraph in lines of at most ``width`` characters; only a longer word, such as a URL, goes over.

    ``first`` begins the first line and ``indent`` all others.
    """
    return textwrap.fill(
        text,
        width,
        initial_indent=first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
