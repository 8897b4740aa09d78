"""A channel that only its own module and the registry know works everywhere, without a queue.

With a queue: ``tests/worker/test_a_new_channel_in_queue.py``.
"""

from datetime import UTC, datetime

import pytest
from support import digest
from toy_channel import toy

from bot.app import open_app
from bot.model import State
from bot.model.errors import FailureScope

__all__ = ["toy"]

PROFILE = """title = "Owls"
interests = "owls"
weekly = true
[edition]
threshold = 0
[alerts]
keywords = ["violins"]
"""
EDITION, ALERT, LETTER = "2025-05-07T09:00+00:00", "2025-05-07T15:00+00:00", "2025-05-09T08:00+00:00"
READER = "owls/toy:ada"


@pytest.fixture
def toy_home(bare, toy, paperbot):
    """A home with one reader, by the new channel, and two papers."""
    (bare / "profiles" / "owls.toml").write_text(PROFILE)
    (bare / "seeds" / "day.txt").write_text(digest("Owls at Night", "Owls by Day"))
    assert paperbot("subscribe", "owls", "toy:Ada", "--now", "2025-05-06T09:00+00:00").out.startswith(
        f"{READER} is subscribed. "
    )
    return bare


def texts(toy):
    return [text for _, text, _ in toy.transport.sent]


def test_its_addresses_are_keys_of_profiles(toy_home, paperbot):
    profile = toy_home / "profiles" / "owls.toml"
    assert '[[readers]]\ntoy = "toy:ada"' in profile.read_text()
    assert paperbot("subscribe", "owls", "toy:").err.strip() == "paperbot: a toy has a name; write it like toy:ada"
    assert "toy:ada" in paperbot("status").out
    written = profile.read_text()
    assert paperbot("run", "--now", EDITION).code == 0
    assert paperbot("forget", READER, "--yes").out == f"{READER} is forgotten\n"
    assert "toy" not in profile.read_text()
    profile.write_text(written.replace("toy =", "toi ="))
    answer = paperbot("check")
    assert "owls.toml:10: readers[1].toi: unknown key; did you mean 'toy'?" in answer.err


def test_an_edition_goes_out_with_its_thread_and_an_alert_and_a_letter_follow(toy_home, toy, paperbot):
    assert paperbot("run", "--now", EDITION, "--json").json["delivered"] == 3
    first, *replies = toy.transport.sent
    assert first[0] == "toy:ada"
    assert first[1].endswith(" + 1 more")
    assert sorted(text for _, text, _ in replies) == ["toy Owls at Night", "toy Owls by Day"]
    assert [thread for *_, thread in toy.transport.sent] == ["", "toy-1", "toy-1"]

    (toy_home / "seeds" / "late.txt").write_text(digest("Of violins"))
    assert paperbot("run", "--now", ALERT, "--json").json["alerts"] == 1
    assert "violins" in texts(toy)[3]

    assert paperbot("thumb", "up", READER, "Owls at", "--now", ALERT).code == 0
    assert paperbot("run", "--now", LETTER, "--json").code == 0
    assert "toy Your week in Owls: 1 liked" in texts(toy)


def test_a_preview_is_as_its_channel_sends_it(toy_home, paperbot):
    paperbot("ingest", "--now", EDITION)
    first, *others = paperbot("preview", READER, "--now", EDITION).out.splitlines()
    assert first.startswith("toy Owls")
    assert sorted(others) == ["toy Owls at Night", "toy Owls by Day"]


def test_a_test_message_is_a_sample_or_the_last_edition(toy_home, toy, paperbot):
    answer = paperbot("send-test", READER)
    assert answer.out.splitlines()[-1] == "Toys go by hand."
    assert texts(toy)[0].startswith("toy Test: ")
    paperbot("run", "--now", EDITION)
    toy.transport.sent.clear()
    assert "The edition of 7 May 2025 was sent to toy:ada" in paperbot("send-test", READER).out
    assert [thread for *_, thread in toy.transport.sent] == ["", "toy-1", "toy-1"]
    toy.transport.refusal = FailureScope.POLICY
    assert paperbot("send-test", READER).err.strip() == f"! {READER}: no toys today; wind it up"


def test_a_subscription_is_confirmed_by_its_own_message(toy_home, toy):
    now = datetime(2025, 5, 7, 9, tzinfo=UTC)
    with open_app(toy_home) as app:
        assert app.subscriptions.request("owls", app.profiles["owls"], "toy:bob", "client", now, kind="toy")
        app.dispatcher.deliver_due(now)
    (sent,) = toy.transport.sent
    assert sent[:1] == ("toy:bob",)
    assert sent[1].startswith("toy Confirm Owls: http://localhost:8000/confirm/")


def test_check_names_it(toy_home, toy, paperbot):
    answer = paperbot("check", "--connect")
    assert "1 reader by toy: messages go by hand" in answer.out
    assert "ok  toy channel" in answer.out
    assert "note: toys break" in answer.out
    toy.transport.refusal = FailureScope.CHANNEL
    assert "! toy channel: no toys today" in paperbot("check", "--connect").err


def test_an_outage_opens_its_own_circuit_breaker(toy_home, toy, paperbot):
    toy.transport.refusal = FailureScope.CHANNEL
    report = paperbot("run", "--now", EDITION, "--json").json
    assert [problem["source"] for problem in report["problems"]] == ["toy"]
    with open_app(toy_home) as app:
        assert list(app.store.circuit_breakers.all()) == ["toy"]
        assert app.store.outbox.counts()[State.SENT] == 0


def test_a_reader_of_a_channel_that_is_gone_is_a_problem_and_no_other_kind_of_message(home, toy, paperbot):
    with open_app(home) as app:
        app.store.readers.request_subscription("reward-models", "fax", "12345", datetime.now(UTC))
        reader = app.store.readers.of_profile("reward-models")[-1]
        app.store.readers.confirm(reader.id, datetime.now(UTC))
    report = paperbot("run", "--force", "--now", EDITION, "--json").json
    (problem,) = report["problems"]
    assert problem["source"] == "reward-models/12345"
    assert "fax" in problem["problem"]
