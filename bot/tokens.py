"""Signed tokens for links in messages: bearer capabilities, each for one purpose and one reader.

Each purpose has its own salt, so that a token for one page is invalid on every other. Payloads are signed but not
encrypted: they hold ids only, never addresses.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import secrets
import tempfile
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from itsdangerous import BadData, SignatureExpired, URLSafeTimedSerializer

from bot.errors import PaperbotError

_KEY_BYTES = 32
_KEY_REMEDY = "restore it from a backup, or delete it: links in old messages then no longer work"


class Purpose(StrEnum):
    """What a token is for; the value is its salt."""

    CONFIRM = "confirm.v1"
    EDITION = "edition.v1"
    ME = "me.v1"
    THUMB = "thumb.v1"
    UNSUBSCRIBE = "unsubscribe.v1"


_DAY = 86_400  # seconds
# Unsubscribing never expires: RFC 8058 wants the link of any old mail to work. An edition's link opens nothing that
# its mail does not hold, so that it may serve as an archive for a year.
_MAX_AGE: dict[Purpose, int | None] = {
    Purpose.CONFIRM: 2 * _DAY,
    Purpose.EDITION: 400 * _DAY,
    Purpose.ME: 90 * _DAY,
    Purpose.THUMB: 90 * _DAY,
    Purpose.UNSUBSCRIBE: None,
}
_MAX_LENGTH = 500  # characters; ours have about 80, and checking 5 MB would cost time on every request
_TOKEN_IN_PATH = re.compile(r"/(confirm|edition|me|thumb|unsubscribe)/[^\s/?#\"'<>]+")


class TokenError(PaperbotError):
    """A token that is invalid; ``expired`` tells that it was valid once."""

    def __init__(self, *, expired: bool) -> None:
        super().__init__("this link has expired" if expired else "this link is not one of ours")
        self.expired = expired


class Signer:
    """Signs and verifies tokens with a list of keys, oldest first: the newest signs, all are accepted.

    That is how itsdangerous rotates keys: links in old mails stay valid until their key is deleted.
    """

    def __init__(self, keys: list[bytes]) -> None:
        """Raises ValueError for keys under 32 bytes: itsdangerous would accept even an empty one."""
        if not keys or min(map(len, keys)) < _KEY_BYTES:
            raise ValueError(f"a signing key has at least {_KEY_BYTES} bytes")
        self._keys = keys

    def sign(self, purpose: Purpose, payload: list[int]) -> str:
        """Return a URL-safe token."""
        return self._serializer(purpose).dumps(payload)

    def read(self, purpose: Purpose, token: str) -> list[int]:
        """Return the payload of a token; raises TokenError."""
        if len(token) > _MAX_LENGTH:
            raise TokenError(expired=False)
        try:
            payload = self._serializer(purpose).loads(token, max_age=_MAX_AGE[purpose])
        except SignatureExpired:
            raise TokenError(expired=True) from None
        except BadData:
            raise TokenError(expired=False) from None
        return [int(part) for part in payload]

    def _serializer(self, purpose: Purpose) -> URLSafeTimedSerializer:
        # SHA-1, the default of itsdangerous, is still sound in HMAC, but security scanners report it.
        return URLSafeTimedSerializer(
            self._keys, salt=purpose.value, signer_kwargs={"digest_method": hashlib.sha256}
        )


def load_keys(path: Path) -> list[bytes]:
    """Return the signing keys of a home, one hexadecimal line each, oldest first; create the file if needed.

    Processes that create it at the same time agree on one key. Raises PaperbotError for a file that can't be read or
    created, or whose keys are missing, malformed or too short.
    """
    try:
        if not path.exists():
            _create_key_file(path)
        text = path.read_bytes()
    except OSError as error:
        raise PaperbotError(f"{path}: the signing keys can't be read or created ({error.strerror})") from None
    try:
        keys = [bytes.fromhex(line) for line in text.decode("ascii").split()]
    except ValueError:
        raise PaperbotError(f"{path}: not a list of hexadecimal keys; {_KEY_REMEDY}") from None
    if not keys:
        raise PaperbotError(f"{path}: is empty; {_KEY_REMEDY}")
    if min(map(len, keys)) < _KEY_BYTES:
        raise PaperbotError(f"{path}: has a key of less than {2 * _KEY_BYTES} digits; {_KEY_REMEDY}")
    return keys


def _create_key_file(path: Path) -> None:
    # Not write_atomically: its rename would replace the key that another process has created meanwhile, and has
    # signed links with. A hard link fails instead, and also appears with its whole content.
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # 0600
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(_KEY_BYTES) + "\n")
            file.flush()
            os.fsync(descriptor)
        with suppress(FileExistsError):
            os.link(name, path)
    finally:
        Path(name).unlink()


class Redactor(logging.Filter):
    """Removes tokens from log records: whoever reads the log must not be able to act for a reader."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass, with the tokens removed from its message and traceback."""
        record.msg = redact(record.getMessage())
        record.args = None
        if record.exc_info:
            record.exc_text = redact(logging.Formatter().formatException(record.exc_info))
        return True


def redact(text: str) -> str:
    """Return the text without the tokens of our links.

    >>> redacted("GET /thumb/WzEsMV0.aXY.x?vote=up failed")
    'GET /thumb/…?vote=up failed'
    """
    return _TOKEN_IN_PATH.sub(r"/\1/…", text)
