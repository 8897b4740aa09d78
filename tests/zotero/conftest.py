import pytest
from zotero_server import ZoteroServer

from bot.channels.zotero.api import ZoteroApi
from bot.model import ZoteroAccess


@pytest.fixture
def server():
    with ZoteroServer().running() as running:
        yield running


@pytest.fixture
def api(server, time):
    with ZoteroApi(server.url, ZoteroAccess("users/1", "a" * 24), clock=time.clock, sleep=time.sleep) as opened:
        yield opened
