"""A reader's connection to Zotero, and what a poll of it brings."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from bot.domain.digests import SourceState
from bot.domain.library import LibraryEntry
from bot.domain.papers import PaperId
from bot.domain.readers import ReaderId


@dataclass(frozen=True, slots=True)
class ZoteroAccess:
    """A Zotero library, ``users/123`` or ``groups/45``, and the key that opens it."""

    library: str
    key: str

    def __repr__(self) -> str:
        # The generated one would show the key in logs and tracebacks.
        return f"ZoteroAccess({self.library})"


@dataclass(frozen=True, slots=True)
class ZoteroConnection:
    """A reader's Zotero library that is followed; ``collections`` are names, none for the whole library.

    ``sealed_key`` is the API key, encrypted. ``version`` is the library's version as of the last poll, 0 before the
    first. With ``saves``, papers that the reader likes are saved there.
    """

    reader: ReaderId
    library: str
    collections: tuple[str, ...]
    sealed_key: str
    saves: bool
    connected_at: datetime
    version: int = 0
    poll: SourceState = field(default_factory=lambda: SourceState("zotero"))


@dataclass(frozen=True, slots=True)
class ZoteroChanges:
    """What changed in a Zotero library up to ``version``: entries to add, and keys whose earlier entries go.

    An entry that changed is in both. ``skipped`` are counted by the reason.
    """

    version: int
    gone: frozenset[str]
    entries: tuple[LibraryEntry, ...]
    skipped: dict[str, int]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ZoteroSave:
    """A liked paper that was put into the outbox to be saved as the item ``item_key``; ``outbox_key`` is its row's."""

    paper: PaperId
    item_key: str
    outbox_key: str
