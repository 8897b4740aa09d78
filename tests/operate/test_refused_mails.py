"""A mail that can't be read is reported once and stays unread, and no later poll downloads it."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from imap_server import ImapServer
from support import digest

from bot.formats.registry import parse
from bot.model import ParsedDigest, Problem, RawDigest
from bot.model.errors import LimitError, ParserError
from bot.operate.ingest import DigestReport
from bot.sources.mailbox import MailboxOptions, MailboxSource
from bot.store import Store

from .fake_source import outcomes

NOW = datetime(2026, 6, 12, 8, 0, tzinfo=UTC)
HEADER = b"From: Owls <list@example.org>\r\nDate: Fri, 12 Jun 2026 06:30:00 +0000\r\n\r\n"
GOOD = HEADER + digest("Owls by night").encode()
NO_DIGEST = HEADER + b"The list moves to another server."
UNREAD = "the mail from list@example.org of 2026-06-12 06:30 stays unread"

Poll = Callable[..., list[DigestReport | Problem]]


@pytest.fixture
def poll(imap: ImapServer, store: Store) -> Poll:
    options = MailboxOptions(
        name="mail",
        kind="mailbox",
        host="127.0.0.1",
        port=imap.port,
        security="none",
        username="ada",
        sender="list@example.org",
        moved_to="Read",
    )
    source = MailboxSource(options, "a secret")

    def poll(parse=parse, *, again: bool = False) -> list[DigestReport | Problem]:
        imap.said.clear()
        return outcomes(store, parse, [source], NOW, at_once=True, again=again)

    return poll


def downloads(imap: ImapServer) -> list[str]:
    return [said.split(" ")[2] for said in imap.said if "BODY.PEEK[]" in said]


def raise_limit_error(_: RawDigest) -> tuple[ParsedDigest, ...]:
    raise LimitError("parsing it takes more than 30 s of processor time")


def raise_parser_error(_: RawDigest) -> tuple[ParsedDigest, ...]:
    raise ParserError("the process that parses digests doesn't start")


def test_a_refused_mail_stays_unread_where_it_is_and_the_others_are_moved(imap: ImapServer, poll: Poll) -> None:
    imap.put(NO_DIGEST, GOOD)
    report, problem = poll()
    assert isinstance(problem, Problem)
    assert problem.source == "mail/INBOX/1"
    assert problem.problem.endswith(f"; {UNREAD}")
    assert isinstance(report, DigestReport)
    assert {uid: mail.flags for uid, mail in imap.folders["INBOX"].items()} == {1: set()}
    assert list(imap.folders["Read"]) == [2]


@pytest.mark.parametrize("with_good_mail", [False, True])
def test_a_refused_mail_is_reported_and_downloaded_once(imap: ImapServer, poll: Poll, with_good_mail: bool) -> None:
    imap.put(NO_DIGEST, *[GOOD] * with_good_mail)
    assert sum(isinstance(outcome, Problem) for outcome in poll()) == 1
    assert poll() == []
    assert downloads(imap) == []
    imap.put(GOOD.replace(b"Owls", b"Bees"))
    (report,) = poll()
    assert isinstance(report, DigestReport)
    assert "1" not in downloads(imap)
    assert poll() == []
    assert imap.folders["INBOX"][1].flags == set()


def test_a_mail_that_met_a_limit_stays_unread_too(imap: ImapServer, poll: Poll) -> None:
    imap.put(GOOD)
    (problem,) = poll(raise_limit_error)
    assert str(problem) == (
        "mail/INBOX/1: parsing it takes more than 30 s of processor time; it is refused from now on, "
        f"`paperbot ingest --again` tries again; {UNREAD}"
    )
    assert (poll(), downloads(imap)) == ([], [])


def test_again_downloads_refused_mails_and_moves_those_that_can_be_read_now(
    imap: ImapServer, poll: Poll, store: Store
) -> None:
    imap.put(GOOD, NO_DIGEST)
    poll(raise_limit_error)
    report, problem = poll(again=True)
    assert isinstance(report, DigestReport)
    assert str(problem).endswith(UNREAD)
    assert (list(imap.folders["INBOX"]), list(imap.folders["Read"])) == ([2], [1])
    assert store.sources.states()["mail"].memory == {"refused": "1:2"}


def test_a_mail_that_its_owner_has_read_is_forgotten(imap: ImapServer, poll: Poll, store: Store) -> None:
    imap.put(NO_DIGEST, NO_DIGEST + b" Twice.")
    poll()
    imap.folders["INBOX"][1].flags.add("\\Seen")
    poll()
    assert store.sources.states()["mail"].memory == {"refused": "1:2"}


def test_uids_of_another_uid_validity_are_not_compared(imap: ImapServer, poll: Poll) -> None:
    imap.put(NO_DIGEST)
    poll()
    imap.folders["INBOX"][1].content = GOOD
    imap.uid_validity = 2
    (report,) = poll()
    assert isinstance(report, DigestReport)


def test_a_parser_that_can_not_start_refuses_no_mail(imap: ImapServer, poll: Poll) -> None:
    imap.put(GOOD)
    (problem,) = poll(raise_parser_error)
    assert str(problem) == "mail: the process that parses digests doesn't start"
    assert imap.folders["INBOX"][1].flags == set()
    (report,) = poll()
    assert isinstance(report, DigestReport)
