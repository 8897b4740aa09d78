"""A clock that ran ahead and was set right: what it wrote down is no reason to wait until its time comes.

Nothing here is made to wait for as long as ``FAR``: a time that is further off was written by such a clock.
"""

from __future__ import annotations

from datetime import datetime, timedelta

FAR = timedelta(days=2)


def has_come(moment: datetime, now: datetime) -> bool:
    """Whether the waiting until a moment is over.

    >>> noon = datetime(2025, 5, 6, 12)
    >>> [has_come(noon + timedelta(hours=hours), noon) for hours in (-1, 0, 1, 48, 49)]
    [True, True, False, False, True]
    """
    return moment <= now or moment > now + FAR
