"""Readers who lost interest: they voted once, and have not for four weeks of editions.

Votes tell it, as nobody tracks who opens a mail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.store import Store

SILENCE = timedelta(weeks=4)


@dataclass(frozen=True, slots=True)
class SilentReader:
    """A reader who still gets editions, and when they voted last."""

    reader: str
    last_vote: datetime


def readers_who_lost_interest(store: Store) -> Sequence[SilentReader]:
    """Return the active readers whose newest edition came four weeks or more after their last vote, longest first."""
    last_votes = store.feedback.last_times()
    editions = store.editions.last_by_reader()
    silent = [
        SilentReader(reader.name, last_votes[reader.id])
        for reader in store.readers.all()
        if reader.stopped is None
        and reader.id in last_votes
        and reader.id in editions
        and editions[reader.id].composed_at - last_votes[reader.id] >= SILENCE
    ]
    return sorted(silent, key=lambda row: row.last_vote)
