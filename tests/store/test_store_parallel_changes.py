"""Changes of one reader's rows by several processes at once: each is one transaction on the rows' current state."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier

import pytest
from sqlalchemy import event

from bot.model import Message, OutboxKey, Override, RecordedVote, State, StopReason, Vote
from bot.model.errors import DeletedError
from bot.readers.subscriptions import ignore_word, restore_word, show_likes
from bot.store.derived import StoredMixture, StoredModel
from bot.store.editions import NewEdition

PROCESSES = 4
CHANGES = 10  # of each process


def at_once(*calls):
    """Make calls at the same moment, each in a thread of its own, and return their results."""
    start = Barrier(len(calls))

    def call(function):
        start.wait()
        return function()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(call, calls))


def test_parallel_changes_of_preferences_are_all_kept(samples, store, open_another):
    ada = samples.reader()
    show_likes(store, ada, "Ada")
    ignore_word(store, ada, "agents")

    def changes(number, opened):
        def change():
            for change_number in range(CHANGES):
                ignore_word(opened, ada, f"word {number}-{change_number}")

        return change

    at_once(
        *(changes(number, open_another()) for number in range(PROCESSES)),
        lambda: show_likes(store, ada, ""),
        lambda: restore_word(store, ada, "agents"),
    )
    stored = store.overrides.get(ada.id)
    assert set(stored.ignored) == {f"word {n}-{m}" for n in range(PROCESSES) for m in range(CHANGES)}
    assert stored.shown_as is None


def test_a_change_that_is_refused_stores_nothing(samples, store):
    ada = samples.reader()
    store.overrides.set(ada.id, Override(size=3))

    def refused(_):
        raise ValueError("too long")

    with pytest.raises(ValueError, match="too long"):
        store.overrides.change(ada.id, refused)
    store.overrides.change(ada.id, lambda _: Override(size=9), of_stopped=StopReason.AWAITING)
    assert store.overrides.get(ada.id) == Override(size=3)


def test_a_forgotten_reader_has_no_preferences_to_change(samples, store, now):
    ada = samples.reader()
    store.readers.forget(ada, now)
    with pytest.raises(DeletedError):
        ignore_word(store, ada, "agents")
    assert store.overrides.of_readers([ada.id]) == {}


def test_who_is_forgotten_costs_a_batch_only_their_own_rows(samples, store, now):
    (paper,) = samples.papers(1)
    ada, bob = samples.reader("ada@example.org", "ada"), samples.reader("bob@example.org", "bob")
    drafts = [NewEdition(samples.edition(reader, paper), "day", [Message(b"Hello", "Hello")]) for reader in (ada, bob)]
    store.readers.forget(ada, now)
    assert store.editions.save_all(drafts[:1]) == [False]
    assert store.editions.save_all(drafts) == [False, True]
    assert [delivery.reader.id for delivery in store.outbox.in_state(State.PENDING)] == [bob.id]
    store.reader_models.save([StoredModel(reader.id, "signature", 1, now, b"") for reader in (ada, bob)])
    assert list(store.reader_models.of_readers([ada.id, bob.id])) == [bob.id]
    store.mixtures.add([StoredMixture(reader_id, now, 9, (1.0,), 0.0) for reader_id in (ada.id, bob.id, None)])
    assert list(store.mixtures.of_readers([ada.id, bob.id])) == [bob.id]
    assert store.mixtures.of_home() is not None
    waits = store.edition_waits.since({ada.id: "day", bob.id: "day"}, now)
    assert waits == {ada.id: now, bob.id: now}


def test_what_is_of_a_forgotten_reader_alone_is_refused_without_sql(samples, store, now):
    (paper,) = samples.papers(1)
    ada, bob = samples.reader("ada@example.org", "ada"), samples.reader("bob@example.org", "bob")
    store.readers.forget(ada, now)
    vote = RecordedVote(paper, Vote.UP, now, "page")
    key = OutboxKey("confirmation", ada.id, "email")
    for write in (
        lambda: store.feedback.add_many([(bob.id, vote), (ada.id, vote)]),
        lambda: store.visits.note(ada.id, now.date()),
        lambda: store.alert_marks.move(ada.id, paper),
        lambda: store.outbox.put_without_edition(Message(b"", "Hello"), key, now),
    ):
        with pytest.raises(DeletedError, match=r"^the reader or the paper was deleted meanwhile; nothing was stored$"):
            write()
    assert store.feedback.history(bob.id) == []


def test_forgetting_readers_while_editions_are_saved_aborts_nothing(samples, store, open_another, now):
    (paper,) = samples.papers(1)
    addresses = [("email", f"reader{number}@example.org") for number in range(30)]
    readers = store.readers.sync("rewards", addresses, now)
    another = open_another()

    def save():
        for round_number in range(5):
            drafts = [
                NewEdition(samples.edition(reader, paper), f"slot {round_number}", [Message(b"Hello", "Hello")])
                for reader in readers
            ]
            store.editions.save_all(drafts)

    def forget():
        for reader in readers[::2]:
            another.readers.forget(reader, now)

    at_once(save, forget)
    left = {reader.id for reader in readers[1::2]}
    assert {delivery.reader.id for delivery in store.outbox.in_state(State.PENDING)} == left
    assert len(store.outbox.in_state(State.PENDING)) == 5 * len(left)


def test_no_process_adds_who_is_forgotten_at_the_same_moment(store, open_another, now):
    others = [open_another() for _ in range(3)]
    for _ in range(10):
        store.readers.remember("rewards", "ada@example.org")
        (ada,) = store.readers.sync("rewards", [("email", "ada@example.org")], now)
        at_once(
            lambda ada=ada: store.readers.forget(ada, now),
            *(
                lambda other=other: other.readers.sync("rewards", [("email", "ada@example.org")], now)
                for other in others
            ),
        )
        assert store.readers.of_profile("rewards") == []


@pytest.mark.parametrize("store_url", ["postgresql"], indirect=True)
def test_many_names_are_locked_by_one_query_and_free_again_after_an_error(store, open_another):
    other, queries = open_another(), []
    event.listen(store._database._engine, "before_cursor_execute", lambda *call: queries.append(call[2]))
    with other.exclusively("b"), suppress(ValueError), store.exclusively("a", "b", "c") as held:
        assert set(held) == {"a", "c"}
        with other.exclusively("c", "d") as free:
            assert list(free) == ["d"]
        raise ValueError
    assert len(queries) == 2
    with other.exclusively("a", "b", "c") as free:
        assert set(free) == {"a", "b", "c"}
