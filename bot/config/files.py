"""Files under a home: replaced atomically, for their owner only, on a disk with free space.

A reader of a path sees the old content or the new one, never a part. Files with addresses and keys have mode 0600:
created so, and corrected if they are not. No work starts whose outcome could not be recorded.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from bot.model import Problem

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
