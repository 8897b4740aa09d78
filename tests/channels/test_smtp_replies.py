"""What the replies of a mail server are about."""

import pytest

from bot.model.errors import FailureScope

from .smtp_servers import refusal

C, P, R, M = FailureScope.CHANNEL, FailureScope.POLICY, FailureScope.READER, FailureScope.MESSAGE
D = FailureScope.RECIPIENT  # in doubt


REPLIES = [
    ("greeting", b"554 go away", True, C),
    ("greeting", b"421 too many connections", False, C),
    ("MAIL", b"550 5.1.8 sender unknown", True, P),
    ("MAIL", b"550 no", True, P),
    ("MAIL", b"451 later", False, M),
    ("RCPT", b"550 5.1.1 no such user", True, R),
    ("RCPT", b"550 5.1.6 mailbox has moved", True, R),
    ("RCPT", b"556 5.1.10 null MX", True, R),
    ("RCPT", b"550 5.2.1 mailbox disabled", True, R),
    ("RCPT", b"550 no such user", True, D),
    ("RCPT", b"550 relay not permitted", True, D),
    ("RCPT", b"550 5.1.2 bad destination system", True, D),
    ("RCPT", b"551 5.4.4 no route", True, D),
    ("RCPT", b"552 5.2.2 mailbox full", False, M),
    ("RCPT", b"552 mailbox full", False, M),
    (".", b"552 5.2.2 mailbox full", False, M),
    ("RCPT", b"450 4.2.0 greylisted", False, M),
    ("RCPT", b"421 4.7.0 closing", False, M),
    ("RCPT", b"554 5.7.1 relay access denied", True, P),
    ("RCPT", b"550 5.1.8 sender domain not found", True, P),
    ("RCPT", b"530 authentication required", True, C),
    ("DATA", b"451 later", False, M),
    ("DATA", b"554 no valid recipients", True, M),
    (".", b"452 4.3.1 disk full", False, M),
    (".", b"421 shutting down", False, M),
    (".", b"554 no", True, M),
    (".", b"554 5.7.1 looks like spam", True, M),
    (".", b"550 5.1.1 no such user", True, R),
]


@pytest.mark.parametrize("case", REPLIES)
def test_a_refusal_says_whom_it_is_about(scripted, connect, delivery, started, case):
    stage, reply, permanent, scope = case
    server = scripted(**{stage: reply + b"\r\n"})
    error = refusal(connect(server), delivery, started)
    assert (error.permanent, error.scope, error.unknown) == (permanent, scope, False)
    assert error.code == reply[:3].decode()
    assert reply[:9].decode() in str(error)
    assert started.calls == (1 if stage == "." else 0)


def test_a_real_server_refuses_one_reader_and_takes_the_next(mail_server, connect, make_delivery, started):
    server = mail_server()
    server.replies["gone@example.org"] = "550 5.1.1 no such user"
    channel = connect(server)
    assert refusal(channel, make_delivery(address="gone@example.org"), started).scope is R
    channel.send(make_delivery(), started)
    server.replies["DATA"] = "554 no"
    assert refusal(channel, make_delivery()).scope is M
    del server.replies["DATA"]
    channel.send(make_delivery(), started)
    assert len({mail.peer for mail in server.mails}) == 1
    assert [mail.recipients for mail in server.mails] == [["ada@example.org"]] * 2


@pytest.mark.parametrize(
    "address",
    ["a@x.org,b@x.org", "a@x.org\r\nRCPT TO:<b@x.org>", "a@x.org> NOTIFY=NEVER", "", "nobody", "jörg@x.org", "a@x\0"],
)
def test_an_address_that_is_not_just_one_stops_its_reader(scripted, connect, make_delivery, address):
    server = scripted()
    error = refusal(connect(server), make_delivery(address=address))
    assert (error.permanent, error.scope) == (True, FailureScope.READER)
    assert server.connections == 0


def test_a_servers_words_are_made_fit_for_a_terminal(scripted, connect, delivery):
    server = scripted(RCPT=b"550-\x1b[31mno\xff\r\n550 such\tuser " + b"x" * 1000 + b"\r\n")
    error = refusal(connect(server), delivery)
    assert str(error).isprintable()
    assert "no\ufffd such user xxx" in str(error)
    assert len(str(error)) < 400
