"""Messages as files, where there is no mail server or Slack token: ``<folder>/<date>/<slug>--<address>.eml``.

The file of the second part of an edition ends in ``--2``. No file is overwritten by other content: where the
name is taken, by an earlier edition or an alert of the same day, the next free number is used. A file of the
same content is the same message, delivered once more after an interruption, and keeps its name.
"""

from __future__ import annotations

import errno
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from bot.domain import Delivery, Reader
from bot.errors import DeliveryError, FailureScope

_LONGEST_STEM = 200  # bytes; file systems allow 255, and a number and a suffix follow


class FilesChannel:
    """Writes each message to a file of its own; ``.json`` is laid out for people to read."""

    def __init__(self, folder: Path, suffix: Literal[".eml", ".json"]) -> None:
        self._folder, self._suffix = folder, suffix

    def send(self, delivery: Delivery, start_data: Callable[[], None]) -> str:
        """Write the message and return its path; it is there as a whole, and on the disk, or not at all.

        A full or unwritable disk is the channel's fault and may mend: ``DeliveryError``, to be tried again.
        """
        body = _readable(delivery.body) if self._suffix == ".json" else delivery.body
        with _translated():
            target = self._target(delivery, body)
            target.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=".tmp")
        temporary = Path(name)
        try:
            with _translated(), os.fdopen(handle, "wb") as file:
                file.write(body)
                file.flush()
                os.fsync(handle)
            start_data()
            with _translated():
                temporary.replace(target)
                _sync_folder(target.parent)
        finally:
            temporary.unlink(missing_ok=True)
        return str(target)

    def found(self, delivery: Delivery) -> str | None:
        """The file of this very message, if it is there."""
        body = _readable(delivery.body) if self._suffix == ".json" else delivery.body
        with _translated():
            target = self._target(delivery, body)
            return str(target) if target.exists() else None

    def check(self) -> None:
        """Make the folder, and write a file into it."""
        with _translated():
            self._folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=self._folder).close()

    def close(self) -> None:
        """Nothing is held open."""

    def forget(self, reader: Reader) -> None:
        """Delete the files of all messages to a reader."""
        stem = file_stem(reader)
        with _translated():
            for path in self._folder.glob(f"*/{stem}*{self._suffix}"):
                if re.fullmatch(r"(--\d+)?", path.stem.removeprefix(stem)):
                    path.unlink()

    def _target(self, delivery: Delivery, body: bytes) -> Path:
        """The first name from the part's number on that is free, or already holds this very message."""
        folder = self._folder / delivery.date.isoformat()
        stem = file_stem(delivery.reader)
        names = (
            stem + (f"--{number}" if number > 1 else "") + self._suffix for number in count(delivery.key.part)
        )
        return next(path for name in names if _free_for(path := folder / name, body))


def _free_for(path: Path, body: bytes) -> bool:
    return not path.exists() or path.read_bytes() == body


def file_stem(reader: Reader) -> str:
    """What the names of a reader's files begin with: ``<slug>--<address>``."""
    return _safe(f"{reader.profile}--{reader.address}")


def _safe(text: str) -> str:
    """A text as a file name: no separators or controls, not too long, different for different texts."""
    name = quote(text, safe="@+=", errors="surrogatepass")
    if len(name) <= _LONGEST_STEM:
        return name
    digest = sha256(name.encode()).hexdigest()[:16]
    return f"{name[: _LONGEST_STEM - 17]}-{digest}"


def _readable(payload: bytes) -> bytes:
    text = json.dumps(json.loads(payload), indent=2, ensure_ascii=False)
    # A lone surrogate has no UTF-8; Python's escape for it is JSON's as well.
    return f"{text}\n".encode("utf-8", "backslashreplace")


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power failure."""
    with suppress(PermissionError):  # Windows can't open a folder
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _translate(error) from error


def _translate(error: OSError) -> DeliveryError:
    code = errno.errorcode.get(error.errno or 0, type(error).__name__)
    return DeliveryError(
        f"can't write the message: {error}; free the disk, or allow writing there",
        permanent=False,
        blame=FailureScope.CHANNEL,
        code=code,
    )
