"""Servers on loopback that test messages, retries and notices are sent to: those of the delivery tests."""

import pytest
from channels.conftest import certificate, mail_server, servers, slack_server, tls
from store.conftest import store_url

__all__ = ["certificate", "mail_server", "servers", "slack_server", "store_url", "tls"]


@pytest.fixture
def mails(home, few_papers, mail_server):
    """A mail server that the home sends its mails to, over one connection."""
    server = mail_server()
    settings = home / "paperbot.toml"
    email_section = f'[email]\nhost = "127.0.0.1"\nport = {server.port}\nsecurity = "none"\nconnections = 1\n'
    settings.write_text(settings.read_text().replace("[email]\n", email_section))
    return server
