"""Limits on the clients of the pages, as values of their own: the pages don't read settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """How much one client may use, and how clients are identified.

    ``trusted_proxies``: addresses or networks whose ``X-Forwarded-For`` header is trusted; from anybody else the
    header would let a client choose its own address, and so evade every limit. ``connections``: open at once.
    ``client_seconds``: how long a connection may wait for its client (slowloris).
    """

    trusted_proxies: Sequence[str]
    connections: int
    client_seconds: float
