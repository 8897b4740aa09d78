"""What clients of the pages can hold, as the settings say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Whose word on a client's address is believed, and how much clients can hold.

    ``trusted_proxies``: addresses or networks whose ``X-Forwarded-For`` counts. ``connections``: open at once.
    ``client_seconds``: that one may wait for its client.
    """

    trusted_proxies: Sequence[str]
    connections: int
    client_seconds: float
