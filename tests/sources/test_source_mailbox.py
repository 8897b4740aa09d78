"""Mails from an IMAP server."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from imap_server import ImapServer
from servers import speaking

from bot.domain import Problem, RawDigest
from bot.errors import SourceError
from bot.sources import Visit
from bot.sources.mailbox import MAX_BYTES, MailboxSource

VISIT = Visit(datetime(2026, 6, 12, tzinfo=UTC))
FIRST = b"From: no-reply@arxiv.org\r\nSubject: cs daily\r\n\r\nOwls.\r\n"
SECOND = b"From: no-reply@arxiv.org\r\nSubject: cs daily\r\n\r\nBees.\r\n"
PRIVATE = b"From: grace@example.org\r\n\r\nDear Ada\r\n"


@pytest.fixture
def imap() -> Iterator[ImapServer]:
    with ImapServer().running() as server:
        server.put(FIRST, PRIVATE, SECOND)
        yield server


def source(port: int, **changed: object) -> MailboxSource:
    values = {
        "name": "mail",
        "host": "127.0.0.1",
        "port": port,
        "security": "none",
        "username": "ada",
        "password": "a secret",
        "sender": "no-reply@arxiv.org",
        "every": timedelta(minutes=15),
    }
    return MailboxSource(**values | changed)  # type: ignore[arg-type]


def flags(server: ImapServer) -> dict[int, set[str]]:
    return {uid: mail.flags for uid, mail in server.folders["INBOX"].items()}


def test_the_senders_unread_mails_come_once_and_are_marked_as_read(imap: ImapServer) -> None:
    found = list(source(imap.port).retrieve(VISIT))
    assert found == [RawDigest("mail", "INBOX/1", FIRST), RawDigest("mail", "INBOX/3", SECOND)]
    assert flags(imap) == {1: {"\\Seen"}, 2: set(), 3: {"\\Seen"}}
    assert list(source(imap.port).retrieve(VISIT)) == []


def test_mails_are_moved_where_that_is_wanted_and_nothing_is_ever_deleted(imap: ImapServer) -> None:
    assert len(list(source(imap.port, moved_to="Read").retrieve(VISIT))) == 2
    assert list(imap.folders["INBOX"]) == [2]
    assert [mail.content for mail in imap.folders["Read"].values()] == [FIRST, SECOND]
    assert not any(
        word in " ".join(imap.said).upper() for word in ("EXPUNGE", "DELETED)", "DELETE ", "CLOSE")
    )


def test_a_server_that_can_not_move_keeps_the_mails_where_they_are() -> None:
    with ImapServer(can_move=False).running() as server:
        server.put(FIRST)
        assert len(list(source(server.port, moved_to="Read").retrieve(VISIT))) == 1
        assert flags(server) == {1: {"\\Seen"}}


def test_a_mail_is_marked_only_when_the_next_is_asked_for(imap: ImapServer) -> None:
    mails = source(imap.port).retrieve(VISIT)
    next(mails)
    assert flags(imap)[1] == set()
    mails.close()
    assert flags(imap) == {1: set(), 2: set(), 3: set()}


def test_peeking_marks_nothing(imap: ImapServer) -> None:
    assert len(list(source(imap.port).retrieve(Visit(VISIT.now, peek=True)))) == 2
    assert flags(imap) == {1: set(), 2: set(), 3: set()}


def test_a_mail_that_is_too_large_is_a_problem_and_the_others_come(imap: ImapServer) -> None:
    imap.folders["INBOX"][1].content = FIRST + b"x" * MAX_BYTES
    problem, mail = source(imap.port).retrieve(VISIT)
    assert problem == Problem("mail", "mail INBOX/1: more than the 10 MB that a digest may have")
    assert mail == RawDigest("mail", "INBOX/3", SECOND)


@pytest.mark.parametrize("command", ["LOGIN", "SELECT", "SEARCH"])
def test_a_refusal_is_one_line_without_the_password(command: str) -> None:
    with ImapServer(refuse=command).running() as server:
        server.put(FIRST)
        with pytest.raises(SourceError) as refused:
            list(source(server.port).retrieve(VISIT))
    assert str(refused.value).startswith(f"127.0.0.1:{server.port}: ")
    assert "secret" not in str(refused.value)


def test_no_server_or_another_one_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(SourceError, match="refused"):
        list(source(port).retrieve(VISIT))
    nonsense = speaking(lambda connection: connection.sendall(b"HTTP/1.1 400 Bad\r\n\r\n"))
    with nonsense as url, pytest.raises(SourceError, match="SSL"):
        list(source(int(url.rpartition(":")[2]), security="tls").retrieve(VISIT))


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # imap-tools leaves its socket open
def test_a_server_without_encryption_gets_no_password(imap: ImapServer) -> None:
    with pytest.raises(SourceError, match="TLS not supported"):
        list(source(imap.port, security="starttls").retrieve(VISIT))
    assert not any("secret" in said for said in imap.said)


def test_a_mailbox_of_arxivs_mails_rests_when_arxiv_does() -> None:
    assert source(1).repeats_arxiv
    assert not source(1, sender="list@example.org").repeats_arxiv
