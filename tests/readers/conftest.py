"""The composition root over a fresh home; a server of Zotero's API."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from zotero_server import ZoteroServer

from bot.app import App, open_app
from bot.channels.zotero.api import ZoteroApi
from bot.model import ZoteroAccess


@pytest.fixture
def app(home: Path) -> Iterator[App]:
    with open_app(home) as app:
        yield app


@pytest.fixture
def server():
    with ZoteroServer().running() as running:
        yield running


@pytest.fixture
def api(server, time):
    with ZoteroApi(server.url, ZoteroAccess("users/1", "a" * 24), clock=time.clock, sleep=time.sleep) as opened:
        yield opened
