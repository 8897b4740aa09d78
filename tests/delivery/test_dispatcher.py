"""The dispatcher, with an outbox that is strict about states."""

from __future__ import annotations

from datetime import timedelta
from threading import Barrier
from time import sleep

import pytest

from bot.delivery import Route
from bot.delivery.attempt import LEASE
from bot.delivery.circuit_breaker import MAX_UNANSWERED
from bot.delivery.dispatcher import Dispatcher
from bot.delivery.files import FilesChannel
from bot.delivery.smtp import SmtpChannel
from bot.delivery.worker import BATCH, CLAIM_LEASE, FIRST_BATCH, PATIENCE
from bot.domain import Kind, State
from bot.errors import DeliveryError, FailureScope, StoreError

S = State


class Scripted:
    """A channel that does to each delivery what its number says, before or after the start of the body."""

    def __init__(self):
        self.before, self.after, self.sent = {}, {}, []

    def send(self, delivery, start_data):
        if delivery.id in self.before:
            raise self.before[delivery.id]
        start_data()
        if delivery.id in self.after:
            raise self.after[delivery.id]
        self.sent.append(delivery.id)
        return f"250 queued as {delivery.id}"

    def close(self):
        """Nothing to close."""


@pytest.fixture
def mail():
    return Scripted()


@pytest.fixture
def slack():
    return Scripted()


class Clock:
    """A timer that advances only when waited on, and the stop signal of the run."""

    def __init__(self):
        self.seconds, self.waits, self.stopped = 0.0, [], False

    def __call__(self):
        return self.seconds

    def is_set(self):
        return self.stopped

    def wait(self, seconds):
        self.seconds += seconds
        self.waits.append(seconds)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def make_dispatcher(outbox, readers, breakers, clock):
    """A dispatcher over channels by kind: one, or a list that works side by side."""

    def make(spacing=timedelta(0), **channels):
        lists = {kind: c if isinstance(c, list) else [c] for kind, c in channels.items()}
        routes = {Kind(kind): Route(channels, spacing) for kind, channels in lists.items()}
        return Dispatcher(outbox, routes, readers, breakers, timer=clock, stop=clock)

    return make


@pytest.fixture
def dispatcher(make_dispatcher, mail, slack):
    return make_dispatcher(email=mail, slack=slack)


@pytest.fixture
def rows(outbox, make_delivery):
    """Add ``count`` rows to the outbox, numbered from 1."""

    def fill(count, kind=Kind.EMAIL, first=1, **more):
        numbers = range(first, first + count)
        return [outbox.add(make_delivery(number=number, kind=kind, **more)) for number in numbers]

    return fill


def counts(report):
    return (report.delivered, report.failed, report.unknown, report.retrying, report.cancelled)


def test_every_due_row_is_delivered_once_whatever_the_batch(dispatcher, rows, mail, now):
    added = rows(2 * BATCH + 3)
    report = dispatcher.deliver_due(now)
    assert mail.sent == list(range(1, 2 * BATCH + 4))
    assert all(row.history == [S.PENDING, S.CLAIMED, S.DATA_STARTED, S.SENT] for row in added)
    assert added[0].detail == "250 queued as 1"
    assert (counts(report), report.problems) == ((2 * BATCH + 3, 0, 0, 0, 0), [])
    assert counts(dispatcher.deliver_due(now)) == (0, 0, 0, 0, 0)


def test_an_empty_outbox_gives_an_empty_report(dispatcher, now):
    assert counts(dispatcher.deliver_due(now)) == (0, 0, 0, 0, 0)


def test_a_refused_reader_is_stopped_and_the_others_are_served(dispatcher, rows, mail, readers, now):
    added = rows(3)
    mail.before[2] = DeliveryError("550 no such user", permanent=True, scope=FailureScope.READER, code="550")
    report = dispatcher.deliver_due(now)
    assert (mail.sent, readers.stopped) == ([1, 3], {2: "550 no such user"})
    assert (added[1].state, added[1].code) == (S.FAILED, "550")
    assert counts(report) == (2, 1, 0, 0, 0)
    assert [str(p) for p in report.problems] == ["rewards/ada@example.org: 550 no such user (given up)"]


def test_a_reader_who_is_refused_for_now_is_not_stopped(dispatcher, rows, mail, readers, now):
    (row,) = rows(1)
    mail.before[1] = DeliveryError("450 full", permanent=False, scope=FailureScope.READER)
    report = dispatcher.deliver_due(now)
    assert readers.stopped == {}
    assert (row.state, row.not_before) == (S.RETRY, now + timedelta(minutes=1))
    assert counts(report) == (0, 0, 0, 1, 0)
    assert "tried again from 2025-05-06 08:01 UTC" in str(report.problems[0])
    mail.before.clear()
    assert counts(dispatcher.deliver_due(now)) == (0, 0, 0, 0, 0)
    assert counts(dispatcher.deliver_due(now + timedelta(minutes=1))) == (1, 0, 0, 0, 0)


def test_the_parts_behind_a_refused_one_are_cancelled_with_their_reader(dispatcher, rows, mail, now):
    added = rows(2, reader_id=7)
    mail.before[1] = DeliveryError("550", permanent=True, scope=FailureScope.READER)
    assert counts(dispatcher.deliver_due(now)) == (0, 1, 0, 0, 1)
    assert [row.state for row in added] == [S.FAILED, S.CANCELLED]
    assert mail.sent == []


def test_a_failing_channel_is_tried_once_a_run_and_the_other_goes_on(dispatcher, rows, mail, slack, now):
    mails = rows(BATCH + 5)
    rows(2, Kind.SLACK, first=100)
    error = DeliveryError("535 wrong password", permanent=True, scope=FailureScope.CHANNEL, code="535")
    mail.before = dict.fromkeys(range(1, 100), error)
    report = dispatcher.deliver_due(now)
    assert slack.sent == [100, 101]
    assert counts(report) == (2, 0, 0, 1, 0)
    assert [str(p) for p in report.problems] == [
        f"email: 535 wrong password; paused until 2025-05-06 08:01 UTC; {BATCH + 5} waiting"
    ]
    assert [row.state for row in mails] == [S.RETRY] + [S.PENDING] * (BATCH + 4)
    assert {row.delivery.attempts for row in mails} == {0}


def test_an_open_breaker_outlives_the_run_and_grows_until_a_message_is_accepted(
    dispatcher, rows, mail, breakers, now
):
    rows(3)
    mail.before = dict.fromkeys((1, 2, 3), DeliveryError("535", permanent=True, scope=FailureScope.CHANNEL))
    dispatcher.deliver_due(now)
    during = dispatcher.deliver_due(now + timedelta(seconds=59))
    assert [str(p) for p in during.problems] == ["email: 535; paused until 2025-05-06 08:01 UTC; 3 waiting"]
    dispatcher.deliver_due(now + timedelta(minutes=1))
    assert breakers.breakers[Kind.EMAIL].until == now + timedelta(minutes=6)
    mail.before.clear()
    assert counts(dispatcher.deliver_due(now + timedelta(minutes=6))) == (3, 0, 0, 0, 0)
    assert (breakers.breakers, breakers.ended) == ({}, [Kind.EMAIL])


def test_an_open_breaker_with_nothing_waiting_is_not_reported(dispatcher, breakers, now):
    breakers.begin(Kind.EMAIL, now, now + timedelta(hours=1), "535")
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


def test_a_message_that_policy_refuses_each_time_fails_and_is_named(dispatcher, rows, mail, now):
    (row,) = rows(1, attempts=8)
    mail.before[1] = DeliveryError("554 5.7.1", permanent=True, scope=FailureScope.POLICY)
    report = dispatcher.deliver_due(now)
    assert (row.state, counts(report)) == (S.FAILED, (0, 1, 0, 0, 0))
    assert report.problems[0].source == "rewards/ada@example.org"


def test_three_unanswered_messages_in_a_row_open_the_breaker(dispatcher, rows, mail, now):
    added = rows(MAX_UNANSWERED + 4)
    silence = DeliveryError("silence", permanent=False, unknown=True)
    mail.after = {1: silence} | dict.fromkeys(range(3, 99), silence)
    report = dispatcher.deliver_due(now)
    assert (mail.sent, counts(report)) == ([2], (1, 0, 1 + MAX_UNANSWERED, 0, 0))
    assert added[-1].state is S.PENDING
    assert "3 messages in a row were sent and not answered" in str(report.problems[-1])


def test_channels_side_by_side_share_the_rows(make_dispatcher, rows, mail, now):
    rows(40)
    meet = Barrier(3, timeout=30)

    class Meeting(Scripted):
        """Sends its first message together with the others'."""

        def send(self, delivery, start_data):
            if not self.sent:
                meet.wait()
            return super().send(delivery, start_data)

    others = [Meeting() for _ in range(3)]
    report = make_dispatcher(email=[Patient(others), *others]).deliver_due(now)
    assert counts(report) == (40, 0, 0, 0, 0)
    assert all(other.sent for other in others)


class Patient(Scripted):
    """The probing worker: continues after its first message when the others have sent theirs."""

    def __init__(self, others):
        super().__init__()
        self._others = others

    def send(self, delivery, start_data):
        while self.sent and not all(other.sent for other in self._others):
            sleep(0)
        return super().send(delivery, start_data)


def test_a_wrong_password_is_tried_once_and_not_once_per_worker(make_dispatcher, rows, now):
    rows(20)
    channels = [Scripted() for _ in range(4)]
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


def test_a_server_that_takes_fewer_connections_gets_fewer(make_dispatcher, rows, mail, breakers, now):
    rows(9)
    full = DeliveryError("421 too many connections", permanent=False, scope=FailureScope.CHANNEL)
    second = Scripted()
    second.before = Tried(range(1, 10), full)
    first = Patient([])
    first.send = wait_for(second.before, first.send)
    report = make_dispatcher(email=[first, second]).deliver_due(now)
    assert (second.before.times, second.sent, breakers.breakers) == (1, [], {})
    assert report.retrying == 1
    # The other worker may have ended before this one released its rows; these are left to the next run.
    again = make_dispatcher(email=first).deliver_due(now + timedelta(minutes=1))
    assert (report.delivered + again.delivered, breakers.breakers) == (9, {})


def wait_for(tried, send):
    """Send the first message at once, the others after another worker has failed."""
    sent = []

    def patiently(delivery, start_data):
        while sent and not tried.times:
            sleep(0)
        sent.append(delivery.id)
        return send(delivery, start_data)

    return patiently


def test_messages_to_one_address_keep_spacing_and_order(make_dispatcher, rows, slack, clock, now):
    rows(6, Kind.SLACK, address="C1")
    rows(1, Kind.SLACK, first=7, address="C2")
    report = make_dispatcher(spacing=timedelta(seconds=1), slack=slack).deliver_due(now)
    assert slack.sent == [1, 7, 2, 3, 4, 5, 6]
    assert clock.waits == [1.0] * 5
    assert counts(report) == (7, 0, 0, 0, 0)


def test_a_row_due_after_the_patience_is_left_to_the_next_run(dispatcher, rows, slack, clock, now):
    (row,) = rows(1, Kind.SLACK)
    slack.before[1] = DeliveryError("ratelimited", permanent=False, retry_after=90)
    dispatcher.deliver_due(now)
    assert (row.not_before, clock.waits) == (now + timedelta(seconds=90), [])
    assert timedelta(seconds=90) > PATIENCE


def test_a_stopped_run_releases_what_it_has_not_begun(dispatcher, rows, mail, clock, now):
    added = rows(BATCH + 2)
    send = mail.send

    def send_one(delivery, start_data):
        clock.stopped = True
        return send(delivery, start_data)

    mail.send = send_one
    assert counts(dispatcher.deliver_due(now)) == (1, 0, 0, 0, 0)
    assert added[0].state is S.SENT
    assert [row.state for row in added[1:]] == [S.PENDING] * (BATCH + 1)
    assert {row.delivery.attempts for row in added[1:]} == {0}


def test_a_lease_is_counted_from_the_claim_and_not_from_the_runs_beginning(
    dispatcher, outbox, rows, mail, clock, now
):
    rows(FIRST_BATCH + 1)
    calls = []
    outbox.on_start = lambda delivery: calls.append(outbox.rows[delivery.id].lease_until)
    send = mail.send

    def slow(delivery, start_data):
        receipt = send(delivery, start_data)
        clock.seconds += 60
        return receipt

    mail.send = slow
    dispatcher.deliver_due(now)
    later = now + timedelta(minutes=FIRST_BATCH)
    assert calls == [now + CLAIM_LEASE] * FIRST_BATCH + [later + CLAIM_LEASE]


def test_what_may_have_arrived_is_unknown_and_never_sent_again(dispatcher, rows, mail, now):
    added = rows(2)
    mail.after[1] = DeliveryError("silence", permanent=False, unknown=True, code="no answer")
    report = dispatcher.deliver_due(now)
    mail.after.clear()
    dispatcher.deliver_due(now + timedelta(days=3))
    assert added[0].history == [S.PENDING, S.CLAIMED, S.DATA_STARTED, S.UNKNOWN]
    assert (mail.sent, counts(report)) == ([2], (1, 0, 1, 0, 0))
    assert "may have arrived" in str(report.problems[0])


def test_a_refusal_after_the_body_can_be_tried_again(dispatcher, rows, mail, now):
    (row,) = rows(1)
    mail.after[1] = DeliveryError("452 disk full", permanent=False)
    dispatcher.deliver_due(now)
    assert row.history == [S.PENDING, S.CLAIMED, S.DATA_STARTED, S.RETRY]


def test_a_channels_bug_before_the_body_is_tried_again_and_named(dispatcher, rows, mail, now):
    added = rows(2)
    mail.before[1] = RuntimeError("bug")
    report = dispatcher.deliver_due(now)
    assert (added[0].state, added[1].state) == (S.RETRY, S.SENT)
    assert "unexpected RuntimeError: bug" in str(report.problems[0])


def test_a_channels_bug_after_the_body_is_unknown(dispatcher, rows, mail, now):
    added = rows(2)
    mail.after[1] = RuntimeError("bug")
    assert counts(dispatcher.deliver_due(now)) == (1, 0, 1, 0, 0)
    assert (added[0].state, added[1].state) == (S.UNKNOWN, S.SENT)


def test_a_kind_without_a_channel_loses_nothing(make_dispatcher, rows, now):
    (row,) = rows(1, Kind.SLACK)
    assert counts(make_dispatcher().deliver_due(now)) == (0, 0, 0, 0, 0)
    assert row.state is S.PENDING


def test_a_reader_who_stops_just_before_the_body_gets_nothing(dispatcher, outbox, rows, mail, now):
    (row,) = rows(1)
    outbox.on_start = lambda delivery: outbox.readers.refuse(delivery.reader.id, "unsubscribed")
    assert counts(dispatcher.deliver_due(now)) == (0, 0, 0, 0, 1)
    assert (row.state, mail.sent) == (S.CANCELLED, [])


def test_a_row_that_another_worker_took_is_left_to_it(dispatcher, outbox, rows, mail, now):
    (row,) = rows(1)
    outbox.on_start = outbox.steal
    report = dispatcher.deliver_due(now)
    assert (row.state, mail.sent, report.delivered) == (S.CLAIMED, [], 0)


def test_a_row_that_another_worker_took_is_not_settled_here(make_dispatcher, outbox, rows, now):
    (row,) = rows(1)
    calls = []

    class Slow(Scripted):
        def send(self, delivery, start_data):
            outbox.steal(delivery)
            raise DeliveryError("too late", permanent=False)

    dispatcher = make_dispatcher(email=Slow())
    assert counts(dispatcher.deliver_due(now, lambda *settled: calls.append(settled))) == (0, 0, 0, 0, 0)
    assert (row.state, calls) == (S.CLAIMED, [])


def test_what_a_dead_worker_left_behind_is_settled(dispatcher, outbox, rows, mail, now):
    """Claimed rows are sent when their lease is over; those whose body was going out are unknown."""
    rows(2)
    first, _ = outbox.claim(Kind.EMAIL, now, LEASE, 2)
    outbox.start_data(first, now, LEASE)
    assert counts(dispatcher.deliver_due(now + LEASE / 2)) == (0, 0, 0, 0, 0)
    report = dispatcher.deliver_due(now + LEASE)
    assert (mail.sent, counts(report)) == ([2], (1, 0, 1, 0, 0))
    assert report.problems[0].source == "outbox"


def test_the_stores_own_failures_are_raised(dispatcher, outbox, rows, mail, now):
    def full(*_):
        raise StoreError("disk full")

    rows(1)
    outbox.flush = full
    with pytest.raises(StoreError):
        dispatcher.deliver_due(now)


def test_progress_is_reported_for_each_settled_row(dispatcher, mail, rows, now):
    calls = []
    rows(3)
    mail.before[2] = DeliveryError("later", permanent=False)
    dispatcher.deliver_due(now, lambda row, state: calls.append((row.id, state)))
    assert calls == [(1, S.SENT), (2, S.RETRY), (3, S.SENT)]


def test_from_the_outbox_to_a_mail_server_and_to_a_file(make_dispatcher, rows, mail_server, tmp_path, now):
    server = mail_server()
    server.replies["RCPT"] = "450 greylisted"
    smtp = SmtpChannel("127.0.0.1", server.port, "none", envelope_sender="bot@example.org")
    mails = rows(2)
    (post,) = rows(1, Kind.SLACK, first=3, body=b"{}", address="C1")
    dispatcher = make_dispatcher(email=smtp, slack=FilesChannel(tmp_path, ".json"))
    assert counts(dispatcher.deliver_due(now)) == (1, 0, 0, 2, 0)
    server.replies.clear()
    assert counts(dispatcher.deliver_due(now + timedelta(minutes=1))) == (2, 0, 0, 0, 0)
    smtp.close()
    assert [row.detail for row in mails] == ["250 queued as 1", "250 queued as 2"]
    assert post.detail == str(tmp_path / "2025-05-06" / "rewards--C1.json")
