"""``paperbot send-test``: the last edition or a sample through the configured channel."""

import json
import re
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from urllib.parse import unquote

import httpx2
import pytest
from starlette.testclient import TestClient
from support import digest, edit, outbox, parsed, rows, text_of, use_smtp

from bot.app import open_app
from bot.model import Vote
from bot.readers.votes import record_reply
from bot.web.application import make_web

NOW = "2025-05-07T09:00:00+02:00"


@pytest.fixture
def by_smtp(home, mail_server, monkeypatch):
    """A server, and a home that sends its mails through it."""

    def connect(**options):
        server = mail_server(**options)
        use_smtp(monkeypatch, server.port)
        return server

    return connect


@pytest.fixture
def by_slack(home, slack_server, monkeypatch):
    edit(home / "profiles/reward-models.toml", 'email = "ada@example.org"', 'slack = "C0123ABC"')
    monkeypatch.setenv("PAPERBOT_SLACK__TOKEN", "xoxb-test")
    monkeypatch.setenv("PAPERBOT_SLACK__API_URL", slack_server.url)
    return slack_server


def test_the_last_edition_is_sent_as_a_test_and_nothing_is_stored(home, by_smtp, paperbot):
    paperbot("run", "--force", "--now", NOW)
    (file,) = outbox(home)
    first, before, server = parsed(file), rows(home), by_smtp()
    for _ in range(2):
        answer = paperbot("send-test", "reward-models")
        assert answer.code == 0
        assert "The edition of 7 May 2025 was sent to ada@example.org as a test: 250 queued" in answer.out
        assert f"Mails go by 127.0.0.1:{server.port}" in answer.out
    assert rows(home) == before
    tests = [parsed(mail.content) for mail in server.mails]
    assert [mail["Subject"] for mail in tests] == [f"Test: {first['Subject']}"] * 2
    assert tests[0]["Date"].datetime > datetime(2026, 1, 1, tzinfo=UTC) > first["Date"].datetime
    assert len({mail["Message-ID"] for mail in [first, *tests]}) == 3
    assert "7 May 2025 · a test · 5 papers; 176 new papers came in; " in text_of(server.mails[0].content)
    links = re.compile(r"http://localhost:8000/thumb/\S+\?vote=")
    assert len(links.findall(text_of(server.mails[0].content))) == len(links.findall(text_of(file))) == 10


def test_before_the_first_edition_a_sample_is_sent_whose_links_work_or_explain_themselves(home, by_smtp, paperbot):
    paperbot("ingest")
    paperbot("thumb", "clear", "reward-models", "p1")  # stores the reader
    before, server = rows(home), by_smtp()
    answer = paperbot("send-test", "reward-models")
    assert (answer.code, answer.err) == (0, "")
    assert "A sample was sent to ada@example.org as a test: 250 queued" in answer.out
    assert rows(home) == before
    mail, text = parsed(server.mails[0].content), text_of(server.mails[0].content)
    assert mail["Subject"].startswith("Test: ")
    assert "Reward models (a sample)" in text
    assert "samples: real papers with abstracts in our words" in text
    links = set(re.findall(r"http://localhost:8000/[^\s>\"]+", f"{text} {mail['List-Unsubscribe']}"))
    thumbs = {link for link in links if "/thumb/" in link}
    votes = {link for link in thumbs if "vote=" in link}
    assert (len(thumbs), len(votes)) == (15, 10), "and a page to save each paper"
    samples = {link for link in links - thumbs if "/sample" in link}
    assert samples == {f"http://localhost:8000/sample?link={link}" for link in ("edition", "more", "unsubscribe")}
    assert {link.split("/")[3] for link in links - thumbs - samples} == {"me"}
    assert "Please press one thumb below, whose page opens while `paperbot serve` runs at http://local" in text
    with open_app(home) as app:
        client = TestClient(make_web(app))
        stop, shared = "/sample?link=unsubscribe", "/sample?link=edition"
        for page in (client.get(shared), client.get(stop), client.post(stop, data={"List-Unsubscribe": "One-Click"})):
            assert page.status_code == 200
            assert "The links work." in page.text
        assert "In a real edition it shows the edition as a page" in client.get(shared).text
        assert {client.get(link).status_code for link in links} == {200}
        assert rows(home) == before
        thumb = httpx2.URL(min(votes))
        assert client.post(thumb.path, params=thumb.params).status_code == 200
        (reader,) = app.store.readers.of_profile("reward-models")
        votes = app.store.feedback.current(reader.id).values()
        assert [vote.vote for vote in votes] == [Vote(thumb.params["vote"])]


def test_a_home_without_papers_sends_what_its_reader_will_want_to_know(home, by_smtp, paperbot):
    (home / "paperbot.toml").write_text(
        (home / "paperbot.toml").read_text().replace('path = "samples"', 'path = "none"')
    )
    server = by_smtp()
    assert paperbot("send-test", "reward-models", "--now", "2025-05-06T09:00:00+02:00").code == 0
    text = text_of(server.mails[0].content)
    assert "Your first edition comes on 7 May 2025 at 08:00" in text
    assert "You want: Reward models; verifiable rewards; reasoning" in text
    assert "é ø ß ł ε ≤ ∑ ✓ Ω 北京 “quotes” & <brackets>" in text
    assert "samples: real papers" not in text


@pytest.mark.parametrize("public_url", ["http://localhost:8000", ""])
def test_a_home_without_papers_asks_for_a_thumb_on_a_sample_paper_that_no_edition_shows(
    home, by_smtp, paperbot, monkeypatch, public_url
):
    shutil.rmtree(home / "samples")
    (home / "samples").mkdir()
    mailbox = '[[sources]]\nname = "replies"\nkind = "mailbox"\nhost = "127.0.0.1"\nusername = "bot@example.org"\n'
    (home / "paperbot.toml").write_text((home / "paperbot.toml").read_text() + mailbox)
    monkeypatch.setenv("PAPERBOT_PASSWORDS__REPLIES", "secret")
    monkeypatch.setenv("PAPERBOT_BOT__PUBLIC_URL", public_url)
    server = by_smtp()
    for _ in range(2):
        assert "It asks for one thumb" in paperbot("send-test", "reward-models").out
    text = text_of(server.mails[-1].content)
    title = "What the buttons do: more like this, less like this"
    assert f"Please press one thumb of “{title}” below, and send the mail to bot@example.org that it opens." in text
    subjects = [unquote(subject) for subject in re.findall(r"mailto:bot@example\.org\?subject=(\S+vote\S+)", text)]
    assert [subject.split()[2] for subject in subjects] == ["up", "down", "save"]
    with open_app(home) as app:
        assert record_reply(app.store, app.signer, "ada@example.org", subjects[0], datetime.now(UTC))
    assert [thumb["title"] for thumb in paperbot("export", "reward-models").json["thumbs"]] == [title]
    assert paperbot("run", "--force").code == 1, "the mailbox can't be reached"
    assert paperbot("export", "reward-models").json["editions"][0]["papers"] == []
    with open_app(home) as app:
        app.store.retention.purge(app.keep_days, datetime.now(UTC) + timedelta(days=2))
    assert paperbot("export", "reward-models").json["thumbs"] == []
    assert "a test" not in paperbot("status").out


def test_without_a_server_a_test_is_a_file_beside_the_edition(home, paperbot):
    paperbot("run", "--force", "--now", NOW)
    answer = paperbot("send-test", "reward-models", "--now", NOW)
    assert answer.code == 0
    assert "state/outbox/2025-05-07/reward-models--ada@example.org--2.eml" in answer.out
    assert "Mails become files in" in answer.out


def test_a_test_for_slack_has_buttons_only_if_they_work(home, by_slack, paperbot, monkeypatch):
    assert paperbot("send-test", "reward-models").code == 0
    monkeypatch.setenv("PAPERBOT_SLACK__SIGNING_SECRET", "0123456789abcdef")
    assert paperbot("send-test", "reward-models").code == 0
    samples = len(by_slack.posts)
    assert '"button"' not in json.dumps(by_slack.posts)
    first, *replies = by_slack.posts[: samples // 2]
    assert first["text"].startswith("Test: Reward models (a sample), 3 papers: ")
    assert [reply["thread_ts"] for reply in replies] == ["1700000000.000100"] * 3
    paperbot("run", "--force", "--now", NOW)
    sent = len(by_slack.posts)
    assert paperbot("send-test", "reward-models").code == 0
    tests = by_slack.posts[sent:]
    assert len(tests) == sent - samples
    assert json.dumps(tests).count('"button"') == 15
    assert "Test: " in tests[0]["text"]


@pytest.mark.parametrize(
    ("replies", "says"),
    [
        ({"ada@example.org": "550 5.1.1 no such user"}, "no such user; correct the reader's address in the profile"),
        ({"MAIL": "550 5.7.1 not your address"}, "not your address; check email.sender"),
        ({"DATA": "554 5.6.0 too odd"}, "too odd; the other side's log may say more"),
    ],
)
@pytest.mark.slow
def test_a_refused_test_names_a_remedy_and_stops_no_reader(home, by_smtp, paperbot, replies, says):
    paperbot("run", "--force", "--now", NOW)
    before, server = rows(home), by_smtp()
    server.replies.update(replies)
    answer = paperbot("send-test", "reward-models")
    assert answer.code == 1
    assert answer.err.startswith("! reward-models/ada@example.org: ")
    assert says in answer.err
    assert rows(home) == before


def test_a_wrong_password_is_reported_with_a_remedy(home, by_smtp, paperbot, monkeypatch, tls, certificate):
    by_smtp(login=(b"ada", b"right"), context=tls.server)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.with_suffix(".crt")))
    monkeypatch.setenv("PAPERBOT_EMAIL__SECURITY", "starttls")
    monkeypatch.setenv("PAPERBOT_EMAIL__USERNAME", "ada")
    monkeypatch.setenv("PAPERBOT_EMAIL__PASSWORD", "wrong")
    answer = paperbot("send-test", "reward-models")
    assert answer.code == 1
    assert "535" in answer.err
    assert "check email.username and PAPERBOT_EMAIL__PASSWORD" in answer.err
    monkeypatch.delenv("SSL_CERT_FILE")
    answer = paperbot("send-test", "reward-models")
    assert answer.code == 1
    assert "certificate verify failed" in answer.err
    assert "check email.host, email.port and email.security" in answer.err


def test_a_reader_who_has_stopped_gets_no_test(home, by_smtp, paperbot):
    server = by_smtp()
    paperbot("thumb", "up", "reward-models", "p1")
    paperbot("ingest")
    paperbot("thumb", "up", "reward-models", "p1")
    with closing(sqlite3.connect(home / "state" / "paperbot.db")) as store, store:
        store.execute("UPDATE readers SET stopped = 'paused'")
    answer = paperbot("send-test", "reward-models")
    assert answer.code == 2
    assert "gets no messages: paused by its reader" in answer.err
    assert server.mails == []


def test_check_says_how_messages_are_delivered_and_what_will_not_work(home, by_smtp, paperbot, monkeypatch):
    files = paperbot("check")
    assert "1 reader by mail: messages become files in state/outbox, as no mail server is set" in files.out
    assert "note:" not in files.out
    assert "Slack" not in files.out
    connected = paperbot("check", "--connect").out
    assert "ok  folder for messages by mail" in connected
    assert "lack" not in connected
    server = by_smtp()
    (home / "profiles" / "nobody.toml").write_text('title = "A"\ninterests = "b"\n')
    answer = paperbot("check")
    assert answer.code == 0
    way = f"messages go by 127.0.0.1:{server.port} (unencrypted, without a login) as Paperbot <paperbot@localhost>"
    assert way in answer.out
    assert "note: links in messages lead to http://localhost:8000, which opens on this machine only" in answer.out
    assert "note: profiles/nobody.toml has no readers" in answer.out
    monkeypatch.setenv("PAPERBOT_BOT__PUBLIC_URL", "https://papers.example.org")
    https = paperbot("check").out
    assert "links in messages" not in https
    assert "RFC 8058" not in https
    monkeypatch.setenv("PAPERBOT_BOT__PUBLIC_URL", "http://papers.example.org")
    assert "mail programs unsubscribe by https:// only (RFC 8058)" in paperbot("check").out


def test_check_warns_of_slack_buttons_without_a_receiver(home, by_slack, paperbot, monkeypatch):
    monkeypatch.setenv("PAPERBOT_BOT__PUBLIC_URL", "https://papers.example.org")
    assert "note: messages for Slack go without buttons" in paperbot("check").out
    monkeypatch.setenv("PAPERBOT_SLACK__SIGNING_SECRET", "0123456789abcdef")
    assert "note:" not in paperbot("check").out


def test_editions_for_slack_have_buttons_only_with_a_receiver(home, by_slack, paperbot, monkeypatch):
    paperbot("run", "--force", "--now", NOW)
    assert '"button"' not in json.dumps(by_slack.posts)
    assert "This is an edition of" in json.dumps(by_slack.posts)
    monkeypatch.setenv("PAPERBOT_SLACK__APP_TOKEN", "xapp-1")
    (home / "seeds" / "own.txt").write_text(digest("Reward models for dogs"))
    assert paperbot("run", "--force", "--now", NOW).code == 0
    assert json.dumps(by_slack.posts[-1]).count('"button"') == 3
