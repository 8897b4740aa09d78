"""The dispatcher, with an outbox that is strict about states."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.deliver.dispatch import BATCH, LEASE, Dispatcher
from bot.deliver.files import FilesChannel
from bot.deliver.smtp import SmtpChannel
from bot.domain import Kind, State
from bot.errors import Blame, DeliveryError, StoreError

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


@pytest.fixture
def dispatcher(outbox, readers, mail, slack):
    return Dispatcher(outbox, {Kind.EMAIL: mail, Kind.SLACK: slack}, readers)


@pytest.fixture
def rows(outbox, make_delivery):
    """Put so many rows into the outbox, numbered from 1."""

    def fill(count, kind=Kind.EMAIL, first=1, **more):
        numbers = range(first, first + count)
        return [outbox.add(make_delivery(number=number, kind=kind, **more)) for number in numbers]

    return fill


def counts(report):
    return (report.delivered, report.failed, report.unknown, report.retrying, report.cancelled)


def test_every_due_row_is_delivered_once_whatever_the_batch(dispatcher, rows, mail, now):
    some = rows(2 * BATCH + 3)
    report = dispatcher.deliver_due(now)
    assert mail.sent == list(range(1, 2 * BATCH + 4))
    assert all(row.history == [S.PENDING, S.CLAIMED, S.DATA_STARTED, S.SENT] for row in some)
    assert some[0].detail == "250 queued as 1"
    assert (counts(report), report.problems) == ((2 * BATCH + 3, 0, 0, 0, 0), [])
    assert counts(dispatcher.deliver_due(now)) == (0, 0, 0, 0, 0)


def test_an_empty_outbox_is_no_work(dispatcher, now):
    assert counts(dispatcher.deliver_due(now)) == (0, 0, 0, 0, 0)


def test_a_refused_reader_is_stopped_and_the_others_are_served(dispatcher, rows, mail, readers, now):
    some = rows(3)
    mail.before[2] = DeliveryError("550 no such user", permanent=True, blame=Blame.READER, code="550")
    report = dispatcher.deliver_due(now)
    assert (mail.sent, readers.stopped) == ([1, 3], {2: "550 no such user"})
    assert (some[1].state, some[1].code) == (S.FAILED, "550")
    assert counts(report) == (2, 1, 0, 0, 0)
    assert [str(p) for p in report.problems] == ["rewards/ada@example.org: 550 no such user (given up)"]


def test_a_reader_who_is_refused_for_now_is_not_stopped(dispatcher, rows, mail, readers, now):
    (row,) = rows(1)
    mail.before[1] = DeliveryError("450 full", permanent=False, blame=Blame.READER)
    report = dispatcher.deliver_due(now)
    assert readers.stopped == {}
    assert (row.state, row.not_before) == (S.RETRY, now + timedelta(minutes=1))
    assert counts(report) == (0, 0, 0, 1, 0)
    assert "tried again from 2025-05-06 08:01 UTC" in str(report.problems[0])
    mail.before.clear()
    assert counts(dispatcher.deliver_due(now)) == (0, 0, 0, 0, 0)
    assert counts(dispatcher.deliver_due(now + timedelta(minutes=1))) == (1, 0, 0, 0, 0)


def test_the_parts_behind_a_refused_one_are_cancelled_with_their_reader(dispatcher, rows, mail, now):
    some = rows(2, reader_id=7)
    mail.before[1] = DeliveryError("550", permanent=True, blame=Blame.READER)
    assert counts(dispatcher.deliver_due(now)) == (0, 1, 0, 0, 1)
    assert [row.state for row in some] == [S.FAILED, S.CANCELLED]
    assert mail.sent == []


def test_a_failing_channel_is_tried_once_a_run_and_the_other_goes_on(dispatcher, rows, mail, slack, now):
    mails = rows(BATCH + 5)
    rows(2, Kind.SLACK, first=100)
    error = DeliveryError("535 wrong password", permanent=True, blame=Blame.CHANNEL, code="535")
    mail.before = dict.fromkeys(range(1, 100), error)
    report = dispatcher.deliver_due(now)
    assert slack.sent == [100, 101]
    assert counts(report) == (2, 0, 0, BATCH + 5, 0)
    assert [str(p) for p in report.problems] == [
        "email: 535 wrong password (tried again from 2025-05-06 08:05 UTC)"
    ]
    assert all(row.history == [S.PENDING, S.CLAIMED, S.RETRY] for row in mails)
    assert (mails[1].code, mails[1].detail) == ("535", "held back: 535 wrong password")


def test_once_the_channel_is_mended_what_was_held_back_goes_out(dispatcher, rows, mail, now):
    rows(3)
    mail.before[1] = DeliveryError("554 5.7.1", permanent=True, blame=Blame.CHANNEL)
    dispatcher.deliver_due(now)
    report = dispatcher.deliver_due(now + timedelta(minutes=1))
    assert (mail.sent, counts(report)) == ([2, 3], (2, 0, 0, 0, 0))
    mail.before.clear()
    dispatcher.deliver_due(now + timedelta(minutes=5))
    assert mail.sent == [2, 3, 1]


def test_a_message_that_the_channel_keeps_failing_on_is_given_up_by_name(dispatcher, rows, mail, now):
    (row,) = rows(1, attempts=8)
    mail.before[1] = DeliveryError("554 5.7.1", permanent=True, blame=Blame.CHANNEL)
    report = dispatcher.deliver_due(now)
    assert (row.state, counts(report)) == (S.FAILED, (0, 1, 0, 0, 0))
    assert report.problems[0].source == "rewards/ada@example.org"


def test_what_may_have_arrived_is_unknown_and_never_sent_again(dispatcher, rows, mail, now):
    some = rows(2)
    mail.after[1] = DeliveryError("silence", permanent=False, unknown=True, code="no answer")
    report = dispatcher.deliver_due(now)
    mail.after.clear()
    dispatcher.deliver_due(now + timedelta(days=3))
    assert some[0].history == [S.PENDING, S.CLAIMED, S.DATA_STARTED, S.UNKNOWN]
    assert (mail.sent, counts(report)) == ([2], (1, 0, 1, 0, 0))
    assert "may have arrived" in str(report.problems[0])


def test_a_refusal_after_the_body_can_be_tried_again(dispatcher, rows, mail, now):
    (row,) = rows(1)
    mail.after[1] = DeliveryError("452 disk full", permanent=False)
    dispatcher.deliver_due(now)
    assert row.history == [S.PENDING, S.CLAIMED, S.DATA_STARTED, S.RETRY]


def test_a_channels_bug_before_the_body_is_tried_again_and_named(dispatcher, rows, mail, now):
    some = rows(2)
    mail.before[1] = RuntimeError("bug")
    report = dispatcher.deliver_due(now)
    assert (some[0].state, some[1].state) == (S.RETRY, S.SENT)
    assert "unexpected RuntimeError: bug" in str(report.problems[0])


def test_a_channels_bug_after_the_body_is_unknown(dispatcher, rows, mail, now):
    some = rows(2)
    mail.after[1] = RuntimeError("bug")
    assert counts(dispatcher.deliver_due(now)) == (1, 0, 1, 0, 0)
    assert (some[0].state, some[1].state) == (S.UNKNOWN, S.SENT)


def test_a_kind_without_a_channel_loses_nothing(outbox, readers, rows, now):
    (row,) = rows(1, Kind.SLACK)
    assert counts(Dispatcher(outbox, {}, readers).deliver_due(now)) == (0, 0, 0, 1, 0)
    assert row.state is S.RETRY


def test_a_reader_who_stops_just_before_the_body_gets_nothing(dispatcher, outbox, rows, mail, now):
    (row,) = rows(1)
    outbox.on_start = lambda delivery: outbox.readers.stop(delivery.reader.id, "unsubscribed")
    assert counts(dispatcher.deliver_due(now)) == (0, 0, 0, 0, 1)
    assert (row.state, mail.sent) == (S.CANCELLED, [])


def test_a_row_that_another_worker_took_is_left_to_it(dispatcher, outbox, rows, mail, now):
    (row,) = rows(1)
    outbox.on_start = outbox.steal
    report = dispatcher.deliver_due(now)
    assert (row.state, mail.sent, report.delivered) == (S.CLAIMED, [], 0)


def test_a_row_that_another_worker_took_is_not_settled_here(outbox, readers, rows, now):
    (row,) = rows(1)
    seen = []

    class Slow(Scripted):
        def send(self, delivery, start_data):
            outbox.steal(delivery)
            raise DeliveryError("too late", permanent=False)

    dispatcher = Dispatcher(outbox, {Kind.EMAIL: Slow()}, readers)
    assert counts(dispatcher.deliver_due(now, lambda *settled: seen.append(settled))) == (0, 0, 0, 0, 0)
    assert (row.state, seen) == (S.CLAIMED, [])


def test_what_a_dead_worker_left_behind_is_settled(dispatcher, outbox, rows, mail, now):
    """Claimed rows are sent when their lease is over; those whose body was going out are unknown."""
    rows(2)
    first, _ = outbox.claim(now, LEASE, 2)
    outbox.start_data(first, now)
    assert counts(dispatcher.deliver_due(now + LEASE / 2)) == (0, 0, 0, 0, 0)
    report = dispatcher.deliver_due(now + LEASE)
    assert (mail.sent, counts(report)) == ([2], (1, 0, 1, 0, 0))
    assert report.problems[0].source == "outbox"


def test_the_stores_own_failures_are_raised(dispatcher, outbox, rows, mail, now):
    def full(*_):
        raise StoreError("disk full")

    rows(1)
    outbox.finish = full
    with pytest.raises(StoreError):
        dispatcher.deliver_due(now)


def test_progress_is_told_for_each_settled_row(outbox, readers, mail, rows, now):
    seen = []
    rows(3)
    mail.before[2] = DeliveryError("later", permanent=False)
    channels = {Kind.EMAIL: mail}
    Dispatcher(outbox, channels, readers).deliver_due(now, lambda row, state: seen.append((row.id, state)))
    assert seen == [(1, S.SENT), (2, S.RETRY), (3, S.SENT)]


def test_from_the_outbox_to_a_mail_server_and_to_a_file(outbox, rows, mail_server, tmp_path, now):
    server = mail_server()
    server.replies["RCPT"] = "450 greylisted"
    smtp = SmtpChannel("127.0.0.1", server.port, "none", envelope_sender="bot@example.org")
    mails = rows(2)
    (post,) = rows(1, Kind.SLACK, first=3, body=b"{}", address="C1")
    channels = {Kind.EMAIL: smtp, Kind.SLACK: FilesChannel(tmp_path, ".json")}
    dispatcher = Dispatcher(outbox, channels, outbox.readers)
    assert counts(dispatcher.deliver_due(now)) == (1, 0, 0, 2, 0)
    server.replies.clear()
    assert counts(dispatcher.deliver_due(now + timedelta(minutes=1))) == (2, 0, 0, 0, 0)
    smtp.close()
    assert [row.detail for row in mails] == ["250 queued as 1", "250 queued as 2"]
    assert post.detail == str(tmp_path / "2025-05-06" / "rewards--C1.json")
