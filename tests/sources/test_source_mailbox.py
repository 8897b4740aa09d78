"""Mails from an IMAP server."""

import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count

import pytest
from imap_server import ImapServer
from servers import speaking

from bot.model import Problem, RawDigest
from bot.model.clock import Deadline
from bot.model.errors import SourceError
from bot.sources import Visit
from bot.sources.mailbox import MAX_BYTES, MailboxOptions, MailboxSource

VISIT = Visit(datetime(2026, 6, 12, tzinfo=UTC))
UNREAD = "the mail from no-reply@arxiv.org of 2026-06-12 08:30 stays unread"
TOO_LARGE = Problem("mail", f"mail INBOX/1: more than the 10 MB that a digest may have; {UNREAD}")
FIRST = b"From: no-reply@arxiv.org\r\nDate: Fri, 12 Jun 2026 08:30:00 +0200\r\nSubject: cs daily\r\n\r\nOwls.\r\n"
SECOND = b"Date: 12 Jun 2026 08:30 -0000\r\nFrom: no-reply@arxiv.org\r\nSubject: cs daily\r\n\r\nBees.\r\n"
PRIVATE = b"From: grace@example.org\r\n\r\nDear Ada\r\n"


@pytest.fixture
def imap() -> Iterator[ImapServer]:
    with ImapServer().running() as server:
        server.put(FIRST, PRIVATE, SECOND)
        yield server


def source(
    port: int, *, sender: str = "no-reply@arxiv.org", security: str = "none", moved_to: str = "", **limits: object
) -> MailboxSource:
    server = {"host": "127.0.0.1", "port": port, "security": security, "username": "ada"}
    options = MailboxOptions(name="mail", kind="mailbox", sender=sender, moved_to=moved_to, **server)
    return MailboxSource(options, "a secret", **limits)


def flags(server: ImapServer) -> dict[int, set[str]]:
    return {uid: mail.flags for uid, mail in server.folders["INBOX"].items()}


def test_the_senders_unread_mails_come_once_and_are_marked_as_read(imap: ImapServer) -> None:
    mails = [("INBOX/1", FIRST), ("INBOX/3", SECOND)]
    digests = [RawDigest("mail", name, content, if_refused=UNREAD) for name, content in mails]
    assert list(source(imap.port).retrieve(VISIT)) == digests
    assert flags(imap) == {1: {"\\Seen"}, 2: set(), 3: {"\\Seen"}}
    assert list(source(imap.port).retrieve(VISIT)) == []


def test_mails_are_moved_if_configured_and_never_deleted(imap: ImapServer) -> None:
    assert len(list(source(imap.port, moved_to="Read").retrieve(VISIT))) == 2
    assert list(imap.folders["INBOX"]) == [2]
    assert [mail.content for mail in imap.folders["Read"].values()] == [FIRST, SECOND]
    assert not any(word in " ".join(imap.said).upper() for word in ("EXPUNGE", "DELETED)", "DELETE ", "CLOSE"))


def test_a_server_that_can_not_move_keeps_the_mails_where_they_are() -> None:
    with ImapServer(can_move=False).running() as server:
        server.put(FIRST)
        assert len(list(source(server.port, moved_to="Read").retrieve(VISIT))) == 1
        assert flags(server) == {1: {"\\Seen"}}


def test_a_mail_is_marked_only_when_the_next_is_requested_and_a_peek_marks_none(imap: ImapServer) -> None:
    mails = source(imap.port).retrieve(VISIT)
    next(mails)
    mails.close()
    assert len(list(source(imap.port).retrieve(Visit(VISIT.now, peek=True)))) == 2
    assert flags(imap) == {1: set(), 2: set(), 3: set()}


def test_a_mail_that_is_too_large_is_a_problem_and_the_others_are_read(imap: ImapServer) -> None:
    imap.folders["INBOX"][1].content = FIRST + b"x" * MAX_BYTES
    problem, mail = source(imap.port).retrieve(VISIT)
    assert problem == TOO_LARGE
    assert isinstance(mail, RawDigest)
    assert mail.content == SECOND
    assert flags(imap) == {1: set(), 2: set(), 3: {"\\Seen"}}
    assert [said for said in imap.said if said.startswith("UID FETCH 1 (BODY.PEEK[])")] == []


def test_a_mail_that_the_server_does_not_deliver_stays_unread_and_is_tried_again(imap: ImapServer) -> None:
    imap.answers = {"FETCH (BODY.PEEK[])": lambda _: b""}
    visit = Visit(VISIT.now)
    problems = [Problem("mail", f"mail INBOX/{uid}: the server does not deliver it; {UNREAD}") for uid in (1, 3)]
    assert list(source(imap.port).retrieve(visit)) == problems
    imap.answers = {}
    assert len(list(source(imap.port).retrieve(Visit(VISIT.now, dict(visit.lasting))))) == 2


@pytest.mark.parametrize("date", [b"", b"Date:\r\n", b"Date: x\r\n", b"Date: 1 Jan 99999 00:00\r\n", b"Date: \xff\r\n"])
def test_a_mail_with_a_broken_date_is_read(date: bytes) -> None:
    with ImapServer().running() as server:
        server.put(b"From: no-reply@arxiv.org\r\n" + date + b"\r\nOwls.\r\n")
        (mail,) = source(server.port).retrieve(VISIT)
        assert isinstance(mail, RawDigest)
        assert mail.if_refused == "the mail from no-reply@arxiv.org of unknown date stays unread"


@pytest.mark.parametrize("command", ["LOGIN", "SELECT", "SEARCH"])
def test_a_refusal_is_one_line_without_the_password(command: str) -> None:
    with ImapServer(refuse=command).running() as server:
        server.put(FIRST)
        with pytest.raises(SourceError) as refused:
            list(source(server.port).retrieve(VISIT))
    assert str(refused.value).startswith(f"127.0.0.1:{server.port}: ")
    assert "secret" not in str(refused.value)


def test_an_unreachable_or_wrong_server_is_reported_on_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(SourceError, match="refused"):
        list(source(port).retrieve(VISIT))
    nonsense = speaking(lambda connection: connection.sendall(b"HTTP/1.1 400 Bad\r\n\r\n"))
    with nonsense as url, pytest.raises(SourceError, match="SSL"):
        list(source(int(url.rpartition(":")[2]), security="tls").retrieve(VISIT))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # imap-tools leaves its socket open
def test_a_server_without_encryption_gets_no_password(imap: ImapServer) -> None:
    with pytest.raises(SourceError, match="TLS not supported"):
        list(source(imap.port, security="starttls").retrieve(VISIT))
    assert not any("secret" in command for command in imap.said)


def test_a_mailbox_of_arxivs_mails_rests_when_arxiv_does() -> None:
    assert source(1).follows_arxiv_calendar
    assert not source(1, sender="list@example.org").follows_arxiv_calendar


# --- servers and mails that are not what they seem --------------------------------------------


@pytest.mark.parametrize(
    "field",
    [
        b'From: "no-reply@arxiv.org" <x@attacker.example>',
        b"From: no-reply@arxiv.org <x@attacker.example>",
        b"From: <no-reply@arxiv.org>x@attacker.example",
        b"From: x@attacker.example (no-reply@arxiv.org)",
        b"From: no-reply@arxiv.org, x@attacker.example",
        b"From: no-reply@arxiv.org\r\nFrom: x@attacker.example",
        b"From: no-reply@arxiv.org.attacker.example",
        b"From: a-no-reply@arxiv.org",
        b"From: no-reply@arxiv.org" + b"(" * 1_500,
        b"From: no-reply@arxiv.org" + b" " * 3_000 + b", x@attacker.example",
        b"X-From: no-reply@arxiv.org",
    ],
)
def test_a_mail_that_only_names_the_sender_is_neither_read_nor_marked(field: bytes) -> None:
    with ImapServer().running() as server:
        server.put(field + b"\r\n\r\nBuy owls.\r\n", SECOND)
        assert [raw.name for raw in source(server.port).retrieve(VISIT)] == ["INBOX/2"]
        assert flags(server)[1] == set()
        assert not any(command.startswith("UID FETCH 1 (BODY.PEEK[])") for command in server.said)


@pytest.mark.parametrize(
    ("sender", "field", "is_read"),
    [
        ("no-reply@arxiv.org", b"From: send mail ONLY to cs <no-reply@arXiv.org>", True),
        ("no-reply@arxiv.org", b"From: arXiv.org <no-reply@arxiv.org>", True),
        ("No-Reply@arXiv.org", b"From: no-reply@arxiv.org", True),
        ("arxiv.org", b"From: rabble@lists.arxiv.org", True),
        ("@arxiv.org", b"From: rabble@arxiv.org", True),
        ("arxiv.org", b"From: x@notarxiv.org", False),
        ("arxiv.org", b'From: "arxiv.org" <x@attacker.example>', False),
    ],
)
def test_the_sender_is_an_address_or_a_domain(sender: str, field: bytes, is_read: bool) -> None:
    with ImapServer().running() as server:
        server.put(field + b"\r\n\r\nOwls.\r\n")
        server.search = list
        assert len(list(source(server.port, sender=sender).retrieve(VISIT))) == is_read


def test_mails_of_others_do_not_delay_those_of_the_sender() -> None:
    with ImapServer().running() as server:
        server.put(*[b'From: "no-reply@arxiv.org" <x@attacker.example>\r\n\r\n.'] * 150, FIRST)
        assert [raw.name for raw in source(server.port).retrieve(VISIT)] == ["INBOX/151"]


Answers = dict[str, Callable[[str], bytes]]


@pytest.mark.parametrize(
    "answers",
    [
        {"CAPABILITY": lambda _: b"* CAPABILITY \xff\xfe\r\n"},
        {"SEARCH": lambda _: b"* SEARCH \xff\r\n"},
        {"SELECT": lambda _: b"* " + b"9" * 5_000 + b" EXISTS\r\n* OK {" + b"9" * 5_000 + b"}\r\n"},
        {"SEARCH": lambda _: b"* SEARCH {300000000}\r\n" + b"x" * 1_000_000},
        {"SEARCH": lambda _: b"x" * 2_500_000},
        {"SEARCH": lambda _: b"* SEARCH 1\r\n" * 200_000},
        {"SEARCH": lambda _: (b"* SEARCH {900000}\r\n" + b"x" * 900_000 + b"\r\n") * 3},
    ],
)
def test_invalid_responses_of_a_server_are_reported_on_one_line(answers: Answers) -> None:
    with ImapServer(answers=answers).running() as server:
        server.put(FIRST)
        with pytest.raises(SourceError, match=f"^127.0.0.1:{server.port}: ") as refused:
            # A tenth of the cap, and of the time until a server reaches it.
            list(source(server.port, max_bytes=MAX_BYTES // 10).retrieve(VISIT))
    assert len(str(refused.value)) < 400


def test_huge_numbers_are_neither_mail_ids_nor_sizes() -> None:
    with ImapServer(answers={"SEARCH": lambda _: b"* SEARCH " + b"9" * 5_000 + b" 1\r\n"}).running() as server:
        server.put(FIRST)
        assert [raw.name for raw in source(server.port).retrieve(VISIT)] == ["INBOX/1"]
    huge = {"FETCH (RFC822.SIZE)": lambda _: b"* 1 FETCH (UID 1 RFC822.SIZE " + b"9" * 5_000 + b")\r\n"}
    with ImapServer(answers=huge).running() as server:
        server.put(FIRST)
        (problem,) = source(server.port).retrieve(VISIT)
        assert problem == TOO_LARGE


def test_a_server_that_sends_byte_by_byte_meets_the_deadline() -> None:
    """Each look at the clock moves it by a second: no single read is slow, all of them together are."""
    ticks = count()

    class Drip(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with suppress(OSError):
                self.request.sendall(b"* OK ready\r\n* SEARCH ")
                while True:
                    self.request.sendall(b"1")

    with socketserver.TCPServer(("127.0.0.1", 0), Drip) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        dripping = source(server.server_address[1], seconds=60.0, clock=lambda: next(ticks))
        with pytest.raises(SourceError, match="took longer than 60 s in all"):
            list(dripping.retrieve(VISIT))
        thread.join()


def test_bytes_received_before_tls_are_discarded() -> None:
    """A server in between could put answers there that would be taken for the mail server's own."""
    from bot.sources.imap import _Bounded

    class Sock:
        def settimeout(self, _: float) -> None:
            pass

        def recv(self, _: int) -> bytes:
            return b"first\r\ninjected\r\n"

    client = object.__new__(_Bounded)
    client.deadline = Deadline(60)
    client.max_bytes = 1_000
    client.sock = Sock()
    assert client.readline() == b"first\r\n"
    client.sock = Sock()
    assert client.readline() == b"first\r\n"
