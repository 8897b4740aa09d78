"""Free disk space: no work starts whose outcome could not be recorded."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.domain import Problem

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
            next(path for path in (folder, *folder.absolute().parents) if path.exists())
            for folder in self.folders
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
