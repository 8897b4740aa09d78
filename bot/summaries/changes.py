"""Find the sentence of an abstract that says something else in a later version.

    both abstracts --sentences--> sentences of only one --most alike--> pairs --figures, negations, role--> one pair

A reworded sentence is no change to a reader, and neither is background.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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

    A changed figure in a claim counts more than one elsewhere, that more than a claim in other words, and a new claim
    least. Claims are sentences on findings and conclusions.
    """
    earlier, later = read_abstract(before), read_abstract(after)
    kept = set(map(_normal, later.sentences))
    old = [
        sentence
        for sentence in earlier.sentences[:_COMPARED]
        if _normal(sentence) not in kept and len(sentence.split()) <= _MAX_WORDS
    ]
    candidates = list(_candidates(old, earlier, later))
    _, _, change = max(candidates, default=(0, 0, None), key=lambda candidate: candidate[:2])
    return change


def _candidates(old: Sequence[str], earlier: Read, later: Read) -> Iterator[tuple[int, int, Change]]:
    """Yield the changes that matter, each with how much, and its place from the end."""
    known = set(map(_normal, earlier.sentences))
    # A figure that the abstract had elsewhere was only moved.
    new_figures = set(_all_figures(later)) ^ set(_all_figures(earlier))
    for place, sentence in enumerate(later.sentences[:_COMPARED]):
        if _normal(sentence) in known or len(sentence.split()) > _MAX_WORDS:
            continue
        reading = later.readings[place]
        is_claim = max(reading.finding, reading.conclusion) >= _CLAIMS_FROM
        words = _normal(sentence).split()
        similarities = [SequenceMatcher(None, _normal(each).split(), words, autojunk=False).ratio() for each in old]
        similarity, previous = max(zip(similarities, old, strict=True), default=(0.0, ""))
        if similarity < _SAME_SENTENCE:
            if is_claim and not later.empty[place] and not new_figures.isdisjoint(_figures(sentence)):
                yield 1, place, Change("", sentence)
            continue
        change = Change(previous, sentence)
        if not new_figures.isdisjoint(set(_figures(previous)) ^ set(_figures(sentence))):
            yield (4 if is_claim else 3), place, change
        elif is_claim:
            before, after = ({token.stem for token in tokens(text)} for text in (previous, sentence))
            # It has gained and lost several content words.
            says_else = min(len(before - after), len(after - before)) >= _NEW_WORDS
            if says_else or _negates(previous) != _negates(sentence):
                yield 2, place, change


def _normal(sentence: str) -> str:
    return " ".join(re.findall(r"\w+", sentence.casefold()))


def _figures(sentence: str) -> list[str]:
    return [figure.replace(",", "") for figure in _FIGURE.findall(sentence)]


def _all_figures(abstract: Read) -> Iterator[str]:
    return (figure for sentence in abstract.sentences for figure in _figures(sentence))


def _negates(sentence: str) -> bool:
    return not _NEGATIONS.isdisjoint(re.findall(r"[a-z]+", sentence.casefold()))
