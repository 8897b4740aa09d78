"""Encryption of other services' keys at rest: who copies the database alone can't use them.

Fernet (AES-128-CBC with HMAC-SHA-256) by the library ``cryptography``, under a key derived from the home's own, which
is in the file ``state/secret.key`` and not in the database.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from bot.errors import PaperbotError

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet


class Sealer:
    """Encrypts short texts with the newest of the home's keys, and decrypts with any of them."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        """``keys`` are the home's keys, oldest first."""
        self._keys = keys

    def seal(self, text: str) -> str:
        """Return the text encrypted, in ASCII."""
        return self._fernet.encrypt(text.encode()).decode()

    def unseal(self, sealed: str) -> str:
        """Return the text; raises PaperbotError if none of the keys has sealed it."""
        from cryptography.fernet import InvalidToken

        try:
            return self._fernet.decrypt(sealed).decode()
        except InvalidToken:
            raise PaperbotError(
                "a stored key was encrypted with a key that state/secret.key no longer has; connect again"
            ) from None

    @cached_property
    def _fernet(self) -> MultiFernet:
        from base64 import urlsafe_b64encode

        from cryptography.fernet import Fernet, MultiFernet
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        # Domain separation: the home's keys sign links too, so each use derives a key of its own.
        return MultiFernet(
            [
                Fernet(urlsafe_b64encode(HKDF(SHA256(), 32, None, b"sealed.v1").derive(key)))
                for key in reversed(self._keys)
            ]
        )
