"""Read and write rows of papers, and deduplicate entries in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from bot.model import Entry, Fact, FactKind, Paper, PaperId, Sighting
from bot.model.papers import is_preprint, is_same_paper, keys, leading_authors, merge, new_paper, publication
from bot.store.engine import AnyRow, from_row, in_chunks, insert_new
from bot.store.schema import digests, paper_keys, papers, sightings
from bot.store.schema import leading_authors as leading_authors_table

# PostgreSQL limits index entries to 2,700 bytes, and a character takes up to four.
LONGEST_KEY = 400


def load_papers(connection: Connection, ids: Iterable[PaperId]) -> dict[PaperId, Paper]:
    """Read papers in the order of ``ids``, without unknown ids."""
    requested = list(dict.fromkeys(ids))
    loaded: dict[PaperId, Paper] = {}
    for chunk in in_chunks(requested):
        query = (
            select(sightings.c.paper_id, digests.c.source, digests.c.topic, digests.c.date, sightings.c.alert)
            .join(digests)
            .where(sightings.c.paper_id.in_(chunk))
            .order_by(sightings.c.digest_id)
        )
        # Ordered sets, because a digest delivered again is the same sighting.
        seen: dict[PaperId, dict[Sighting, None]] = {}
        for paper_id, *sighting in connection.execute(query):
            seen.setdefault(paper_id, {})[Sighting(*sighting)] = None
        for row in connection.execute(select(papers).where(papers.c.id.in_(chunk))):
            loaded[row.id] = _paper(row, tuple(seen.get(row.id, ())))
    return {paper_id: loaded[paper_id] for paper_id in requested if paper_id in loaded}


def papers_with(connection: Connection, identity_keys: Sequence[str]) -> list[Paper]:
    """Read the papers with one of the keys, oldest first, without sightings."""
    matches: dict[PaperId, Paper] = {}
    for chunk in in_chunks([stored_key(key) for key in identity_keys]):
        query = select(papers).join(paper_keys).where(paper_keys.c.key.in_(chunk))
        matches |= {row.id: _paper(row) for row in connection.execute(query)}
    return [matches[paper_id] for paper_id in sorted(matches)]


def insert_papers(connection: Connection, new: Sequence[Paper]) -> dict[PaperId, PaperId]:
    """Insert papers and their keys, and return new ids by given id."""
    if not new:
        return {}
    # Without ``sort_by_parameter_order``, RETURNING's order is unspecified.
    returning = insert(papers).returning(papers.c.id, sort_by_parameter_order=True)
    inserted = connection.scalars(returning, [_paper_row(paper) for paper in new]).all()
    ids = dict(zip((paper.id for paper in new), inserted, strict=True))
    _insert_keys(connection, {ids[paper.id]: paper for paper in new})
    return ids


def update_papers(connection: Connection, changed: Sequence[Paper]) -> None:
    if not changed:
        return
    statement = update(papers).where(papers.c.id == bindparam("at_id"))
    connection.execute(statement, [{"at_id": paper.id, **_paper_row(paper)} for paper in changed])
    _insert_keys(connection, {paper.id: paper for paper in changed})


def _insert_keys(connection: Connection, stored: Mapping[PaperId, Paper]) -> None:
    identity = [{"key": stored_key(key), "paper_id": i} for i, paper in stored.items() for key in keys(paper)]
    connection.execute(insert_new(connection, paper_keys), identity)
    authors = [
        {"name": name[:LONGEST_KEY], "paper_id": i} for i, paper in stored.items() for name in leading_authors(paper)
    ]
    if authors:
        connection.execute(insert_new(connection, leading_authors_table), authors)


def stored_key(key: str) -> str:
    # A collision only adds a candidate for ``is_same_paper``.
    return key if len(key) <= LONGEST_KEY else f"sha256:{sha256(key.encode()).hexdigest()}"


def title_start(title: str) -> str:
    """Return a title as the prefix search compares it."""
    return " ".join(title.split()).casefold()


def _paper_row(paper: Paper) -> dict[str, Any]:
    row = asdict(paper) | {"title_start": title_start(paper.title)[:LONGEST_KEY]}
    del row["id"]
    del row["sightings"]
    return row


def _paper(row: AnyRow, seen: tuple[Sighting, ...] = ()) -> Paper:
    facts = tuple(Fact(FactKind(fact["kind"]), fact["value"], fact["origin"]) for fact in row.facts)
    return from_row(Paper, row, sightings=seen, facts=facts)


class Deduplicator:
    """Matches entries to papers by identity key (record linkage). New papers have negative ids."""

    def __init__(self, stored: Iterable[Paper]) -> None:
        self._papers: dict[PaperId, Paper] = {}
        self._ids_by_key: dict[str, list[PaperId]] = {}
        for paper in stored:
            self._index(paper)
        self._stored = dict(self._papers)
        self._revised: dict[PaperId, str] = {}  # with the abstract of the earlier version
        self._published: dict[PaperId, None] = {}

    def add(self, entry: Entry, now: datetime) -> PaperId | None:
        """Merge an entry into its paper or add a new one, and return the paper's id.

        Returns None for a replacement of an unknown paper.
        """
        match = self.match(entry)
        if match is None:
            if entry.replacement:
                return None
            paper = new_paper(entry, len(self._stored) - len(self._papers) - 1, now)
        else:
            # Without a version, only an announced replacement proves an earlier one.
            has_earlier_version = match.version is not None or entry.replacement
            if has_earlier_version and entry.version is not None and entry.version > (match.version or 1):
                self._revised.setdefault(match.id, match.abstract)
            paper = merge(match, entry)
            if is_preprint(match) and publication(paper):
                self._published[match.id] = None
        self._index(paper)
        return paper.id

    def match(self, entry: Entry | Paper) -> Paper | None:
        candidates = (self._papers[paper_id] for key in keys(entry) for paper_id in self._ids_by_key.get(key, ()))
        return next((paper for paper in candidates if is_same_paper(entry, paper)), None)

    def paper(self, paper_id: PaperId) -> Paper:
        return self._papers[paper_id]

    def new(self) -> list[Paper]:
        return [paper for paper in self._papers.values() if paper.id not in self._stored]

    def changed(self) -> list[Paper]:
        return [paper for paper_id, paper in self._papers.items() if self._stored.get(paper_id, paper) != paper]

    def revised(self) -> list[tuple[Paper, str]]:
        revised = self._revised.items()
        return [(self._papers[paper_id], before) for paper_id, before in revised if paper_id in self._stored]

    def published(self) -> list[PaperId]:
        return [paper_id for paper_id in self._published if paper_id in self._stored]

    def _index(self, paper: Paper) -> None:
        self._papers[paper.id] = paper
        for key in keys(paper):
            ids = self._ids_by_key.setdefault(key, [])
            if paper.id not in ids:
                ids.append(paper.id)
