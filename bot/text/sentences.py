"""Sentence segmentation of abstracts; every sentence is quoted verbatim."""

from __future__ import annotations

import re

# Abbreviations: a full stop after them never ends a sentence.
_NEVER_LAST = frozenset("e.g i.e eg ie et.al al cf vs viz resp approx ca esp incl dr prof mr ms mrs st".split())
# After these a full stop doesn't end a sentence if a number follows ("Fig. 2").
_BEFORE_NUMBERS = frozenset(
    "alg app appx art ch chap def eq eqn eqs fig figs lem no nos nr pp prop ref refs sec sect secs tab thm vol".split()
)
# Words that begin sentences, and hardly ever follow an initial or an abbreviation.
_OPENER = (
    r"(?:We|Our|This|These|The|It|Its|In|To|For|From|On|At|As|By|An?|However|Moreover|Furthermore|Additionally|Finally|"
    r"Here|Specifically|Experiments?|Extensive|Results?|Code|While|Although|With|Using|Through|Thus|Therefore)"
)
# An end mark with closing brackets, quotes or LaTeX; then white space and what may begin a sentence, or an opener
# stuck to the word before. A blank line ends a sentence too.
_END = re.compile(
    r"[.!?][)\]}\"'”’$]*(?=\s+(?:[^\sa-z]|[a-z]+[A-Z]))"
    rf"|[.!?](?<=[a-z]{{3}}.)(?={_OPENER}\s)"
    r"|\n(?=[^\S\n]*\n)"
)
_LOOK_BACK = 40  # characters; no abbreviation is longer
_OPENS = re.compile(rf"\s*{_OPENER}\b")
_NUMBER_FOLLOWS = re.compile(r"\s*\d")
_LAST_WORD = re.compile(r"[\w.]+$")
_DOTTED = re.compile(r"(?:[a-z]\.)*[a-z]")
_LIST_MARK = re.compile(r"(?:^|[:;,])\s*(?:\d{1,2}|[ivx]{1,4})$")


def sentences(text: str) -> list[str]:
    """Split a text into sentences, in order; each is a part of ``text`` without the white space around it.

    >>> sentences("We gain 3.5 points, e.g. on MATH. See Fig. 2 there! Done")
    ['We gain 3.5 points, e.g. on MATH.', 'See Fig. 2 there!', 'Done']
    """
    parts = []
    start = 0
    for end in _END.finditer(text):
        before = text[max(start, end.start() - _LOOK_BACK) : end.start()]
        if _ends_here(before, end.group(), text, end.end()):
            parts.append(text[start : end.end()].strip())
            start = end.end()
    parts.append(text[start:].strip())
    return [sentence for sentence in parts if sentence]


def _ends_here(before: str, mark: str, text: str, after: int) -> bool:
    """Whether the mark after ``before`` ends a sentence, not an abbreviation, an initial or a list number."""
    if mark[:1] != "." or not (word := _LAST_WORD.search(before)):
        return True
    if _LIST_MARK.search(before):
        return False
    last = word.group().lower()
    if last in _NEVER_LAST:
        return False
    if last in _BEFORE_NUMBERS:
        return not _NUMBER_FOLLOWS.match(text, after)
    stands_alone = not before[: word.start()].strip() or before[word.start() - 1].isspace()
    if stands_alone and _DOTTED.fullmatch(last):  # J. Doe, U.S. Government
        return bool(_OPENS.match(text, after))
    return True
