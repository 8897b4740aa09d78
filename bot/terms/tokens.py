"""Tokens of a text, each with its stem and its place, in phrases that a person would read as one.

A phrase ends at a function word, a number, and at any sign but a space: no bigram reaches across, so that a reason
shown to a reader is something that the paper says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import NamedTuple

from bot.terms.stems import stem
from bot.terms.words import FUNCTION_WORDS

# Each pattern is linear: no two neighbouring parts of one can match the same character.
_WORD = re.compile(r"\w[\w\u0300-\u036f@+-]*(?:[./]\d+)*")
_AMOUNT = re.compile(r"[\d._/@+-]+(?:x|k|m|b|t|s|ms|st|nd|rd|th|gb|mb|hz|kg|km|cm|mm)?")
_LATEX = re.compile(r"\\[a-zA-Z]+|\\[^a-zA-Z\s]|[{}$~]")
_POSSESSIVE = re.compile(r"'s\b")
_RUN = re.compile(r"\S+")
_LINK = re.compile(r"://|www\.|@[\w-]+\.\w|\w\.(?:com|org|io|net|edu|gov)(?:[/).,;]|$)|\w\.(?:co|ai|dev)/")
_LINK_SIGNS = ("://", "www.", "@", ".com", ".org", ".io", ".net", ".edu", ".gov", ".co", ".ai", ".dev")
_ARXIV_LINK = re.compile(r"this https? URL")  # what arXiv shows in place of a link
_TYPOGRAPHY = str.maketrans({"\u2010": "-", "\u2011": "-", "\u2013": "-", "\u2019": "'", "\u00a0": " "})
# Joined to what follows: "pre-training" and "pretraining" are one word, and so are "multi-modal" and "multimodal".
_PREFIXES = frozenset(
    "anti bi co fine hyper inter intra micro multi non over post pre re semi sub super un under".split()
)
_LONGEST = 60  # characters of a word; what is longer is an encoding or an attack
_BREAKING = FUNCTION_WORDS | (_PREFIXES - {"fine"}) | frozenset("al based eg et etc ie versus vs".split())


class Token(NamedTuple):
    """A word that can be part of a topic: ``text[start:end]`` as it is spelled, and the phrase it belongs to."""

    stem: str
    spelling: str
    start: int
    end: int
    phrase: int


def tokens(text: str) -> list[Token]:
    r"""The tokens of a text in its order; function words, bare numbers, links and LaTeX commands are none.

    A hyphenated compound of whole words is split at its hyphens; one with a function word, a letter or a digit
    ("state-of-the-art", "k-means", "GPT-4") is one token, and so is one with a prefix ("pre-training").

    >>> [(t.stem, t.spelling, t.phrase) for t in tokens(r"\textit{Reward} modeling of multi-hop QA")]
    [('reward', 'Reward', 0), ('model', 'modeling', 0), ('multihop', 'multi-hop', 1), ('qa', 'QA', 1)]
    """
    listed: list[Token] = []
    plain_text = _without_markup(text)
    last, phrase = -1, -1
    for start, end, stemmed in _stems(plain_text):
        if stemmed:
            phrase += last < 0 or not _joins(plain_text, last, start)
            listed.append(Token(stemmed, text[start:end], start, end, phrase))
        last = end if stemmed else -1
    return listed


def phrases(text: str) -> list[list[Token]]:
    """The tokens of a text, one list for each phrase."""
    grouped: list[list[Token]] = []
    for token in tokens(text):
        if token.phrase == len(grouped):
            grouped.append([])
        grouped[token.phrase].append(token)
    return grouped


def stem_terms(text: str) -> list[str]:
    """Stems and bigrams of stems within phrases, in the order of the text, with repetitions.

    >>> stem_terms("Reward models, and the verifiable rewards of R1 in 2025")
    ['reward', 'model', 'reward model', 'verifi', 'reward', 'verifi reward', 'r1']
    """
    terms: list[str] = []
    plain_text = _without_markup(text)
    last, before = -1, ""
    for start, end, stemmed in _stems(plain_text):
        if stemmed:
            terms.append(stemmed)
            if before and _joins(plain_text, last, start):
                terms.append(f"{before} {stemmed}")
        last, before = end, stemmed
    return terms


def _stems(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and stem of every word; the stem is empty where the word can't be part of a topic."""
    for word in _WORD.finditer(text):
        spelling, start = word.group().rstrip("-"), word.start()
        for offset, part in _parts(spelling) if "-" in spelling else [(0, spelling)]:
            yield start + offset, start + offset + len(part), _topical_stem(part)


def _parts(compound: str) -> list[tuple[int, str]]:
    """The words of a hyphenated compound with their offsets, or the whole where it is one word."""
    parts = compound.split("-")
    words = [part.lower() for part in parts]
    if not all(w in _PREFIXES or (len(w) > 1 and w.isalpha() and w not in FUNCTION_WORDS) for w in words):
        return [(0, compound)]
    offsets = [0, *accumulate(len(part) + 1 for part in parts)]
    starts = [i for i in range(len(parts)) if not i or words[i - 1] not in _PREFIXES]
    return [(offsets[a], compound[offsets[a] : offsets[b] - 1]) for a, b in pairwise([*starts, len(parts)])]


def _topical_stem(word: str) -> str:
    """The stem of a word; empty for a function word, a single letter or a number."""
    word = word.lower()
    if not 1 < len(word) <= _LONGEST or word in _BREAKING or (word[0].isdigit() and _AMOUNT.fullmatch(word)):
        return ""
    if "-" in word and word.partition("-")[0] in _PREFIXES:
        word = word.replace("-", "")
    return stem(word)


def _joins(text: str, end: int, start: int) -> bool:
    """Whether two words are of one phrase: with a space or hyphen between them, on one line."""
    between = text[end:start]
    return between in {" ", "-"} or (between.isspace() and "\n" not in between)


def _without_markup(text: str) -> str:
    """The text with LaTeX commands and possessive endings as spaces, and links as full stops; each place stays."""
    if "\\" in text or "$" in text or "{" in text or "~" in text:
        text = _LATEX.sub(_spaces, text)
    if any(sign in text for sign in _LINK_SIGNS):
        text = _RUN.sub(lambda run: "." * len(run[0]) if _LINK.search(run[0]) else run[0], text)
    if "this http" in text:
        text = _ARXIV_LINK.sub(lambda link: "." * len(link[0]), text)
    if not text.isascii():
        text = text.translate(_TYPOGRAPHY)
    return _POSSESSIVE.sub("  ", text) if "'s" in text else text


def _spaces(match: re.Match[str]) -> str:
    return " " * len(match[0])
