"""Clocks that ran ahead: a time stored by one must not be waited for after the clock has been set right.

No wait of this program (backoff, circuit breaker, lease, Retry-After) lasts as long as ``FAR``. A time that
is further off was written by a clock that ran ahead, and counts as past. If that takes a row from a worker that is
alive, its token stops it: ``bot/store/outbox.py``.
"""

from __future__ import annotations

from datetime import datetime, timedelta

FAR = timedelta(days=2)


def has_come(moment: datetime, now: datetime) -> bool:
    """Return whether a wait until ``moment`` is over.

    >>> noon = datetime(2025, 5, 6, 12)
    >>> [has_come(noon + timedelta(hours=hours), noon) for hours in (-1, 0, 1, 48, 49)]
    [True, True, False, False, True]
    """
    return moment <= now or moment > now + FAR
