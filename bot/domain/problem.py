"""An error that did not stop the run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """An error that did not stop the run: where it occurred, what it is, and the remedy."""

    source: str
    problem: str

    def __str__(self) -> str:
        return f"{self.source}: {self.problem}"
