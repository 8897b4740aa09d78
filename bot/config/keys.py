"""The home's keys: sign links, encrypt other services' keys, and redact tokens from logs.

    5.11.68195100.IrfwteEjh4OzMKiOQG2Tig      ids and time in hexadecimal, and the signature

HMAC-SHA-256 (RFC 2104), truncated to 128 bits, signs a token's purpose and payload: ids, and never addresses. Tokens of
itsdangerous have 59 characters instead of 36. Fernet encrypts other services' keys under a key derived from ours.
"""

from __future__ import annotations

import hmac
import logging
import os
import re
import secrets
import tempfile
import time
from base64 import b32encode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from bot.model import TAG
from bot.model.errors import PaperbotError

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet


_KEY_BYTES = 32
KEY_REMEDY = (
    "restore it from a backup, or run `paperbot check --fix` for a new one: links in all messages sent before, also "
    "those to unsubscribe, then no longer work, and readers have to connect Zotero again"
)


class Purpose(StrEnum):
    """The purpose of a token. Its value is the salt."""

    BOUNCE = "bounce.v1"
    CONFIRM = "confirm.v1"
    EDITION = "edition.v1"
    GO = "go.v1"
    LIBRARY = "library.v1"
    ME = "me.v1"
    REPLY = "reply.v1"
    THUMB = "thumb.v1"
    UNSUBSCRIBE = "unsubscribe.v1"


_DAY = 86_400  # seconds
# RFC 8058 wants any old unsubscribe link to work, and programs poll the list of liked papers.
_MAX_AGE: dict[Purpose, int | None] = {
    **dict.fromkeys(Purpose, 400 * _DAY),
    Purpose.BOUNCE: None,
    Purpose.CONFIRM: 2 * _DAY,
    Purpose.LIBRARY: None,
    Purpose.UNSUBSCRIBE: None,
}
_MAX_LENGTH = 500  # characters; ours have about 40, and checking 5 MB would be slow
_SIGNATURE_BYTES = 16  # RFC 2104, section 5: at least half of the hash
_TAG_BYTES = 10  # 16 characters in base 32; a mailbox name has 64 (RFC 5321, 4.5.3.1.1)
_TOKEN_IN_PATH = re.compile(r"/(confirm|edition|go|me|thumb|unsubscribe)/[^\s/?#\"'<>]+")


class TokenError(PaperbotError):
    """An invalid token, or an expired one."""

    def __init__(self, *, expired: bool) -> None:
        super().__init__("this link has expired" if expired else "this link is not one of ours")
        self.expired = expired


class Signer:
    """Signs tokens with the newest key, and verifies them with any."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        """Take the keys, oldest first. Raises ValueError for none, or one under 32 bytes."""
        if not keys or min(map(len, keys)) < _KEY_BYTES:
            raise ValueError(f"a signing key has at least {_KEY_BYTES} bytes")
        # No purpose contains a colon, so none is another's beginning.
        self._states = {
            purpose: [hmac.new(key, f"{purpose}:".encode(), "sha256") for key in keys] for purpose in Purpose
        }

    def sign(self, purpose: Purpose, payload: Sequence[int]) -> str:
        signed = ".".join([format(number, "x") for number in (*payload, int(time.time()))])
        return f"{signed}.{_signature(self._states[purpose][-1], signed)}"

    def read(self, purpose: Purpose, token: str) -> list[int]:
        """Return the payload of a token. Raises TokenError."""
        if len(token) > _MAX_LENGTH or not token.isascii():
            raise TokenError(expired=False)
        signed, _, signature = token.rpartition(".")
        self._verify(purpose, signed, signature, _signature)
        *payload, signed_at = [int(number, 16) for number in signed.split(".")]
        max_age = _MAX_AGE[purpose]
        if max_age is not None and time.time() - signed_at > max_age:
            raise TokenError(expired=True)
        return payload

    def tag(self, reader_id: int, delivery_id: int = 0) -> str:
        """Return a message's tag for Message-ID and envelope sender (VERP). Some servers change its case."""
        ids = f"{reader_id:x}-{delivery_id:x}"
        return f"{ids}-{_tag_signature(self._states[Purpose.BOUNCE][-1], ids)}"

    def read_tag(self, tag: str) -> tuple[int, int]:
        """Return the ids of reader and delivery. Raises TokenError."""
        if not TAG.fullmatch(tag):
            raise TokenError(expired=False)
        ids, _, signature = tag.lower().rpartition("-")
        self._verify(Purpose.BOUNCE, ids, signature, _tag_signature)
        reader_id, delivery_id = ids.split("-")
        return int(reader_id, 16), int(delivery_id, 16)

    def _verify(self, purpose: Purpose, signed: str, signature: str, sign: Callable[[hmac.HMAC, str], str]) -> None:
        """Raise TokenError if no key gives this signature."""
        # Try all keys in constant time, so the time reveals nothing.
        if not any([hmac.compare_digest(sign(state, signed), signature) for state in self._states[purpose]]):  # noqa: C419
            raise TokenError(expired=False)


def _tag_signature(state: hmac.HMAC, ids: str) -> str:
    mac = state.copy()
    mac.update(ids.encode())
    return b32encode(mac.digest()[:_TAG_BYTES]).decode().lower()


def _signature(state: hmac.HMAC, signed: str) -> str:
    mac = state.copy()
    mac.update(signed.encode())
    return urlsafe_b64encode(mac.digest()[:_SIGNATURE_BYTES]).rstrip(b"=").decode()


def load_keys(path: Path) -> list[bytes]:
    """Return the keys, oldest first, from a file with a hexadecimal key on each line.

    Concurrent processes agree on one new key. Raises PaperbotError.
    """
    try:
        if not path.exists():
            _create_key_file(path)
        text = path.read_bytes()
    except (FileExistsError, NotADirectoryError):
        raise PaperbotError(f"{path.parent}: is not a folder; move it elsewhere, and try again") from None
    except OSError as error:
        raise PaperbotError(
            f"{path}: the signing keys can't be read or created ({error.strerror}); run Paperbot as the owner of "
            f"{path.parent}, or give it to this user: sudo chown -R $(id -un) {path.parent}"
        ) from None
    try:
        keys = [bytes.fromhex(line) for line in text.decode("ascii").split()]
    except ValueError:
        raise PaperbotError(f"{path}: not a list of hexadecimal keys; {KEY_REMEDY}") from None
    if not keys:
        raise PaperbotError(f"{path}: is empty; {KEY_REMEDY}")
    if min(map(len, keys)) < _KEY_BYTES:
        raise PaperbotError(f"{path}: has a key of less than {2 * _KEY_BYTES} digits; {KEY_REMEDY}")
    return keys


def _create_key_file(path: Path) -> None:
    # write_atomically could replace a key of another process. A hard link fails instead.
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
    """Removes tokens, which let anybody act for a reader, from log records."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg = redact(record.getMessage())
        record.args = None
        if record.exc_info:
            record.exc_text = redact(logging.Formatter().formatException(record.exc_info))
        return True


def redact(text: str) -> str:
    """Return the text without the tokens of links.

    >>> redact("GET /thumb/WzEsMV0.aXY.x?vote=up failed")
    'GET /thumb/…?vote=up failed'
    """
    return _TOKEN_IN_PATH.sub(r"/\1/…", text)


class Sealer:
    """Encrypts short texts with the newest of the home's keys, and decrypts with any."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        self._keys = keys

    def seal(self, text: str) -> str:
        return self._fernet.encrypt(text.encode()).decode()

    def unseal(self, sealed: str) -> str:
        """Decrypt a text. Raises PaperbotError if no key fits."""
        from cryptography.fernet import InvalidToken

        try:
            return self._fernet.decrypt(sealed).decode()
        except InvalidToken:
            raise PaperbotError(
                "a stored key was encrypted with a key that state/secret.key no longer has; connect again"
            ) from None

    @cached_property
    def _fernet(self) -> MultiFernet:
        from cryptography.fernet import Fernet, MultiFernet
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        # Domain separation: each use derives its own key.
        derived = [HKDF(SHA256(), 32, None, b"sealed.v1").derive(key) for key in reversed(self._keys)]
        return MultiFernet([Fernet(urlsafe_b64encode(key)) for key in derived])
