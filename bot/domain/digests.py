"""What a source delivers: bytes, then entries; and the history of its polls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from bot.domain.facts import Fact


@dataclass(frozen=True, slots=True)
class RawDigest:
    """Bytes as a source delivered them; ``name`` is the file name or URL, for messages to people.

    ``if_refused`` completes the problem if they can't be read: "the mail from a@example.org stays unread".
    """

    source: str
    name: str
    content: bytes
    if_refused: str = ""


@dataclass(frozen=True, slots=True)
class SourceState:
    """The history of a source's checks, and what the source itself stores between them (``memory``).

    ``failures`` counts those in a row since the last success, the first at ``failing_since``, the last because of
    ``problem``. The source asked not to be called before ``not_before`` (Retry-After). ``warned`` is the problem that
    was last reported for it, empty if there is none.
    """

    name: str
    checked_at: datetime | None = None
    succeeded_at: datetime | None = None
    failures: int = 0
    problem: str = ""
    not_before: datetime | None = None
    warned: str = ""
    memory: Mapping[str, str] = field(default_factory=dict)
    failing_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One paper as one digest has it; control characters are removed from its text, LaTeX is kept.

    A title or an abstract of which the digest has only the beginning ends in an ellipsis.
    """

    title: str
    abstract: str = ""
    authors: tuple[str, ...] = ()
    author_count: int | None = None  # where a digest only counts them
    published: date | None = None
    arxiv_id: str | None = None  # without version
    doi: str | None = None
    url: str | None = None
    upvotes: int | None = None
    organisation: str | None = None
    version: int | None = None  # of the arXiv id
    categories: tuple[str, ...] = ()
    replacement: bool = False  # announced because a new version replaces an announced one
    alert: str | None = None  # the reader's own alert that the digest answers: "Ada Lovelace (new citations)"
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedDigest:
    """One digest of one day. ``rejected`` has a message for each block that could not be parsed."""

    format: str
    topic: str
    date: date | None
    entries: tuple[Entry, ...]
    rejected: tuple[str, ...] = ()
