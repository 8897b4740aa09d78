"""Files under a home, among them its keys: replaced atomically, for their owner only, on a disk with free space.

A reader of a path sees the old content or the new one, never a part. Files with addresses and keys have mode 0600:
created so, and corrected if they are not. No work starts whose outcome could not be recorded.

Keys sign the tokens of links in messages, and encrypt other services' keys in the store:

    5.11.68195100.IrfwteEjh4OzMKiOQG2Tig      ids and the time of signing in hexadecimal, and the signature

A token is a bearer capability for one purpose and one reader. The signature is HMAC-SHA-256 (RFC 2104), cut to 128
bits, over the purpose and what stands before it: a token for one page is invalid on every other. Payloads are signed
but not encrypted: they hold ids only, never addresses. A mail has a dozen tokens; itsdangerous, which derives a key
again for each, took ten times as long as a copy of a hash state that is keyed once. Tokens that it made, in mails of
earlier versions, are read and never written:

    WzUsMTdd.aBlR-A.5zOWJWbrcwYDxNC3t7Rk1nx2hlLdpN2kzcxoIa8GJoY      a JSON list, the time and the signature in base 64

Other services' keys are encrypted with Fernet (AES-128-CBC with HMAC-SHA-256) under a key derived from the home's own,
which is in ``state/secret.key`` and not in the database: who copies the database alone can't use them.
"""

from __future__ import annotations

import hmac
import logging
import os
import re
import secrets
import shutil
import stat
import tempfile
import time
from base64 import b32encode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from bot.model import TAG, Problem
from bot.model.errors import PaperbotError

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet


_NEW_FILE_MODE = 0o600  # everything under a home may name addresses or hold working links


def write_atomically(
    path: Path,
    content: bytes | Callable[[BinaryIO], object],
    *,
    durable: bool = False,
    before_rename: Callable[[], object] | None = None,
) -> None:
    """Replace the file at ``path`` by ``content``, or by what ``content`` writes into the open file.

    The permission bits of an existing file are kept; a new file is readable by its owner only. With ``durable``,
    the content and the new name survive a power failure when this returns. ``before_rename`` is called when the
    content is complete on disk and may still raise to abandon it. Raises OSError; then ``path`` is as it was and
    no temporary file is left behind.
    """
    # In the same folder, since a rename is atomic only within one file system.
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            if callable(content):
                content(file)
            else:
                file.write(content)
            file.flush()
            os.fchmod(handle, path.stat().st_mode & 0o777 if path.exists() else _NEW_FILE_MODE)
            if durable:
                os.fsync(handle)
        if before_rename:
            before_rename()
        temporary.replace(path)
    finally:
        with suppress(FileNotFoundError):  # the rename has moved it
            temporary.unlink()
    if durable:
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Flush a folder's entries to disk: a file's fsync does not cover its name (fsync(2))."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


_GROUP_AND_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def make_private(paths: Iterable[Path]) -> tuple[list[Path], list[Path]]:
    """Remove the permissions of group and others from files and folders; skip links and what doesn't exist.

    Returns the paths that others could access, and those of them that they still can: they belong to another user.
    """
    were_open = [path for path in paths if _is_open(path)]
    for path in were_open:
        with suppress(OSError):
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~_GROUP_AND_OTHERS)
    return were_open, [path for path in were_open if _is_open(path)]


def create_private(file: Path) -> None:
    """Create an empty file for its owner only, unless it exists.

    For libraries that create files by the umask, which would leave them readable for a moment. Errors are left to
    the library, which reports them when it opens the file.
    """
    with suppress(OSError):
        # O_EXCL, so that a file which exists is not even opened: closing a descriptor of a file drops all POSIX locks
        # that this process holds on it, and SQLite's among them. Two processes then wrote to one database at once and
        # damaged it (https://www.sqlite.org/howtocorrupt.html, 2.2).
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def _is_open(path: Path) -> bool:
    try:
        # lstat, because the target of a link may be a file that was never ours to change.
        mode = path.lstat().st_mode
    except OSError:
        return False
    return not stat.S_ISLNK(mode) and bool(mode & _GROUP_AND_OTHERS)


_MB = 1_000_000
# Between two checkpoints SQLite's write-ahead log grows to some megabytes, a day's digests are a few more, a message
# needs kilobytes. Another process may write to the same disk, so the reserve is a multiple of that.
LEAST = 64 * _MB


@dataclass(frozen=True, slots=True)
class DiskSpace:
    """The folders to write to, and the bytes that must be free there; a folder need not exist yet."""

    folders: Sequence[Path]
    least: int = LEAST  # bytes

    def problems(self) -> list[Problem]:
        """Return a problem for each disk that is nearly full, with the first of its folders as the source."""
        existing = [
            next(path for path in (folder, *folder.absolute().parents) if path.exists()) for folder in self.folders
        ]
        # By device, so that a disk with several folders is reported once. In reverse, so that the first folder wins.
        disks = {folder.stat().st_dev: folder for folder in reversed(existing)}
        problems = []
        for folder in disks.values():
            bytes_free = shutil.disk_usage(folder).free
            if bytes_free < self.least:
                text = (
                    f"the disk is nearly full: {bytes_free // _MB} MB are free, and below {self.least // _MB} MB "
                    "nothing is read, made or sent, as it could not be recorded; "
                    "free some space, and the next run makes up for it"
                )
                problems.append(Problem(str(folder), text))
        return problems


_PACKAGE = Path(__file__).parents[1]


def shipped(name: str) -> Path:
    """Return the shipped ``templates``, ``profiles``, ``seeds`` or ``paperbot.toml``.

    In a checkout they are in its top folder; a wheel has them inside the package.
    """
    # Not importlib.resources: the folders are copied and walked, which needs real paths.
    in_wheel = _PACKAGE / "shipped" / name
    return in_wheel if in_wheel.exists() else _PACKAGE.parent / name


_KEY_BYTES = 32
KEY_REMEDY = (
    "restore it from a backup, or run `paperbot check --fix` for a new one: links in all messages sent before, also "
    "those to unsubscribe, then no longer work, and readers have to connect Zotero again"
)


class Purpose(StrEnum):
    """What a token is for; the value is its salt."""

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
# Unsubscribing never expires: RFC 8058 wants the link of any old mail to work. Neither does the list of liked papers: a
# program that fetches it each day can't ask for another link. The other links of a mail serve a year and a month.
_MAX_AGE: dict[Purpose, int | None] = {
    **dict.fromkeys(Purpose, 400 * _DAY),
    Purpose.BOUNCE: None,
    Purpose.CONFIRM: 2 * _DAY,
    Purpose.LIBRARY: None,
    Purpose.UNSUBSCRIBE: None,
}
_MAX_LENGTH = 500  # characters; ours have about 40, and checking 5 MB would cost time on every request
_SIGNATURE_BYTES = 16  # RFC 2104, section 5: at least half of the hash
_TAG_BYTES = 10  # 16 characters in base 32: a mailbox name (RFC 5321, 4.5.3.1.1) has 64 in all
_TOKEN_IN_PATH = re.compile(r"/(confirm|edition|go|me|thumb|unsubscribe)/[^\s/?#\"'<>]+")


class TokenError(PaperbotError):
    """A token that is invalid; ``expired`` tells that it was valid once."""

    def __init__(self, *, expired: bool) -> None:
        super().__init__("this link has expired" if expired else "this link is not one of ours")
        self.expired = expired


class Signer:
    """Signs and verifies tokens with a list of keys, oldest first: the newest signs, all are accepted.

    Links in old mails stay valid until their key is deleted.
    """

    def __init__(self, keys: Sequence[bytes]) -> None:
        """Raises ValueError without a key, and for keys under 32 bytes."""
        if not keys or min(map(len, keys)) < _KEY_BYTES:
            raise ValueError(f"a signing key has at least {_KEY_BYTES} bytes")
        # The purpose ends in a character that no purpose contains, so that none is another's beginning.
        self._states = {
            purpose: [hmac.new(key, f"{purpose}:".encode(), "sha256") for key in keys] for purpose in Purpose
        }

    def sign(self, purpose: Purpose, payload: Sequence[int]) -> str:
        """Return a URL-safe token."""
        signed = ".".join([format(number, "x") for number in (*payload, int(time.time()))])
        return f"{signed}.{_signature(self._states[purpose][-1], signed)}"

    def read(self, purpose: Purpose, token: str) -> list[int]:
        """Return the payload of a token; raises TokenError."""
        if len(token) > _MAX_LENGTH or not token.isascii():
            raise TokenError(expired=False)
        signed, _, signature = token.rpartition(".")
        # All keys are tried, and each comparison takes the same time: the time tells nothing about a signature.
        is_genuine = [hmac.compare_digest(_signature(state, signed), signature) for state in self._states[purpose]]
        if not any(is_genuine):
            raise TokenError(expired=False)
        *payload, signed_at = [int(number, 16) for number in signed.split(".")]
        max_age = _MAX_AGE[purpose]
        if max_age is not None and time.time() - signed_at > max_age:
            raise TokenError(expired=True)
        return payload

    def tag(self, reader_id: int, delivery_id: int = 0) -> str:
        """Return the tag of a message in its Message-ID and its envelope sender (VERP); it never expires.

        In lower case, and read in either: some servers change the case of addresses.
        """
        ids = f"{reader_id:x}-{delivery_id:x}"
        return f"{ids}-{_tag_signature(self._states[Purpose.BOUNCE][-1], ids)}"

    def read_tag(self, tag: str) -> tuple[int, int]:
        """Return the ids of reader and delivery of a tag; raises TokenError for one that is not ours."""
        if not TAG.fullmatch(tag):
            raise TokenError(expired=False)
        ids, _, signature = tag.lower().rpartition("-")
        is_genuine = [
            hmac.compare_digest(_tag_signature(state, ids), signature) for state in self._states[Purpose.BOUNCE]
        ]
        if not any(is_genuine):
            raise TokenError(expired=False)
        reader_id, delivery_id = ids.split("-")
        return int(reader_id, 16), int(delivery_id, 16)


def _tag_signature(state: hmac.HMAC, ids: str) -> str:
    mac = state.copy()
    mac.update(ids.encode())
    return b32encode(mac.digest()[:_TAG_BYTES]).decode().lower()


def _signature(state: hmac.HMAC, signed: str) -> str:
    mac = state.copy()
    mac.update(signed.encode())
    return urlsafe_b64encode(mac.digest()[:_SIGNATURE_BYTES]).rstrip(b"=").decode()


def load_keys(path: Path) -> list[bytes]:
    """Return the signing keys of a home, one hexadecimal line each, oldest first; create the file if needed.

    Processes that create it at the same time agree on one key. Raises PaperbotError for a file that can't be read or
    created, or whose keys are missing, malformed or too short.
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
        record.msg = redact(record.getMessage())
        record.args = None
        if record.exc_info:
            record.exc_text = redact(logging.Formatter().formatException(record.exc_info))
        return True


def redact(text: str) -> str:
    """Return the text without the tokens of our links.

    >>> redact("GET /thumb/WzEsMV0.aXY.x?vote=up failed")
    'GET /thumb/…?vote=up failed'
    """
    return _TOKEN_IN_PATH.sub(r"/\1/…", text)


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
