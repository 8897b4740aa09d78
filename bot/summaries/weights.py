"""The weights of the models that read an abstract: loaded once, written a line for each feature."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from functools import cache
from math import exp
from pathlib import Path

KINDS = ("background", "objective", "method", "result", "other")
EIGHTHS = 8


@dataclass(frozen=True, slots=True)
class Weights:
    """All tables are log-odds by feature name.

    ``phrases``: a weight for each kind, then for each eighth; ``intercepts`` in the same order; ``kind_forms`` for each
    kind. ``kind_start`` and ``kind_end`` weigh the kind of the first and the last sentence, ``kind_transitions[a][b]``
    kind ``b`` behind kind ``a``. ``roles``: for each role, by the names of ``roles.role_features``. ``finding``: by the
    names of ``findings.finding_features``; ``finding_phrases`` by phrase.
    """

    phrases: dict[str, list[float]]
    intercepts: list[float]
    kind_forms: dict[str, list[float]]
    kind_start: list[float]
    kind_end: list[float]
    kind_transitions: list[list[float]]
    roles: dict[str, list[float]]
    finding: dict[str, float]
    finding_phrases: dict[str, float]

    def to_json(self) -> str:
        """Return the weights as JSON with a line for each feature, so that a change can be read."""
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
    """Return the weights that are part of the package."""
    return Weights(**json.loads(Path(__file__).with_name("weights.json").read_text()))


def summed(
    table: Mapping[str, Sequence[float]], features: Set[str] | Iterable[str], start: Sequence[float]
) -> list[float]:
    """Return ``start`` plus the rows of the features that the table has."""
    rows = [table[feature] for feature in table.keys() & features]
    return [sum(column) for column in zip(start, *rows, strict=True)]


def softmax(logits: Sequence[float]) -> list[float]:
    """Return positive numbers that add up to 1."""
    highest = max(logits)
    odds = [exp(logit - highest) for logit in logits]
    total = sum(odds)
    return [odd / total for odd in odds]
