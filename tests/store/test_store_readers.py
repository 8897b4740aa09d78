"""Readers: added by their profile's file, stopped and resumed."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

from bot.model import Origin, Reader, StopReason

ADA, BOB = ("email", "ada@example.org"), ("email", "bob@example.org")
CHANNEL = ("slack", "C0123ABC")


def test_sync_returns_the_readers_in_the_order_of_the_file(store, now):
    channel, ada = store.readers.sync("rewards", [CHANNEL, ADA], now)
    assert store.readers.sync("rewards", [ADA, BOB, CHANNEL], now)[::2] == [ada, channel]
    assert (ada.profile, ada.kind, ada.address, ada.stopped) == ("rewards", *ADA, None)
    assert (channel.kind, channel.address) == CHANNEL
    assert store.readers.get("rewards", "ada@example.org") == ada
    assert store.readers.get("other", "ada@example.org") is None


def test_one_address_in_two_profiles_is_two_readers(store, now):
    (in_rewards,) = store.readers.sync("rewards", [ADA], now)
    (in_agents,) = store.readers.sync("agents", [ADA], now)
    assert in_rewards.id != in_agents.id
    assert store.readers.of_profile("agents") == [in_agents]
    assert store.readers.all() == [in_rewards, in_agents]


def test_a_reader_removed_from_the_file_is_stopped_until_they_are_in_it_again(store, now):
    ada, bob = store.readers.sync("rewards", [ADA, BOB], now)
    assert store.readers.sync("rewards", [BOB], now) == [bob]
    removed = replace(ada, stopped=StopReason.REMOVED)
    assert store.readers.of_profile("rewards") == [removed, bob]
    assert store.readers.sync("rewards", [ADA, BOB], now) == [ada, bob]
    assert store.readers.all() == [ada, bob]


def test_an_unsubscribed_reader_stays_so_in_the_file_and_out_of_it(store, now):
    (ada,) = store.readers.sync("rewards", [ADA], now)
    store.readers.stop(ada.id, StopReason.UNSUBSCRIBED)
    stopped = replace(ada, stopped=StopReason.UNSUBSCRIBED)
    assert store.readers.sync("rewards", [ADA], now) == [stopped]
    assert store.readers.sync("rewards", [], now) == []
    assert store.readers.sync("rewards", [ADA], now) == [stopped]
    store.readers.resume(ada.id)
    assert store.readers.sync("rewards", [ADA], now) == [ada]


def test_processes_that_sync_the_same_profile_agree(open_another, now):
    addresses = [("email", f"reader{n}@example.org") for n in range(50)]
    start = Barrier(4)

    def sync(_: int) -> list[Reader]:
        readers = open_another().readers
        start.wait()
        return readers.sync("rewards", addresses, now)

    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(sync, range(4))
    assert others == [first] * 3
    assert open_another().readers.all() == sorted(first, key=lambda reader: reader.id)


def test_all_readers_come_in_pages_in_the_order_of_their_ids(store, now, monkeypatch):
    monkeypatch.setattr("bot.store.readers.PAGE", 3)
    store.readers.sync("rewards", [("email", f"r{n}@example.org") for n in range(7)], now)
    store.readers.operator("op@example.org", now)
    store.readers.stop(store.readers.all()[4].id)
    pages = list(store.readers.pages())
    assert [len(page) for page in pages] == [3, 3, 1]
    assert [reader for page in pages for reader in page] == store.readers.all()


def test_active_readers_are_counted_by_kind_and_origin(store, now):
    store.readers.sync("rewards", [("email", "ada@example.org")], now)
    for address in ("bob@example.org", "cy@example.org"):
        reader = store.readers.request_subscription("rewards", "email", address, now)
        store.readers.confirm(reader.id, now)
    store.readers.leave(reader.id, StopReason.PAUSED)
    assert store.readers.active_by_kind(["rewards"], Origin.WEB) == {"email": 1}
    assert store.readers.active_by_kind(["other"], Origin.WEB) == {}
