"""Servers on loopback that messages are sent to, those of the channels' tests; a dispatcher on a store with rows."""

import shutil
from datetime import timedelta
from itertools import count

import pytest
from channels.conftest import MAIL, certificate, connect, mail_server, make_delivery, now, servers, slack_server, tls
from imap_server import ImapServer
from sqlalchemy import select, update
from store.conftest import store_url
from support import edit

from bot.channels import Route
from bot.model import Edition, Message, SendLimit, State
from bot.operate.dispatcher import Dispatcher
from bot.store import open_store
from bot.store.editions import NewEdition
from bot.store.schema import outbox

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


def send_to(home, port, more="connections = 1"):
    """Have a home send its mails by a port of loopback."""
    section = f'[email]\nhost = "127.0.0.1"\nport = {port}\nsecurity = "none"\n{more}\n'
    edit(home / "paperbot.toml", "[email]\n", section)


@pytest.fixture
def mails(home, few_papers, mail_server):
    """A mail server that the home sends its mails to, over one connection."""
    server = mail_server()
    send_to(home, server.port)
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
def mail():
    return ScriptedChannel()


@pytest.fixture
def slack():
    return ScriptedChannel()


@pytest.fixture
def make_dispatcher(store, clock):
    """A dispatcher over channels by kind: one, or a list that works side by side."""

    def make(spacing=timedelta(0), limit=None, **channels):
        lists = {kind: c if isinstance(c, list) else [c] for kind, c in channels.items()}
        routes = {kind: Route(channels, spacing) for kind, channels in lists.items()}
        rates = store.send_rates(dict.fromkeys(routes, limit or SendLimit()))
        return Dispatcher(store.outbox, routes, store.readers, store.circuit_breakers, rates, timer=clock, stop=clock)

    return make


@pytest.fixture
def dispatcher(make_dispatcher, mail, slack):
    return make_dispatcher(email=mail, slack=slack)


class Row:
    """A message of the outbox, whose attributes are its columns now."""

    def __init__(self, store, number):
        self.id, self._database = number, store._database

    def __getattr__(self, column):
        with self._database.reading() as connection:
            return connection.scalar(select(outbox.c[column]).where(outbox.c.id == self.id))

    def steal(self):
        """Claim the row for another worker, as after the end of the lease."""
        with self._database.writing() as connection:
            connection.execute(update(outbox).where(outbox.c.id == self.id).values(token="another's"))


@pytest.fixture
def rows(store, now):
    """Add ``number`` messages to the outbox, to r1@example.org and so on, or to one address."""
    kinds, slots = {}, count(1)

    def fill(number, kind="email", address="", body=MAIL):
        addresses = [address or f"r{len(kinds) + n}@example.org" for n in range(1, number + 1)]
        kinds.update(dict.fromkeys(addresses, kind))
        synced = store.readers.sync("rewards", [(kind, address) for address, kind in kinds.items()], now)
        readers = {reader.address: reader for reader in synced}
        editions = [Edition(readers[address], "Rewards", now.date(), now, (), 0, 0) for address in addresses]
        messages = [Message(body, "Papers")]
        assert all(store.editions.save_all([NewEdition(each, f"{next(slots):04}", messages) for each in editions]))
        return [Row(store, delivery.id) for delivery in store.outbox.in_state(State.PENDING)[-number:]]

    return fill


@pytest.fixture
def stopped(store):
    """Why readers are stopped, by address."""
    return lambda: {reader.address: reader.stop_detail for reader in store.readers.all() if reader.stopped}
