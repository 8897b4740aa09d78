"""Bounces end to end: a mail goes out by SMTP, its report comes back by IMAP, and its reader is stopped."""

import pytest
from channels.conftest import certificate, mail_server, servers, tls
from formats.test_bounce_reports import arf, dsn
from hypothesis import given
from hypothesis import strategies as st
from support import edit

from bot.app import open_app
from bot.config.keys import Signer, TokenError

from .conftest import send_to

__all__ = ["certificate", "mail_server", "servers", "tls"]

NOW = "2025-05-07T09:00:00+02:00"


@pytest.fixture
def sent(home, few_papers, mail_server, imap, paperbot, monkeypatch):
    """The mail that was sent to the home's only reader."""
    server = mail_server()
    send_to(home, server.port, 'bounce_address = "bounces@example.org"')
    with (home / "paperbot.toml").open("a") as settings:
        settings.write(
            f'[[sources]]\nname = "back"\nkind = "bounces"\nhost = "127.0.0.1"\nport = {imap.port}\n'
            'security = "none"\nusername = "ada"\n'
        )
    monkeypatch.setenv("PAPERBOT_PASSWORDS__BACK", "a secret")
    assert paperbot("run", "--now", NOW).code == 0
    (mail,) = server.mails
    return mail


def message_id(mail):
    return next(line[12:].decode() for line in mail.content.splitlines() if line.startswith(b"Message-ID: "))


def stopped(home):
    with open_app(home) as app:
        (reader,) = app.store.readers.all()
        return reader.stopped_because, app.store.bounce_counts.all()


def test_each_mail_has_an_envelope_sender_of_its_own(sent):
    local, _, domain = sent.sender.partition("@")
    assert local.startswith("bounces+")
    assert len(local) <= 64
    assert domain == "example.org"


def test_a_permanent_failure_stops_the_reader_and_status_says_why(sent, imap, home, paperbot):
    imap.put(dsn(to=sent.sender))
    assert paperbot("ingest").code == 0
    why = "refused: a mail came back: smtp; 550 5.1.1 no such user"
    assert stopped(home) == (why, {"failure": 1})
    status = paperbot("status", "--json").json
    assert status["readers"][0]["stopped"] == why
    assert status["bounces"] == {"failure": 1}
    assert [mail.flags for mail in imap.folders["INBOX"].values()] == [{"\\Seen"}]


def test_a_failure_is_matched_by_the_message_id_as_well(sent, imap, home, paperbot):
    imap.put(dsn(message_id=message_id(sent)))
    paperbot("ingest")
    assert stopped(home)[0].startswith("refused: a mail came back")


def test_a_complaint_stops_the_reader(sent, imap, home, paperbot):
    imap.put(arf(message_id=message_id(sent)))
    paperbot("ingest")
    assert stopped(home) == ("complained of a mail as spam: abuse", {"complaint": 1})


@pytest.mark.parametrize(
    ("content", "outcome"),
    [
        (dsn("delayed", "4.4.1"), "transient"),
        (dsn("failed", "4.2.2"), "transient"),
        (b"From: ada@example.org\nSubject: On holiday\n\nBack in June.\n", "other"),
        (dsn(), "forged"),
        (dsn(to=f"bounces+{Signer([b'x' * 32]).tag(1, 1)}@example.org"), "forged"),
        (dsn(message_id="<2025-05-07.1.reward-models@localhost>"), "forged"),
        (arf(message_id="<2025-05-07.1-0-aaaaaaaaaaaaaaaa@localhost>"), "forged"),
    ],
)
@pytest.mark.slow
def test_what_is_transient_forged_or_no_report_stops_nobody_and_is_counted(
    sent, imap, home, paperbot, content, outcome
):
    imap.put(content)
    assert paperbot("ingest").code == 0
    assert stopped(home) == (None, {outcome: 1})


def test_a_mailbox_that_fails_delays_no_edition(sent, imap, home, paperbot):
    edit(home / "paperbot.toml", f"port = {imap.port}", "port = 1")
    report = paperbot("run", "--now", "2025-05-08T09:00:00+02:00", "--json").json
    assert any(problem["source"] == "back" for problem in report["problems"])
    assert not any("waits" in problem["problem"] for problem in report["problems"])


@given(st.integers(1, 2**40), st.integers(0, 2**40), st.integers(0, 60), st.characters(codec="ascii"))
def test_a_tag_with_a_changed_character_is_not_ours(reader_id, delivery_id, position, character):
    signer = Signer([b"k" * 32])
    tag = signer.tag(reader_id, delivery_id)
    assert signer.read_tag(tag.upper()) == (reader_id, delivery_id)
    position %= len(tag)
    changed = tag[:position] + character + tag[position + 1 :]
    if changed.lower() != tag:
        with pytest.raises(TokenError):
            signer.read_tag(changed)
