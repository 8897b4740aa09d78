"""What the outbox, breakers, and alert marks remember beside the messages' way."""

import socket
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import event, select, text

from bot.model import Message, State, StopReason
from bot.model.errors import StoreConnectionLostError, StoreError
from bot.store import outbox as outbox_module
from bot.store.engine import Database, parse_url
from bot.store.outbox import _PAUSES, Outbox
from bot.store.schema import outbox_bodies

LEASE = timedelta(minutes=10)
EMAIL, SLACK = "email", "slack"


@pytest.fixture
def outbox(store):
    return store.outbox


@pytest.fixture
def claimed(samples, outbox, now):
    samples.messages(samples.reader())
    (delivery,) = outbox.claim(EMAIL, now, LEASE, 9)
    return delivery


@pytest.fixture
def unknown(claimed, outbox, now):
    outbox.start_data(claimed, now, LEASE)
    outbox.finish(claimed, State.UNKNOWN, now, "no answer", "silence")
    return claimed


def test_each_channel_claims_its_own(samples, outbox, now):
    (mail,), (post,) = samples.messages(samples.reader()), samples.messages(samples.reader("C0123", "posts"))
    assert [d.id for d in outbox.claim(SLACK, now, LEASE, 9)] == [post]
    assert [d.id for d in outbox.claim(EMAIL, now, LEASE, 9)] == [mail]


def test_what_is_given_back_is_as_if_it_had_not_been_claimed(claimed, outbox, now):
    outbox.release([claimed], None, now)
    outbox.release([claimed], None, now)  # the claim is lost: nothing changes
    (again,) = outbox.claim(EMAIL, now, LEASE, 9)
    assert again.attempts == 1


@pytest.fixture
def lose_answers(store, monkeypatch):
    """From the call on, the next commit is done, but the connection breaks before its answer."""
    writing = store.outbox._database.writing
    is_lost = []

    @contextmanager
    def answerless(**values):
        with writing(**values) as connection:
            yield connection
        if not is_lost:
            is_lost.append(True)
            raise StoreConnectionLostError("server closed the connection")

    return lambda: monkeypatch.setattr(store.outbox._database, "writing", answerless)


def test_a_start_whose_commit_got_no_answer_counts_once(claimed, outbox, lose_answers, now):
    lose_answers()
    assert outbox.start_data(claimed, now, LEASE)
    assert not outbox.start_data(claimed, now, LEASE)  # a second body of the same claim


def test_the_end_of_a_message_is_stored_over_the_next_connection(claimed, outbox, lose_answers, now):
    outbox.start_data(claimed, now, LEASE)
    lose_answers()
    outbox.record_sent(claimed, "250 ok", now)
    assert outbox.counts()[State.SENT] == 1


def test_what_is_being_sent_can_not_be_given_back(claimed, outbox, now):
    outbox.start_data(claimed, now, LEASE)
    outbox.release([claimed], None, now)
    assert outbox.counts()[State.DATA_STARTED] == 1


def test_starting_the_body_renews_the_lease(claimed, outbox, now):
    late = now + LEASE - timedelta(seconds=1)
    assert outbox.start_data(claimed, late, LEASE)
    assert outbox.expire(now + LEASE) == 0
    assert outbox.expire(late + LEASE) == 1


def test_an_attempt_that_was_the_channels_is_not_counted(claimed, outbox, now):
    outbox.retry(claimed, now, "535", "wrong password", now, counted=False)
    (again,) = outbox.claim(EMAIL, now, LEASE, 9)
    assert again.attempts == 1


def test_a_person_has_what_is_unknown_sent_again_under_its_old_key(unknown, outbox, now):
    assert [d.key for d in outbox.in_state(State.UNKNOWN)] == [unknown.key]
    assert outbox.requeue(unknown.id, now)
    assert not outbox.requeue(unknown.id, now)
    (again,) = outbox.claim(EMAIL, now, LEASE, 9)
    assert (again.key, again.body, again.attempts) == (unknown.key, unknown.body, 1)


def test_what_has_arrived_after_all_is_settled(unknown, outbox, now):
    assert outbox.mark_arrived(unknown.id, "seen there", now)
    assert not outbox.mark_arrived(unknown.id, "seen there", now)
    assert not outbox.requeue(unknown.id, now)
    assert outbox.counts()[State.SENT] == 1
    assert outbox.last_sent([unknown.reader.id]) == {unknown.reader.id: now}


def _bodies(store):
    with store._database.reading() as connection:
        return set(connection.scalars(select(outbox_bodies.c.body)))


def test_the_body_of_a_sent_or_cancelled_message_is_deleted_with_it(samples, store, outbox, now):
    ada, eve = samples.reader(), samples.reader("eve@example.org", "owls")
    samples.messages(ada, parts=2)
    samples.messages(eve)
    sent, waiting, cancelled = outbox.claim(EMAIL, now, LEASE, 9)
    outbox.start_data(sent, now, LEASE)
    assert outbox.record_sent(sent, "250 queued", now)
    store.readers.stop(eve.id, StopReason.UNSUBSCRIBED)
    assert not outbox.start_data(cancelled, now, LEASE)
    assert _bodies(store) == {b"body 2"}
    outbox.release([waiting], None, now)
    assert [delivery.body for delivery in outbox.claim(EMAIL, now, LEASE, 9)] == [b"body 2"]


def test_a_body_is_kept_when_its_message_could_not_be_settled(samples, store, outbox, now, monkeypatch):
    samples.messages(samples.reader())
    (delivery,) = outbox.claim(EMAIL, now, LEASE, 1)
    outbox.start_data(delivery, now, LEASE)

    def fail(*_args):
        raise StoreError("disk full")

    monkeypatch.setattr(outbox_module, "_post_replies", fail)
    with pytest.raises(StoreError):
        outbox.record_sent(replace(delivery, has_replies=True), "250 queued", now)
    assert _bodies(store) == {b"body 1"}
    assert outbox.counts()[State.DATA_STARTED] == 1  # that it was sent is lost, and it is not sent again


def test_a_purge_deletes_old_bodies_and_none_that_is_still_to_be_sent(samples, store, outbox, now):
    samples.messages(samples.reader(), parts=5)
    sent, failed, unknown, waiting, _ = outbox.claim(EMAIL, now, LEASE, 5)
    outbox.start_data(sent, now, LEASE)
    outbox.finish(sent, State.SENT, now)  # which drops no body
    outbox.finish(failed, State.FAILED, now)
    outbox.start_data(unknown, now, LEASE)
    outbox.finish(unknown, State.UNKNOWN, now)
    outbox.retry(waiting, now, "", "", now)
    assert store.retention.bodies(now) == 1
    assert _bodies(store) == {b"body 2", b"body 3", b"body 4", b"body 5"}
    assert store.retention.bodies(now + timedelta(days=30)) == 2
    assert store.retention.bodies(now + timedelta(days=30)) == 0
    assert _bodies(store) == {b"body 4", b"body 5"}
    assert outbox.in_state(State.FAILED) == []  # nobody can ask for it again
    assert [d.body for d in outbox.in_state(State.RETRY)] == [b"body 4"]


def test_a_body_is_stored_compressed(samples, store):
    reader = samples.reader()
    body = b"<p>reward models</p>" * 1_000
    store.editions.save(samples.edition(reader), "day", [Message(body, "Papers")])
    with store._database.reading() as connection:
        (stored,) = connection.exec_driver_sql("SELECT body FROM outbox_bodies").scalars()
    assert len(bytes(stored)) < len(body) / 20
    assert _bodies(store) == {body}


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_a_damaged_body_is_an_error_of_the_store(samples, store, outbox, now):
    samples.messages(samples.reader())
    with store._database.writing() as connection:
        connection.exec_driver_sql("UPDATE outbox_bodies SET body = X'00'")
    with pytest.raises(StoreError, match="can't be read"):
        outbox.claim(EMAIL, now, LEASE, 1)


def test_that_a_message_was_sent_is_not_recorded_over_another_claim(unknown, outbox, now):
    outbox.requeue(unknown.id, now)
    assert not outbox.record_sent(unknown, "250 too late", now)
    assert outbox.counts()[State.PENDING] == 1


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_only_the_start_of_a_body_waits_for_the_disk(samples, store, outbox, now):
    """Undone, it would be sent twice. Undone claims and ends cost no more than an ``unknown``."""
    full, normal = 2, 1
    samples.messages(samples.reader(), parts=3)
    levels = set()

    @event.listens_for(store._database._engine, "before_cursor_execute")
    def note_level(connection, _cursor, statement, *_):
        if statement.startswith("UPDATE outbox"):
            sqlite = connection.connection.driver_connection
            levels.add(sqlite.execute("PRAGMA synchronous").fetchone()[0])

    def levels_of(call, *arguments):
        levels.clear()
        assert call(*arguments)
        return set(levels)

    assert levels_of(outbox.claim, EMAIL, now, LEASE, 3) == {normal}
    first, second, third = store.outbox.claim(EMAIL, now + LEASE, LEASE, 3)
    assert levels_of(outbox.start_data, first, now, LEASE) == {full}
    assert levels_of(outbox.record_sent, first, "250 queued", now) == {normal}
    assert levels_of(outbox.finish, second, State.FAILED, now) == {normal}
    assert levels_of(outbox.retry, third, now, "", "", now) == {normal}


@pytest.fixture
def server_database(schema_url):
    database = Database(parse_url(schema_url))
    yield database
    database.close()


def end_connection(connection):
    """End a connection from the server's side, as its restart does; raises in the client."""
    connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))


def test_a_change_is_applied_again_over_a_new_connection_when_the_server_closed_its_own(server_database):
    pauses, attempts = [], []

    def change(connection):
        attempts.append(connection)
        if len(attempts) < 3:
            end_connection(connection)
        return connection.scalar(text("SELECT 7"))

    assert Outbox(server_database, sleep=pauses.append)._commit(change, durable=True) == 7
    assert (len(attempts), pauses) == (3, list(_PAUSES[:2]))


def test_a_server_that_stays_away_is_an_error_after_a_while(server_database):
    pauses = []
    with pytest.raises(StoreConnectionLostError, match="terminating connection"):
        Outbox(server_database, sleep=pauses.append)._commit(end_connection, durable=True)
    assert pauses == list(_PAUSES)


def test_a_refused_statement_is_not_tried_again(server_database):
    outbox = Outbox(server_database, sleep=lambda _: pytest.fail("waited for a server that is there"))
    slow = text("SET LOCAL statement_timeout = 1; SELECT pg_sleep(9)")
    with pytest.raises(StoreError) as caught:
        outbox._commit(lambda connection: connection.execute(slow), durable=True)
    assert not isinstance(caught.value, StoreConnectionLostError)


def test_a_server_that_refuses_connections_counts_as_away():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    database = Database(parse_url(f"postgresql://nobody@127.0.0.1:{port}/none"))
    with pytest.raises(StoreConnectionLostError), database.reading():
        pass


def test_alert_marks_move(samples, store):
    reader = samples.reader()
    assert store.alert_marks.get(reader.id) is None
    for watermark in (3, 7):
        store.alert_marks.move(reader.id, watermark)
        assert store.alert_marks.get(reader.id) == watermark
