"""What becomes of a delivery, and of its channel."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.model import State
from bot.model.errors import DeliveryError, FailureScope
from bot.operate.dispatcher import LONGEST_WAIT, MAX_ATTEMPTS, MAX_UNANSWERED, CircuitBreaker, decide

errors = st.builds(
    DeliveryError,
    st.text(),
    permanent=st.booleans(),
    scope=st.sampled_from(FailureScope),
    unknown=st.booleans(),
    retry_after=st.none() | st.floats(min_value=0),
    code=st.text(),
)


@pytest.mark.parametrize(
    ("attempts", "minutes"), [(1, 1), (2, 5), (3, 15), (4, 60), (5, 240), (6, 240), (7, 240), (8, None)]
)
def test_the_waits_grow_up_to_four_hours_and_the_eighth_attempt_is_the_last(make_delivery, now, attempts, minutes):
    outcome = decide(make_delivery(attempts=attempts), DeliveryError("later", permanent=False), now)
    state = State.RETRY if minutes else State.FAILED
    assert (outcome.state, outcome.not_before) == (state, now + timedelta(minutes=minutes) if minutes else None)


@pytest.mark.parametrize(("asked", "waits"), [(30, 60), (61, 61), (3600, 3600), (1e300, 86_400)])
def test_the_other_sides_wish_wins_where_it_is_longer(make_delivery, now, asked, waits):
    error = DeliveryError("slowly", permanent=False, retry_after=asked)
    outcome = decide(make_delivery(), error, now)
    assert outcome.not_before == now + timedelta(seconds=waits)


def test_the_message_that_met_a_policy_waits_longer_than_its_channel_pauses(make_delivery, now):
    error = DeliveryError("not from you", permanent=True, scope=FailureScope.POLICY)
    outcome = decide(make_delivery(), error, now)
    assert (outcome.not_before, outcome.counted) == (now + timedelta(minutes=5), True)
    assert decide(make_delivery(attempts=8), error, now).state is State.FAILED


def test_a_failure_of_the_channel_itself_counts_no_attempt_and_never_ends_a_message(make_delivery, now):
    error = DeliveryError("no password", permanent=True, scope=FailureScope.CHANNEL)
    outcome = decide(make_delivery(attempts=99), error, now)
    assert (outcome.state, outcome.counted) == (State.RETRY, False)
    assert outcome.not_before == now + timedelta(minutes=1)


def reasons(store):
    return [breaker.why for breaker in store.circuit_breakers.all().values()]


def test_a_channels_pauses_grow_up_to_an_hour(store, now):
    for failures, minutes in ((0, 1), (1, 5), (2, 15), (3, 60), (4, 60), (98, 60)):
        stored = SimpleNamespace(until=now, times=failures, why="")
        CircuitBreaker("email", stored, store.circuit_breakers, now).trip("no connection", now)
        assert store.circuit_breakers.all()["email"].until == now + timedelta(minutes=minutes)


def test_unanswered_messages_open_a_breaker_only_in_a_row(store, now):
    breaker = CircuitBreaker("email", None, store.circuit_breakers, now)
    in_a_row = [State.UNKNOWN] * (MAX_UNANSWERED - 1)
    for state in [*in_a_row, State.RETRY, *in_a_row, State.SENT, *in_a_row]:
        breaker.record(state, now)
    assert (reasons(store), breaker.open_because) == ([], "")
    breaker.record(State.UNKNOWN, now)
    (reason,) = reasons(store)
    assert "in a row were sent and not answered" in reason
    assert breaker.open_because.startswith(reason)


def test_an_outage_that_several_workers_meet_is_one_failure(store, now):
    breaker = CircuitBreaker("email", None, store.circuit_breakers, now)
    breaker.trip("535 wrong password", now)
    breaker.trip("421 too many connections", now)
    assert reasons(store) == ["535 wrong password"]
    assert breaker.open_because.startswith("535 wrong password; circuit breaker open until 2025-05-06 08:01 UTC")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(error=errors, attempts=st.integers(1, 20))
def test_every_error_has_one_outcome(make_delivery, now, error, attempts):
    """Unknown is never tried again, a failure has a reason, a retry has a time within a day."""
    outcome = decide(make_delivery(attempts=attempts), error, now)
    assert (outcome.state is State.UNKNOWN) == error.unknown
    assert (outcome.not_before is not None) == (outcome.state is State.RETRY)
    if outcome.state is State.RETRY:
        assert now < outcome.not_before <= now + LONGEST_WAIT
    if outcome.state is State.FAILED:
        assert attempts >= MAX_ATTEMPTS or error.permanent
