"""Is a host this very machine? Only there may mail, passwords and tokens go without encryption."""

from __future__ import annotations

from ipaddress import ip_address


def is_loopback(host: str) -> bool:
    """Whether a host is ``localhost`` or a loopback address; other names are not looked up."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
