"""Write private files (mode 0600) atomically under a home, and check for free disk space."""

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

_NEW_FILE_MODE = 0o600  # it may contain addresses or working links


def write_atomically(
    path: Path,
    content: bytes | Callable[[BinaryIO], object],
    *,
    durable: bool = False,
    before_rename: Callable[[], object] | None = None,
) -> None:
    """Replace a file with bytes, or with the output of a function that gets the open file.

    Keeps an existing file's mode. ``durable`` content and names survive a power failure. ``before_rename`` may raise to
    abandon the content. Raises OSError, and then ``path`` is unchanged.
    """
    # A rename is atomic only within one file system.
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
        temporary.unlink(missing_ok=True)  # the rename has moved it
    if durable:
        # A file's fsync excludes its name (fsync(2)).
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


_GROUP_AND_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def make_private(paths: Iterable[Path]) -> tuple[list[Path], list[Path]]:
    """Remove the permissions of others, and return the paths that were open to them, and those that still are."""
    were_open = [path for path in paths if _is_open(path)]
    for path in were_open:
        with suppress(OSError):
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~_GROUP_AND_OTHERS)
    return were_open, [path for path in were_open if _is_open(path)]


def create_private(file: Path) -> None:
    """Create an empty private file, unless it exists. Libraries would create it by the umask."""
    with suppress(OSError):
        # O_EXCL doesn't open an existing file: closing it would drop the process's POSIX locks, SQLite's too
        # (https://www.sqlite.org/howtocorrupt.html, 2.2).
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def _is_open(path: Path) -> bool:
    try:
        mode = path.lstat().st_mode
    except OSError:
        return False
    return not stat.S_ISLNK(mode) and bool(mode & _GROUP_AND_OTHERS)


_MB = 1_000_000
# SQLite's log and a day's digests are some megabytes, and other processes share the disk.
LEAST = 64 * _MB


@dataclass(frozen=True, slots=True)
class DiskSpace:
    """The folders to write to, which need not exist, and their least free space."""

    folders: Sequence[Path]
    least: int = LEAST  # bytes

    def problems(self) -> list[Problem]:
        existing = [
            next(path for path in (folder, *folder.absolute().parents) if path.exists()) for folder in self.folders
        ]
        # In reverse, so the first folder of a device wins.
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
    """Return the shipped ``templates``, ``profiles``, ``seeds`` or ``paperbot.toml``."""
    # Not importlib.resources: copying folders needs real paths.
    in_wheel = _PACKAGE / "shipped" / name
    return in_wheel if in_wheel.exists() else _PACKAGE.parent / name
