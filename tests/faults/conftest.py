"""A home on each database whose mails go to a server that counts them."""

import pytest
from store.conftest import store_url  # noqa: F401 - a fixture

from .home_with_mail_server import Home, MailServer, create_home


@pytest.fixture
def mails():
    """The mail server."""
    with MailServer().running() as server:
        yield server


@pytest.fixture
def make_home(tmp_path, paperbot, mails, monkeypatch):
    """Make a home with a number of readers, on the store of a URL or on SQLite."""

    def make(readers, store=""):
        if store:
            monkeypatch.setenv("PAPERBOT_STORE__URL", store)
        path = tmp_path / "papers"
        create_home(path, readers, mails.port)
        return Home(path, mails, paperbot)

    return make
