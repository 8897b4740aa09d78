"""Room on the disks that are written to: what could not be recorded must not be begun."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.domain import Problem

_MB = 1_000_000
# The store's log grows to some megabytes between two tidyings, a day's digests are a few more; each message out
# needs kilobytes. A disk with less than this is about to fail whoever writes to it.
LEAST = 64 * _MB


@dataclass(frozen=True, slots=True)
class DiskSpace:
    """The folders to write to; one that isn't there yet will be on its parent's disk."""

    folders: Sequence[Path]
    least: int = LEAST  # bytes

    def problems(self) -> list[Problem]:
        """One for each disk that is nearly full."""
        return [
            Problem(
                str(folder),
                f"the disk is nearly full: {bytes_free // _MB} MB are free, and below {self.least // _MB} MB "
                "nothing is read, made or sent, as it could not be recorded; "
                "free some space, and the next run makes up for it",
            )
            for folder, bytes_free in self._free()
            if bytes_free < self.least
        ]

    def _free(self) -> Iterable[tuple[Path, int]]:
        """The first folder on each disk, and the bytes that are free there."""
        there = [
            next(p for p in (folder, *folder.absolute().parents) if p.exists()) for folder in self.folders
        ]
        disks = {folder.stat().st_dev: folder for folder in reversed(there)}
        return [(folder, shutil.disk_usage(folder).free) for folder in disks.values()]
