"""Votes: relevance feedback of readers on papers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.domain.papers import PaperId


class Vote(StrEnum):
    """A reader's vote on a paper; ``CLEAR`` withdraws an earlier one."""

    UP = "up"
    DOWN = "down"
    CLEAR = "clear"


@dataclass(frozen=True, slots=True)
class RecordedVote:
    """Relevance feedback: the last vote of a reader on a paper."""

    paper: PaperId
    vote: Vote
    at: datetime
    via: str  # the channel: cli, mail, reply, slack, page
    voter: str = ""  # the member of a shared Slack channel; empty for a reader who is one person
