"""A home on each database whose mails go to a server that remembers them."""

from __future__ import annotations

import pytest
from store.conftest import postgres, schema_url, store_url  # noqa: F401 - fixtures

from .post_office import Home, MailServer, furnish


@pytest.fixture
def mails():
    """The mail server."""
    with MailServer().running() as server:
        yield server


@pytest.fixture
def make_home(tmp_path, paperbot, mails, monkeypatch):
    """Make a home with so many readers, on a store if one is named."""

    def make(readers, store=""):
        if store:
            monkeypatch.setenv("PAPERBOT_STORE__URL", store)
        path = tmp_path / "papers"
        furnish(path, readers, mails.port)
        return Home(path, mails, paperbot)

    return make
