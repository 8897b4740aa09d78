"""Mail over SMTP, to real servers on loopback."""

from __future__ import annotations

import itertools
import socket
import ssl

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.delivery import Cancelled
from bot.delivery.smtp import SmtpChannel
from bot.errors import ConfigError, DeliveryError, FailureScope
from bot.loopback import is_loopback

from .smtp_servers import DROP

SENDER = "paperbot@example.org"


@pytest.fixture
def connect():
    """Make channels to a server, and close them at the end."""
    channels = []

    def make(server, security="none", **options):
        options = {"envelope_sender": SENDER, "timeout_seconds": 5, "answer_seconds": 5} | options
        channels.append(SmtpChannel("127.0.0.1", server.port, security, **options))
        return channels[-1]

    yield make
    for channel in channels:
        channel.close()


def refusal(channel, delivery, started=lambda: None):
    with pytest.raises(DeliveryError) as caught:
        channel.send(delivery, started)
    return caught.value


# --- what arrives -------------------------------------------------------------------------------


def test_a_message_arrives_as_stored_and_the_receipt_is_the_servers(mail_server, connect, delivery, started):
    server = mail_server()
    assert connect(server).send(delivery, started) == "250 queued as 1"
    (mail,) = server.mails
    assert (mail.sender, mail.recipients, mail.content) == (SENDER, ["ada@example.org"], delivery.body)
    assert started.calls == 1


def test_lines_that_begin_with_a_dot_or_with_from_arrive_unchanged(
    mail_server, connect, make_delivery, started
):
    server = mail_server()
    body = b"Subject: x\r\n\r\nFrom here on\r\n.\r\n..two\r\n.one\r\n\r\n"
    connect(server).send(make_delivery(body), started)
    assert server.mails[0].content == body


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(lines=st.lists(st.text("a. F\t", max_size=4), max_size=6))
def test_any_lines_arrive_unchanged(lines, mail_server, connect, make_delivery, started):
    server = mail_server()
    body = "".join(f"{line}\r\n" for line in ["Subject: x", "", *lines]).encode()
    channel = connect(server)
    channel.send(make_delivery(body), started)
    channel.close()
    assert server.mails[-1].content == body


@pytest.mark.parametrize("end", [b"\n", b"\r"])
def test_a_bare_line_end_before_a_dot_does_not_end_the_message(
    scripted, connect, make_delivery, started, end
):
    server = scripted()
    body = b"one" + end + b"." + end + b"MAIL FROM:<evil@x>" + end + b"two"
    connect(server).send(make_delivery(body), started)
    assert server.bodies == [b"one\r\n..\r\nMAIL FROM:<evil@x>\r\ntwo\r\n"]


def test_one_connection_carries_many_messages(mail_server, connect, make_delivery, started):
    server = mail_server()
    channel = connect(server)
    for number in range(3):
        channel.send(make_delivery(number=number), started)
    assert len(server.mails) == 3
    assert len({mail.peer for mail in server.mails}) == 1


def test_closing_says_goodbye_and_the_next_message_connects_anew(scripted, connect, delivery, started):
    server = scripted()
    channel = connect(server)
    channel.send(delivery, started)
    channel.close()
    channel.send(delivery, started)
    assert server.commands.count("QUIT") + server.commands.count("quit") == 1
    assert (server.connections, len(server.bodies)) == (2, 2)


def test_closing_a_channel_whose_server_has_gone_is_quiet(scripted, connect, delivery, started):
    channel = connect(scripted(QUIT=DROP))
    channel.send(delivery, started)
    channel.close()
    channel.close()


# --- who may listen -----------------------------------------------------------------------------


def test_starttls_with_login(mail_server, connect, delivery, started, tls):
    server = mail_server(context=tls.server, login=(b"bot", b"secret"))
    channel = connect(server, "starttls", context=tls.client, username="bot", password="secret")
    channel.send(delivery, started)
    assert len(server.mails) == 1
    assert server.logins == [(b"bot", b"secret")]


def test_starttls_without_login(mail_server, connect, delivery, started, tls):
    server = mail_server(context=tls.server)
    connect(server, "starttls", context=tls.client).send(delivery, started)
    assert len(server.mails) == 1


@pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")  # it does, from the start
def test_tls_from_the_first_byte(mail_server, connect, make_delivery, started, tls):
    server = mail_server(context=tls.server, implicit=True, login=(b"bot", b"secret"))
    channel = connect(server, "tls", context=tls.client, username="bot", password="secret")
    channel.send(make_delivery(b"x" * 70 + b"\r\n"), started)
    channel.send(make_delivery(b"y" * 70 + b"\r\n"), started)
    assert len(server.mails) == 2


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_a_certificate_nobody_vouches_for_pauses_the_channel(mail_server, connect, delivery, tls, security):
    server = mail_server(context=tls.server, implicit=security == "tls")
    error = refusal(connect(server, security), delivery)
    assert (error.permanent, error.scope, error.code) == (False, FailureScope.CHANNEL, "tls")
    assert server.mails == []


def test_without_starttls_on_offer_nothing_is_sent_in_plain_text(scripted, connect, delivery, started):
    server = scripted()
    channel = connect(server, "starttls", username="bot", password="secret")
    error = refusal(channel, delivery, started)
    assert (error.permanent, error.scope, error.unknown) == (True, FailureScope.CHANNEL, False)
    assert "STARTTLS" in str(error)
    assert [command.split()[0].upper() for command in server.commands] == ["EHLO"]


def test_starttls_refused_for_now_is_not_plain_text_either(scripted, connect, delivery):
    server = scripted(EHLO=b"250-here\r\n250 STARTTLS\r\n", STARTTLS=b"454 not now\r\n")
    error = refusal(connect(server, "starttls"), delivery)
    assert (error.permanent, error.scope, error.code) == (False, FailureScope.CHANNEL, "454")


def test_plain_text_is_for_this_machine_only():
    with pytest.raises(ConfigError, match=r"email\.security.*mail\.example\.org in plain text"):
        SmtpChannel("mail.example.org", 25, "none", envelope_sender=SENDER)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True),
        ("LocalHost", True),
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("192.168.1.1", False),
        ("localhost.example.org", False),
        ("", False),
    ],
)
def test_which_hosts_are_this_machine(host, expected):
    assert is_loopback(host) is expected


def test_the_systems_certificates_are_what_counts_by_default(connect, scripted):
    context = connect(scripted())._tls_context()
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)


# --- the reply table ----------------------------------------------------------------------------

C, P, R, M = FailureScope.CHANNEL, FailureScope.POLICY, FailureScope.READER, FailureScope.MESSAGE
REPLIES = [
    ("greeting", b"554 go away", True, C),
    ("greeting", b"421 too many connections", False, C),
    ("MAIL", b"550 5.1.8 sender unknown", True, P),
    ("MAIL", b"550 no", True, P),
    ("MAIL", b"451 later", False, M),
    ("RCPT", b"550 5.1.1 no such user", True, R),
    ("RCPT", b"550 no such user", True, R),
    ("RCPT", b"552 5.2.2 mailbox full", True, R),
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


def test_a_wrong_password_stops_the_channel_and_is_not_repeated(mail_server, connect, delivery, tls):
    server = mail_server(context=tls.server, login=(b"bot", b"secret"))
    channel = connect(server, "starttls", context=tls.client, username="bot", password="wr0ng-guess")
    error = refusal(channel, delivery)
    assert (error.permanent, error.scope, error.code) == (True, FailureScope.CHANNEL, "535")
    assert "PAPERBOT_EMAIL__PASSWORD" in str(error)
    assert "wr0ng-guess" not in str(error)


def test_a_password_that_is_not_ascii_is_named_but_not_shown(mail_server, connect, delivery, tls):
    server = mail_server(context=tls.server, login=(b"bot", b"secret"))
    error = refusal(
        connect(server, "starttls", context=tls.client, username="bot", password="pässword"), delivery
    )
    assert (error.permanent, error.scope) == (True, FailureScope.CHANNEL)
    assert "ASCII" in str(error)
    assert "ä" not in str(error) + repr(error)


def test_a_server_without_logins_can_not_be_logged_in_to(scripted, connect, delivery):
    error = refusal(connect(scripted(), username="bot"), delivery)
    assert (error.permanent, error.scope) == (True, FailureScope.CHANNEL)


@pytest.mark.parametrize(
    "address",
    [
        "a@x.org,b@x.org",
        "a@x.org\r\nRCPT TO:<b@x.org>",
        "a@x.org> NOTIFY=NEVER",
        "",
        "nobody",
        "jörg@x.org",
        "a@x\0",
    ],
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


# --- silence ------------------------------------------------------------------------------------


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
def test_without_an_answer_before_the_body_it_is_tried_again(scripted, connect, delivery, started, case):
    (stage, scope), silence = case
    answer = [silence, DROP] if stage == "EHLO" else silence  # EHLO is followed by HELO
    server = scripted(**{stage: answer, "HELO": DROP})
    error = refusal(connect(server, timeout_seconds=0.05), delivery, started)
    assert (error.permanent, error.scope, error.unknown) == (False, scope, False)
    assert (started.calls, server.bodies) == (0, [])


@pytest.mark.parametrize("silence", [DROP, b"", b"what?\r\n", b"354 go on\r\n", b"5" * 9000 + b"\r\n"])
def test_without_an_answer_after_the_final_dot_the_outcome_is_unknown(
    scripted, connect, delivery, started, silence
):
    server = scripted(dot=silence)
    error = refusal(connect(server, answer_seconds=0.05), delivery, started)
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
def test_after_421_or_silence_the_next_message_connects_anew(scripted, connect, delivery, stage, failure):
    server = scripted(**{stage: [failure, b"250 OK\r\n"]})
    channel = connect(server, timeout_seconds=0.05, answer_seconds=0.05)
    refusal(channel, delivery)
    assert channel.send(delivery, lambda: None) == ("250 OK" if stage == "." else "250 queued")
    assert server.connections == 2


@pytest.mark.parametrize("stale", [DROP, b"421 idle too long\r\n", b""])
def test_a_connection_gone_stale_between_messages_goes_unnoticed(
    scripted, connect, make_delivery, started, stale
):
    server = scripted(MAIL=[b"250 OK\r\n", stale, b"250 OK\r\n"])
    channel = connect(server, timeout_seconds=0.05)
    channel.send(make_delivery(), started)
    channel.send(make_delivery(), started)
    assert (server.connections, len(server.bodies)) == (2, 2)


@pytest.mark.parametrize("stale", [DROP, b"421 too many errors\r\n", b""])
def test_so_does_one_that_goes_after_a_refusal(scripted, connect, delivery, stale):
    server = scripted(RCPT=[b"550 5.1.1 nobody\r\n", b"250 OK\r\n"], RSET=stale)
    channel = connect(server, timeout_seconds=0.05)
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


def test_the_deadline_begins_anew_for_each_message(scripted, connect, make_delivery, started):
    ticks = itertools.count()
    channel = connect(scripted(), session_seconds=15, timer=lambda: next(ticks))
    for number in range(5):
        channel.send(make_delivery(number=number), started)
    assert next(ticks) > 30


# --- cancelled ----------------------------------------------------------------------------------


@pytest.mark.parametrize("signal", [Cancelled(), KeyboardInterrupt(), RuntimeError("store")])
def test_what_start_data_raises_passes_and_no_body_leaves(scripted, connect, delivery, make_started, signal):
    server = scripted()
    channel = connect(server)
    with pytest.raises(type(signal)):
        channel.send(delivery, make_started(signal))
    assert server.bodies == []
    channel.send(delivery, make_started())
    assert (server.connections, server.bodies) == (2, [delivery.body])
    assert b"".join(server.heard) == delivery.body


def test_a_check_logs_in_and_sends_nothing(mail_server, connect, tls):
    server = mail_server(context=tls.server, login=(b"ada", b"secret"))
    connect(server, "starttls", context=tls.client, username="ada", password="secret").check()
    assert server.mails == []


def test_a_check_says_what_would_stop_the_channel(mail_server, connect, tls):
    server = mail_server(context=tls.server, login=(b"ada", b"secret"))
    with pytest.raises(DeliveryError) as caught:
        connect(server, "starttls", context=tls.client, username="ada", password="wrong").check()
    assert caught.value.scope is FailureScope.CHANNEL
