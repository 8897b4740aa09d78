"""The dispatcher: what becomes of each row, with an outbox that is strict about states."""

from __future__ import annotations

from datetime import timedelta

import pytest
from support import counts

from bot.channels import FilesChannel
from bot.channels.email.smtp import SmtpChannel
from bot.model import State
from bot.model.errors import DeliveryError, FailureScope, StoreError
from bot.operate.dispatcher import BATCH

S = State


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
    (row,) = rows(1, "slack")
    assert counts(make_dispatcher().deliver_due(now)) == (0, 0, 0, 0, 0)
    assert row.state is S.PENDING


def test_a_reader_who_stops_just_before_the_body_gets_nothing(dispatcher, outbox, rows, mail, now):
    (row,) = rows(1)
    outbox.on_start = lambda delivery: outbox.readers.suppress(delivery.reader.id, "unsubscribed")
    assert counts(dispatcher.deliver_due(now)) == (0, 0, 0, 0, 1)
    assert (row.state, mail.sent) == (S.CANCELLED, [])


def test_the_stores_own_failures_are_raised(dispatcher, outbox, rows, mail, now):
    def full(*_):
        raise StoreError("disk full")

    rows(1)
    outbox.record_sent = full
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
    (post,) = rows(1, "slack", first=3, body=b"{}", address="C1")
    dispatcher = make_dispatcher(email=smtp, slack=FilesChannel(tmp_path, ".json"))
    assert counts(dispatcher.deliver_due(now)) == (1, 0, 0, 2, 0)
    server.replies.clear()
    assert counts(dispatcher.deliver_due(now + timedelta(minutes=1))) == (2, 0, 0, 0, 0)
    smtp.close()
    assert [row.detail for row in mails] == ["250 queued as 1", "250 queued as 2"]
    assert post.detail == str(tmp_path / "2025-05-06" / "rewards--C1.json")
