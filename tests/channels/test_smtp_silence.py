"""Mail servers that answer late, nonsense, or nothing."""

import itertools
import socket

import pytest

from bot.channels.email.smtp import SmtpChannel
from bot.model.errors import FailureScope

from .smtp_servers import DROP, SENDER, refusal

C, M = FailureScope.CHANNEL, FailureScope.MESSAGE


def test_no_server_there_pauses_the_channel(connect, delivery):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        channel = SmtpChannel("127.0.0.1", unused.getsockname()[1], "none", envelope_sender=SENDER)
        error = refusal(channel, delivery)
    assert (error.permanent, error.scope, error.unknown) == (False, FailureScope.CHANNEL, False)
    channel.close()


SILENCES = [DROP, b"", b"what?\r\n", b"2" * 9000 + b"\r\n"]


STAGES = [("greeting", C), ("EHLO", C), ("MAIL", M), ("RCPT", M), ("DATA", M)]


@pytest.mark.parametrize("case", list(itertools.product(STAGES, SILENCES)))
@pytest.mark.slow
def test_without_an_answer_before_the_body_it_is_tried_again(scripted, connect, delivery, started, case):
    (stage, scope), silence = case
    answer = [silence, DROP] if stage == "EHLO" else silence  # EHLO is followed by HELO
    server = scripted(**{stage: answer, "HELO": DROP})
    error = refusal(connect(server, timeout_seconds=0.5), delivery, started)
    assert (error.permanent, error.scope, error.unknown) == (False, scope, False)
    assert (started.calls, server.bodies) == (0, [])


@pytest.mark.parametrize("silence", [DROP, b"", b"what?\r\n", b"354 go on\r\n", b"5" * 9000 + b"\r\n"])
def test_without_an_answer_after_the_final_dot_the_outcome_is_unknown(scripted, connect, delivery, started, silence):
    server = scripted(dot=silence)
    error = refusal(connect(server, answer_seconds=0.5), delivery, started)
    assert (error.permanent, error.scope, error.unknown) == (False, FailureScope.MESSAGE, True)
    assert (started.calls, server.bodies) == (1, [delivery.body])


def test_a_connection_that_breaks_within_the_body_is_tried_again(scripted, connect, make_delivery, started):
    """The final dot never left, so that no server can have accepted the message."""
    server = scripted(BODY=DROP)
    error = refusal(connect(server), make_delivery(b"x" * 32_000_000), started)
    assert (error.permanent, error.scope, error.unknown) == (False, FailureScope.MESSAGE, False)
    assert (started.calls, server.bodies) == (1, [])


@pytest.mark.parametrize("failure", [DROP, b"", b"421 closing\r\n"])
@pytest.mark.parametrize("stage", ["MAIL", "."])
def test_after_421_or_silence_the_next_message_opens_a_new_connection(scripted, connect, delivery, stage, failure):
    server = scripted(**{stage: [failure, b"250 OK\r\n"]})
    # Long enough for the second connection, which answers, on a busy machine.
    channel = connect(server, timeout_seconds=0.5, answer_seconds=0.5)
    refusal(channel, delivery)
    assert channel.send(delivery, lambda: None) == ("250 OK" if stage == "." else "250 queued")
    assert server.connections == 2


@pytest.mark.parametrize("stale", [DROP, b"421 idle too long\r\n", b""])
def test_a_connection_that_went_stale_between_messages_goes_unnoticed(scripted, connect, make_delivery, started, stale):
    server = scripted(MAIL=[b"250 OK\r\n", stale, b"250 OK\r\n"])
    channel = connect(server, timeout_seconds=0.5)
    channel.send(make_delivery(), started)
    channel.send(make_delivery(), started)
    assert (server.connections, len(server.bodies)) == (2, 2)


@pytest.mark.parametrize("stale", [DROP, b"421 too many errors\r\n", b""])
def test_a_connection_that_breaks_after_a_refusal_goes_unnoticed(scripted, connect, delivery, stale):
    server = scripted(RCPT=[b"550 5.1.1 nobody\r\n", b"250 OK\r\n"], RSET=stale)
    channel = connect(server, timeout_seconds=0.5)
    refusal(channel, delivery)
    assert channel.send(delivery, lambda: None) == "250 queued"
    assert (server.connections, len(server.bodies)) == (2, 1)


def test_a_server_that_drips_its_answer_meets_the_sessions_deadline(scripted, connect, delivery):
    """Each read would be in time; the timer, a second further at every look, is not."""
    server = scripted(MAIL=b"250-still here\r\n" * 60_000)
    ticks = itertools.count()
    channel = connect(server, session_seconds=6, timer=lambda: next(ticks))
    error = refusal(channel, delivery)
    assert "took longer than 6 s" in str(error)
    assert (error.permanent, error.unknown) == (False, False)


def test_the_sessions_deadline_cuts_a_patient_read_short(scripted, connect, delivery):
    error = refusal(connect(scripted(MAIL=b""), timeout_seconds=60, session_seconds=0.1), delivery)
    assert (error.permanent, error.unknown) == (False, False)


def test_the_receipt_has_a_time_of_its_own(scripted, connect, delivery, started):
    """A server may think longer about the whole message than about anything before."""
    server = scripted(dot=b"250-thinking\r\n" * 60_000 + b"250 queued\r\n")
    ticks = itertools.count()
    channel = connect(server, session_seconds=50, answer_seconds=10_000, timer=lambda: next(ticks))
    assert channel.send(delivery, started).startswith("250 thinking")
    assert next(ticks) > 60


def test_each_message_has_a_deadline_of_its_own(scripted, connect, make_delivery, started):
    ticks = itertools.count()
    channel = connect(scripted(), session_seconds=15, timer=lambda: next(ticks))
    for number in range(5):
        channel.send(make_delivery(number=number), started)
    assert next(ticks) > 30
