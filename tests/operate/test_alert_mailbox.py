"""A mailbox of alerts, arXiv's mail and spam makes one edition: each paper once, with its facts and its alert."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from alert_mails import BEES, OWLS, journal, scholar
from imap_server import ImapServer
from support import parsed

SENDERS = {
    "scholar": "scholaralerts-noreply@google.com",
    "arxiv": "no-reply@arxiv.org",
    "preprints": "openRxiv-mailer@alerts.highwire.org",
    "journal": "alerts@owls.example.org",
}
ARXIV = rb"""From: no-reply@arxiv.org
To: rabble@arxiv.org
Message-ID: <1@arxiv.org>
Date: Thu, 22 Jan 2026 00:30:00 GMT
Subject: cs daily Subj-class mailing 9021 1

Submissions to:
Artificial Intelligence
received from  Wed 21 Jan 26 19:00:00 GMT  to  Thu 22 Jan 26 19:00:00 GMT
------------------------------------------------------------------------------
\\
arXiv:2601.15305
Date: Mon, 12 Jan 2026 20:33:39 GMT   (215kb)

Title: Owls that see by night
Authors: Ada Lovelace, Grace Hopper
Categories: cs.CV cs.AI
Comments: Accepted at the Conference on Owls 2026. 12 pages. Code: https://github.com/ada/owls
\\
  We study how owls see by night. The eyes of owls gather more light than those of other birds.
\\ ( https://arxiv.org/abs/2601.15305 ,  215kb)
"""
PREPRINTS = b"""From: openRxiv-mailer@alerts.highwire.org
Message-ID: <2@example.org>
Date: Thu, 22 Jan 2026 17:05:44 -0800
Subject: bioRxiv Subject Collection Alert

bioRxiv Online

---
Neuroscience

---

How owls hear by day

Rosa Roe, and Jane Doe

bioRxiv posted 22 January 2026 doi:10.64898/2026.01.20.700468

[Abstract] [PDF]

---
This message was sent to me@example.org
"""
CONTENTS = journal(
    '<tr><td><a href="https://click.example.org/CL0/https:%2F%2Fdoi.org%2F10.1145%2F1234567.1234568/1/0-0/x=9">'
    "Bees that count to four, and what a small brain tells us about the numbers that large language models know"
    "</a></td></tr><tr><td>Rosa Roe, Jane Doe</td></tr>"
    '<tr><td><a href="https://click.example.org/CL0/https:%2F%2Fdoi.org%2F10.1145%2F1234567.9/1/0-0/x=9">'
    "Where owls sleep in winter, observed</a></td></tr><tr><td>Grace Hopper, Ada Lovelace</td></tr>"
)
SPAM = journal("", subject="Your subscription ends today")
FORGED = scholar(OWLS).replace(b"scholaralerts-noreply@google.com", b"prize@winner.example.com")


@pytest.fixture
def imap() -> Iterator[ImapServer]:
    with ImapServer().running() as server:
        mails = (scholar(OWLS, BEES), ARXIV, PREPRINTS, CONTENTS, SPAM, FORGED)
        server.put(*(b"\r\n".join(mail.splitlines()) + b"\r\n" for mail in mails))
        yield server


@pytest.fixture
def mailbox_home(bare: Path, imap: ImapServer) -> Path:
    sources = "".join(
        f'[[sources]]\nname = "{name}"\nkind = "mailbox"\nhost = "127.0.0.1"\nport = {imap.port}\nsecurity = "none"\n'
        f'username = "ada"\nsender = "{sender}"\n'
        for name, sender in SENDERS.items()
    )
    (bare / "paperbot.toml").write_text(sources)
    (bare / "profiles" / "owls.toml").write_text(
        'title = "Owls"\ninterests = "how owls and bees see, hear and count"\n[edition]\nexplore = 0\nthreshold = 0.0\n'
        '[[readers]]\nemail = "ada@example.org"\n'
    )
    return bare


def test_each_paper_comes_once_with_its_facts_and_the_alert_that_brought_it(
    mailbox_home: Path, paperbot, monkeypatch
) -> None:
    for name in SENDERS:
        monkeypatch.setenv(f"PAPERBOT_PASSWORDS__{name.upper()}", "a secret")
    run = paperbot("run", "--force", "--json", "--now", "2026-01-23T09:00:00+00:00")
    assert (run.json["papers"], run.json["new"], run.json["editions"]) == (6, 4, 1)
    (problem,) = run.json["problems"]
    assert 'a mail from alerts@owls.example.org, "Your subscription ends today", has nothing' in problem["problem"]

    (path,) = (mailbox_home / "state" / "outbox").rglob("*.eml")
    text = parsed(path).get_body(("plain",)).get_content()
    # Without the list of titles at the top.
    words = " ".join(text.partition("-" * 72)[2].split())
    for title in (
        "Owls that see by night",
        # Google Scholar cut this title; the journal has all of it.
        "Bees that count to four, and what a small brain tells us about the numbers that large language models know",
        "How owls hear by day",
        "Where owls sleep in winter, observed",
    ):
        assert words.count(title) == 1
    assert words.count("via your alert on Ada Lovelace (new citations)") == 2
    assert "via your alert on Ada Lovelace (new citations), cites “Numbers in nature”" in words
    assert "via your alert on Neuroscience" in words
    assert "Owls, issue 3" in words
    assert "Conference on Owls 2026 · Computer Vision" in words
    assert "Code: https://github.com/ada/owls" in words
    assert "PDF: https://arxiv.org/pdf/2601.15305" in words
    # arXiv's whole abstract stands in the place of Google Scholar's beginning.
    assert "than those of other birds." in words
    assert "Binoculars" not in text
