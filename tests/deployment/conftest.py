"""The certificate and the mail server of the delivery tests."""

from delivery.conftest import certificate, mail_server, servers, tls

__all__ = ["certificate", "mail_server", "servers", "tls"]
