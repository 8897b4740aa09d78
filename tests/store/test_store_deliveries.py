"""What the outbox, breakers, and alert marks remember beside the messages' way."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.domain import Kind, State
from bot.store.circuit_breakers import OpenBreaker

LEASE = timedelta(minutes=10)
EMAIL, SLACK = Kind.EMAIL, Kind.SLACK


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
    assert outbox.release(claimed, None, now)
    assert not outbox.release(claimed, None, now)
    (again,) = outbox.claim(EMAIL, now, LEASE, 9)
    assert again.attempts == 1


def test_what_waits_its_turn_is_not_due_before(claimed, outbox, now):
    assert outbox.next_due(EMAIL) is None
    assert outbox.release(claimed, now + LEASE, now)
    assert (outbox.next_due(EMAIL), outbox.next_due(SLACK)) == (now + LEASE, None)
    assert (outbox.waiting(EMAIL), outbox.waiting(SLACK)) == (1, 0)
    assert outbox.claim(EMAIL, now, LEASE, 9) == []
    assert len(outbox.claim(EMAIL, now + LEASE, LEASE, 9)) == 1


def test_what_is_being_sent_can_not_be_given_back(claimed, outbox, now):
    outbox.start_data(claimed, now, LEASE)
    assert not outbox.release(claimed, None, now)


def test_the_bodys_start_renews_the_lease(claimed, outbox, now):
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
    assert outbox.in_state(State.UNKNOWN, unknown.reader.id + 1) == []
    assert outbox.requeue(unknown.id, now)
    assert not outbox.requeue(unknown.id, now)
    (again,) = outbox.claim(EMAIL, now, LEASE, 9)
    assert (again.key, again.body, again.attempts) == (unknown.key, unknown.body, 1)


def test_what_has_arrived_after_all_is_settled(unknown, outbox, now):
    assert outbox.mark_arrived(unknown.id, "seen there", now)
    assert not outbox.mark_arrived(unknown.id, "seen there", now)
    assert not outbox.requeue(unknown.id, now)
    assert outbox.counts()[State.SENT] == 1
    assert outbox.last_sent() == {unknown.reader.id: now}


def test_what_is_sent_is_never_sent_again(claimed, outbox, now):
    outbox.start_data(claimed, now, LEASE)
    outbox.finish(claimed, State.SENT, now)
    assert not outbox.requeue(claimed.id, now)


def test_bodies_are_forgotten_after_their_time_and_messages_still_to_be_sent_are_not(samples, outbox, now):
    samples.messages(samples.reader(), parts=3)
    sent, waiting, _ = outbox.claim(EMAIL, now, LEASE, 3)
    outbox.start_data(sent, now, LEASE)
    outbox.finish(sent, State.SENT, now)
    outbox.retry(waiting, now, "", "", now)
    assert outbox.purge(now) == 0
    assert outbox.purge(now + timedelta(days=30)) == 1
    assert outbox.purge(now + timedelta(days=30)) == 0
    assert [d.body for d in outbox.in_state(State.RETRY)] == [b"body 2"]
    assert outbox.in_state(State.SENT) == []


def test_problems_since_a_time_are_those_that_changed_after_it(unknown, outbox, now):
    assert len(outbox.problems(9, since=now - LEASE)) == 1
    assert outbox.problems(9, since=now) == []


def test_a_pause_is_kept_with_its_reason_and_grows(store, now):
    breakers = store.circuit_breakers
    assert breakers.all() == {}
    breakers.begin(EMAIL, now, now + LEASE, "535")
    later = now + LEASE
    breakers.begin(EMAIL, later, later + LEASE, "535 again")
    assert breakers.all() == {EMAIL: OpenBreaker(now, later + LEASE, 2, "535 again")}
    breakers.end(EMAIL)
    assert breakers.all() == {}


def test_alert_marks_move(samples, store):
    reader = samples.reader()
    assert store.alert_marks.get(reader.id) is None
    for watermark in (3, 7):
        store.alert_marks.move(reader.id, watermark)
        assert store.alert_marks.get(reader.id) == watermark


def test_a_refused_reader_is_stopped_with_the_reason(samples, store):
    reader = samples.reader()
    store.readers.refuse(reader.id, "550 no such user")
    assert store.readers.get(reader.profile, reader.address).stopped_because == "refused: 550 no such user"
