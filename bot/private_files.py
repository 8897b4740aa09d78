"""Files that hold addresses and keys are for their owner only: made so, and mended where they are not."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def make_private(paths: Iterable[Path]) -> tuple[list[Path], list[Path]]:
    """Take group's and others' rights away from files and folders; those that are not there, and links, are left.

    Returns those that were open to others, and of these the ones that still are: they belong to somebody else.
    """
    were_open = [path for path in paths if _is_open(path)]
    for path in were_open:
        with suppress(OSError):
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~_OTHERS)
    return were_open, [path for path in were_open if _is_open(path)]


def create_private(file: Path) -> None:
    """Make an empty file for its owner only, if there is none; whoever opens it next reports what goes wrong."""
    with suppress(OSError):
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600))


def _is_open(path: Path) -> bool:
    try:
        mode = path.lstat().st_mode
    except OSError:
        return False
    return not stat.S_ISLNK(mode) and bool(mode & _OTHERS)
