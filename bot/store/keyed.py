"""Hashes of addresses that can't be guessed back without the home's key: with a plain hash, trying names is enough."""

from __future__ import annotations

import hmac


def keyed_hash(secret: bytes, text: str) -> str:
    """The hexadecimal HMAC of a text; 64 digits."""
    return hmac.digest(hmac.digest(secret, b"addresses.v1", "sha256"), text.encode(), "sha256").hex()
