"""The token bucket that all workers share."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.model import SendLimit

SECOND = timedelta(seconds=1)


@pytest.fixture
def rates(open_another):
    """Make the rates as a further process opens them."""
    return lambda **limit: open_another().send_rates({"email": SendLimit(**limit)})


def take(rates, most, now):
    return rates.take("email", most, now).count


def test_without_a_limit_everything_is_granted_and_nothing_stored(rates, store, now):
    assert take(rates(), 1_000, now) == 1_000
    assert store.send_rates({}).take("slack", 7, now).count == 7


def test_all_processes_together_keep_to_the_rate(rates, now):
    first, second = rates(per_second=10), rates(per_second=10)
    sent = [take(process, 8, now + n * SECOND / 10) for n in range(101) for process in (first, second)]
    assert sum(sent) == 1 + 10 * 10


def test_a_pause_is_not_made_up_for_by_a_burst(rates, now):
    process = rates(per_second=10)
    assert take(process, 1_000, now + timedelta(hours=1)) == 1
    assert take(process, 1_000, now + timedelta(hours=2)) == 10


def test_a_refusal_says_when_the_next_message_may_go(rates, now):
    process = rates(per_second=0.5)
    assert take(process, 4, now) == 1
    grant = process.take("email", 4, now)
    assert (grant.count, grant.next_at, grant.is_day_over) == (0, now + 2 * SECOND, False)
    assert take(process, 4, grant.next_at) == 1


def test_what_was_not_used_is_given_back(rates, now):
    process = rates(per_second=10, per_day=11)
    take(process, 1, now)
    assert take(process, 10, now + SECOND) == 10
    process.release("email", 4, now + SECOND)
    assert take(process, 10, now + SECOND) == 4


def test_a_day_has_its_number_and_the_next_begins_at_midnight(rates, now):
    process = rates(per_day=5)
    assert [take(process, 4, now) for _ in range(2)] == [4, 1]
    grant = process.take("email", 4, now)
    midnight = datetime(now.year, now.month, now.day, tzinfo=now.tzinfo) + timedelta(days=1)
    assert (grant.count, grant.next_at, grant.is_day_over) == (0, midnight, True)
    # Another machine's clock that is a second behind doesn't begin the old day again.
    assert take(process, 4, midnight) == 4
    assert take(process, 4, midnight - SECOND) == 1


def test_throttling_halves_the_rate_for_everybody_and_it_recovers(rates, now):
    first, second = rates(per_second=8), rates(per_second=8)
    take(first, 1, now)
    first.slow_down("email", now)
    second.slow_down("email", now + SECOND)  # the same throttling, met by another connection
    assert take(second, 100, now + SECOND) == 4
    second.slow_down("email", now + 20 * SECOND)
    assert take(first, 100, now + 21 * SECOND) == 2
    later = now + timedelta(minutes=11)
    take(first, 100, later)
    assert take(first, 100, later + SECOND) == 8


def test_throttling_slows_down_without_a_limit_too(rates, now):
    process = rates()
    process.slow_down("email", now)
    assert take(process, 1_000, now) == 0
    assert take(process, 1_000, now + SECOND) == 32
    assert take(process, 1_000, now + timedelta(minutes=6)) == 1_000


def test_a_clock_that_was_set_wrong_stops_nothing(rates, now):
    process = rates(per_second=10, per_day=100)
    take(process, 100, now + timedelta(days=3))
    take(process, 100, now)
    assert take(process, 100, now + SECOND) == 10


def test_threads_and_processes_at_once_take_no_token_twice(rates, now):
    processes = [rates(per_day=40) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        counts = pool.map(lambda n: take(processes[n % 4], 3, now), range(24))
    assert sum(counts) == 40


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.floats(0, 3), st.integers(1, 20)), max_size=30), st.sampled_from([0.5, 3, 20]))
def test_no_interval_has_more_than_its_seconds_and_one_burst(rates, now, calls, per_second):
    process = rates(per_second=per_second)
    at, taken = now + timedelta(days=len(calls)), []
    process.take("email", 1, at)
    for seconds, most in calls:
        at += timedelta(seconds=seconds)
        taken.append((at, take(process, most, at)))
    for first, (began, _) in enumerate(taken):
        total = 0
        for ended, count in taken[first:]:
            total += count
            assert total <= (ended - began).total_seconds() * per_second + max(per_second, 1) + 1e-6
