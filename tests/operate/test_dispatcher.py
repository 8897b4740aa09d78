"""The dispatcher: what becomes of each row of the outbox; workers side by side, leases, spacing, the end of a run."""

from datetime import timedelta
from threading import Barrier

import pytest
from support import counts

from bot.channels import FilesChannel
from bot.channels.email.smtp import SmtpChannel
from bot.model import State, StopReason
from bot.model.errors import DeliveryError, FailureScope, StoreError
from bot.operate.dispatcher import BATCH, CLAIM_LEASE, FIRST_BATCH, LEASE, PATIENCE

from .scripted_channels import PatientChannel, ScriptedChannel

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


def test_channels_side_by_side_share_the_rows(make_dispatcher, rows, mail, now):
    rows(40)
    meet = Barrier(3, timeout=30)

    class Meeting(ScriptedChannel):
        """Sends its first message together with the others'."""

        def send(self, delivery, start_data):
            if not self.sent:
                meet.wait()
            return super().send(delivery, start_data)

    others = [Meeting() for _ in range(3)]
    report = make_dispatcher(email=[PatientChannel(others), *others]).deliver_due(now)
    assert counts(report) == (40, 0, 0, 0, 0)
    assert all(other.sent for other in others)


def test_messages_to_one_address_keep_spacing_and_order(make_dispatcher, rows, slack, clock, now):
    rows(6, "slack", address="C1")
    rows(1, "slack", address="C2")
    report = make_dispatcher(spacing=timedelta(seconds=1), slack=slack).deliver_due(now)
    assert slack.sent == [1, 7, 2, 3, 4, 5, 6]
    assert clock.waits == [1.0] * 5
    assert counts(report) == (7, 0, 0, 0, 0)


def test_a_row_due_after_the_patience_is_left_to_the_next_run(dispatcher, rows, slack, clock, now):
    (row,) = rows(1, "slack")
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
    assert {row.attempts for row in added[1:]} == {0}


def test_a_lease_is_counted_from_the_claim_and_not_from_the_runs_beginning(dispatcher, rows, mail, clock, now):
    added = rows(FIRST_BATCH + 1)
    calls = []
    send = mail.send

    def slow(delivery, start_data):
        calls.append(added[delivery.id - 1].lease_until)
        receipt = send(delivery, start_data)
        clock.seconds += 60
        return receipt

    mail.send = slow
    dispatcher.deliver_due(now)
    later = now + timedelta(minutes=3)  # half of the lease is over: the fourth row was released and claimed anew
    assert calls == [now + CLAIM_LEASE] * 3 + [later + CLAIM_LEASE] * 2
    assert {(row.state, row.attempts) for row in added} == {(S.SENT, 1)}


@pytest.mark.parametrize(("fails", "cancelled"), [(False, 1), (True, 0)])
def test_a_row_that_another_worker_took_is_left_to_it(make_dispatcher, rows, now, fails, cancelled):
    (row,) = rows(1)

    class Slow(ScriptedChannel):
        def send(self, delivery, start_data):
            row.steal()
            if fails:
                raise DeliveryError("too late", permanent=False)
            return super().send(delivery, start_data)

    channel = Slow()
    assert counts(make_dispatcher(email=channel).deliver_due(now)) == (0, 0, 0, 0, cancelled)
    assert (row.state, channel.sent) == (S.CLAIMED, [])


def test_what_a_dead_worker_left_behind_is_settled(dispatcher, store, rows, mail, now):
    """Claimed rows are sent when their lease is over; those whose body was going out are unknown."""
    rows(2)
    first, _ = store.outbox.claim("email", now, LEASE, 2)
    store.outbox.start_data(first, now, LEASE)
    assert counts(dispatcher.deliver_due(now + LEASE / 2)) == (0, 0, 0, 0, 0)
    report = dispatcher.deliver_due(now + LEASE)
    assert (mail.sent, counts(report)) == ([2], (1, 0, 1, 0, 0))
    assert report.problems[0].source == "outbox"


@pytest.mark.parametrize("error", [DeliveryError("no answer", permanent=False), AttributeError("a list, no object")])
def test_a_list_that_can_not_be_looked_up_costs_itself_only(
    dispatcher, store, rows, slack, make_delivery, now, error, monkeypatch
):
    rows(2, "slack")
    unknown = make_delivery(number=9, kind="slack")
    monkeypatch.setattr(store.outbox, "unanswered_lists", lambda kind, since: [unknown] if kind == "slack" else [])

    def find_receipt(delivery):
        raise error

    monkeypatch.setattr(slack, "find_receipt", find_receipt, raising=False)
    dispatcher.deliver_due(now)
    assert slack.sent == [1, 2]
