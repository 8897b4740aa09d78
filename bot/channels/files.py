"""Messages as files, where no mail server or Slack token is set: ``<folder>/<date>/<slug>--<address>.eml``.

The second part of an edition ends in ``--2``. No file is overwritten by other content: where the name is taken, by an
earlier edition or an alert of the same day, the next free number is used. Content makes the write idempotent: a file
with the same bytes is the same message, delivered again after an interruption, and keeps its name.
"""

from __future__ import annotations

import errno
import json
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from bot.config.files import write_atomically
from bot.model import Delivery, Reader
from bot.model.errors import DeliveryError, FailureScope


class FilesChannel:
    """Writes each message to a file of its own; ``.json`` is indented for people to read."""

    def __init__(self, folder: Path, suffix: str) -> None:
        self._folder = folder
        self._suffix = suffix

    def send(self, delivery: Delivery, start_data: Callable[[], None]) -> str:
        """Write the message durably and return its path; the file is complete or absent.

        Raises ``DeliveryError`` about the channel, to be tried again, where the disk is full or can't be written.
        """
        with _translated():
            path, body = self._path_and_body(delivery)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, body, durable=True, before_rename=start_data)
        return str(path)

    def find_receipt(self, delivery: Delivery) -> str | None:
        """Return the path of the message's file if it exists."""
        with _translated():
            path, _ = self._path_and_body(delivery)
            return str(path) if path.exists() else None

    def check(self) -> None:
        """Create the folder and write a file into it."""
        with _translated():
            self._folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=self._folder).close()

    def close(self) -> None:
        """Do nothing: no file stays open."""

    def forget(self, reader: Reader) -> None:
        """Delete the files of all messages to a reader."""
        stem = reader.file_stem
        with _translated():
            for path in self._folder.glob(f"*/{stem}*{self._suffix}"):
                # The pattern alone would also match an address that begins with this one.
                if re.fullmatch(r"(--\d+)?", path.stem.removeprefix(stem)):
                    path.unlink()

    def _path_and_body(self, delivery: Delivery) -> tuple[Path, bytes]:
        """Return the first path, from the part's number on, that is free or already holds this message."""
        body = delivery.body
        if self._suffix == ".json":
            text = json.dumps(json.loads(body), indent=2, ensure_ascii=False)
            # A lone surrogate has no UTF-8 form; Python's escape for it is valid JSON too.
            body = f"{text}\n".encode("utf-8", "backslashreplace")
        folder = self._folder / delivery.date.isoformat()
        stem = delivery.reader.file_stem
        names = (stem + (f"--{n}" if n > 1 else "") + self._suffix for n in count(delivery.key.part))
        paths = (folder / name for name in names)
        return next(path for path in paths if not path.exists() or path.read_bytes() == body), body


@contextmanager
def _translated() -> Iterator[None]:
    """Translate OSError. A full disk may be freed, so no message is given up for it."""
    try:
        yield
    except OSError as error:
        raise DeliveryError(
            f"can't write the message: {error}; free the disk, or allow writing there",
            permanent=False,
            scope=FailureScope.CHANNEL,
            code=errno.errorcode.get(error.errno or 0, type(error).__name__),
        ) from error
