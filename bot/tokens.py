"""Signed tokens for links in messages: what a link may do is in the token, and nobody else can make one.

Each purpose has a salt of its own, so that a token for one door opens no other. Payloads are readable and
hold ids only, never addresses.
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
_MAX_AGE: dict[Purpose, int | None] = {
    Purpose.CONFIRM: 2 * _DAY,
    Purpose.EDITION: 400 * _DAY,
    Purpose.ME: 90 * _DAY,
    Purpose.THUMB: 90 * _DAY,
    Purpose.UNSUBSCRIBE: None,
}
_LONGEST = 500  # characters; ours have about 80
_IN_TEXT = re.compile(r"/(confirm|edition|me|thumb|unsubscribe)/[^\s/?#\"'<>]+")


class TokenError(PaperbotError):
    """A token that opens nothing; ``expired`` where it once did."""

    def __init__(self, *, expired: bool) -> None:
        super().__init__("this link has expired" if expired else "this link is not one of ours")
        self.expired = expired


class Signer:
    """Makes and reads tokens with a list of keys, oldest first: the newest signs, all are accepted."""

    def __init__(self, keys: list[bytes]) -> None:
        """Refuses keys under 32 bytes with ValueError: itsdangerous would accept an empty one."""
        if not keys or min(map(len, keys)) < _KEY_BYTES:
            raise ValueError(f"a signing key has at least {_KEY_BYTES} bytes")
        self._keys = keys

    def sign(self, purpose: Purpose, payload: list[int]) -> str:
        """A token that is safe in a URL."""
        return self._serializer(purpose).dumps(payload)

    def read(self, purpose: Purpose, token: str) -> list[int]:
        """The payload of a token; raises TokenError."""
        if len(token) > _LONGEST:
            raise TokenError(expired=False)
        try:
            payload = self._serializer(purpose).loads(token, max_age=_MAX_AGE[purpose])
        except SignatureExpired:
            raise TokenError(expired=True) from None
        except BadData:
            raise TokenError(expired=False) from None
        return [int(part) for part in payload]

    def _serializer(self, purpose: Purpose) -> URLSafeTimedSerializer:
        return URLSafeTimedSerializer(
            self._keys, salt=purpose.value, signer_kwargs={"digest_method": hashlib.sha256}
        )


def load_keys(path: Path) -> list[bytes]:
    """The signing keys of a home, one hexadecimal line each, oldest first; made where there is no such file.

    Processes that make it at once agree on one key. PaperbotError for a file that can't be read or made, or
    with keys that sign nothing safely.
    """
    try:
        if not path.exists():
            _make_key(path)
        text = path.read_bytes()
    except OSError as error:
        raise PaperbotError(f"{path}: the signing keys can't be read or made ({error.strerror})") from None
    try:
        keys = [bytes.fromhex(line) for line in text.decode("ascii").split()]
    except ValueError:
        raise PaperbotError(f"{path}: not a list of hexadecimal keys; {_KEY_REMEDY}") from None
    if not keys:
        raise PaperbotError(f"{path}: is empty; {_KEY_REMEDY}")
    if min(map(len, keys)) < _KEY_BYTES:
        raise PaperbotError(f"{path}: has a key of less than {2 * _KEY_BYTES} digits; {_KEY_REMEDY}")
    return keys


def _make_key(path: Path) -> None:
    """The file appears with its whole content, by a hard link, which unlike a rename replaces no other's."""
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
    """Cuts tokens out of what is logged: who reads a log must not be able to act for a reader."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass, without tokens in it, its traceback included."""
        record.msg, record.args = redacted(record.getMessage()), None
        if record.exc_info:
            record.exc_text = redacted(logging.Formatter().formatException(record.exc_info))
        return True


def redacted(text: str) -> str:
    """The text without the tokens of our links.

    >>> redacted("GET /thumb/WzEsMV0.aXY.x?vote=up failed")
    'GET /thumb/…?vote=up failed'
    """
    return _IN_TEXT.sub(r"/\1/…", text)
