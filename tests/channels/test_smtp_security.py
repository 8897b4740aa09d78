"""Encryption, certificates and logins of the SMTP channel."""

import ssl

import pytest

from bot.channels.email.smtp import SmtpChannel
from bot.model.addresses import is_loopback
from bot.model.errors import ConfigError, FailureScope

from .smtp_servers import SENDER, refusal


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
def test_an_untrusted_certificate_is_a_failure_of_the_channel(mail_server, connect, delivery, tls, security):
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


def test_a_wrong_password_stops_the_channel_and_is_not_repeated(mail_server, connect, delivery, tls):
    server = mail_server(context=tls.server, login=(b"bot", b"secret"))
    channel = connect(server, "starttls", context=tls.client, username="bot", password="wr0ng-guess")
    error = refusal(channel, delivery)
    assert (error.permanent, error.scope, error.code) == (True, FailureScope.CHANNEL, "535")
    assert "PAPERBOT_EMAIL__PASSWORD" in str(error)
    assert "wr0ng-guess" not in str(error)


def test_a_password_that_is_not_ascii_is_named_but_not_shown(mail_server, connect, delivery, tls):
    server = mail_server(context=tls.server, login=(b"bot", b"secret"))
    error = refusal(connect(server, "starttls", context=tls.client, username="bot", password="pässword"), delivery)
    assert (error.permanent, error.scope) == (True, FailureScope.CHANNEL)
    assert "ASCII" in str(error)
    assert "ä" not in str(error) + repr(error)


def test_a_server_without_logins_can_not_be_logged_in_to(scripted, connect, delivery):
    error = refusal(connect(scripted(), username="bot"), delivery)
    assert (error.permanent, error.scope) == (True, FailureScope.CHANNEL)
