"""Scores without some words: what a reader has taken out of what was learned counts no more."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace

from bot.domain import ReasonKind, Score


def without(score: Score, terms: Collection[str]) -> Score:
    """The score less what these words add to it or take from it.

    Exact, as a score's log-odds are the sum of its words' weights and a rest. A keyword is the profile's own
    wish and stays.
    """
    kept = tuple(r for r in score.reasons if r.kind is not ReasonKind.WORD or r.term not in terms)
    if len(kept) == len(score.reasons):
        return score
    log_odds = score.rest + sum(reason.weight for reason in kept)
    return replace(score, reasons=kept, log_odds=log_odds, probability=1 / (1 + math.exp(-log_odds)))
