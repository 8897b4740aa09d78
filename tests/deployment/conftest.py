"""The certificate and the mail server of the delivery tests."""

from channels.conftest import certificate, mail_server, servers, tls

__all__ = ["certificate", "mail_server", "servers", "tls"]
