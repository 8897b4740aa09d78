"""The dispatcher: what becomes of each row of the outbox."""

from datetime import timedelta

import pytest
from support import counts

from bot.channels import FilesChannel
from bot.channels.email.smtp import SmtpChannel
from bot.model import State, StopReason
from bot.model.errors import DeliveryError, FailureScope, StoreError
from bot.operate.dispatcher import BATCH

S = State
NO_USER = DeliveryError("550 no such user", permanent=True, scope=FailureScope.READER, code="550")


def test_every_due_row_is_delivered_once_whatever_the_batch(dispatcher, rows, mail, now):
    added = rows(2 * BATCH + 3)
    report = dispatcher.deliver_due(now)
    assert mail.sent == list(range(1, 2 * BATCH + 4))
    assert {row.state for row in added} == {S.SENT}
    assert added[0].detail == "250 queued as 1"
    assert (counts(report), report.problems) == ((2 * BATCH + 3, 0, 0, 0, 0), [])
    assert counts(dispatcher.deliver_due(now)) == (0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("has_started", "error", "state", "says"),
    [
        (False, NO_USER, S.FAILED, "550 no such user (given up)"),
        (
            False,
            DeliveryError("450 full", permanent=False, scope=FailureScope.READER),
            S.RETRY,
            "450 full (tried again from 2025-05-06 08:01 UTC)",
        ),
        (True, DeliveryError("452 disk full", permanent=False), S.RETRY, "452 disk full (tried again"),
        (True, DeliveryError("silence", permanent=False, unknown=True), S.UNKNOWN, "silence (it may have arrived"),
        (False, RuntimeError("bug"), S.RETRY, "unexpected RuntimeError: bug (tried again"),
        (True, RuntimeError("bug"), S.UNKNOWN, "unexpected RuntimeError: bug (it may have arrived"),
    ],
)
def test_a_failure_costs_its_row_alone(dispatcher, rows, mail, stopped, now, has_started, error, state, says):
    first, second = rows(2)
    (mail.after if has_started else mail.before)[first.id] = error
    report = dispatcher.deliver_due(now)
    assert (first.state, second.state) == (state, S.SENT)
    (problem,) = report.problems
    assert str(problem).startswith(f"rewards/r1@example.org: {says}")
    assert stopped() == ({"r1@example.org": "550 no such user"} if error is NO_USER else {})
    mail.before.clear()
    mail.after.clear()
    assert counts(dispatcher.deliver_due(now + timedelta(seconds=30))) == (0, 0, 0, 0, 0)
    # Only a refused message is sent again.
    dispatcher.deliver_due(now + timedelta(minutes=1))
    assert mail.sent == ([2, 1] if state is S.RETRY else [2])


def test_the_parts_behind_a_refused_one_are_cancelled_with_their_reader(dispatcher, rows, mail, now):
    added = rows(2, address="ada@example.org")
    mail.before[1] = NO_USER
    assert counts(dispatcher.deliver_due(now)) == (0, 1, 0, 0, 1)
    assert ([row.state for row in added], mail.sent) == ([S.FAILED, S.CANCELLED], [])


def test_a_kind_without_a_channel_loses_nothing(make_dispatcher, rows, now):
    (row,) = rows(1, "slack")
    assert counts(make_dispatcher().deliver_due(now)) == (0, 0, 0, 0, 0)
    assert row.state is S.PENDING


def test_a_reader_who_stops_just_before_the_body_gets_nothing(dispatcher, store, rows, mail, now, monkeypatch):
    (row,) = rows(1)
    start = store.outbox.start_data

    def stop_and_start(delivery, *arguments):
        store.readers.stop(delivery.reader.id, StopReason.UNSUBSCRIBED)
        return start(delivery, *arguments)

    monkeypatch.setattr(store.outbox, "start_data", stop_and_start)
    assert counts(dispatcher.deliver_due(now)) == (0, 0, 0, 0, 1)
    assert (row.state, mail.sent) == (S.CANCELLED, [])


def test_the_stores_own_failures_are_raised(dispatcher, store, rows, now, monkeypatch):
    def full(*_):
        raise StoreError("disk full")

    rows(1)
    monkeypatch.setattr(store.outbox, "record_sent", full)
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
    (post,) = rows(1, "slack", address="C1", body=b"{}")
    dispatcher = make_dispatcher(email=smtp, slack=FilesChannel(tmp_path, ".json"))
    assert counts(dispatcher.deliver_due(now)) == (1, 0, 0, 2, 0)
    server.replies.clear()
    assert counts(dispatcher.deliver_due(now + timedelta(minutes=1))) == (2, 0, 0, 0, 0)
    smtp.close()
    assert [row.detail for row in mails] == ["250 queued as 1", "250 queued as 2"]
    assert post.detail == str(tmp_path / "2025-05-06" / "rewards--C1.json")
