"""The terms of a text: what ranking weighs, reasons name, and summaries look for.

Words in lower case without accents, in the singular, and pairs of words that stand side by side. Function words
are no terms, and links are none; no pair reaches across one of these, or across a comma: a reason that a reader is
shown should be something that the paper says.
"""

from __future__ import annotations

import re
import unicodedata

FUNCTION_WORDS = frozenset(
    """
    a about above after again against all almost along already also although always am among an and another
    any are around as at be became because become becomes been before behind being below between both but by
    can cannot could did do does doing done down due during each either else enough even ever every few
    first for from further had has have having he hence her here him his how however i if in indeed into is
    it its itself just last least less like made make makes many may me might more moreover most much must
    my namely near neither never nevertheless next no nor not nothing now of off often on once one only onto
    or other others otherwise our ours out over own per perhaps quite rather really same second seem seems
    several shall she should since so some still such than that the their theirs them then there thereby
    therefore these they this those though three through throughout thus to together too toward towards two
    under until up upon us use used uses using very via was we well were what when where whereas whether
    which while who whom whose why will with within without would yet you your
    """.split()
)
_NO_PLURALS = frozenset("alias atlas bias canvas chaos lens pandas series species".split())
_MARK, _BRACKET = r"[.,;:!?]", r"[()\[\]{}\"“”\n]"
# A run of punctuation with a bracket in it, or before white space. It is tried from its first sign on only and given
# back no sign (++), so that n commas cost n steps and not n^2.
_BREAK = re.compile(
    rf"(?<!{_MARK})(?:{_MARK}++(?:(?=\s|$)|{_BRACKET}(?:{_MARK}|{_BRACKET})*+)|{_BRACKET}(?:{_MARK}|{_BRACKET})*+)"
)
_LATEX = re.compile(r"\\[a-zA-Z]+|[{}]")
# Where a text says how to get at something, it says nothing of its topic. No more than four dots are looked at.
_LINK = re.compile(
    r"(?:https?://|\bwww\.)\S+|\b(?:[\w-]{1,63}\.){1,4}(?:com|org|net|edu|io|ai|co|dev)/\S*", re.I
)
_WORD = re.compile(r"\w[\w+-]*(?:[./]\d+)*")


def terms(text: str) -> list[str]:
    r"""Words and pairs of neighbouring words, in the order of the text, with repetitions.

    >>> terms(r"Reward models, and the \textit{verifiable} rewards of R1 in 2025")
    ['reward', 'model', 'reward model', 'verifiable', 'reward', 'verifiable reward', 'r1']
    >>> terms("Code (https://github.com/owl/nest), data at huggingface.co/owls: released")
    ['code', 'data', 'released']
    """
    found: list[str] = []
    for phrase in _BREAK.split(_plain(text)):
        before = ""
        for word in _WORD.findall(phrase):
            term = singular(word) if _means_something(word) else ""
            if term:
                found.append(term)
            if term and before:
                found.append(f"{before} {term}")
            before = term
    return found


def _means_something(word: str) -> bool:
    """Whether a word can be a topic; a bare figure can't, but "R1" or "3D" can."""
    if word[0].isdigit() and not any(map(str.isalpha, word)):
        return False
    return len(word) > 1 and word not in FUNCTION_WORDS


def singular(word: str) -> str:
    """A plural's singular, near enough to bring both together (after Harman 1991, "How effective is suffixing?").

    >>> [singular(word) for word in ("policies", "models", "processes", "bias", "analysis", "loss", "gas")]
    ['policy', 'model', 'process', 'bias', 'analysis', 'loss', 'gas']
    """
    if len(word) <= 3 or word in _NO_PLURALS or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word.removesuffix("s")


def _plain(text: str) -> str:
    if "\\" in text:
        text = _LATEX.sub(" ", text)
    if "/" in text or "www." in text:
        text = _LINK.sub("\n", text)
    if text.isascii():  # most texts; the long way would take half of the time that terms take
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.lower())
    return "".join(c for c in decomposed if not unicodedata.combining(c))
