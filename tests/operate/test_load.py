"""What waits, and how long: the same figures for ``paperbot status`` and ``/metrics``; a status of many readers."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.app import open_app
from bot.model import SendLimit, State
from bot.operate.status import MAX_READERS, load

NOW = datetime(2025, 5, 7, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def app(home, paperbot):
    paperbot("ingest")
    with open_app(home) as app:
        yield app


@pytest.mark.slow
def test_a_due_reader_is_counted_from_the_time_of_the_schedule(app, paperbot):
    paperbot("run", "--now", "2025-05-06T09:00:00+02:00")
    assert load(app.store, app.profiles, {}, NOW - 5 * HOUR).oldest_due_seconds == 0
    waits = load(app.store, app.profiles, {}, NOW).oldest_due_seconds
    assert waits == load(app.store, app.profiles, {}, NOW + HOUR).oldest_due_seconds - 3600 > 0
    out = paperbot("status", "--now", "2025-05-13T15:05:00+02:00").out
    assert "the oldest due edition has waited 6 days and 7 hours" in out
    paperbot("run", "--now", NOW.isoformat())
    assert load(app.store, app.profiles, {}, NOW).oldest_due_seconds == 0


def test_messages_that_wait_and_claims_of_dead_workers_are_counted(app, paperbot, mails):
    mails.replies["ada@example.org"] = "451 later"
    paperbot("run", "--now", NOW.isoformat())
    assert load(app.store, app.profiles, {}, NOW + HOUR).oldest_unsent_seconds == 0
    (row,) = app.store.outbox.in_state(State.RETRY)
    app.store.outbox.requeue(row.id, NOW)
    assert load(app.store, app.profiles, {}, NOW + HOUR).oldest_unsent_seconds == 3600
    app.store.outbox.claim("email", NOW, HOUR, 1)
    assert load(app.store, app.profiles, {}, NOW).expired_claims == 0
    held = "1 message held by workers until Wed 2025-05-07 12:00 Europe/Berlin at most"
    assert held in paperbot("status", "--now", NOW.isoformat()).out
    assert load(app.store, app.profiles, {}, NOW + 2 * HOUR).expired_claims == 1


def test_what_is_used_of_a_rate_is_shown_by_status(app, paperbot):
    rates = app.store.send_rates({"email": SendLimit(per_day=100)})
    now = datetime.now(UTC)
    rates.take("email", 7, now)
    rates.slow_down("email", now)
    (rate,) = load(app.store, app.profiles, {}, now).rates
    assert (rate.kind, rate.used_today, rate.share) == ("email", 7, 0.5)
    assert "email: 7 sent today under the limit" in paperbot("status").out


def test_status_asks_the_broker_and_says_if_it_is_away(home, schema_url, paperbot, monkeypatch):
    monkeypatch.setenv("PAPERBOT_STORE__URL", schema_url)
    monkeypatch.setenv("PAPERBOT_QUEUE__URL", "redis://127.0.0.1:1/0")
    answer = paperbot("status", "--json").json
    assert answer["load"]["queue"] == {}
    assert any(problem["source"] == "queue" for problem in answer["problems"])


def test_the_first_thousand_readers_are_shown_and_the_others_are_counted(bare, paperbot):
    addresses = "".join(f'[[readers]]\nemail = "r{n}@example.org"\n' for n in range(MAX_READERS + 3))
    (bare / "profiles" / "owls.toml").write_text(f'title = "Owls"\ninterests = "owls"\n{addresses}')
    with open_app(bare) as app:
        listed = [("email", f"r{n}@example.org") for n in range(MAX_READERS + 3)]
        app.store.readers.sync("owls", listed, datetime.now(UTC))
    status = paperbot("status", "--json").json
    assert [row["reader"] for row in status["readers"]] == [f"owls/r{n}@example.org" for n in range(MAX_READERS)]
    assert status["readers_left_out"] == 3
    assert "and 3 more readers" in paperbot("status").out
