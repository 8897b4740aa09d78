"""A reader's own preferences and ignored words."""

from dataclasses import replace
from datetime import UTC, datetime, time

import pytest

from bot.config.profiles import InterestSection, describe_override, with_override
from bot.editions.due import due_letters
from bot.model import Override
from bot.readers.subscriptions import (
    MAX_IGNORED_WORDS,
    MAX_INTERESTS,
    MAX_NAME,
    MAX_TERMS,
    MAX_WORD_LENGTH,
    ignore_word,
    reset_preferences,
    restore_word,
    set_preferences,
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
    schedule, names = profile.schedule, ("title", "keywords", "authors", "mute", "language", "catch_up", "weekly")
    as_is = Override(
        size=profile.edition.size,
        at=schedule.at,
        days=schedule.days,
        timezone=schedule.timezone,
        interests=profile.interests_at(NOW),
        **{name: getattr(profile, name) for name in names},
    )
    set_preferences(app.store, reader, profile, as_is, NOW)
    assert app.store.overrides.get(reader.id) == Override()
    chosen = replace(as_is, at=time(6, 30, 59), days=("sun", "mon"), timezone="Asia/Tokyo")
    set_preferences(app.store, reader, profile, chosen, NOW)
    expected = Override(at=time(6, 30), days=("mon", "sun"), timezone="Asia/Tokyo")
    assert app.store.overrides.get(reader.id) == expected
    set_preferences(app.store, reader, profile, Override(size=9), NOW)
    assert app.store.overrides.get(reader.id) == replace(expected, size=9)


def test_saving_the_form_unchanged_keeps_the_last_days_of_the_files_interests(app, reader, profile):
    interests = (InterestSection(text="owls"), InterestSection(text="bats", until="2025-05-07"))
    dated = profile.model_copy(update={"interests": interests})
    # In Tokyo it is the day after already.
    app.store.overrides.set(reader.id, Override(timezone="Asia/Tokyo"))
    shown = Override(timezone="Asia/Tokyo", interests="owls")
    set_preferences(app.store, reader, dated, shown, NOW.replace(hour=20))
    assert app.store.overrides.get(reader.id) == Override(timezone="Asia/Tokyo")


def test_topics_are_stored_without_blank_lines_and_duplicates(app, reader, profile):
    chosen = Override(
        interests="World models\r\nand planning ",
        keywords=["Dreamer", " ", "Dreamer ", "MuZero"],
        authors=[],
        mute=["trading"],
    )
    set_preferences(app.store, reader, profile, chosen, NOW)
    override = app.store.overrides.get(reader.id)
    assert override.interests == "World models\nand planning"
    assert override.keywords == ("Dreamer", "MuZero")
    assert override.authors == ()
    assert override.mute == ("trading",)
    overridden = with_override(profile, override)
    assert overridden.interests_at(NOW) == "World models\nand planning"
    assert overridden.authors == ()
    assert describe_override(override) == (
        "interests “World models and planning”, keywords “Dreamer”, “MuZero”, no authors, mutes “trading”"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"size": 0}, "Choose 1 to 100 papers"),
        ({"size": 101}, "Choose 1 to 100 papers"),
        ({"days": ["someday"]}, "Choose 1 to 100 papers"),
        ({"at": time(8, tzinfo=UTC)}, "Choose 1 to 100 papers"),
        ({"timezone": "Mars/Olympus"}, "unknown time zone"),
        ({"language": "german"}, "unknown language"),
        ({"interests": "", "keywords": [], "authors": [" "]}, "Say what to look for"),
        ({"interests": "x" * (MAX_INTERESTS + 1)}, "at most 5,000 characters"),
        ({"title": "x" * (MAX_NAME + 1)}, "at most 80 characters"),
        ({"mute": ["x" * (MAX_WORD_LENGTH + 1)]}, "A list has at most"),
        ({"keywords": [str(n) for n in range(MAX_TERMS + 1)]}, "A list has at most"),
    ],
)
def test_invalid_preferences_change_nothing(app, reader, profile, change, message):
    with pytest.raises(ValueError, match=message):
        set_preferences(app.store, reader, profile, Override(**change), NOW)
    assert app.store.overrides.get(reader.id) == Override()


def test_the_name_of_editions_changes_only_when_their_reader_changes_it(app, reader, profile):
    def title(**change):
        set_preferences(app.store, reader, profile, Override(**change), NOW)
        return with_override(profile, app.store.overrides.get(reader.id)).title

    assert title(interests="I work on protein language models. No robots, please.") == profile.title
    # An empty name asks for one made of the topics, which stays too.
    assert title(title="") == "Protein language models"
    assert title(interests="antibody design; proteins") == "Protein language models"
    assert title(title=" Antibodies\nand more ") == "Antibodies and more"
    assert title(interests="", keywords=["CRISPR", "prime editing"], authors=[]) == "Antibodies and more"
    assert title(title="") == "CRISPR, prime editing"
    assert title(title=profile.title) == profile.title
    assert app.store.overrides.get(reader.id).title is None


def test_a_reader_switches_the_letter_and_gets_it_alone(app, reader, profile):
    friday = datetime(2025, 5, 9, 18, tzinfo=UTC)

    def due(weekly: bool, in_file: bool) -> list[int]:
        in_profile = profile.model_copy(update={"weekly": in_file})
        set_preferences(app.store, reader, in_profile, Override(weekly=weekly), NOW)
        return [due.id for due, _, _ in due_letters(app.store, {reader.profile: in_profile}, friday)]

    assert due(weekly=True, in_file=False) == [reader.id]
    assert due(weekly=False, in_file=False) == []
    assert due(weekly=True, in_file=True) == [reader.id]
    assert due(weekly=False, in_file=True) == []


def test_ignored_words_outlast_changes_of_the_preferences(app, reader, profile):
    ignore_word(app.store, reader, "reward")
    set_preferences(app.store, reader, profile, Override(size=3), NOW)
    assert app.store.overrides.get(reader.id) == Override(size=3, ignored=("reward",))
    reset_preferences(app.store, reader)
    assert app.store.overrides.get(reader.id) == Override(ignored=("reward",))
    restore_word(app.store, reader, "reward")
    assert app.store.overrides.get(reader.id) == Override()


def test_ignored_words_are_bounded(app, reader):
    app.store.overrides.set(reader.id, Override(ignored=tuple(f"word {n}" for n in range(MAX_IGNORED_WORDS))))
    for word in ("", "x" * (MAX_WORD_LENGTH + 1), "one too many"):
        with pytest.raises(ValueError, match="can't be removed"):
            ignore_word(app.store, reader, word)
    assert len(app.store.overrides.get(reader.id).ignored) == MAX_IGNORED_WORDS
