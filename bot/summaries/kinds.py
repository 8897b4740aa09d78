"""The kind of each sentence (background, objective, method, result, other): a linear-chain CRF.

A conditional random field (Lafferty et al. 2001) scores the sequence of an abstract's kinds by each sentence's phrases
and form, and by which kind follows which. Forward-backward gives each sentence's probabilities of all kinds.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from bot.summaries.features import Features
from bot.summaries.weights import EIGHTHS, KINDS, Weights, softmax, summed

_EVERY_KIND = range(len(KINDS))


def kinds_and_eighths(
    features: Sequence[Features], weights: Weights
) -> tuple[list[list[float]], list[list[float]]]:
    """Return for each sentence the probabilities of ``KINDS``, and of the eighths of an abstract where it would stand.

    Eighths are predicted from phrases alone; unlabelled abstracts are enough to learn them.
    """
    emissions = []
    eighths = []
    for row in features:
        sums = summed(weights.phrases, row.phrases, weights.intercepts)
        emissions.append(summed(weights.kind_forms, row.forms, sums[: len(KINDS)]))
        eighths.append(softmax(sums[-EIGHTHS:]))
    return marginals(emissions, weights), eighths


def marginals(emissions: Sequence[Sequence[float]], weights: Weights) -> list[list[float]]:
    """Return each sentence's probabilities of all kinds, by forward-backward over the chain.

    ``emissions`` are log-odds, a row for each sentence. Messages are normalised at each step, so that an abstract of
    any length neither underflows nor overflows.
    """
    if not emissions:
        return []
    transitions = [[exp(weight) for weight in row] for row in weights.kind_transitions]
    local = [softmax(row) for row in emissions]
    forward = [_normalised([p * exp(w) for p, w in zip(local[0], weights.kind_start, strict=True)])]
    for odds in local[1:]:
        before = forward[-1]
        forward.append(
            _normalised(
                [odds[b] * sum(before[a] * transitions[a][b] for a in _EVERY_KIND) for b in _EVERY_KIND]
            )
        )
    backward = _normalised([exp(weight) for weight in weights.kind_end])
    probabilities = []
    for place in reversed(range(len(local))):
        probabilities.append(_normalised([f * b for f, b in zip(forward[place], backward, strict=True)]))
        after = [p * b for p, b in zip(local[place], backward, strict=True)]
        backward = _normalised([sum(transitions[a][b] * after[b] for b in _EVERY_KIND) for a in _EVERY_KIND])
    return probabilities[::-1]


def _normalised(odds: Sequence[float]) -> list[float]:
    """Return odds as probabilities that add up to 1 and are never 0."""
    total = sum(odds) + len(odds) * 1e-12
    return [(odd + 1e-12) / total for odd in odds]
