"""What each sentence of an abstract does in it: names the task, tells the idea, reports the result, or none of these.

For each role a conditional logit (McFadden 1974) over the abstract's sentences: a sentence's features have weights,
and the softmax of their sums over all sentences is the share of the role that each sentence holds. Features are its
form (place, distance from where the authors begin to speak, length, names, figures) and cue phrases in it and in its
neighbours. The weights stand in ``roles.json`` beside this file; CONTRIBUTING.md says how they were learned.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cache, lru_cache
from itertools import pairwise
from math import exp
from pathlib import Path
from typing import NamedTuple

_WORD = re.compile(r"https?://\S+|\d[\d.,]*\s?[%×x]?(?!\w)|[A-Za-z0-9]+(?:[-'’][A-Za-z0-9]+)*|[:;()?]")
_NAME = re.compile(r"(?=.*[A-Z].*[A-Z])|[A-Z]+\d|.*[a-z][A-Z]")  # GRPO, R1, WeedNet
_FIGURE = re.compile(r"\d[\d.,]*\s?[%×x]?")
_NAMES = re.compile(r"[A-Za-z0-9-]{2,}")
_PROPOSES = re.compile(r"\b(?:propos|introduc|present|develop)\w*", re.IGNORECASE)
_OWN_VOICE = {
    "we",
    "our",
    "in this",
    *(f"this {kind}" for kind in "paper work study article report survey".split()),
}
_FIGURES = ("#", "#%", "#x")
_GIVEN_AWAY = {"available", "released", "release"}
_SILENCE = [0.0] * 9


class Shares(NamedTuple):
    """How much of each role one sentence holds; over an abstract's sentences each adds up to 1."""

    task: float
    idea: float
    result: float


class Weights(NamedTuple):
    """A form has one weight for each role; a cue too, then as many for the sentence after, and for the one before."""

    form: dict[str, tuple[float, ...]]
    cues: dict[str, tuple[float, ...]]


def role_shares(sentences: Sequence[str]) -> list[Shares]:
    """The shares of each sentence of an abstract, given in its order."""
    if not sentences:
        return []
    weights = _weights()
    words = [words_of(sentence) for sentence in sentences]
    found = [cues(some) for some in words]
    shapes = [_total(weights.form, features, 3) for features in forms(sentences, words, found)]
    said = [_total(weights.cues, some, 9) for some in found]
    before, after = [_SILENCE, *said[:-1]], [*said[1:], _SILENCE]
    logits = [
        [sum(parts) for parts in zip(shape, own[:3], earlier[3:6], later[6:], strict=True)]
        for shape, own, earlier, later in zip(shapes, said, before, after, strict=True)
    ]
    by_role = [_softmax(column) for column in zip(*logits, strict=True)]
    return [Shares(*shares) for shares in zip(*by_role, strict=True)]


def words_of(sentence: str) -> list[str]:
    """The words that cues are made of: in lower case; names, figures and addresses only as what they are."""
    return list(map(_kind, _WORD.findall(sentence)))


def cues(words: Sequence[str]) -> set[str]:
    """The phrases of up to three words; those that begin the sentence also with a ``^``."""
    pairs = [f"{a} {b}" for a, b in pairwise(words)]
    triples = [f"{a} {b}" for a, b in zip(pairs, words[2:], strict=False)]
    return {*words, *pairs, *triples, *(f"^{phrases[0]}" for phrases in (words, pairs, triples) if phrases)}


def forms(
    sentences: Sequence[str], words: Sequence[Sequence[str]], said: Sequence[Set[str]]
) -> list[list[str]]:
    """What each sentence looks like, as names of features; of each its words and cues are given too."""
    count = len(sentences)
    own = [not _OWN_VOICE.isdisjoint(some) for some in said]
    links = [_is_link(some) for some in words]
    last = max((i for i in range(count) if not links[i]), default=0)
    voice = own.index(True) if True in own else None
    proposal = next((i for i in range(count) if own[i] and _PROPOSES.search(sentences[i])), None)
    known: set[str] = set()
    spoken, found = 0, []
    for i, some in enumerate(words):
        names = {name for name in _NAMES.findall(sentences[i]) if not name.islower() and _NAME.match(name)}
        found.append(
            [
                f"from start {min(i, 7)}",
                f"from end {min(max(last - i, -1), 6)}",
                f"eighth {8 * i // max(last, 1)}",
                f"from own voice {_distance(i, voice)}",
                f"from proposal {_distance(i, proposal)}",
                f"own voice {min(spoken, 4)} before, {'here' if own[i] else 'not here'}",
                f"link {links[i]}",
                f"words {6 * min(len(some) // 6, 8)}",
                f"new names {min(len(names - known), 2)}",
                f"figures {min(sum(map(some.count, _FIGURES)), 3)}",
            ]
        )
        known |= names
        spoken += own[i]
    return found


@lru_cache(maxsize=50_000)  # abstracts share most of their words
def _kind(word: str) -> str:
    if word.islower() and word.isalpha():
        return word
    if word[0].isdigit() and _FIGURE.fullmatch(word):
        return "#%" if word[-1] == "%" else "#x" if word[-1] in "×x" else "#"
    if word.startswith("http"):
        return "URL"
    return "NAME" if len(word) > 1 and _NAME.match(word) else word.lower()


def _is_link(words: Sequence[str]) -> bool:
    """Whether a sentence only says where code or more is to be found."""
    return "URL" in words or ("code" in words and not _GIVEN_AWAY.isdisjoint(words))


def _distance(place: int, since: int | None) -> str:
    return "none" if since is None else f"{max(-4, min(6, place - since)):+d}"


def _total(weights: Mapping[str, Sequence[float]], features: Iterable[str], width: int) -> list[float]:
    """The weights of those features that have some, added up."""
    found = [weights[feature] for feature in weights.keys() & features]
    return list(map(sum, zip(*found, strict=True))) if found else [0.0] * width


def _softmax(logits: Sequence[float]) -> list[float]:
    highest = max(logits)
    odds = [exp(logit - highest) for logit in logits]
    total = sum(odds)
    return [odd / total for odd in odds]


@cache
def _weights() -> Weights:
    return Weights(**json.loads(Path(__file__).with_name("roles.json").read_text()))
