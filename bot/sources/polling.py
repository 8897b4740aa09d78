"""How often a source is polled: its interval, exponential backoff after failures, and Retry-After.

Pure decisions on a ``SourceState``; ``service.py`` polls and stores. The interval is ``every`` under ``[[sources]]``
(its default stands with each kind in ``bot/sources/``); the pause between two requests to one host within a poll
stands in ``bot/sources/http.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from bot.model import Problem, SourceState
from bot.model.clock import has_passed

# A run every hour starts a second early now and then, and must not find that an hour has not quite passed.
_TOLERANCE = 0.9  # share of the interval after which a source is due
_FIRST_RETRY = timedelta(minutes=5)  # doubled with each further failure, up to the source's own interval
_MAX_DOUBLINGS = 20  # 5 minutes * 2**20 are ten years; more would overflow timedelta some day


def is_due(interval: timedelta, state: SourceState, now: datetime) -> bool:
    """Return whether a source was last polled long enough ago, and does not ask for a longer wait.

    A last poll in the future was recorded by a clock that ran ahead, and is ignored.
    """
    if retry_after(state, now):
        return False
    if state.checked_at is None or state.checked_at > now:
        return True
    if state.failures:
        # Exponential backoff; a constant retry would ask a server that is down for a week 2,000 times.
        backoff = _FIRST_RETRY * 2 ** min(state.failures - 1, _MAX_DOUBLINGS)
        interval = min(interval, backoff)
    return now - state.checked_at >= interval * _TOLERANCE


def retry_after(state: SourceState, now: datetime) -> datetime | None:
    """Return the time before which a source asked not to be polled; None if that has passed."""
    if state.not_before is None or has_passed(state.not_before, now):
        return None
    return state.not_before


def after_success(state: SourceState, memory: Mapping[str, str], now: datetime) -> SourceState:
    """Return the state after a poll that went well; the count of failures starts again."""
    return SourceState(state.name, checked_at=now, succeeded_at=now, memory=memory, warned=state.warned)


def after_failure(
    state: SourceState, problem: Problem, retry_after_seconds: float | None, now: datetime
) -> SourceState:
    """Return the state after a poll that failed.

    The source's memory stays as it was, so that the next poll retrieves again what this one could not store.
    """
    not_before = now + timedelta(seconds=retry_after_seconds) if retry_after_seconds else None
    return replace(
        state,
        checked_at=now,
        failures=state.failures + 1,
        problem=problem.problem,
        not_before=not_before,
        failing_since=state.failing_since or now,
    )
