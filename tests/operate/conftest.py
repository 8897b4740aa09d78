"""Servers on loopback that messages are sent to, those of the channels' tests; a dispatcher on an outbox in memory."""

import shutil
from datetime import timedelta

import pytest
from channels.conftest import certificate, connect, mail_server, make_delivery, now, servers, slack_server, tls
from imap_server import ImapServer
from store.conftest import store_url

from bot.channels import Route
from bot.operate.dispatcher import Dispatcher
from bot.store import open_store

from .memory_outbox import MemoryBreakers, MemoryOutbox, MemoryRates, MemoryReaders
from .scripted_channels import ScriptedChannel

__all__ = [
    "certificate",
    "connect",
    "mail_server",
    "make_delivery",
    "now",
    "servers",
    "slack_server",
    "store_url",
    "tls",
]


@pytest.fixture
def mails(home, few_papers, mail_server):
    """A mail server that the home sends its mails to, over one connection."""
    server = mail_server()
    settings = home / "paperbot.toml"
    email_section = f'[email]\nhost = "127.0.0.1"\nport = {server.port}\nsecurity = "none"\nconnections = 1\n'
    settings.write_text(settings.read_text().replace("[email]\n", email_section))
    return server


@pytest.fixture
def store(empty_store, tmp_path):
    with open_store(f"sqlite:///{shutil.copy(empty_store, tmp_path)}") as store:
        yield store


@pytest.fixture
def imap():
    with ImapServer().running() as server:
        yield server


@pytest.fixture
def readers():
    return MemoryReaders()


@pytest.fixture
def breakers():
    return MemoryBreakers()


@pytest.fixture
def rates():
    return MemoryRates()


@pytest.fixture
def outbox(readers):
    return MemoryOutbox(readers)


@pytest.fixture
def mail():
    return ScriptedChannel()


@pytest.fixture
def slack():
    return ScriptedChannel()


@pytest.fixture
def make_dispatcher(outbox, readers, breakers, rates, clock):
    """A dispatcher over channels by kind: one, or a list that works side by side."""

    def make(spacing=timedelta(0), **channels):
        lists = {kind: c if isinstance(c, list) else [c] for kind, c in channels.items()}
        routes = {kind: Route(channels, spacing) for kind, channels in lists.items()}
        return Dispatcher(outbox, routes, readers, breakers, rates, timer=clock, stop=clock)

    return make


@pytest.fixture
def dispatcher(make_dispatcher, mail, slack):
    return make_dispatcher(email=mail, slack=slack)


@pytest.fixture
def rows(outbox, make_delivery):
    """Add ``count`` rows to the outbox, numbered from 1."""

    def fill(count, kind="email", first=1, **more):
        numbers = range(first, first + count)
        return [outbox.add(make_delivery(number=number, kind=kind, **more)) for number in numbers]

    return fill
