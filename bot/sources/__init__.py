"""Sources: from where digests lie to their bytes.

How to add a source: write one file here with a class that has ``name`` and ``retrieve``; nothing needs to be
inherited. What a source delivers is looked into by nobody here: that is for ``bot.digests``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from bot.domain import Problem, RawDigest


class Source(Protocol):
    """Where digests come from."""

    @property
    def name(self) -> str:
        """What the configuration calls it."""

    def retrieve(self) -> Iterator[RawDigest | Problem]:
        """What is there now, one digest at a time, and a Problem for each that can't be had. Never raises."""


__all__ = ["Source"]
