"""Profiles published to the store, and read there by processes without the files."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.app import open_app
from bot.channels import address_checks
from bot.config.profiles import (
    DAYS,
    EditionSection,
    Profile,
    ScheduleSection,
    dump_profile,
    load_profile,
    parse_profile,
)
from bot.editions.due import StoredProfiles, publish
from bot.model import StopReason

NOW = datetime(2026, 4, 18, 6, 0, tzinfo=UTC)
words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(str.strip)


@pytest.fixture
def app(owls_home):
    with open_app(owls_home) as app:
        yield app


def edit(app, text):
    (app.home.profiles_folder / "owls.toml").write_text(text)
    app.home._loaded = None  # as a later tick, which opens the home afresh


@given(
    st.builds(
        Profile,
        title=words,
        interests=words,
        keywords=st.lists(words, max_size=3),
        open=st.booleans(),
        edition=st.builds(EditionSection, threshold=st.sampled_from([0.0, 0.2, 0.5])) | st.just(EditionSection()),
        schedule=st.builds(
            ScheduleSection,
            at=st.times().map(lambda at: at.replace(microsecond=0)),
            days=st.lists(st.sampled_from(DAYS), min_size=1, unique=True),
        ),
    )
)
def test_a_published_profile_reads_back_as_it_was(profile):
    read = parse_profile("owls", dump_profile(profile))
    assert read == profile
    assert read.edition.fills_from == profile.edition.fills_from


def test_the_time_zone_of_the_settings_is_published_with_the_profile(owls_home):
    profile = load_profile(owls_home / "profiles" / "owls.toml", "Europe/Berlin", address_checks())
    assert parse_profile("owls", dump_profile(profile)).schedule.timezone == "Europe/Berlin"


def test_a_worker_reads_what_was_published_since_and_no_addresses(app):
    stored = StoredProfiles(app.store)
    stored.catch_up()
    assert stored.profiles == {}
    publish(app.store, app.profiles, NOW)
    stored.catch_up()
    assert (list(stored.profiles), stored.profiles["owls"].readers) == (["owls"], ())
    assert "example.org" not in str(app.store.published_profiles.newer_than(0))
    edit(app, 'title = "Bees"\ninterests = "bees"\n')
    publish(app.store, app.profiles, NOW)
    assert stored.profiles["owls"].title == "Owls"
    stored.catch_up()
    assert stored.profiles["owls"].title == "Bees"
    publish(app.store, {}, NOW)
    stored.catch_up()
    assert stored.profiles == {}


def test_a_profile_of_a_later_version_is_a_problem_of_its_own(app):
    contents = {
        "bees": '{"title": "Bees", "interests": "bees", "novel": 1}',
        "owls": '{"title": "Owls", "keywords": ["x"]}',
    }
    app.store.published_profiles.publish(contents)
    stored = StoredProfiles(app.store)
    stored.catch_up()
    assert list(stored.profiles) == ["owls"]
    (problem,) = stored.problems.values()
    assert "later version of Paperbot" in str(problem)
    app.store.published_profiles.publish({"owls": contents["owls"]})
    stored.catch_up()
    assert stored.problems == {}


def test_an_address_that_is_taken_out_and_put_back_is_a_reader_again(app):
    before = (app.home.profiles_folder / "owls.toml").read_text()
    publish(app.store, app.profiles, NOW)
    (ada,) = app.store.readers.all()
    app.subscriptions.remove(ada, NOW)
    assert app.store.readers.by_id(ada.id).stopped is StopReason.REMOVED
    edit(app, before)
    publish(app.store, app.profiles, NOW)
    assert app.store.readers.by_id(ada.id).stopped is None
