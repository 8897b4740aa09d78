"""Subscriptions by readers and by the operator, on a real store and real profile files."""

from datetime import UTC, datetime

import pytest

from bot.config.profiles import Profile
from bot.model import StopReason
from bot.readers.subscriptions import NotStoppedByReaderError

NOW = datetime(2025, 5, 7, 9, tzinfo=UTC)
SLUG = "reward-models"
PROFILE = Profile(title="Reward models", keywords=("reward models",))
EVE = "eve@example.org"


@pytest.fixture
def service(app):
    return app.subscriptions


@pytest.fixture
def ada(app):
    """The reader of the sample profile."""
    app.store.readers.sync(SLUG, app.profiles[SLUG].addresses, NOW)
    (reader,) = app.store.readers.of_profile(SLUG)
    return reader


def current(app, reader):
    return app.store.readers.by_id(reader.id)


def test_the_operator_adds_and_removes_a_reader_of_the_file(app, service, ada, home):
    added, was_listed = service.add(SLUG, "email", EVE, NOW)
    assert not was_listed
    assert service.add(SLUG, "email", EVE, NOW)[1]
    service.remove(added, NOW)
    assert current(app, added).stopped is StopReason.REMOVED
    assert EVE not in (home / "profiles" / f"{SLUG}.toml").read_text()
    with pytest.raises(NotStoppedByReaderError):
        service.resume([added], NOW)
    service.add(SLUG, "email", EVE, NOW)
    assert current(app, added).stopped is None
    assert current(app, ada).stopped is None


def test_the_operator_removes_a_reader_who_subscribed_in_slack(app, service):
    assert service.subscribe_authenticated(SLUG, PROFILE, "slack", "U9", NOW)
    reader = app.store.readers.get(SLUG, "U9")
    assert current(app, reader).stopped is None
    service.remove(reader, NOW)
    assert current(app, reader).stopped is StopReason.OPERATOR
    with pytest.raises(NotStoppedByReaderError):
        service.subscribe_authenticated(SLUG, PROFILE, "slack", "U9", NOW)


def test_resuming_all_resumes_what_the_reader_stopped(app, service):
    paused = app.store.readers.request_subscription("one", "slack", "U9", NOW)
    removed = app.store.readers.request_subscription("two", "slack", "U9", NOW)
    app.store.readers.confirm(paused.id, NOW)
    service.pause([current(app, paused)], NOW)
    app.store.readers.stop(removed.id, StopReason.OPERATOR)
    service.resume([removed, paused], NOW)
    assert current(app, paused).stopped is None
    assert current(app, removed).stopped is StopReason.OPERATOR
    with pytest.raises(NotStoppedByReaderError):
        service.resume([removed], NOW)
