"""Mail over SMTP: what arrives, and what does not if the start is refused."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.channels import Cancelled

from .smtp_servers import DROP, SENDER


def test_a_message_arrives_as_stored_and_the_receipt_is_the_servers(mail_server, connect, delivery, started):
    server = mail_server()
    assert connect(server).send(delivery, started) == "250 queued as 1"
    (mail,) = server.mails
    assert (mail.sender, mail.recipients, mail.content) == (SENDER, ["ada@example.org"], delivery.body)
    assert started.calls == 1


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
def test_a_bare_line_end_before_a_dot_does_not_end_the_message(scripted, connect, make_delivery, started, end):
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


def test_closing_sends_quit_and_the_next_message_opens_a_new_connection(scripted, connect, delivery, started):
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


@pytest.mark.parametrize("signal", [Cancelled(), KeyboardInterrupt(), RuntimeError("store")])
def test_what_start_data_raises_passes_and_no_body_is_sent(scripted, connect, delivery, make_started, signal):
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


@pytest.mark.parametrize("reply", [b"250 \xff\xfe\x00queued", b"250"])
def test_a_receipt_that_can_not_be_read_is_shown_as_such(scripted, connect, delivery, started, reply):
    server = scripted(dot=reply + b"\r\n")
    assert connect(server).send(delivery, started) == "250 (the reply's text can't be read)"
