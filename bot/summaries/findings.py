"""How sure it is that a sentence reports a finding: a logistic regression, learned from labels."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

from bot.summaries.claims import is_finding_form
from bot.summaries.features import Features
from bot.summaries.weights import KINDS, Weights
from bot.summaries.wording import FIGURE

# Probabilities are clipped to between this and 1 minus this, so that log-odds stay finite.
_LEAST = 1e-4
# What other values of these constants give is in ``docs/decisions/findings.md``.
#
# A sentence that less probably tells what came out reports what others had found before.
_RESULT_FROM = 0.1
# Without a figure a finding has to be a result too: from this product of both scores on.
_IN_WORDS_FROM = 0.3
# Log-odds of a result from which it is surely one (a probability of .7): what is surer still is often vague praise.
_SURELY_RESULT = 0.85
_RESULT = KINDS.index("result")
_COUNTED_KINDS = ("background", "objective", "method")


def finding_features(features: Features, kinds: Sequence[float], *, is_last: bool) -> dict[str, float]:
    """Return the features that separate findings from claims, besides phrases; ``kinds`` as in ``KINDS``, 0 to 1."""
    result = min(max(kinds[_RESULT], _LEAST), 1 - _LEAST)
    log_odds = log(result / (1 - result))
    return {
        "intercept": 1.0,
        "result": log_odds,
        "surely result": min(log_odds, _SURELY_RESULT),
        "last": float(is_last),
        **{f"kind {kind}": kinds[KINDS.index(kind)] for kind in _COUNTED_KINDS},
        **dict.fromkeys(features.signals, 1.0),
    }


def finding_probability(
    sentence: str, features: Features, kinds: Sequence[float], weights: Weights, *, is_last: bool
) -> float:
    """Return how sure it is, 0 to 1, that a sentence reports a finding.

    0 where it is hardly a result, can't be a finding by its form, or has no figure and is neither for sure. Learned
    from our own labels of findings and others' labels of results at once, as ``bench/summary_weights.py`` says.
    """
    if kinds[_RESULT] < _RESULT_FROM or not is_finding_form(sentence):
        return 0.0
    log_odds = sum(
        weights.finding_phrases[phrase] for phrase in weights.finding_phrases.keys() & features.phrases
    )
    for name, value in finding_features(features, kinds, is_last=is_last).items():
        log_odds += weights.finding[name] * value
    probability = 1 / (1 + exp(-log_odds))
    is_sure = FIGURE in features.signals or probability * kinds[_RESULT] >= _IN_WORDS_FROM
    return probability if is_sure else 0.0
