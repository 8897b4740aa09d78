"""The one door for thumbs: mail, Slack, page and command line all end here."""

from __future__ import annotations

from datetime import datetime

from bot.domain import Paper, Reader, Vote
from bot.store import Store


def record(store: Store, reader: Reader, paper: Paper, vote: Vote, *, now: datetime, via: str) -> None:
    """Keeps a vote; the last one of a reader on a paper counts, the earlier ones stay as history."""
    store.feedback.add(reader.id, paper.id, vote, now, via)
