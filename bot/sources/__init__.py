"""Sources: where digests come from. They retrieve bytes; ``bot.digests`` parses them.

    folder        files that people put into a folder
    feed          one RSS or Atom feed
    arxiv         a query to arXiv's API
    biorxiv       bioRxiv or medRxiv
    huggingface   Hugging Face's Daily Papers
    mailbox       mails of one sender in an IMAP mailbox
    bounces       bounces and complaints in an IMAP mailbox: no digests, and nothing waits for them

How often each kind is polled stands in ``bot/config/sources.py``, the pause between two requests to one host in
``request_intervals.py``.

How to add a source: write a module with a class that has the members of ``Source``; nothing needs to be inherited. It
fetches over HTTP only through its ``Fetcher``, which holds all limits, and checks every address.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from bot.domain import Problem, RawDigest

BOUNCES = "bounces"  # the kind of the source that delivers no digests


@dataclass(frozen=True, slots=True)
class Visit:
    """One poll: its time, and the source's ``memory``, as the last successful poll left it.

    Changes of ``memory`` are stored once every digest of the poll is stored. A visit with ``peek`` changes nothing at
    the source: mails stay unread and where they are.
    """

    now: datetime
    memory: dict[str, str] = field(default_factory=dict)
    peek: bool = False
    # Deliver again what was refused earlier.
    again: bool = False
    # The names of this visit's digests that can't be read; the caller adds one before it takes the next digest.
    refused: set[str] = field(default_factory=set)
    # What is stored in ``memory`` even if a digest was refused or the visit failed.
    lasting: dict[str, str] = field(default_factory=dict)

    def memory_of(self, key: str, value: str) -> Mapping[str, str]:
        """Return the memory if it has this value, such as the query that was polled; else an empty one.

        What was remembered for another query or address says nothing about this one.
        """
        return self.memory if self.memory.get(key) == value else {}


class Source(Protocol):
    """Where digests come from."""

    @property
    def name(self) -> str:
        """The name in the settings."""

    @property
    def poll_interval(self) -> timedelta:
        """The shortest time between two polls; zero for a source without network."""

    @property
    def kind(self) -> str:
        """The kind in the settings."""

    @property
    def follows_arxiv_calendar(self) -> bool:
        """Whether it delivers arXiv's announcements, so that nothing is expected on arXiv's holidays."""

    def retrieve(self, visit: Visit) -> Iterator[RawDigest | Problem]:
        """Yield digests one at a time, and a Problem for each that can't be retrieved.

        Raises SourceError if the source fails as a whole. The caller stores or refuses each digest before it takes the
        next one, so that a source may mark it as read then.
        """


__all__ = ["BOUNCES", "Source", "Visit"]
