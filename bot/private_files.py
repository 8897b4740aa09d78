"""Files with addresses and keys are for their owner only (mode 0600): created so, and corrected if they are not."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

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
