"""Keyed hashes (HMAC) of addresses: a plain hash of an address is reversed by hashing candidate addresses."""

from __future__ import annotations

import hmac


def keyed_hash(secret: bytes, text: str) -> str:
    """Return the HMAC-SHA256 of a text, as 64 hexadecimal digits."""
    # Domain separation: the home's key signs links too, so each use derives a key of its own.
    key = hmac.digest(secret, b"addresses.v1", "sha256")
    return hmac.digest(key, text.encode(), "sha256").hex()
