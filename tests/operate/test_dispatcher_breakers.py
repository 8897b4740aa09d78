"""Channels that fail: the circuit breaker opens, and no message is lost or counted."""

from datetime import timedelta
from time import sleep

import pytest
from support import counts

from bot.model import State
from bot.model.errors import DeliveryError, FailureScope
from bot.operate.dispatcher import BATCH

from .scripted_channels import PatientChannel, ScriptedChannel

S = State


def test_a_failing_channel_is_tried_once_a_run_and_the_other_goes_on(dispatcher, rows, mail, slack, now):
    mails = rows(BATCH + 5)
    first, second = rows(2, "slack")
    error = DeliveryError("535 wrong password", permanent=True, scope=FailureScope.CHANNEL, code="535")
    mail.before = dict.fromkeys(range(1, 100), error)
    report = dispatcher.deliver_due(now)
    assert slack.sent == [first.id, second.id]
    assert counts(report) == (2, 0, 0, 1, 0)
    assert [str(p) for p in report.problems] == [
        f"email: 535 wrong password; circuit breaker open until 2025-05-06 08:01 UTC; {BATCH + 5} waiting"
    ]
    assert [row.state for row in mails] == [S.RETRY] + [S.PENDING] * (BATCH + 4)
    assert {row.attempts for row in mails} == {0}


def test_an_open_breaker_outlives_the_run_and_grows_until_a_message_is_accepted(dispatcher, store, rows, mail, now):
    rows(3)
    mail.before = dict.fromkeys((1, 2, 3), DeliveryError("535", permanent=True, scope=FailureScope.CHANNEL))
    dispatcher.deliver_due(now)
    during = dispatcher.deliver_due(now + timedelta(seconds=59))
    assert [str(p) for p in during.problems] == [
        "email: 535; circuit breaker open until 2025-05-06 08:01 UTC; 3 waiting"
    ]
    dispatcher.deliver_due(now + timedelta(minutes=1))
    assert store.circuit_breakers.all()["email"].until == now + timedelta(minutes=6)
    mail.before.clear()
    assert counts(dispatcher.deliver_due(now + timedelta(minutes=6))) == (3, 0, 0, 0, 0)
    assert store.circuit_breakers.all() == {}


def test_an_open_breaker_with_nothing_waiting_is_not_reported(dispatcher, store, now):
    store.circuit_breakers.begin("email", now, now + timedelta(hours=1), "535")
    assert dispatcher.deliver_due(now).problems == []


def test_a_policy_refusal_does_not_open_the_breaker_twice(dispatcher, rows, mail, now):
    rows(3)
    mail.before[1] = DeliveryError("554 5.7.1", permanent=True, scope=FailureScope.POLICY)
    dispatcher.deliver_due(now)
    report = dispatcher.deliver_due(now + timedelta(minutes=1))
    assert (mail.sent, counts(report)) == ([2, 3], (2, 0, 0, 0, 0))
    mail.before.clear()
    dispatcher.deliver_due(now + timedelta(minutes=5))
    assert mail.sent == [2, 3, 1]


def test_a_wrong_password_is_tried_once_and_not_once_per_worker(make_dispatcher, rows, now):
    rows(20)
    channels = [ScriptedChannel() for _ in range(4)]
    error = DeliveryError("535", permanent=True, scope=FailureScope.CHANNEL)
    for channel in channels:
        channel.before = Tried(range(1, 21), error)
    make_dispatcher(email=channels).deliver_due(now)
    assert [channel.before.times for channel in channels] == [1, 0, 0, 0]


class Tried(dict):
    """Failures by number, which count how often one was met."""

    def __init__(self, numbers, error):
        super().__init__(dict.fromkeys(numbers, error))
        self.times = 0

    def __getitem__(self, number):
        self.times += 1
        return super().__getitem__(number)


def test_a_server_that_takes_fewer_connections_gets_fewer(make_dispatcher, store, rows, now):
    rows(9)
    full = DeliveryError("421 too many connections", permanent=False, scope=FailureScope.CHANNEL)
    second = ScriptedChannel()
    second.before = Tried(range(1, 10), full)
    first = PatientChannel([])
    first.send = wait_for(second.before, first.send)
    report = make_dispatcher(email=[first, second]).deliver_due(now)
    assert (second.before.times, second.sent, store.circuit_breakers.all()) == (1, [], {})
    assert report.counts[State.RETRY] == 1
    # The other worker may have ended before this one released its rows; these are left to the next run.
    again = make_dispatcher(email=first).deliver_due(now + timedelta(minutes=1))
    assert ((report.counts + again.counts)[State.SENT], store.circuit_breakers.all()) == (9, {})


def wait_for(tried, send):
    """Send the first message at once, the others after another worker has failed."""
    sent = []

    def patiently(delivery, start_data):
        while sent and not tried.times:
            sleep(0)
        sent.append(delivery.id)
        return send(delivery, start_data)

    return patiently


RELAY = DeliveryError("550 relay not permitted", permanent=True, scope=FailureScope.RECIPIENT, code="550")


def test_dead_addresses_side_by_side_keep_nobody_else_waiting_for_long(dispatcher, rows, mail, stopped, now):
    rows(10)
    mail.before = dict.fromkeys(range(1, 5), RELAY)
    dispatcher.deliver_due(now)
    for minutes in (1, 2, 7):
        dispatcher.deliver_due(now + timedelta(minutes=minutes))
    assert mail.sent == list(range(5, 11))
    assert stopped() == {}


POLICY = DeliveryError("554 5.7.1", permanent=True, scope=FailureScope.POLICY)


@pytest.mark.parametrize(
    ("error", "others", "are_stopped"),
    [(RELAY, 1, ["r1@example.org"]), (RELAY, 0, []), (POLICY, 0, [])],
    ids=["while others are accepted", "alone", "by policy"],
)
def test_a_recipient_refused_each_time_fails(dispatcher, rows, mail, stopped, now, error, others, are_stopped):
    first, *rest = rows(1 + others)
    mail.before[1] = error
    reports = [dispatcher.deliver_due(now + timedelta(hours=hour)) for hour in range(0, 40, 5)]
    assert (first.state, [row.state for row in rest]) == (S.FAILED, [S.SENT] * others)
    assert reports[-1].problems[0].source == "rewards/r1@example.org"
    assert list(stopped()) == are_stopped
