"""What each sentence of an abstract does: its kind, and how much of the task, the idea and the result it holds.

Two steps. First the phrases of a sentence tell its kind (background, objective, method, result, other; a logistic
regression that sees its form too) and the eighth of the abstract where such a sentence usually stands (another, of
phrases alone). Then a conditional logit (McFadden 1974) for each role: features are the sentence's form, and kind and
eighth of the sentence and of its neighbours; the softmax over the abstract's sentences is the share of the role that
each holds. CONTRIBUTING.md says what else was tried.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from functools import cache
from math import exp, log
from pathlib import Path
from typing import NamedTuple

from bot.summaries.claims import wording
from bot.summaries.features import forms, phrases, words_of

KINDS = ("background", "objective", "method", "result", "other")
EIGHTHS = 8
# Below this a probability counts as this in a logarithm.
_LEAST = 1e-3


class Shares(NamedTuple):
    """How much of each role one sentence holds; over an abstract's sentences each adds up to 1."""

    task: float
    idea: float
    result: float


class Reading(NamedTuple):
    """What one sentence does; ``kinds`` are probabilities in the order of ``KINDS``."""

    kinds: tuple[float, ...]
    shares: Shares

    @property
    def background(self) -> float:
        """The probability that the sentence tells what was known before."""
        return self.kinds[KINDS.index("background")]

    @property
    def result(self) -> float:
        """The probability that the sentence tells what came out."""
        return self.kinds[KINDS.index("result")]


@dataclass(frozen=True, slots=True)
class Weights:
    """``phrases``: a weight for each kind, then for each eighth; ``kind_forms`` for each kind; ``roles`` for each role.

    ``intercepts`` are as a phrase's weights; ``roles`` holds those of ``role_features``; ``finding`` those of
    ``claims.signals``.
    """

    phrases: dict[str, list[float]]
    intercepts: list[float]
    kind_forms: dict[str, list[float]]
    roles: dict[str, list[float]]
    finding: dict[str, float]

    def to_json(self) -> str:
        """A line for each feature, so that a change can be read."""
        tables = []
        for name, table in asdict(self).items():
            if isinstance(table, dict):
                rows = ",\n".join(
                    f"  {json.dumps(key)}: {json.dumps(row)}" for key, row in sorted(table.items())
                )
                tables.append(f" {json.dumps(name)}: {{\n{rows}\n }}")
            else:
                tables.append(f" {json.dumps(name)}: {json.dumps(table)}")
        return "{\n" + ",\n".join(tables) + "\n}\n"


@cache
def shipped_weights() -> Weights:
    """The weights that are part of the package."""
    return Weights(**json.loads(Path(__file__).with_name("weights.json").read_text()))


def read(sentences: Sequence[str], weights: Weights) -> list[Reading]:
    """What each sentence of an abstract does, in its order."""
    if not sentences:
        return []
    own_features, kinds, eighths = kinds_and_eighths(sentences, weights)
    logits = [
        [
            total + sum(value * weights.roles[name][role] for name, value in features.items())
            for role, total in enumerate(_total(weights.roles, own, (0.0, 0.0, 0.0)))
        ]
        for own, features in zip(own_features, role_features(kinds, eighths), strict=True)
    ]
    by_role = [softmax(column) for column in zip(*logits, strict=True)]
    return [
        Reading(tuple(own), Shares(*shares))
        for own, shares in zip(kinds, zip(*by_role, strict=True), strict=True)
    ]


def kinds_and_eighths(
    sentences: Sequence[str], weights: Weights
) -> tuple[list[set[str]], list[list[float]], list[list[float]]]:
    """For each sentence its phrases and form features, and the probabilities of its kinds and of its eighths."""
    words = [words_of(sentence) for sentence in sentences]
    phrase_sets = [phrases(own_words) for own_words in words]
    form_sets = form_features(sentences, words, phrase_sets)
    kinds, eighths = [], []
    for own_phrases, own_forms in zip(phrase_sets, form_sets, strict=True):
        sums = _total(weights.phrases, own_phrases, weights.intercepts)
        kinds.append(softmax(_total(weights.kind_forms, own_forms, sums[: len(KINDS)])))
        eighths.append(softmax(sums[len(KINDS) :]))
    own_features = [own.union(row) for own, row in zip(phrase_sets, form_sets, strict=True)]
    return own_features, kinds, eighths


def form_features(
    sentences: Sequence[str], words: Sequence[Sequence[str]], phrase_sets: Sequence[Set[str]]
) -> list[list[str]]:
    """For each sentence the names of its features of place and form, and of the signals in its wording."""
    rows = forms(sentences, words, phrase_sets)
    return [
        [*row, *(f"says {name}" for name in wording(sentence))]
        for row, sentence in zip(rows, sentences, strict=True)
    ]


def role_features(
    kinds: Sequence[Sequence[float]], eighths: Sequence[Sequence[float]]
) -> list[dict[str, float]]:
    """For each sentence by name: log-probabilities of its kind and eighth, and its neighbours' probabilities."""
    rows = []
    for i in range(len(kinds)):
        row: dict[str, float] = {}
        for table, names in ((kinds, KINDS), (eighths, [f"eighth {n}" for n in range(EIGHTHS)])):
            for j, name in enumerate(names):
                row[f"log:{name}"] = log(max(table[i][j], _LEAST)) / 2
                row[f"before:{name}"] = table[i - 1][j] if i else 0.0
                row[f"after:{name}"] = table[i + 1][j] if i + 1 < len(table) else 0.0
        rows.append(row)
    return rows


def softmax(logits: Sequence[float]) -> list[float]:
    """Positive numbers that add up to 1."""
    highest = max(logits)
    odds = [exp(logit - highest) for logit in logits]
    total = sum(odds)
    return [odd / total for odd in odds]


def _total(
    weights: Mapping[str, Sequence[float]], features: Iterable[str], start: Sequence[float]
) -> list[float]:
    """``start`` and the weights of those features that have some, added up."""
    rows = [weights[feature] for feature in weights.keys() & features]
    return [sum(column) for column in zip(start, *rows, strict=True)]
