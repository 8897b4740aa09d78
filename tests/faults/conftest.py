"""A home on each database whose mails go to a server that counts them."""

from __future__ import annotations

import pytest
from store.conftest import store_url  # noqa: F401 - a fixture

from .forked import forking
from .home_with_mail_server import Home, MailServer, create_home


@pytest.fixture
def mails():
    """The mail server."""
    with MailServer().running() as server:
        yield server


@pytest.fixture(scope="session")
def start_process():
    with forking() as start:
        yield start


@pytest.fixture
def make_home(tmp_path, paperbot, mails, monkeypatch, start_process):
    """Make a home with a number of readers, on the store of a URL or on SQLite."""

    def make(readers, store=""):
        if store:
            monkeypatch.setenv("PAPERBOT_STORE__URL", store)
        path = tmp_path / "papers"
        create_home(path, readers, mails.port)
        return Home(path, mails, paperbot, start_process)

    return make
