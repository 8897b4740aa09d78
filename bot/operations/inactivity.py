"""Inactive readers: they voted once, and have not for four weeks of editions.

Only votes show it, as nobody tracks who opens a mail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.store import Store

INACTIVE_AFTER = timedelta(weeks=4)
# An operator looks at a few of them; a million readers have more.
_SHOWN = 1_000


@dataclass(frozen=True, slots=True)
class InactiveReader:
    """A reader who still gets editions, and when they voted last."""

    reader: str
    last_vote: datetime


def inactive_readers(store: Store) -> Sequence[InactiveReader]:
    """Return the active readers whose newest edition came four weeks or more after their last vote, longest first."""
    newest = store.editions.newest_composed()
    if newest is None:
        return []
    candidates = store.feedback.active_until(newest - INACTIVE_AFTER, _SHOWN)
    editions = store.editions.last_by_reader([reader.id for reader, _ in candidates])
    return [
        InactiveReader(reader.name, last_vote)
        for reader, last_vote in candidates
        if reader.id in editions and editions[reader.id].composed_at - last_vote >= INACTIVE_AFTER
    ]
