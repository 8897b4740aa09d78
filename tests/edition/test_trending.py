"""Upvotes as a reason."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from bot.domain import Paper, Reason, ReasonKind, Score
from bot.edition import with_trending


def paper(number: int, upvotes: int | None) -> Paper:
    return Paper(
        number, "T", "", (), None, None, None, None, None, upvotes, None, datetime(2026, 6, 12, tzinfo=UTC)
    )


def score(number: int, log_odds: float) -> Score:
    reasons = (Reason("owl", log_odds + 1),)
    return Score(number, 1 / (1 + math.exp(-log_odds)), log_odds, reasons, rest=-1.0)


def test_without_weight_or_upvotes_nothing_changes() -> None:
    scores = (score(1, 0.5), score(2, 0.1))
    papers = {1: paper(1, 50), 2: paper(2, None)}
    assert with_trending(scores, papers, 0.0) == scores
    assert with_trending(scores[1:], papers, 1.0) == scores[1:]


def test_a_trending_paper_passes_one_that_matched_a_little_better() -> None:
    raised, other = with_trending((score(1, 0.5), score(2, 0.1)), {1: paper(1, 0), 2: paper(2, 30)}, 0.5)
    assert (raised.paper, other.paper) == (2, 1)
    assert raised.reasons[-1] == Reason("30 upvotes", raised.log_odds - 0.1, ReasonKind.TRENDING)


@given(st.floats(-800, 800), st.integers(0, 10**9), st.floats(0, 1))
def test_a_score_still_adds_up(log_odds: float, upvotes: int, weight: float) -> None:
    (raised,) = with_trending((score(1, max(log_odds, -600)),), {1: paper(1, upvotes)}, weight)
    assert math.isclose(raised.log_odds, raised.rest + sum(r.weight for r in raised.reasons), abs_tol=1e-9)
    assert 0 <= raised.probability <= 1
    assert raised.log_odds <= max(log_odds, -600) + 2.0 + 1e-9
