"""Readers: made known by their profile, stopped and resumed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

from bot.domain import Kind, Reader, StopReason

ADA, BOB = (Kind.EMAIL, "ada@example.org"), (Kind.EMAIL, "bob@example.org")
ROOM = (Kind.SLACK, "C0123ABC")


def test_the_readers_of_a_profile_are_made_known_in_its_order(store, now):
    room, ada = store.readers.sync("rewards", [ROOM, ADA], now)
    assert (ada.profile, ada.kind, ada.address, ada.stopped) == ("rewards", *ADA, None)
    assert (room.kind, room.address) == ROOM
    assert store.readers.get("rewards", "ada@example.org") == ada
    assert store.readers.get("rewards", "bob@example.org") is None
    assert store.readers.get("other", "ada@example.org") is None


def test_known_readers_keep_their_ids_whatever_the_order(store, now):
    ada, bob = store.readers.sync("rewards", [ADA, BOB], now)
    assert store.readers.sync("rewards", [BOB, ROOM, ADA], now)[::2] == [bob, ada]


def test_one_address_in_two_profiles_is_two_readers(store, now):
    (one,) = store.readers.sync("rewards", [ADA], now)
    (other,) = store.readers.sync("agents", [ADA], now)
    assert one.id != other.id
    assert store.readers.of_profile("agents") == [other]
    assert store.readers.all() == [one, other]


def test_a_reader_taken_out_of_the_file_is_stopped_until_put_back(store, now):
    ada, bob = store.readers.sync("rewards", [ADA, BOB], now)
    assert store.readers.sync("rewards", [BOB], now) == [bob]
    gone = replace(ada, stopped=StopReason.REMOVED)
    assert store.readers.of_profile("rewards") == [gone, bob]
    assert store.readers.sync("rewards", [ADA, BOB], now) == [ada, bob]
    assert store.readers.all() == [ada, bob]


def test_a_reader_who_stopped_stays_stopped_in_the_file_and_out_of_it(store, now):
    (ada,) = store.readers.sync("rewards", [ADA], now)
    store.readers.stop(ada.id, StopReason.UNSUBSCRIBED)
    stopped = replace(ada, stopped=StopReason.UNSUBSCRIBED)
    assert store.readers.sync("rewards", [ADA], now) == [stopped]
    assert store.readers.sync("rewards", [], now) == []
    assert store.readers.sync("rewards", [ADA], now) == [stopped]
    store.readers.resume(ada.id)
    assert store.readers.sync("rewards", [ADA], now) == [ada]


def test_an_empty_profile_leaves_other_profiles_alone(store, now):
    (ada,) = store.readers.sync("rewards", [ADA], now)
    store.readers.sync("agents", [], now)
    assert store.readers.all() == [ada]


def test_two_processes_that_read_the_same_profile_agree(open_another, now):
    addresses = [(Kind.EMAIL, f"reader{n}@example.org") for n in range(50)]
    start = Barrier(4)

    def sync(_: int) -> list[Reader]:
        readers = open_another().readers
        start.wait()
        return readers.sync("rewards", addresses, now)

    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(sync, range(4))
    assert others == [first] * 3
    assert open_another().readers.all() == sorted(first, key=lambda reader: reader.id)
