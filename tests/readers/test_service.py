"""Subscriptions by readers and by the operator, on a real store and real profile files."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.config.profiles import Profile
from bot.model import StopReason
from bot.readers.subscriptions import NotStoppedByReaderError, TooManyRequestsError, may_confirm, may_resume

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


def request(service, address=EVE, client="client", now=NOW):
    return service.request(SLUG, PROFILE, address, client, now)


def test_a_request_waits_for_the_confirmation(app, service):
    assert request(service)
    (reader,) = app.store.readers.of_profile(SLUG)
    assert reader.stopped is StopReason.AWAITING
    assert may_confirm(reader)
    assert not may_resume(reader)
    service.confirm(reader)
    assert current(app, reader).stopped is None


def test_a_refused_request_does_not_use_up_the_mail_of_its_address(service):
    for number in range(5):
        assert request(service, f"reader{number}@example.org", client="busy")
    with pytest.raises(TooManyRequestsError):
        request(service, client="busy")
    assert request(service, client="another")
    assert not request(service, client="another")
    assert request(service, now=NOW + timedelta(hours=25))


def test_no_confirmation_mail_goes_to_a_reader_stopped_by_somebody_else(app, service, ada):
    app.store.readers.stop(ada.id, StopReason.REFUSED, "550 no such user")
    assert not request(service, ada.address)
    assert not may_confirm(current(app, ada))
    with pytest.raises(NotStoppedByReaderError):
        service.confirm(ada)


def test_a_reader_pauses_unsubscribes_and_resumes(app, service, ada):
    service.pause(ada)
    assert current(app, ada).stopped is StopReason.PAUSED
    service.unsubscribe(current(app, ada))
    service.unsubscribe(current(app, ada))
    assert current(app, ada).stopped is StopReason.UNSUBSCRIBED
    service.pause(current(app, ada))
    assert current(app, ada).stopped is StopReason.UNSUBSCRIBED
    assert may_resume(current(app, ada))
    service.resume(ada)
    assert current(app, ada).stopped is None


def test_the_operator_adds_and_removes_a_reader_of_the_file(app, service, ada, home):
    added, was_listed = service.add(SLUG, "email", EVE, NOW)
    assert not was_listed
    assert service.add(SLUG, "email", EVE, NOW)[1]
    service.remove(added, NOW)
    assert current(app, added).stopped is StopReason.REMOVED
    assert EVE not in (home / "profiles" / f"{SLUG}.toml").read_text()
    with pytest.raises(NotStoppedByReaderError):
        service.resume(added)
    service.add(SLUG, "email", EVE, NOW)
    assert current(app, added).stopped is None
    assert current(app, ada).stopped is None


def test_the_operator_removes_a_reader_who_subscribed_in_slack(app, service):
    reader = service.subscribe_authenticated(SLUG, "slack", "U9", NOW)
    assert current(app, reader).stopped is None
    service.remove(reader, NOW)
    assert current(app, reader).stopped is StopReason.OPERATOR
    with pytest.raises(NotStoppedByReaderError):
        service.subscribe_authenticated(SLUG, "slack", "U9", NOW)


def test_resuming_all_resumes_what_the_reader_stopped(app, service):
    paused = app.store.readers.request_subscription("one", "slack", "U9", NOW)
    removed = app.store.readers.request_subscription("two", "slack", "U9", NOW)
    app.store.readers.confirm(paused.id)
    service.pause(current(app, paused))
    app.store.readers.stop(removed.id, StopReason.OPERATOR)
    service.resume(removed, paused)
    assert current(app, paused).stopped is None
    assert current(app, removed).stopped is StopReason.OPERATOR
    with pytest.raises(NotStoppedByReaderError):
        service.resume(removed)
