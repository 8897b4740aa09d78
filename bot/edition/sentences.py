"""An abstract as sentences, each word for word as it stands there."""

from __future__ import annotations

import re

# A full stop after these ends no sentence, whatever follows.
_ABBREVIATIONS = frozenset(
    "e.g i.e et.al al cf vs approx resp etc fig figs eq eqs sec secs tab ref refs no vol dr prof mr ms st inc".split()
)
# An end mark, closing brackets or quotes, white space, and what may begin a sentence.
_END = re.compile(r"[.!?][)\]\"'”’]*(?=\s+[^\sa-z])")
_LAST_WORD = re.compile(r"[\w.]+$")


def sentences(text: str) -> list[str]:
    """The sentences of a text in its order; their text is a part of ``text``, without the white space around.

    >>> sentences("We gain 3.5 points, e.g. on MATH. See Fig. 2 there! Done")
    ['We gain 3.5 points, e.g. on MATH.', 'See Fig. 2 there!', 'Done']
    """
    found, start = [], 0
    for end in _END.finditer(text):
        if _ends_here(text[start : end.start()], end.group()):
            found.append(text[start : end.end()].strip())
            start = end.end()
    found.append(text[start:].strip())
    return [sentence for sentence in found if sentence]


def _ends_here(before: str, mark: str) -> bool:
    """Whether the mark after ``before`` ends a sentence, rather than an abbreviation or an initial."""
    word = _LAST_WORD.search(before)
    if not word or mark[0] != ".":
        return True
    last = word.group().lower()
    is_initial = len(last) == 1 and word.group().isupper() and before[: word.start()].endswith((" ", ""))
    return last not in _ABBREVIATIONS and not is_initial
