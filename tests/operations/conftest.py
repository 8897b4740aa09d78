"""Servers on loopback that test messages, retries and notices are sent to: those of the delivery tests."""

from delivery.conftest import certificate, mail_server, servers, slack_server, tls

__all__ = ["certificate", "mail_server", "servers", "slack_server", "tls"]
