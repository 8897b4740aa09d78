"""A reader's own size, schedule and ignored words."""

from datetime import UTC, datetime, time

import pytest

from bot.domain import Override
from bot.subscriptions.preferences import (
    MAX_IGNORED_WORDS,
    MAX_WORD_LENGTH,
    ignore_word,
    reset_schedule,
    restore_word,
    set_schedule,
)

NOW = datetime(2025, 5, 7, 9, tzinfo=UTC)
SLUG = "reward-models"


@pytest.fixture
def profile(app):
    return app.profiles[SLUG]


@pytest.fixture
def reader(app, profile):
    (reader,) = app.store.readers.sync(SLUG, profile.addresses, NOW)
    return reader


def test_only_what_differs_from_the_profile_is_stored(app, reader, profile):
    schedule = profile.schedule
    size = profile.edition.size
    set_schedule(app.store, reader, profile, size=size, at=schedule.at, days=schedule.days)
    assert app.store.overrides.get(reader.id) == Override()
    set_schedule(app.store, reader, profile, size=size, at=time(6, 30, 59), days=["sun", "mon"])
    assert app.store.overrides.get(reader.id) == Override(at=time(6, 30), days=("mon", "sun"))


@pytest.mark.parametrize(
    ("size", "at", "days"),
    [
        (0, time(8), ["mon"]),
        (101, time(8), ["mon"]),
        (5, time(8), ["someday"]),
        (5, time(8, tzinfo=UTC), ["mon"]),
    ],
)
def test_an_invalid_schedule_changes_nothing(app, reader, profile, size, at, days):
    with pytest.raises(ValueError, match="Choose 1 to 100 papers"):
        set_schedule(app.store, reader, profile, size=size, at=at, days=days)
    assert app.store.overrides.get(reader.id) == Override()


def test_ignored_words_outlast_changes_of_the_schedule(app, reader, profile):
    ignore_word(app.store, reader, "reward")
    set_schedule(app.store, reader, profile, size=3, at=time(8), days=["mon"])
    assert app.store.overrides.get(reader.id).ignored == ("reward",)
    reset_schedule(app.store, reader)
    assert app.store.overrides.get(reader.id) == Override(ignored=("reward",))
    assert restore_word(app.store, reader, "reward")
    assert not restore_word(app.store, reader, "reward")
    assert app.store.overrides.get(reader.id) == Override()


def test_ignored_words_are_bounded(app, reader):
    app.store.overrides.set(reader.id, Override(ignored=tuple(f"word {n}" for n in range(MAX_IGNORED_WORDS))))
    for word in ("", "x" * (MAX_WORD_LENGTH + 1), "one too many"):
        with pytest.raises(ValueError, match="can't be removed"):
            ignore_word(app.store, reader, word)
    assert len(app.store.overrides.get(reader.id).ignored) == MAX_IGNORED_WORDS
