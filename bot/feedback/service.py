"""The one door for thumbs: mail, Slack, page and command line all end here."""

from __future__ import annotations

from datetime import datetime

from bot.domain import Paper, Reader, Vote
from bot.store import Store


def record(
    store: Store, reader: Reader, paper: Paper, vote: Vote, *, now: datetime, via: str, voter: str = ""
) -> None:
    """Keeps a vote; the last one on a paper counts, the earlier ones stay as history.

    ``voter`` names who of a channel's members it is; of each the last one counts.
    """
    store.feedback.add(reader.id, paper.id, vote, now, via, voter=voter)
