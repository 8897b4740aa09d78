"""Changes of one reader's rows by several processes at once: each is one transaction on the rows' current state."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from bot.model import Override, StopReason
from bot.model.errors import DeletedError
from bot.readers.subscriptions import ignore_word, restore_word, show_likes

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
