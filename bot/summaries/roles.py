"""What each sentence of an abstract does: its kind, and how much of the task, the idea and the result it holds.

Two steps. ``kinds`` tells from phrases, form and neighbours the kind of a sentence, and from phrases alone the eighth
of the abstract where such a sentence usually stands. Then a conditional logit (McFadden 1974) for each role: features
are the sentence's form, and kind and eighth of the sentence and of its neighbours; the softmax over the abstract's
sentences is the share of the role that each holds. ``docs/decisions/summaries.md`` says what else was tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import NamedTuple

from bot.summaries.features import features_of
from bot.summaries.findings import finding_probability
from bot.summaries.kinds import kinds_and_eighths
from bot.summaries.weights import EIGHTHS, KINDS, Weights, softmax, summed

# The least probability in a logarithm, which has no value at 0.
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
    finding: float  # how sure it is that it reports a finding, 0 to 1

    @property
    def background(self) -> float:
        """The probability that the sentence states what was known before."""
        return self.kinds[KINDS.index("background")]

    @property
    def result(self) -> float:
        """The probability that the sentence states what came out."""
        return self.kinds[KINDS.index("result")]


def read(sentences: Sequence[str], weights: Weights) -> list[Reading]:
    """Return what each sentence of an abstract does, in its order."""
    if not sentences:
        return []
    features = features_of(sentences)
    kinds, eighths = kinds_and_eighths(features, weights)
    logits = [
        [
            total + sum(value * weights.roles[name][role] for name, value in row.items())
            for role, total in enumerate(
                summed(weights.roles, {*sentence.phrases, *sentence.forms}, (0.0,) * len(Shares._fields))
            )
        ]
        for sentence, row in zip(features, role_features(kinds, eighths), strict=True)
    ]
    shares = zip(*(softmax(column) for column in zip(*logits, strict=True)), strict=True)
    last = len(sentences) - 1
    return [
        Reading(
            tuple(kinds[place]),
            Shares(*row),
            finding_probability(
                sentences[place], features[place], kinds[place], weights, is_last=place == last
            ),
        )
        for place, row in enumerate(shares)
    ]


def role_features(
    kinds: Sequence[Sequence[float]], eighths: Sequence[Sequence[float]]
) -> list[dict[str, float]]:
    """Return for each sentence, by name, log-probabilities of kind and eighth, and its neighbours' probabilities."""
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
