"""MAIL, RCPT and DATA in one write, where the server offers PIPELINING (RFC 2920)."""

from __future__ import annotations

import pytest

from bot.model.errors import FailureScope

from .smtp_servers import DROP, refusal

OFFER = b"250-here\r\n250 PIPELINING\r\n"
OK, GO = b"250 OK\r\n", b"354 go\r\n"


@pytest.fixture
def pipelining(scripted):
    """Make a scripted server that offers PIPELINING."""
    return lambda **script: scripted(EHLO=OFFER, **script)


def test_the_envelope_is_one_write(pipelining, connect, delivery, make_delivery, started):
    """The server answers all three commands when it has the last: a client that waited would wait for ever."""
    server = pipelining(MAIL=b"", RCPT=b"", DATA=OK + OK + GO)
    channel = connect(server)
    assert channel.send(delivery, started) == "250 queued"
    assert channel.send(make_delivery(number=2), started) == "250 queued"
    assert (server.connections, server.bodies, started.calls) == (1, [delivery.body] * 2, 2)


def test_without_the_offer_each_command_waits_for_its_reply(scripted, connect, delivery, started):
    server = scripted(MAIL=b"", RCPT=b"", DATA=OK + OK + GO)
    assert not refusal(connect(server, timeout_seconds=0.05), delivery, started).unknown
    assert (started.calls, server.bodies) == (0, [])


REFUSALS = [
    ("MAIL", b"550 5.1.8 sender unknown", FailureScope.POLICY),
    ("MAIL", b"451 later", FailureScope.MESSAGE),
    ("RCPT", b"550 5.1.1 no such user", FailureScope.READER),
    ("RCPT", b"450 greylisted", FailureScope.MESSAGE),
]


@pytest.mark.parametrize("case", REFUSALS)
def test_a_refusal_is_recognised_by_its_own_reply_and_the_connection_is_kept(pipelining, connect, delivery, case):
    stage, reply, scope = case
    server = pipelining(**{stage: [reply + b"\r\n", OK], "DATA": [b"503 no recipients\r\n", GO]})
    channel = connect(server)
    error = refusal(channel, delivery)
    assert (error.code, error.scope) == (reply[:3].decode(), scope)
    assert channel.send(delivery, lambda: None) == "250 queued"
    assert (server.connections, server.bodies) == (1, [delivery.body])


@pytest.mark.parametrize("answer", [GO, DROP, b"421 closing\r\n"])
def test_a_server_that_wants_the_body_of_a_refused_mail_or_closes_gets_nothing(
    pipelining, connect, delivery, started, answer
):
    server = pipelining(RCPT=[b"550 5.1.1 no such user\r\n", OK], DATA=[answer, GO])
    channel = connect(server)
    error = refusal(channel, delivery, started)
    assert (error.code, error.scope, started.calls) == ("550", FailureScope.READER, 0)
    assert channel.send(delivery, started) == "250 queued"
    assert (server.connections, server.bodies, server.heard) == (2, [delivery.body], delivery.body.splitlines(True))


@pytest.mark.parametrize("stage", ["MAIL", "RCPT", "DATA"])
def test_without_a_reply_it_is_tried_again(pipelining, connect, delivery, started, stage):
    server = pipelining(**{stage: DROP})
    error = refusal(connect(server), delivery, started)
    assert (error.permanent, error.unknown, started.calls) == (False, False, 0)


@pytest.mark.parametrize("stale", [DROP, b"421 idle too long\r\n"])
def test_a_connection_that_was_closed_between_messages_goes_unnoticed(pipelining, connect, delivery, stale):
    server = pipelining(MAIL=[OK, stale, OK])
    channel = connect(server)
    channel.send(delivery, lambda: None)
    channel.send(delivery, lambda: None)
    assert (server.connections, len(server.bodies)) == (2, 2)


def test_a_refused_start_sends_no_body(pipelining, connect, delivery, make_started):
    server = pipelining()
    channel = connect(server)
    with pytest.raises(RuntimeError):
        channel.send(delivery, make_started(RuntimeError("store")))
    assert channel.send(delivery, make_started()) == "250 queued"
    assert (server.connections, server.bodies) == (2, [delivery.body])
