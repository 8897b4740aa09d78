"""The circuit breaker by itself: what counts as a failure, and that workers of one run count it once."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.model import State
from bot.operate.dispatcher import MAX_UNANSWERED, CircuitBreaker

NOW = datetime(2025, 5, 6, 8, tzinfo=UTC)


class Records:
    """The store's records of open breakers: the reasons, in order."""

    def __init__(self):
        self.reasons = []

    def begin(self, kind, now, until, why):
        self.reasons.append(why)

    def end(self, kind):
        self.reasons.clear()


@pytest.fixture
def records():
    return Records()


@pytest.fixture
def breaker(records):
    return CircuitBreaker("email", None, records, NOW)


def test_unanswered_messages_open_it_only_in_a_row(breaker, records):
    in_a_row = [State.UNKNOWN] * (MAX_UNANSWERED - 1)
    for state in [*in_a_row, State.RETRY, *in_a_row, State.SENT, *in_a_row]:
        breaker.record(state, NOW)
    assert (records.reasons, breaker.open_because) == ([], "")
    breaker.record(State.UNKNOWN, NOW)
    (reason,) = records.reasons
    assert "in a row were sent and not answered" in reason
    assert breaker.open_because.startswith(reason)


def test_an_outage_that_several_workers_meet_is_one_failure(breaker, records):
    breaker.trip("535 wrong password", NOW)
    breaker.trip("421 too many connections", NOW)
    assert records.reasons == ["535 wrong password"]
    assert breaker.open_because.startswith("535 wrong password; circuit breaker open until 2025-05-06 08:01 UTC")
