"""The outbox: who may send which message when, and what is known of it afterwards."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date, timedelta
from threading import Barrier

import pytest

from bot.model import Delivery, Message, State, StopReason
from bot.store.engine import Database, parse_url
from bot.store.outbox import UndeliveredMessage

LEASE = timedelta(minutes=10)
EMAIL = "email"


@pytest.fixture
def outbox(store):
    return store.outbox


def _state(outbox) -> State:
    """The state of the only message."""
    (state,) = (state for state, count in outbox.counts().items() if count)
    return state


def _claim_one(outbox, now) -> Delivery:
    (delivery,) = outbox.claim(EMAIL, now, LEASE, 1)
    return delivery


def test_a_message_is_claimed_started_and_sent(samples, outbox, now):
    samples.messages(samples.reader())
    assert _state(outbox) is State.PENDING
    delivery = _claim_one(outbox, now)
    assert not outbox.start_data(delivery, now + LEASE, LEASE)
    assert not outbox.start_data(replace(delivery, token="another"), now, LEASE)
    assert _state(outbox) is State.CLAIMED
    assert outbox.start_data(delivery, now, LEASE)
    assert _state(outbox) is State.DATA_STARTED
    assert outbox.finish(delivery, State.SENT, now, code="250")
    assert _state(outbox) is State.SENT
    assert outbox.claim(EMAIL, now + timedelta(days=99), LEASE, 9) == []


def test_a_claim_takes_so_many_oldest_first_each_with_a_token_of_its_own(samples, outbox, now):
    ids = samples.messages(samples.reader(), parts=3)
    first = outbox.claim(EMAIL, now, LEASE, 2)
    rest = outbox.claim(EMAIL, now, LEASE, 2)
    assert [[delivery.id for delivery in part] for part in (first, rest)] == [ids[:2], ids[2:]]
    assert len({delivery.token for delivery in first + rest}) == 3
    assert outbox.claim(EMAIL, now, LEASE, 2) == []


def test_a_claim_that_ran_out_is_anothers_and_comes_first(samples, outbox, now):
    first, second = samples.messages(samples.reader(), parts=2)
    old = _claim_one(outbox, now)
    assert outbox.claim(EMAIL, now + LEASE - timedelta(seconds=1), LEASE, 1)[0].id == second
    new = _claim_one(outbox, now + LEASE)
    assert (new.id, new.attempts) == (first, 2)
    assert new.token != old.token
    assert not outbox.start_data(old, now, LEASE)
    assert not outbox.finish(old, State.FAILED, now)
    assert not outbox.retry(old, now, "", "", now)
    assert outbox.start_data(new, now + LEASE, LEASE)


@pytest.mark.parametrize("state", [State.SENT, State.UNKNOWN])
def test_a_body_is_started_and_decided_once(samples, outbox, now, state):
    samples.messages(samples.reader())
    delivery = _claim_one(outbox, now)
    assert outbox.start_data(delivery, now, LEASE)
    assert not outbox.start_data(delivery, now, LEASE)
    assert outbox.finish(delivery, state, now)
    assert not outbox.retry(delivery, now, "", "", now)
    assert _state(outbox) is state
    assert not outbox.finish(delivery, State.FAILED, now)


def test_a_refused_message_waits_until_its_time(samples, outbox, now):
    samples.messages(samples.reader())
    later = now + timedelta(minutes=15)
    assert outbox.retry(_claim_one(outbox, now), later, "451", "greylisted", now)
    assert _state(outbox) is State.RETRY
    assert outbox.claim(EMAIL, later - timedelta(microseconds=1), LEASE, 9) == []
    assert _claim_one(outbox, later).attempts == 2


def test_waiting_messages_go_before_new_ones(samples, outbox, now):
    reader = samples.reader()
    _, second = samples.messages(reader, parts=2)
    for delivery in outbox.claim(EMAIL, now, LEASE, 2):
        outbox.retry(delivery, now + timedelta(minutes=delivery.id == second), "", "", now)
    new, _ = samples.messages(reader, parts=2)
    later = now + timedelta(minutes=1)
    # The limit counts both.
    assert [delivery.id for delivery in outbox.claim(EMAIL, later, LEASE, 3)] == [second - 1, second, new]


def test_what_a_clock_that_ran_ahead_made_wait_is_free_and_the_old_claim_is_void(samples, outbox, now):
    samples.messages(samples.reader(), parts=3)
    ahead = now + timedelta(days=400)
    waits, claimed, sending = outbox.claim(EMAIL, ahead, LEASE, 3)
    outbox.retry(waits, ahead + timedelta(minutes=1), "", "", ahead)
    outbox.start_data(sending, ahead, LEASE)
    assert {d.id for d in outbox.claim(EMAIL, now, LEASE, 9)} == {waits.id, claimed.id}
    assert not outbox.start_data(claimed, ahead, LEASE)
    assert outbox.counts()[State.UNKNOWN] == 1


def test_a_message_without_an_answer_is_unknown_and_never_claimed_again(samples, outbox, now):
    samples.messages(samples.reader())
    outbox.start_data(_claim_one(outbox, now), now, LEASE)
    assert outbox.expire(now + LEASE - timedelta(seconds=1)) == 0
    assert outbox.claim(EMAIL, now + LEASE, LEASE, 9) == []
    assert _state(outbox) is State.UNKNOWN
    assert outbox.expire(now + LEASE) == 0
    (trouble,) = outbox.problems(9)
    assert "may have arrived" in trouble.detail


@pytest.mark.parametrize("state", [State.SENT, State.FAILED])
def test_a_late_answer_still_settles_an_unknown_message(samples, outbox, now, state):
    samples.messages(samples.reader())
    delivery = _claim_one(outbox, now)
    outbox.start_data(delivery, now, LEASE)
    assert outbox.expire(now + LEASE) == 1
    assert outbox.finish(delivery, state, now + LEASE)
    assert _state(outbox) is state


def test_a_stopped_reader_is_sent_nothing_even_once_claimed(samples, store, outbox, now):
    reader = samples.reader()
    samples.messages(reader)
    delivery = _claim_one(outbox, now)
    store.readers.stop(reader.id, StopReason.UNSUBSCRIBED)
    assert not outbox.start_data(delivery, now, LEASE)
    assert _state(outbox) is State.CANCELLED
    store.readers.resume(reader.id)
    assert outbox.claim(EMAIL, now + LEASE, LEASE, 9) == []


def test_a_claim_of_another_is_not_cancelled(samples, store, outbox, now):
    reader = samples.reader()
    samples.messages(reader)
    delivery = _claim_one(outbox, now)
    store.readers.stop(reader.id, StopReason.UNSUBSCRIBED)
    assert not outbox.start_data(replace(delivery, token="another"), now, LEASE)
    assert _state(outbox) is State.CLAIMED


def test_problems_name_reader_and_reason_newest_first(samples, outbox, now):
    samples.messages(samples.reader(), parts=4)
    refused, waiting, sent, unknown = outbox.claim(EMAIL, now, LEASE, 4)
    outbox.finish(refused, State.FAILED, now, "550", "no such mailbox")
    outbox.retry(waiting, now + LEASE, "451", "greylisted", now)
    outbox.start_data(sent, now, LEASE)
    outbox.finish(sent, State.SENT, now)
    outbox.start_data(unknown, now, LEASE)
    outbox.finish(unknown, State.UNKNOWN, now, "", "connection lost")
    name, day = "rewards/ada@example.org", date(2026, 4, 18)
    assert outbox.problems(9) == [
        UndeliveredMessage(message, name, EMAIL, state, code, detail, subject, day, 1, not_before)
        for message, state, code, detail, subject, not_before in (
            (unknown.id, State.UNKNOWN, "", "connection lost", "Subject 4", None),
            (waiting.id, State.RETRY, "451", "greylisted", "Subject 2", now + LEASE),
            (refused.id, State.FAILED, "550", "no such mailbox", "Subject 1", None),
        )
    ]
    assert [message.id for message in outbox.problems(1)] == [unknown.id]


def test_counts_and_states_cover_every_message(samples, store, outbox, now):
    reader = samples.reader()
    samples.messages(reader, parts=2)
    first = store.editions.last(reader.id)
    samples.messages(reader)
    last = store.editions.last(reader.id)
    outbox.finish(_claim_one(outbox, now), State.FAILED, now)
    states = {first.id: (State.FAILED, State.PENDING), last.id: (State.PENDING,)}
    assert outbox.states([first.id, last.id, 9_999]) == states
    assert outbox.states([]) == {}
    assert outbox.counts() == dict.fromkeys(State, 0) | {State.FAILED: 1, State.PENDING: 2}


def test_workers_racing_for_messages_share_them_out(samples, open_another, now):
    ids = samples.messages(samples.reader(), parts=60)
    start = Barrier(4)

    def work(_: int) -> list[Delivery]:
        outbox, mine = open_another().outbox, []
        start.wait()
        while claimed := outbox.claim(EMAIL, now, LEASE, 4):
            mine += claimed
        return mine

    with ThreadPoolExecutor(4) as pool:
        claimed = [delivery for mine in pool.map(work, range(4)) for delivery in mine]
    assert sorted(delivery.id for delivery in claimed) == ids
    assert {delivery.attempts for delivery in claimed} == {1}


def test_workers_racing_to_start_one_delivery_start_it_once(samples, outbox, open_another, now):
    samples.messages(samples.reader(), parts=20)
    deliveries = outbox.claim(EMAIL, now, LEASE, 20)
    start = Barrier(4)

    def start_all(_: int) -> list[int]:
        mine = open_another().outbox
        start.wait()
        return [delivery.id for delivery in deliveries if mine.start_data(delivery, now, LEASE)]

    with ThreadPoolExecutor(4) as pool:
        started = [number for mine in pool.map(start_all, range(4)) for number in mine]
    assert sorted(started) == [delivery.id for delivery in deliveries]


@pytest.mark.parametrize("store_url", ["postgresql"], indirect=True)
def test_a_claim_passes_over_what_another_worker_has_locked(samples, outbox, store_url, now):
    first, second = samples.messages(samples.reader(), parts=2)
    other = Database(parse_url(store_url))
    with other.writing() as connection:
        connection.exec_driver_sql(f"SELECT id FROM outbox WHERE id = {first} FOR UPDATE")
        assert [delivery.id for delivery in outbox.claim(EMAIL, now, LEASE, 9)] == [second]
    other.close()
    assert [delivery.id for delivery in outbox.claim(EMAIL, now, LEASE, 9)] == [first]


def test_waiting_is_what_is_still_to_be_sent(samples, outbox, now):
    samples.messages(samples.reader(), parts=3)
    sent = _claim_one(outbox, now)
    outbox.start_data(sent, now, LEASE)
    outbox.finish(sent, State.SENT, now)
    assert outbox.waiting(EMAIL) == 2
    later = _claim_one(outbox, now)
    assert outbox.waiting(EMAIL) == 1  # what is claimed is on its way
    assert outbox.next_due(EMAIL) is None
    outbox.retry(later, now + LEASE, "451", "greylisted", now)
    assert (outbox.waiting(EMAIL), outbox.next_due(EMAIL)) == (2, now + LEASE)
    assert outbox.waiting("slack") == 0


def test_what_is_of_unknown_fate_is_given_by_reader_oldest_first_and_without_a_token(samples, outbox, now):
    ada, eve = samples.reader(), samples.reader("eve@example.org", "owls")
    ids = [*samples.messages(ada, parts=2), *samples.messages(eve)]
    for delivery in reversed(outbox.claim(EMAIL, now, LEASE, 9)):
        outbox.start_data(delivery, now, LEASE)
        outbox.finish(delivery, State.UNKNOWN, now)
    assert [(delivery.id, delivery.token) for delivery in outbox.in_state(State.UNKNOWN)] == [(i, "") for i in ids]
    assert [d.id for d in outbox.in_state(State.UNKNOWN) if d.reader.id == eve.id] == ids[2:]
    assert {(trouble.code, trouble.detail) for trouble in outbox.problems(9)} == {("", "")}


def test_asking_for_one_message_again_touches_no_other_and_leaves_nothing_of_its_past(samples, outbox, now):
    first, second = samples.messages(samples.reader(), parts=2)
    later = now + timedelta(hours=1)
    for delivery in outbox.claim(EMAIL, now, LEASE, 2):
        outbox.retry(delivery, now + timedelta(days=1), "451", "greylisted", now)
    assert outbox.requeue(first, later)
    assert outbox.counts()[State.RETRY] == outbox.counts()[State.PENDING] == 1
    (other,) = outbox.problems(9)
    assert (other.id, other.code, other.detail) == (second, "451", "greylisted")
    again = _claim_one(outbox, later)
    assert (again.id, again.attempts) == (first, 1)
    outbox.start_data(again, later, LEASE)
    outbox.expire(later + 2 * LEASE)
    (unknown,) = outbox.problems(9, since=later)
    assert (unknown.id, unknown.code, unknown.not_before) == (first, "", None)


def test_settling_one_message_touches_no_other_and_keeps_what_was_learned(samples, outbox, now):
    ada, eve = samples.reader(), samples.reader("eve@example.org", "owls")
    (first,), (second,) = samples.messages(ada), samples.messages(eve)
    for delivery in outbox.claim(EMAIL, now, LEASE, 2):
        outbox.start_data(delivery, now, LEASE)
        outbox.finish(delivery, State.UNKNOWN, now, "421", "connection lost")
    later = now + timedelta(hours=1)
    assert outbox.mark_arrived(first, "seen there", later)
    assert [(trouble.id, trouble.code) for trouble in outbox.problems(9)] == [(second, "421")]
    assert outbox.last_sent([ada.id, eve.id]) == {ada.id: later}
    assert outbox.mark_arrived(second, "seen there", later + LEASE)
    assert outbox.last_sent([ada.id, eve.id]) == {ada.id: later, eve.id: later + LEASE}


def test_a_reader_who_leaves_withdraws_what_was_not_sent(samples, store, outbox, now):
    reader = samples.reader()
    (paper,) = samples.papers(1)
    slots = {"sent": 1, "claimed": 1, "half sent": 2, "pending": 1}
    for slot, parts in slots.items():
        messages = [Message(b"", "", part=number) for number in range(1, parts + 1)]
        store.editions.save(samples.edition(reader, paper), slot, messages)
    sent, claimed, first = outbox.claim(EMAIL, now, LEASE, 3)
    for delivery in (sent, first):
        assert outbox.start_data(delivery, now, LEASE)
        assert outbox.record_sent(delivery, "", now)
    store.readers.leave(reader.id, StopReason.PAUSED)
    assert store.readers.resubscribe(reader.id, now)
    assert [edition.slot for edition in store.editions.of_reader(reader.id)] == ["half sent", "sent"]
    assert outbox.counts()[State.CANCELLED] == 1
    assert not outbox.start_data(claimed, now, LEASE)
    assert outbox.claim(EMAIL, now + 2 * LEASE, LEASE, 9) == []
