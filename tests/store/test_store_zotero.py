"""Connections to Zotero in the store: one for each reader, and what is to be saved in the outbox once."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.model import Message, OutboxKey, SourceState, State, ZoteroConnection, ZoteroSave

LEASE = timedelta(minutes=5)


@pytest.fixture
def ada(samples):
    return samples.reader().id


@pytest.fixture
def connection(store, ada, now):
    connected = ZoteroConnection(ada, "users/1", ("Owls",), "sealed", saves=True, connected_at=now)
    store.zotero.connect(connected)
    return connected


def put(store, ada, paper, now, act="save"):
    key = OutboxKey(f"zotero-{act}-{paper}", ada, "zotero")
    save = ZoteroSave(paper, "ABCD2345", str(key))
    store.zotero.put_save(ada, save, Message(b"{}", "Owls"), key, now)
    return save


def undo_save(store, ada, save, now):
    key = OutboxKey(f"zotero-trash-{save.paper}", ada, "zotero")
    store.zotero.undo_save(ada, save, Message(b"{}", "Owls"), key, now)


def test_a_connection_is_kept_as_it_is_and_replaced(store, ada, connection, now):
    assert store.zotero.get(ada) == connection
    poll = SourceState("zotero", checked_at=now, failures=2, problem="503", not_before=now + LEASE)
    store.zotero.record_poll(replace(connection, sealed_key="an earlier one's"), poll, 16)
    store.zotero.record_poll(connection, poll, 17)
    (stored,) = store.zotero.all()
    assert (stored.poll, stored.version) == (poll, 17)
    store.zotero.connect(connection)
    assert store.zotero.get(ada) == connection


def test_a_paper_is_put_into_the_outbox_once(store, samples, ada, connection, now):
    (paper,) = samples.papers(1)
    save = put(store, ada, paper, now)
    put(store, ada, paper, now, "again")
    assert store.zotero.saves(ada) == [save]
    (delivery,) = store.outbox.claim("zotero", now, LEASE, 10)
    assert delivery.key.kind == "zotero"
    assert store.outbox.claim("email", now, LEASE, 10) == []


def test_what_still_waits_is_cancelled_and_what_was_sent_is_taken_back(store, samples, ada, connection, now):
    waiting, sent = samples.papers(2)
    first = put(store, ada, sent, now)
    (delivery,) = store.outbox.claim("zotero", now, LEASE, 10)
    assert store.outbox.start_data(delivery, now, LEASE)
    assert store.outbox.record_sent(delivery, "ABCD2345 version 7", now)
    assert store.zotero.outcome(first.outbox_key) == (State.SENT, "ABCD2345 version 7")
    second = put(store, ada, waiting, now)
    undo_save(store, ada, second, now)
    assert store.zotero.outcome(second.outbox_key)[0] is State.CANCELLED
    assert store.outbox.waiting("zotero") == 0
    undo_save(store, ada, first, now)
    undo_save(store, ada, first, now)
    assert store.outbox.waiting("zotero") == 1
    assert store.zotero.saves(ada) == []


def test_disconnecting_cancels_what_waits(store, samples, ada, connection, now):
    save = put(store, ada, samples.papers(1)[0], now)
    assert store.zotero.disconnect(ada)
    assert store.zotero.outcome(save.outbox_key)[0] is State.CANCELLED
    assert (store.zotero.get(ada), store.zotero.saves(ada)) == (None, [])
    assert not store.zotero.disconnect(ada)
