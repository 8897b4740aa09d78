"""Record linkage, in memory: which entries of a digest are papers that the store has, and which are new.

``papers.py`` reads the candidate papers before and writes the result.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from bot.domain import Entry, Paper, PaperId
from bot.identity import is_same_paper, keys, merge, new_paper


class Deduplicator:
    """An index of papers by identity key. A new paper has a negative id until it is stored."""

    def __init__(self, stored: Iterable[Paper]) -> None:
        self._papers: dict[PaperId, Paper] = {}
        self._ids_by_key: dict[str, list[PaperId]] = {}
        for paper in stored:
            self._index(paper)
        self._stored = dict(self._papers)
        self._revised: dict[PaperId, None] = {}  # an ordered set

    def add(self, entry: Entry, now: datetime) -> PaperId | None:
        """Merge an entry into the paper that it matches, or add a new paper; return the paper's id.

        None for a replacement of a paper that was never seen.
        """
        # A shared key only makes a candidate: two works may share a title; ``is_same_paper`` decides by their ids.
        candidates = (
            self._papers[paper_id] for key in keys(entry) for paper_id in self._ids_by_key.get(key, ())
        )
        match = next((paper for paper in candidates if is_same_paper(entry, paper)), None)
        if match is None:
            # arXiv announces a replacement because its version changed; the paper itself may be years old.
            if entry.replacement:
                return None
            paper = new_paper(entry, len(self._stored) - len(self._papers) - 1, now)
        else:
            # Most digests name no version. Then only an announced replacement proves that the paper was seen before
            # in another version, at least the first.
            has_earlier_version = match.version is not None or entry.replacement
            if has_earlier_version and entry.version is not None and entry.version > (match.version or 1):
                self._revised[match.id] = None
            paper = merge(match, entry)
        self._index(paper)
        return paper.id

    def new(self) -> list[Paper]:
        """Return the papers that were not stored before, in the order of arrival."""
        return [paper for paper in self._papers.values() if paper.id not in self._stored]

    def changed(self) -> list[Paper]:
        """Return the stored papers to which an entry added something."""
        return [
            paper for paper_id, paper in self._papers.items() if self._stored.get(paper_id, paper) != paper
        ]

    def revised(self) -> list[Paper]:
        """Return the stored papers that arrived in a later version than any before."""
        return [self._papers[paper_id] for paper_id in self._revised if paper_id in self._stored]

    def _index(self, paper: Paper) -> None:
        self._papers[paper.id] = paper
        for key in keys(paper):
            ids = self._ids_by_key.setdefault(key, [])
            if paper.id not in ids:
                ids.append(paper.id)
