"""Readers who lost interest: they voted once, and have not for four weeks of editions.

Votes tell it, as nobody tracks who opens a mail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.store import Store

SILENCE = timedelta(weeks=4)
# An operator looks at a few of them; a million readers have more.
_SHOWN = 1_000


@dataclass(frozen=True, slots=True)
class SilentReader:
    """A reader who still gets editions, and when they voted last."""

    reader: str
    last_vote: datetime


def readers_who_lost_interest(store: Store) -> Sequence[SilentReader]:
    """Return the active readers whose newest edition came four weeks or more after their last vote, longest first."""
    newest = store.editions.newest_composed()
    if newest is None:
        return []
    candidates = store.feedback.active_until(newest - SILENCE, _SHOWN)
    editions = store.editions.last_by_reader([reader.id for reader, _ in candidates])
    return [
        SilentReader(reader.name, last_vote)
        for reader, last_vote in candidates
        if reader.id in editions and editions[reader.id].composed_at - last_vote >= SILENCE
    ]
