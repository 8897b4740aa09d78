"""Deliveries to send, and real servers to send them to; factories of invented papers, picks and editions."""

import os
import shutil
import ssl
import subprocess
from contextlib import ExitStack
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from jinja2 import Environment
from store.conftest import open_another, samples, store, store_url

from bot.channels.email.smtp import SmtpChannel
from bot.channels.templates import environment
from bot.model import Delivery, OutboxKey, Reader

from .made_editions import LongLinks
from .slack_server import SlackServer
from .smtp_servers import SENDER, MailServer, ScriptedServer, server_context

__all__ = ["open_another", "samples", "store", "store_url"]

TEMPLATES = Path(__file__).parents[2] / "templates"
MAIL = b"Subject: One\r\nMessage-ID: <1@x>\r\n\r\nHello.\r\n"


@pytest.fixture
def now():
    return datetime(2025, 5, 6, 8, 0, tzinfo=UTC)


@pytest.fixture
def make_delivery():
    """Make a claimed delivery; each has a reader of its own unless told."""

    def make(body=MAIL, *, number=1, address="ada@example.org", kind="email", attempts=1, part=1, **more):
        reader = Reader(more.pop("reader_id", number), more.pop("profile", "rewards"), kind, address)
        return Delivery(
            id=number,
            key=OutboxKey(str(number), reader.id, kind, part),
            reader=reader,
            body=body,
            attempts=attempts,
            token="mine",
            date=date(2025, 5, 6),
            thread=more.pop("thread", ""),
        )

    return make


@pytest.fixture
def delivery(make_delivery):
    return make_delivery()


class Started:
    """A ``start_data`` that counts its calls and can be told to raise."""

    def __init__(self, raises=None):
        self.calls, self._raises = 0, raises

    def __call__(self):
        self.calls += 1
        if self._raises:
            raise self._raises


@pytest.fixture
def started():
    return Started()


@pytest.fixture
def make_started():
    return Started


@pytest.fixture
def servers():
    """Starts servers and stops them all at the end."""
    with ExitStack() as stack:
        yield lambda server: stack.enter_context(server.running())


@pytest.fixture
def mail_server(servers):
    return lambda **options: servers(MailServer(**options))


@pytest.fixture
def scripted(servers):
    return lambda **script: servers(
        ScriptedServer({{"dot": "."}.get(name, name): reply for name, reply in script.items()})
    )


@pytest.fixture
def slack_server(servers, monkeypatch):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    # At one message a second, the thread of an edition would take ten.
    monkeypatch.setattr("bot.channels.slack.transport.SPACING", timedelta(0))
    return servers(SlackServer())


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    """A fresh certificate for 127.0.0.1 with its key, in one file."""
    openssl = shutil.which("openssl")
    if openssl is None and os.environ.get("CI") == "true":
        pytest.fail("no openssl command to make a certificate with", pytrace=False)
    if openssl is None:
        pytest.skip("needs the openssl command to make a certificate with")
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    arguments = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost"
    name = ["-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(
        [openssl, *arguments.split(), *name, "-keyout", path, "-out", path.with_suffix(".crt")],
        check=True,
        capture_output=True,
    )
    path.write_bytes(path.read_bytes() + path.with_suffix(".crt").read_bytes())
    return path


class Tls(NamedTuple):
    """Both ends: the client trusts the fresh certificate, and verifies as the default one does."""

    server: ssl.SSLContext
    client: ssl.SSLContext


@pytest.fixture
def tls(certificate):
    authority = str(certificate.with_suffix(".crt"))
    return Tls(server_context(certificate), ssl.create_default_context(cafile=authority))


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


@pytest.fixture(scope="session")
def links() -> LongLinks:
    return LongLinks()


@pytest.fixture(scope="session")
def templates() -> Environment:
    return environment(TEMPLATES)
