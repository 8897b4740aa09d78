"""Find the sentence of an abstract that says something else in a later version.

both abstracts --sentences--> sentences of only one --most alike--> pairs --figures, negations, role--> one pair
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

from bot.summaries.summary import Read, read_abstract
from bot.text.tokens import tokens

_FIGURE = re.compile(r"\d[\d.,]*\d|\d")
_NEGATIONS = frozenset("not no never without cannot neither nor fails".split())
# One sentence is the other's later form from this share of common words.
_SAME_SENTENCE = 0.5
_CLAIMS_FROM = 0.5  # probability of a finding or a conclusion
# Content words that a claim must have gained and lost to say something else.
_NEW_WORDS = 3
_MAX_WORDS = 60  # of a sentence that is shown
_COMPARED = 40  # sentences, which bounds the time for long abstracts


class Change(NamedTuple):
    """A sentence of an abstract before and after; ``before`` is empty where the sentence is new."""

    before: str
    after: str


def changed_sentence(before: str, after: str) -> Change | None:
    """Return the change that matters most to a reader of the first abstract, if any.

    Figures of findings and conclusions count most, then other figures, other words, and new findings.
    """
    earlier, later = read_abstract(before), read_abstract(after)
    known, kept = (set(map(_normal, abstract.sentences)) for abstract in (earlier, later))
    old = [
        sentence
        for sentence in earlier.sentences[:_COMPARED]
        if _normal(sentence) not in kept and len(sentence.split()) <= _MAX_WORDS
    ]
    # A figure that the abstract had elsewhere was only moved.
    new_figures = set(_all_figures(later)) ^ set(_all_figures(earlier))
    best, best_place = None, (0, 0)
    for place, sentence in enumerate(later.sentences[:_COMPARED]):
        if _normal(sentence) in known or len(sentence.split()) > _MAX_WORDS:
            continue
        reading = later.readings[place]
        is_claim = max(reading.finding, reading.conclusion) >= _CLAIMS_FROM
        words = _normal(sentence).split()
        similarities = [SequenceMatcher(None, _normal(each).split(), words, autojunk=False).ratio() for each in old]
        similarity, previous = max(zip(similarities, old, strict=True), default=(0.0, ""))
        rank = 0
        if similarity < _SAME_SENTENCE:
            previous = ""
            is_new = is_claim and not later.empty[place]
            rank = 1 if is_new and not new_figures.isdisjoint(_figures(sentence)) else 0
        elif not new_figures.isdisjoint(set(_figures(previous)) ^ set(_figures(sentence))):
            rank = 4 if is_claim else 3
        elif is_claim:
            lost, gained = ({token.stem for token in tokens(text)} for text in (previous, sentence))
            says_else = min(len(lost - gained), len(gained - lost)) >= _NEW_WORDS
            rank = 2 if says_else or _negates(previous) != _negates(sentence) else 0
        if rank and (rank, place) > best_place:
            best, best_place = Change(previous, sentence), (rank, place)
    return best


def _normal(sentence: str) -> str:
    return " ".join(re.findall(r"\w+", sentence.casefold()))


def _figures(sentence: str) -> list[str]:
    return [figure.replace(",", "") for figure in _FIGURE.findall(sentence)]


def _all_figures(abstract: Read) -> Iterator[str]:
    return (figure for sentence in abstract.sentences for figure in _figures(sentence))


def _negates(sentence: str) -> bool:
    return not _NEGATIONS.isdisjoint(re.findall(r"[a-z]+", sentence.casefold()))
