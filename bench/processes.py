"""Processor time and memory of processes and their children, as Linux counts them in ``/proc``."""

from __future__ import annotations

import os
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def _stat(pid: int) -> list[str]:
    # The name, in parentheses, may have blanks in it.
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def descendants(pid: int) -> list[int]:
    """Return a process and all that descend from it."""
    children = defaultdict(list)
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            children[int(_stat(int(folder.name))[1])].append(int(folder.name))
    tree = [pid]
    for parent in tree:
        tree += children[parent]
    return tree


def processor_seconds(pid: int) -> float:
    """Return the processor time of a process and its descendants, ended ones that were waited for included."""
    ticks = 0
    for member in descendants(pid):
        with suppress(OSError):
            ticks += sum(map(int, _stat(member)[11:15]))
    return ticks / _TICKS


def memory_mb(pid: int) -> tuple[float, float]:
    """Return the resident memory of a process in MB: all of it, and its share (pages shared by n count 1/n)."""
    sizes = {}
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
        name, value = line.split(":")
        sizes[name] = int(value.split()[0]) / 1_024
    return sizes["Rss"], sizes["Pss"]
