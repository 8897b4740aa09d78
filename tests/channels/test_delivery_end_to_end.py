"""A whole run with a mail server and a Slack workspace, both on loopback."""

import pytest
from support import edit, parsed

NOW = "2025-05-07T09:00:00+02:00"


@pytest.fixture
def connected(home, mail_server, slack_server, monkeypatch):
    """A home with a reader by mail and one by Slack, and servers for both."""
    profile = home / "profiles" / "reward-models.toml"
    profile.write_text(profile.read_text() + '\n[[readers]]\nslack = "C0123ABC"\n')
    server = mail_server()
    settings = home / "paperbot.toml"
    edit(settings, "[email]\n", f'[email]\nhost = "127.0.0.1"\nport = {server.port}\nsecurity = "none"\n')
    edit(settings, "[slack]\n", f'[slack]\napi_url = "{slack_server.url}"\n')
    monkeypatch.setenv("PAPERBOT_SLACK__TOKEN", "xoxb-test")
    return server


def test_mail_and_slack_both_get_the_edition_once(home, connected, slack_server, paperbot):
    first = paperbot("run", "--now", NOW, "--json")
    assert first.code == 0
    assert first.json["editions"] == 2
    assert first.json["delivered"] == 1 + len(slack_server.posts)
    (mail,) = connected.mails
    assert mail.recipients == ["ada@example.org"]
    message = parsed(mail.content)
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert "5 papers; 176 new papers came in; " in message.get_body(("plain",)).get_content()
    assert {post["channel"] for post in slack_server.posts} == {"C0123ABC"}
    again = paperbot("run", "--now", NOW, "--json").json
    assert (again["editions"], again["delivered"], len(connected.mails)) == (0, 0, 1)
    assert not (home / "state" / "outbox").exists()


def test_a_refused_address_stops_its_reader_and_the_others_get_theirs(home, connected, slack_server, paperbot):
    connected.replies["ada@example.org"] = "550 5.1.1 no such user"
    answer = paperbot("run", "--now", NOW, "--json")
    assert answer.code == 1
    assert answer.json["failed"] == 1
    assert answer.json["delivered"] == len(slack_server.posts) > 0
    assert [p["source"] for p in answer.json["problems"]] == ["reward-models/ada@example.org"]
    (ada, _) = paperbot("status", "--json").json["readers"]
    assert "no such user" in ada["stopped"]
    assert ada["next_due"] is None
    next_day = NOW.replace("05-07", "05-08")
    assert paperbot("run", "--now", next_day, "--json").json["editions"] == 1  # only the other reader's


def test_check_connects_to_both_sends_nothing_and_says_which_does_not_answer(connected, slack_server, paperbot):
    answer = paperbot("check", "--connect")
    assert answer.code == 0
    assert "ok  email channel" in answer.out
    assert "ok  slack channel" in answer.out
    assert connected.mails == slack_server.posts == []

    slack_server.refuse("invalid_auth")
    answer = paperbot("check", "--connect")
    assert answer.code == 2
    assert "! slack channel: " in answer.err
    assert "ok  email channel" in answer.out
