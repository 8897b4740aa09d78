"""Sources: from where digests lie to their bytes.

    folder        files that people drop
    feed          one RSS or Atom feed
    arxiv         a query to arXiv's API
    huggingface   Hugging Face's Daily Papers
    mailbox       mails of one sender in an IMAP mailbox

How to add a source: write one file here with a class that has what ``Source`` lists; nothing needs to be
inherited. What a source delivers is looked into by nobody here: that is for ``bot.digests``. What it fetches
over HTTP, it fetches with the ``Fetcher`` that it is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from bot.domain import Problem, RawDigest


@dataclass(frozen=True, slots=True)
class Visit:
    """One retrieval: its time, and what the source wrote into ``memory`` the last time all went well.

    What is written into ``memory`` during the visit is kept once everything that was delivered is stored. A
    visit that only peeks leaves everything as it is where the digests lie.
    """

    now: datetime
    memory: dict[str, str] = field(default_factory=dict)
    peek: bool = False


class Source(Protocol):
    """Where digests come from."""

    @property
    def name(self) -> str:
        """What the configuration calls it."""

    @property
    def poll_interval(self) -> timedelta:
        """How often it wants to be asked at most; zero for what costs nobody anything."""

    @property
    def kind(self) -> str:
        """The word for its kind in the configuration."""

    @property
    def follows_arxiv_calendar(self) -> bool:
        """Whether what it brings are arXiv's announcements, so that it rests when arXiv does."""

    def retrieve(self, visit: Visit) -> Iterator[RawDigest | Problem]:
        """What is there now, one digest at a time, and a Problem for each that can't be had.

        Raises SourceError where the source fails as a whole. A digest that was yielded is stored, or found to
        be none, before the next is asked for.
        """


__all__ = ["Source", "Visit"]
