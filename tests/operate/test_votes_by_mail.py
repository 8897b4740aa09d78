"""Votes by mail: from the buttons of a mail to the bot's mailbox, and from there to the store."""

import re
from email.message import EmailMessage
from pathlib import Path
from urllib.parse import unquote

import pytest
from imap_server import ImapServer
from support import digest, edit, outbox, parsed

ADA = "reward-models/ada@example.org"
NOW = "2025-05-07T10:00:00+00:00"
MAILBOX = """
[[sources]]
name = "mail"
kind = "mailbox"
host = "127.0.0.1"
port = {port}
security = "none"
username = "bot@example.org"
sender = "alerts@example.org"
"""


@pytest.fixture
def voting_home(home: Path, imap: ImapServer, monkeypatch) -> Path:
    """Return a home with a mailbox among its sources, whose pages are on this computer only."""
    monkeypatch.setenv("PAPERBOT_PASSWORDS__MAIL", "a secret")
    settings = home / "paperbot.toml"
    settings.write_text(settings.read_text() + MAILBOX.format(port=imap.port))
    (home / "seeds" / "own.txt").write_text(digest("Reward models of owls", "Reward models of bees"))
    edit(home / "profiles/reward-models.toml", "[edition]", "[edition]\nthreshold = 0")
    return home


def sent_mail(home: Path) -> EmailMessage:
    (path,) = outbox(home)
    return parsed(path)


def subjects(home: Path) -> list[str]:
    """Return the subjects of the mails that the buttons open, in the order of the text part."""
    text = sent_mail(home).get_body(("plain",)).get_content()
    return [unquote(subject) for subject in re.findall(r"mailto:bot@example\.org\?subject=(\S+)", text)]


def mail(subject: str, sender: str = "Ada <ada@example.org>", header: str = "") -> bytes:
    return f"From: {sender}\r\nTo: bot@example.org\r\n{header}Subject: {subject}\r\n\r\n".encode()


def votes(paperbot) -> list[tuple[str, str]]:
    return [(vote["thumb"], vote["via"]) for vote in paperbot("export", ADA).json["history"]]


def test_a_vote_from_a_telephone_reaches_a_laptop_without_a_server(
    voting_home: Path, imap: ImapServer, paperbot
) -> None:
    assert paperbot("run", "--force", "--now", NOW).code == 0
    html = sent_mail(voting_home).get_body(("html",)).get_content()
    assert html.count("mailto:bot@example.org?subject=Paperbot%20vote%20up%20") == 2
    assert "/thumb/" not in html
    up = subjects(voting_home)[0]
    down = [subject for subject in subjects(voting_home) if " down " in subject][-1]
    imap.put(mail(up), mail(down, "ADA@example.org"))
    assert paperbot("ingest").code == 0
    assert votes(paperbot) == [("up", "reply"), ("down", "reply")]
    assert all("\\Seen" in message.flags for message in imap.folders["INBOX"].values())
    assert paperbot("ingest").code == 0
    assert len(votes(paperbot)) == 2, "a vote is read once"


def test_status_shows_when_replies_were_read_and_how_many_votes_they_had(
    voting_home: Path, imap: ImapServer, paperbot
) -> None:
    edit(voting_home / "paperbot.toml", 'sender = "alerts@example.org"\n', "")
    status = ["status", "--now", NOW]
    assert re.search(r"mail +ok +not read yet +- +- +0 votes", paperbot(*status).out)
    assert re.search(r"mail +mailbox +ok +not yet +- +- +-", paperbot("sources", *status[1:]).out)
    assert paperbot("run", "--force", "--now", NOW).code == 0
    imap.put(mail(subjects(voting_home)[0]))
    assert paperbot("ingest", "--now", "2025-05-07T11:00:00+00:00").code == 0
    assert re.search(r"mail +ok +read Wed 2025-05-07 13:00 Europe/Berlin +- +- +1 vote\s", paperbot(*status).out)
    (row,) = [row for row in paperbot(*status, "--json").json["sources"] if row["name"] == "mail"]
    assert (row["delivers_papers"], row["votes"]) == (False, 1)


def test_no_other_mail_is_a_vote_and_nothing_answers(voting_home: Path, imap: ImapServer, paperbot) -> None:
    assert paperbot("run", "--force", "--now", NOW).code == 0
    up = subjects(voting_home)[0]
    imap.put(
        mail(up, "eve@example.org"),  # somebody to whom the edition was forwarded
        mail(up, "ada@example.org, eve@example.org"),
        mail(up.replace(" up ", " down ")[:-1] + "!"),
        mail(up, header="Auto-Submitted: auto-replied\r\n"),
        mail(f"Re: {up}"),
        mail("Paperbot vote up"),
        mail(up + "x" * 5_000),
    )
    assert paperbot("ingest").code == 0
    assert votes(paperbot) == []
    assert not any(message.flags for message in imap.folders["INBOX"].values())
    assert len(outbox(voting_home)) == 1


def test_reachable_pages_are_linked_unless_replies_are_set(voting_home: Path, paperbot, monkeypatch) -> None:
    assert paperbot("ingest").code == 0
    monkeypatch.setenv("PAPERBOT_BOT__PUBLIC_URL", "https://papers.example.org")
    page = paperbot("preview", "reward-models", "--now", NOW).out
    assert "https://papers.example.org/thumb/" in page
    monkeypatch.setenv("PAPERBOT_EMAIL__REPLIES", "true")
    page = paperbot("preview", "reward-models", "--now", NOW).out
    assert "mailto:bot@example.org?subject=" in page
    assert "?vote=" not in page


@pytest.mark.parametrize("has_mailbox", [True, False])
@pytest.mark.slow
def test_without_pages_no_link_leads_to_one(home: Path, imap: ImapServer, paperbot, monkeypatch, has_mailbox) -> None:
    monkeypatch.setenv("PAPERBOT_BOT__PUBLIC_URL", "")
    monkeypatch.setenv("PAPERBOT_EMAIL__HOST", "127.0.0.1")
    if has_mailbox:
        monkeypatch.setenv("PAPERBOT_PASSWORDS__MAIL", "a secret")
        text = MAILBOX.format(port=imap.port).replace('sender = "alerts@example.org"', "")
        (home / "paperbot.toml").write_text((home / "paperbot.toml").read_text() + text)
    assert paperbot("ingest").code == 0
    notes = " ".join(paperbot("check").out.split())
    assert ("there are no pages (bot.public_url is empty), and no mailbox" in notes) is not has_mailbox
    for command in ("preview", "preview --weekly"):
        for form in ("text", "html", "slack"):
            page = paperbot(*command.split(), ADA.partition("/")[0], "--format", form, "--now", NOW).out
            own = re.findall(r"http://localhost|mailto:bot@|/(?:thumb|me|edition|unsubscribe|sample)/", page)
            assert set(own) == ({"mailto:bot@"} if has_mailbox and own else set())
            assert re.findall(r'href=""|<[|]|: ?\n\n\n', page) == []
    html = paperbot("preview", "reward-models", "--format", "html", "--now", NOW).out
    assert ("vote%20up" in html, "Unsubscribe" in html) == (has_mailbox, has_mailbox)
    assert "View in browser" not in html
