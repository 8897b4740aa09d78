"""Writing files so that a reader of the path sees the old content or the new one, never a part."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

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
