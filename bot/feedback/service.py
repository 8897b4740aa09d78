"""Record a vote: links in mails, Slack buttons, pages and the command line all call this."""

from __future__ import annotations

from datetime import datetime

from bot.domain import Paper, Reader, Vote
from bot.store import Store


def record(
    store: Store, reader: Reader, paper: Paper, vote: Vote, *, now: datetime, via: str, voter: str = ""
) -> None:
    """Record a vote; the last vote on a paper counts, earlier ones are kept as history.

    ``via`` is the channel that the vote came by. ``voter`` names the member of a shared Slack channel who voted; the
    last vote of each member counts.
    """
    store.feedback.add(reader.id, paper.id, vote, now, via, voter=voter)
