"""The quarantine of digests that killed their parser, and the waits of editions."""

from __future__ import annotations

from datetime import timedelta


def test_a_digest_without_an_end_is_tried_twice(store, now):
    attempts = store.parse_attempts
    assert attempts.begin("a", now) is None
    assert attempts.begin("a", now) is None
    assert attempts.begin("a", now) == "Paperbot was killed 2 times while it was parsed"
    assert attempts.begin("b", now) is None
    assert attempts.begin("a", now, again=True) is None
    attempts.end("a")
    assert [attempts.begin("a", now) for _ in range(3)][:2] == [None, None]


def test_a_refused_digest_stays_refused_with_its_reason(store, now):
    attempts = store.parse_attempts
    attempts.begin("a", now)
    attempts.refuse("a", "too slow")
    assert [attempts.begin("a", now) for _ in range(3)] == ["too slow"] * 3
    assert attempts.begin("a", now, again=True) is None
    attempts.end("a")
    assert attempts.begin("a", now) is None


def test_a_wait_begins_once_for_each_slot_and_is_deleted_with_its_reader(samples, store, now):
    reader = samples.reader()
    waits = store.edition_waits
    later = now + timedelta(minutes=5)
    assert waits.since({}, now) == {}
    assert waits.since({reader.id: "2025-05-06"}, now) == {reader.id: now}
    assert waits.since({reader.id: "2025-05-06"}, later) == {reader.id: now}
    assert waits.since({reader.id: "2025-05-07"}, later) == {reader.id: later}
    store.forget(reader, now)
    assert store.readers.all() == []
