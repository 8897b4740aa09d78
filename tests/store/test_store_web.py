"""The data of the web pages: subscribers, votes of channel members, overrides, rate limits, search."""

from dataclasses import replace
from datetime import time, timedelta
from functools import partial
from hashlib import sha256

import pytest
from sqlalchemy import select

from bot.model import Entry, Message, Origin, OutboxKey, Override, State, StopReason, Vote
from bot.store import open_store
from bot.store.readers import CONFIRM_WITHIN
from bot.store.schema import forgotten

ADA, EVE = ("email", "ada@example.org"), ("email", "eve@example.org")


def test_a_subscriber_awaits_confirmation_and_the_address_ignores_case(store, now):
    eve = store.readers.request_subscription("rewards", *EVE, now)
    assert (eve.stopped, eve.origin) == (StopReason.AWAITING, Origin.WEB)
    assert store.readers.request_subscription("rewards", "email", "EVE@example.org", now) == eve
    store.readers.confirm(eve.id, now)
    assert store.readers.by_id(eve.id).stopped is None
    assert store.readers.since(eve.id) == now


def test_sync_keeps_readers_from_the_web_and_only_overdue_unconfirmed_ones_are_dropped(store, now):
    eve = store.readers.request_subscription("rewards", *EVE, now)
    bob = store.readers.request_subscription("rewards", "email", "bob@x.org", now)
    store.readers.confirm(eve.id, now)
    later = now + CONFIRM_WITHIN + timedelta(seconds=1)
    (ada,) = store.readers.sync("rewards", [ADA], now)
    store.readers.drop_unconfirmed(now)
    assert store.readers.by_id(bob.id) == bob
    store.readers.drop_unconfirmed(later)
    assert [reader.id for reader in store.readers.all()] == [eve.id, ada.id]


def test_a_reader_from_the_web_becomes_one_of_the_file_that_lists_them(store, now):
    eve = store.readers.request_subscription("rewards", *EVE, now)
    (adopted,) = store.readers.sync("rewards", [EVE], now)
    assert (adopted.id, adopted.stopped, adopted.origin) == (eve.id, None, Origin.FILE)
    assert store.readers.by_id(eve.id) == adopted
    assert store.readers.sync("rewards", [], now) == []
    assert store.readers.by_id(eve.id).stopped == StopReason.REMOVED


@pytest.mark.parametrize("reason", [StopReason.OPERATOR, StopReason.REMOVED, StopReason.REFUSED])
def test_readers_cannot_end_a_stop_by_somebody_else(store, now, reason):
    eve = store.readers.request_subscription("rewards", *EVE, now)
    assert store.readers.confirm(eve.id, now)
    store.readers.stop(eve.id, reason, "550 no such user")
    stopped = store.readers.by_id(eve.id)
    assert not store.readers.confirm(eve.id, now)
    assert not store.readers.resubscribe(eve.id, now)
    store.readers.leave(eve.id, StopReason.PAUSED)
    assert store.readers.by_id(eve.id) == stopped
    store.readers.resume(eve.id)
    assert store.readers.by_id(eve.id).stopped_because is None


def test_who_returns_after_a_pause_is_no_new_subscriber(store, samples, now):
    eve = store.readers.request_subscription("rewards", *EVE, now)
    store.readers.confirm(eve.id, now)
    assert [reader.id for reader in store.readers.subscribers(now - timedelta(days=1))] == [eve.id]
    store.editions.save(samples.edition(eve, at=now + timedelta(hours=1)), "slot", [])
    store.readers.leave(eve.id, StopReason.PAUSED)
    store.readers.resubscribe(eve.id, now + timedelta(days=2))
    assert store.readers.subscribers(now - timedelta(days=1)) == {}


def test_readers_can_end_their_own_stop(store, now):
    eve = store.readers.request_subscription("rewards", *EVE, now)
    assert not store.readers.resubscribe(eve.id, now)  # only the confirmation ends the wait for it
    store.readers.confirm(eve.id, now)
    for resubscribe in (partial(store.readers.resubscribe, now=now), partial(store.readers.confirm, now=now)):
        for reason in (StopReason.PAUSED, StopReason.UNSUBSCRIBED):
            store.readers.leave(eve.id, reason)
            assert store.readers.by_id(eve.id).stopped is reason
            assert resubscribe(eve.id)
            assert store.readers.by_id(eve.id).stopped is None


def test_the_file_ends_a_stop_by_the_operator(store, now):
    eve = store.readers.request_subscription("rewards", *EVE, now)
    store.readers.stop(eve.id)
    assert [reader.stopped for reader in store.readers.sync("rewards", [EVE], now)] == [None]


def test_hashes_of_forgotten_addresses_are_salted_and_outlive_the_keys(store_url, now):
    plain = sha256(b"rewards/ada@example.org").hexdigest()
    for secrets in ([b"a" * 32], [b"a" * 32, b"b" * 32]):  # also after a key was added
        with open_store(store_url, secrets=secrets) as store:
            for ada in store.readers.sync("rewards", [ADA], now):
                store.readers.forget(ada, now)
            assert store.readers.forgotten("rewards", "ADA@example.org")
            with store._database.reading() as connection:
                keys = connection.scalars(select(forgotten.c.key)).all()
            assert len(keys) == 1
            assert plain not in keys
    with open_store(store_url, secrets=[b"c" * 32]) as store:
        assert store.readers.forgotten("rewards", ADA[1])
        assert store.readers.sync("rewards", [ADA], now) == []
        store.readers.remember("rewards", ADA[1])
        assert not store.readers.forgotten("rewards", ADA[1])


def test_a_forgotten_reader_is_deleted_with_all_data_and_not_added_again(samples, store, now):
    (ada,) = store.readers.sync("rewards", [ADA], now)
    (paper,) = samples.papers(1)
    store.feedback.add(ada.id, paper, Vote.UP, now, "page")
    store.overrides.set(ada.id, Override(size=3))
    samples.messages(ada)
    store.readers.forget(ada, now)
    assert store.readers.sync("rewards", [ADA], now) == []
    assert store.readers.forgotten("rewards", "ADA@example.org")
    assert store.feedback.history(ada.id) == []
    assert store.overrides.of_readers([ada.id]) == {}
    assert sum(store.outbox.counts().values()) == 0
    store.readers.remember("rewards", ADA[1])
    (new,) = store.readers.sync("rewards", [ADA], now)
    assert new.id != ada.id


def test_the_last_vote_of_each_channel_member_counts(samples, store, now):
    (channel,) = store.readers.sync("rewards", [("slack", "C0123ABC")], now)
    paper, other = samples.papers(2)
    for voter, paper_id, vote in [
        ("T/U1", paper, Vote.UP),
        ("T/U2", paper, Vote.UP),
        ("T/U3", paper, Vote.DOWN),
        ("T/U1", other, Vote.UP),
        ("T/U2", other, Vote.UP),
        ("T/U1", other, Vote.DOWN),
        ("T/U3", other, Vote.UP),
        ("T/U3", other, Vote.CLEAR),
    ]:
        store.feedback.add(channel.id, paper_id, vote, now, "slack", voter=voter)
    assert [(vote.paper, vote.vote, vote.voter) for vote in store.feedback.votes(channel.id)] == [
        (paper, Vote.UP, "T/U1"),
        (paper, Vote.UP, "T/U2"),
        (paper, Vote.DOWN, "T/U3"),
        (other, Vote.UP, "T/U2"),
        (other, Vote.DOWN, "T/U1"),
    ]
    current = store.feedback.current(channel.id)
    assert {paper_id: vote.vote for paper_id, vote in current.items()} == {paper: Vote.UP}
    assert store.feedback.counts() == {channel.id: (3, 2)}


def test_a_confirmation_mail_is_sent_once_and_to_an_unconfirmed_reader(store, now):
    eve = store.readers.request_subscription("rewards", *EVE, now)
    for _ in range(2):
        store.outbox.put_without_edition(Message(b"hello", "Hello"), OutboxKey("confirmation", eve.id, "email"), now)
    (delivery,) = store.outbox.claim("email", now, timedelta(hours=1), 10)
    assert (delivery.body, delivery.reader) == (b"hello", eve)
    assert store.outbox.start_data(delivery, now, timedelta(hours=1))
    assert store.outbox.finish(delivery, State.SENT, now)


def test_overrides_are_per_reader_and_an_empty_one_is_not_stored(samples, store):
    ada = samples.reader()
    assert store.overrides.get(ada.id) == Override()
    full = Override(3, time(6, 30), ("mon", "sun"), ("agents", "naïve"))
    topics = {"interests": "", "keywords": ("GRPO",), "authors": (), "mute": None}
    full = replace(full, timezone="Asia/Tokyo", **topics)
    store.overrides.set(ada.id, full)
    assert store.overrides.get(ada.id) == full
    assert store.overrides.of_readers([ada.id]) == {ada.id: full}
    store.overrides.set(ada.id, Override())
    assert store.overrides.of_readers([ada.id]) == {}


def test_a_rate_limit_counts_in_windows_that_begin_with_the_first_event(store, open_another, now):
    minute = timedelta(minutes=1)

    def allow(seconds=0, actor="ada", limits=store.rate_limits):
        return limits.allow("votes", actor, 2, minute, now + timedelta(seconds=seconds))

    assert [allow(), allow(30), allow(59)] == [True, True, False]
    assert not allow(59, limits=open_another().rate_limits)
    assert allow(0, "grace")
    assert [allow(60), allow(61), allow(62)] == [True, True, False]
    assert allow(timedelta(days=5).total_seconds())


@pytest.fixture
def three_papers(samples):
    samples.ingest(
        Entry("Energy-based reward models", "We align language models.", ("Renée Jaques",)),
        Entry("Agents that shop", "They are rewarded for bargains.", ("Ada Lovelace",)),
        Entry("A third", "Nothing.", ()),
    )


def test_search_requires_all_words_in_any_form_and_ranks_titles_first(store, three_papers):
    def titles(words):
        return [paper.title for paper in store.search.papers(words)]

    assert titles("reward") == ["Energy-based reward models", "Agents that shop"]
    assert titles("Rewards MODEL") == ["Energy-based reward models"]
    assert titles("jaques") == ["Energy-based reward models"]
    assert titles("lovelace agent") == ["Agents that shop"]
    assert titles("reward zyzzyva") == []


@pytest.mark.parametrize(
    "words",
    ["", '"', "AND OR NOT", "title:reward*", "(((", "a' OR 1=1 --", "-reward", "☃", "x " * 500, "reward & ! | <->"],
)
def test_search_has_no_query_syntax(store, three_papers, words):
    assert isinstance(store.search.papers(words), list)


@pytest.mark.parametrize(
    "typed",
    [
        "2509.07098",
        "arXiv:2509.07098v3",
        "[2509.07098]",
        "https://arxiv.org/pdf/2509.07098v1.pdf",
        "10.48550/arXiv.2509.07098",
        "10.1145/3477495.3531992",
        "doi: 10.1145/3477495.3531992",
        "https://dl.acm.org/doi/10.1145%2F3477495.3531992?download=1",
        "https://journal.example/articles/17",
    ],
)
def test_search_finds_a_paper_by_id_and_address_in_any_form(samples, store, typed):
    address = "https://journal.example/articles/17"
    wanted = Entry("Wanted", arxiv_id="2509.07098", doi="10.1145/3477495.3531992", url=address)
    samples.ingest(wanted, Entry("Another, which cites 2509.07098 and 10.1145", arxiv_id="2509.07099"))
    assert [paper.title for paper in store.search.papers(typed)] == ["Wanted"]


def test_search_finds_updated_papers(samples, store, three_papers):
    samples.ingest(Entry("A third", "Now something on quantum annealing, at length.", ("Grace Hopper",)))
    assert [paper.title for paper in store.search.papers("quantum")] == ["A third"]
    assert [paper.title for paper in store.search.papers("hopper")] == ["A third"]


def test_the_reader_who_was_sent_a_paper_last(samples, store, now):
    ada, eve = samples.reader(), samples.reader("eve@example.org", "agents")
    paper, other = samples.papers(2)
    for reader in (ada, eve):
        store.editions.save(samples.edition(reader, paper), "slot", [])
    assert store.editions.last_reader_shown([ada.id, eve.id], paper) == eve.id
    assert store.editions.last_reader_shown([ada.id], paper) == ada.id
    assert store.editions.last_reader_shown([ada.id, eve.id], other) is None
    assert [edition.reader_id for edition in store.editions.of_reader(ada.id)] == [ada.id]
    assert [reader.id for reader in store.readers.at_address("eve@example.org")] == [eve.id]
