"""``paperbot retry``, and what ``status`` says about late editions."""

import sqlite3
from contextlib import closing

import pytest
import time_machine
from support import edit

from bot.model import StopReason

NOW = "2025-05-07T09:00:00+02:00"
READER = "reward-models/ada@example.org"


@pytest.fixture
def slack(home, slack_server, monkeypatch):
    """A Slack API, and a profile with one channel there."""
    monkeypatch.setenv("PAPERBOT_SLACK__TOKEN", "xoxb-test")
    edit(home / "paperbot.toml", "[slack]\n", f'[slack]\napi_url = "{slack_server.url}"\n')
    edit(home / "profiles/reward-models.toml", 'email = "ada@example.org"', 'slack = "C0123ABC"')
    return slack_server


def test_retry_closes_the_circuit_breaker_and_sends_at_once(mails, paperbot):
    mails.replies["MAIL"] = "550 5.7.1 who are you?"
    assert paperbot("run", "--now", NOW, "--json").json["delivered"] == 0
    del mails.replies["MAIL"]
    assert paperbot("run", "--now", NOW, "--json").json["delivered"] == 0
    status = paperbot("status", "--now", NOW, "--json").json
    assert status["circuit_breakers"]["email"]["times"] == 1
    assert "who are you" in status["readers"][0]["late"]
    answer = paperbot("retry", "--now", NOW, "--json")
    assert (answer.code, answer.json["again"], answer.json["delivered"]) == (0, 1, 1)
    assert paperbot("status", "--now", NOW, "--json").json["circuit_breakers"] == {}


def test_retry_of_a_refused_reader_reactivates_them(mails, paperbot):
    mails.replies["ada@example.org"] = "550 5.1.1 no such user"
    paperbot("run", "--now", NOW)
    assert "550 5.1.1 no such user" in paperbot("status", "--now", NOW, "--json").json["readers"][0]["stopped"]
    del mails.replies["ada@example.org"]
    out = paperbot("retry", "--failed", READER, "--now", NOW).out
    assert out.startswith("1 reader resumed; 1 tried again; 1 delivered")
    assert paperbot("status", "--now", NOW, "--json").json["readers"][0]["stopped"] is None
    assert len(mails.mails) == 1


def test_retry_does_not_reactivate_a_reader_who_unsubscribed(home, mails, paperbot):
    from bot.app import open_app

    mails.replies["RCPT"] = "450 later"
    paperbot("run", "--now", NOW)
    with open_app(home) as app:
        (reader,) = app.store.readers.all()
        app.store.readers.stop(reader.id, StopReason.UNSUBSCRIBED)
    mails.replies.clear()
    paperbot("retry", READER, "--now", NOW)
    assert mails.mails == []


def test_a_message_of_unknown_outcome_is_not_sent_again_without_retry(home, mails, paperbot):
    from bot.app import open_app

    mails.replies["DATA"] = "999 what?"  # no answer that makes sense
    assert paperbot("run", "--now", NOW, "--json").json["unknown"] == 1
    mails.replies.clear()
    assert paperbot("run", "--now", NOW, "--json").json["delivered"] == 0
    assert paperbot("retry", "--now", NOW, "--json").json["delivered"] == 0
    assert "retry --unknown" in paperbot("status", "--now", NOW).out
    answer = paperbot("retry", "--unknown", "--now", NOW, "--json").json
    assert (answer["arrived"], answer["again"], answer["delivered"]) == (0, 1, 1)
    with open_app(home) as app:
        assert [t.state for t in app.store.outbox.problems(9)] == []


def history(server, *keys):
    """What Slack shows of a channel: a message of a person, and one of ours for each key."""
    ours = [
        {"ts": f"17.{n}", "metadata": {"event_type": "paperbot_delivery", "event_payload": {"key": key}}}
        for n, key in enumerate(keys)
    ]
    server.body = {"ok": True, "messages": [{"ts": "16.0", "text": "hello"}, *ours], "ts": "18.0"}


def test_a_slack_message_that_arrived_after_all_is_not_sent_twice(slack, paperbot):
    slack.body = b"nonsense"
    assert paperbot("run", "--now", NOW, "--json").json["unknown"] >= 1
    (post,) = slack.posts
    history(slack, post["metadata"]["event_payload"]["key"])
    answer = paperbot("retry", "--unknown", "--now", NOW, "--json").json
    # The list is not posted again, and its replies follow it.
    assert (answer["arrived"], answer["again"], answer["delivered"]) == (1, 0, 5)
    assert len(slack.posts) == 1 + 5
    assert {reply["thread_ts"] for reply in slack.posts[1:]} == {"17.0"}
    assert len({post["metadata"]["event_payload"]["key"] for post in slack.posts}) == 1 + 5


def direct_messages(slack, *keys):
    """Answer the API calls about the direct messages with U0ADA123, whose conversation is D0ADA123."""
    messages = [{"ts": f"{n}.1", "metadata": {"event_payload": {"key": key}}} for n, key in enumerate(keys)]
    history = {"ok": True, "messages": messages, "has_more": False}
    opened = {"ok": True, "channel": {"id": "D0ADA123"}}
    not_found = {"ok": False, "error": "channel_not_found"}
    slack.methods["conversations.open"] = lambda query: opened if query["users"] == "U0ADA123" else not_found
    slack.methods["conversations.history"] = lambda query: history if query["channel"] == "D0ADA123" else not_found


@pytest.mark.parametrize("shown", [True, False])
@pytest.mark.slow
def test_a_direct_message_of_unknown_outcome_is_looked_up_in_its_conversation(slack, home, paperbot, shown):
    edit(home / "profiles/reward-models.toml", "C0123ABC", "U0ADA123")
    slack.body = b"nonsense"
    unknown = paperbot("run", "--now", NOW, "--json").json["unknown"]
    keys = [post["metadata"]["event_payload"]["key"] for post in slack.posts]
    slack.body = {"ok": True, "ts": "1700000000.000100"}
    direct_messages(slack, *(keys if shown else []))
    answer = paperbot("retry", "--unknown", "--now", NOW, "--json").json
    assert (answer["arrived"], answer["again"]) == ((unknown, 0) if shown else (0, unknown))


@pytest.mark.parametrize(("is_shown", "delivered"), [(True, 1 + 5), (False, 0)])
def test_a_message_that_slack_does_not_show_is_sent_again(slack, paperbot, is_shown, delivered):
    slack.body = b"nonsense"
    paperbot("run", "--now", NOW)
    if is_shown:
        history(slack, "another")
    else:
        slack.refuse("missing_scope")
    answer = paperbot("retry", "--unknown", "--now", NOW, "--json").json
    assert (answer["arrived"], answer["again"], answer["delivered"]) == (0, 1, delivered)


def test_status_says_that_nothing_runs(home, paperbot):
    paperbot("run", "--now", NOW)
    status = paperbot("status", "--now", "2025-05-09T09:00:00+02:00", "--json").json["readers"][0]
    assert status["late"].startswith("due since Fri 2025-05-09 06:00 UTC, but nothing ran")
    assert status["last_sent"].startswith("2025-05-07T07:00")
    out = paperbot("status", "--now", "2025-05-09T09:00:00+02:00").out
    assert f"late: {READER} (last message: Wed 2025-05-07 09:00 Europe/Berlin): due since" in " ".join(out.split())


@pytest.mark.slow
def test_a_now_far_in_the_future_is_refused_unless_forced(home, paperbot):
    with time_machine.travel("2025-05-07T09:00+02:00", tick=False):
        assert paperbot("run", "--now", "2025-06-07T09:00+02:00").code == 0  # nothing was seen before
        assert paperbot("run", "--now", "2025-05-09T09:00+02:00").code == 0
        ahead = paperbot("run", "--now", "2025-06-10T09:00+02:00")
        assert ahead.code == 2
        assert ahead.err.startswith("paperbot: --now is 3 days ahead of the clock")
        assert paperbot("run", "--now", "2025-06-09T09:00+02:00").code == 0
        assert paperbot("run", "--now", "2025-06-20T09:00+02:00", "--force").code == 0


@pytest.fixture
def forty(home, mails):
    """A profile of forty readers, and a mail server that refuses every recipient."""
    profile = home / "profiles" / "reward-models.toml"
    text = profile.read_text()
    more = "".join(f'[[readers]]\nemail = "r{number}@example.org"\n' for number in range(39))
    profile.write_text(text.replace("[[readers]]\n", f"{more}[[readers]]\n", 1))
    mails.replies["RCPT"] = "550 relay not permitted"
    return mails


def test_a_servers_mistake_stops_no_reader_and_heals_without_a_command(forty, paperbot):
    first = paperbot("run", "--now", NOW, "--json").json
    assert (first["delivered"], first["failed"]) == (0, 0)
    assert any("recipients in a row were refused" in problem["problem"] for problem in first["problems"])
    status = paperbot("status", "--now", NOW, "--json").json
    assert {reader["stopped"] for reader in status["readers"]} == {None}
    forty.replies.clear()
    for hours in ("10:00", "15:00"):
        paperbot("run", "--now", f"2025-05-07T{hours}:00+02:00")
    addresses = [mail.recipients[0] for mail in forty.mails]
    assert len(addresses) == len(set(addresses)) == 40


@pytest.mark.parametrize("asked", [["--failed"], ["reward-models", "--failed"], ["reward-models"]])
def test_retry_resumes_refused_readers_delivers_and_says_so(home, forty, paperbot, asked):
    """Of a store in which every reader was stopped, as by 5.1.1 with the last three still waiting."""
    from bot.app import open_app

    paperbot("run", "--now", NOW)
    with open_app(home) as app:
        for reader in app.store.readers.all():
            app.store.readers.stop(reader.id, StopReason.REFUSED, "550 relay not permitted")
    given_up = "state = 'failed'" if "--failed" in asked else "state = 'retry', not_before = '2025-05-08 00:00:00'"
    with closing(sqlite3.connect(home / "state" / "paperbot.db")) as store, store:
        store.execute(f"update outbox set {given_up}")
    forty.replies.clear()
    answer = paperbot("retry", *asked, "--now", NOW, "--json")
    assert (answer.code, answer.json["again"], answer.json["delivered"], len(answer.json["resumed"])) == (0, 40, 40, 40)
    assert len({mail.recipients[0] for mail in forty.mails}) == len(forty.mails) == 40


def test_retry_that_delivers_nothing_fails(forty, paperbot):
    paperbot("run", "--now", NOW)
    answer = paperbot("retry", "--now", NOW)
    assert answer.code == 1
    assert "0 delivered" in answer.out
