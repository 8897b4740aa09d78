"""Expand abbreviations of an abstract at their first mention in its summary."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from bot.text.tokens import FUNCTION_WORDS, stem
from bot.text.topics import common_expansions

# A list as in "(DAE, PAEE)" belongs to a list of expansions.
_DEFINED = re.compile(r"\s[(\[](?P<short>[A-Za-z][\w-]{0,20}[A-Z0-9])s?(?:[)\]]|[;,](?! [A-Z][\w-]*[A-Z][\w-]*[)\]]))")
_MENTIONED = re.compile(r"(?<![\w/-])[A-Za-z][\w-]{0,20}[A-Z0-9](?=s?(?![\w/-]))")
_OPENING = "'‘’“”\"("
_MARKUP = re.compile(r"[$\\{}()\[\]<>]")
_KNOWN_TO_ALL = frozenset("AI AIDS API CPU CT DNA GPU HIV IQ MRI PC RNA UK US USA WHO".split())
_SENTENCE_START = re.compile(r"(?:^|[.:!?]\s+)$")
# A first word of these keeps its capital.
_NAME = re.compile(
    r"(?!Amphi|Circadian|Mammal|Median|Ovarian|Pedestrian)\w{3,}(?:ian|ean|ese|ish|[’']s)\b|(?:Antarctic|Arabic|Arctic"
    r"|Atlantic|Baltic|Boltzmann|Cox|Doppler|Fisher|Fourier|Google|Hilbert|Hodgkin|Kalman|Langevin|Laplace|Markov|Nash"
    r"|Pacific|Poisson|Raman|Riemann|Sobolev|Twitter|Wasserstein)\b"
)


def expansions(sentences: Sequence[str]) -> dict[str, str]:
    """Return the expansion of each abbreviation in parentheses, except common ones.

    >>> expansions(["We use early weeding (EWD) with large language models (LLMs)."])
    {'EWD': 'early weeding'}
    """
    common = common_expansions()
    found: dict[str, str] = {}
    for sentence in sentences:
        for match in _DEFINED.finditer(sentence):
            short = match["short"]
            if short in found or short in _KNOWN_TO_ALL or stem(short) in common:
                continue
            before = sentence[: match.start()]
            long = _expansion(short, before.split())
            if long and long.split()[0].lower() not in FUNCTION_WORDS and not _MARKUP.search(long):
                begins_sentence = _SENTENCE_START.search(before.removesuffix(long).strip(_OPENING))
                found[short] = _inside_sentence(long) if begins_sentence else long
    return found


def _inside_sentence(long: str) -> str:
    """Return an expansion from a sentence's start with a small letter, unless it begins with a name or has others.

    >>> _inside_sentence("Early weeding"), _inside_sentence("Bayesian weeding"), _inside_sentence("T cells")
    ('early weeding', 'Bayesian weeding', 'T cells')
    """
    is_name = not long[1].islower() or any(map(str.isupper, long[1:])) or _NAME.match(long)
    return long if is_name else long[0].lower() + long[1:]


def _expansion(short: str, words: Sequence[str]) -> str:
    """Return the last words that an abbreviation stands for, else nothing.

    Their initials spell it, or its letters stand in them, the first as an initial (Schwartz and Hearst 2003).
    """
    words = " ".join(words).strip(_OPENING).split()
    last = " ".join(words[-len(short) :]).lstrip(_OPENING)
    if "".join(word[0] for word in last.split()).lower() == short.lower():
        return last
    text = " ".join(words[-min(len(short) + 3, 2 * len(short)) :])
    end = len(text)
    for place, letter in reversed(list(enumerate(short.lower()))):
        if not letter.isalnum():
            continue
        end = text.lower().rfind(letter, 0, end)
        while place == 0 and end > 0 and text[end - 1].isalnum():
            end = text.lower().rfind(letter, 0, end)
        if end < 0:
            return ""
    long = text[text.rfind(" ", 0, end) + 1 :].lstrip(_OPENING)
    return long if " " in long or "-" in long else ""


def spelled_out(texts: Sequence[str], known: Mapping[str, str]) -> list[str]:
    """Return the texts with the expansion of each abbreviation in brackets behind its first mention.

    >>> spelled_out(["We use EWD (by day).", "EWD wins."], {"EWD": "early weeding"})
    ['We use EWD [early weeding] (by day).', 'EWD wins.']
    """
    remaining = dict(known)
    results = []
    for text in texts:
        parts = []
        start = 0
        for mention in _MENTIONED.finditer(text):
            long = remaining.pop(mention[0], None)
            if long and long.lower() not in text[: mention.start()].lower():
                end = mention.end() + text.startswith("s", mention.end())
                parts.append(f"{text[start:end]} [{long}]")
                start = end
        results.append("".join(parts) + text[start:])
    return results
