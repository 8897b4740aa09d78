"""Loopback addresses: only to this machine may mails, passwords and tokens be sent without TLS."""

from __future__ import annotations

from ipaddress import ip_address


def is_loopback(host: str) -> bool:
    """Return whether a host is ``localhost`` or a loopback address.

    Other names count as remote without being resolved: a DNS answer may differ at the time of the connection.
    """
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
