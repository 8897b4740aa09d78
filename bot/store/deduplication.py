"""Sorting a digest's entries into the papers already known, in memory; ``papers.py`` reads and stores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from bot.domain import Entry, Paper, PaperId
from bot.identity import first_sight, keys, merge, same


class Deduplicator:
    """Papers found by their identity keys. A new paper has an id below zero until it is stored."""

    def __init__(self, known: Iterable[Paper]) -> None:
        self._papers: dict[PaperId, Paper] = {}
        self._by_key: dict[str, list[PaperId]] = {}
        for paper in known:
            self._put(paper)
        self._at_first = dict(self._papers)
        self._revised: dict[PaperId, None] = {}

    def place(self, entry: Entry, now: datetime) -> PaperId | None:
        """Find the entry's paper and add to it what the entry tells, or put a new one on the shelf.

        A replacement of a paper that was never seen is no news: it gets no place.
        """
        found = next((paper for paper in self._candidates(entry) if same(entry, paper)), None)
        if entry.replacement and not found:
            return None
        if found and _is_later(entry, found):
            self._revised[found.id] = None
        new_id = len(self._at_first) - len(self._papers) - 1
        self._put(paper := merge(found, entry) if found else first_sight(entry, new_id, now))
        return paper.id

    def new(self) -> list[Paper]:
        """The papers that were not known, in the order they came."""
        return [paper for paper in self._papers.values() if paper.id not in self._at_first]

    def changed(self) -> list[Paper]:
        """The known papers that an entry has added to."""
        return [now for number, then in self._at_first.items() if (now := self._papers[number]) != then]

    def revised(self) -> list[Paper]:
        """The known papers of which an entry told a later version than was seen before."""
        return [self._papers[number] for number in self._revised if number in self._at_first]

    def _candidates(self, entry: Entry) -> Iterator[Paper]:
        return (self._papers[number] for key in keys(entry) for number in self._by_key.get(key, ()))

    def _put(self, paper: Paper) -> None:
        self._papers[paper.id] = paper
        for key in keys(paper):
            holders = self._by_key.setdefault(key, [])
            if paper.id not in holders:
                holders.append(paper.id)


def _is_later(entry: Entry, paper: Paper) -> bool:
    """Whether an entry tells of a later version; of a paper whose version nobody told, a replacement does."""
    if entry.version is None or (paper.version is None and not entry.replacement):
        return False
    return entry.version > (paper.version or 1)
