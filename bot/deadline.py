"""A limit for a whole exchange with another machine; socket timeouts alone bound single reads only.

A server that sends one byte a second never trips a read timeout, however short: with ``timeout=1`` a dripping mail
server held a session for seven seconds until its last byte had arrived.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

Timer = Callable[[], float]


class Deadline:
    """A moment on a monotonic clock after which every further step fails."""

    def __init__(self, seconds: float, timer: Timer = monotonic) -> None:
        self._seconds = seconds
        self._timer = timer
        self._end = timer() + seconds

    def remaining(self, at_most: float = float("inf")) -> float:
        """Seconds that the next step may take, ``at_most`` so many; raises TimeoutError when none remain."""
        remaining = self._end - self._timer()
        if remaining <= 0:
            raise TimeoutError(f"took longer than {self._seconds:g} s in all")
        return min(remaining, at_most)
