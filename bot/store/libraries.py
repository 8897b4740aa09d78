"""Readers' own libraries, and their connections to Zotero.

Papers of a library belong to their reader alone. Identity keys match them to stored papers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, update

from bot.model import (
    Entry,
    LibraryEntry,
    LibraryPaper,
    Message,
    OutboxKey,
    Paper,
    PaperId,
    ReaderId,
    SourceState,
    State,
    ZoteroConnection,
    ZoteroSave,
)
from bot.model.papers import is_same_paper, keys, new_paper
from bot.store.engine import Aggregate, AnyRow, from_row, in_chunks, insert_new, row_of
from bot.store.outbox import insert_message
from bot.store.paper_rows import Deduplicator, papers_with, stored_key
from bot.store.schema import library, library_keys, outbox, paper_keys, papers, zotero_connections, zotero_saves


@dataclass(frozen=True, slots=True)
class Additions:
    """Counts of an import: stored papers, other new entries, and known entries."""

    matched: int
    new: int
    known: int


class Library(Aggregate):
    """The libraries of all readers. ``of_readers`` is as of ``until`` if given."""

    def add(
        self,
        reader_id: ReaderId,
        entries: Sequence[LibraryEntry],
        origin: str,
        now: datetime,
        *,
        gone: Collection[str] = (),
    ) -> Additions:
        """Add new entries to a reader's library, after removing those of the same origin with a key in ``gone``.

        A missing or future date becomes ``now``. A missing abstract comes from the stored paper.
        """
        with self._database.writing() as connection:
            for chunk in in_chunks(list(gone)):
                of_source = (library.c.reader_id == reader_id) & (library.c.origin == origin)
                connection.execute(delete(library).where(of_source, library.c.source_key.in_(chunk)))
            identity_keys = [key for item in entries for key in keys(item.entry)]
            similar = _rows_with(connection, identity_keys, library.c.reader_id == reader_id)
            deduplicator = Deduplicator(replace(_paper(row), id=row.id) for row in similar)
            added: dict[PaperId, datetime] = {}
            source_keys: dict[PaperId, str] = {}
            for item in entries:
                paper_id = deduplicator.add(item.entry, now) or 0
                at = datetime.combine(item.added, time(), UTC) if item.added else now
                added[paper_id] = min(added.get(paper_id, now), at)
                source_keys.setdefault(paper_id, item.key)
            stored = Deduplicator(papers_with(connection, identity_keys))
            rows = []
            identities = []
            matched = 0
            for paper in deduplicator.new():
                same = stored.match(paper)
                matched += same is not None
                identities.append(keys(paper))
                rows.append(
                    row_of(
                        library,
                        paper,
                        reader_id=reader_id,
                        origin=origin,
                        added_at=added[paper.id],
                        abstract=paper.abstract or (same.abstract if same else ""),
                        source_key=source_keys[paper.id] or None,
                    )
                )
            if rows:
                returning = insert(library).returning(library.c.id, sort_by_parameter_order=True)
                ids = connection.scalars(returning, rows).all()
                pairs = {
                    (row_id, stored_key(key)) for row_id, of_row in zip(ids, identities, strict=True) for key in of_row
                }
                connection.execute(insert(library_keys), [{"library_id": row_id, "key": key} for row_id, key in pairs])
        return Additions(matched, len(rows) - matched, len(entries) - len(rows))

    def of_readers(self, reader_ids: Collection[ReaderId], newest: int) -> dict[ReaderId, list[LibraryPaper]]:
        """Return each reader's ``newest`` last additions, the last first."""
        place = func.row_number().over(
            partition_by=library.c.reader_id,
            order_by=(library.c.added_at.desc(), library.c.published.desc(), library.c.id.desc()),
        )
        by_reader: dict[ReaderId, list[LibraryPaper]] = defaultdict(list)
        with self._database.reading() as connection:
            for chunk in in_chunks(list(reader_ids)):
                added = select(library, place.label("place")).where(library.c.reader_id.in_(chunk))
                ranked = added.where(self._by_then(library.c.added_at)).subquery()
                query = select(ranked).where(ranked.c.place <= newest).order_by(ranked.c.reader_id, ranked.c.place)
                for row in connection.execute(query):
                    by_reader[row.reader_id].append(_library_paper(row))
        return dict(by_reader)

    def with_keys(
        self, reader_ids: Collection[ReaderId], identity_keys: Collection[str]
    ) -> dict[ReaderId, list[LibraryPaper]]:
        by_reader: dict[ReaderId, list[LibraryPaper]] = defaultdict(list)
        for row in self._with_keys(identity_keys):
            by_reader[row.reader_id].append(_library_paper(row))
        return {reader_id: by_reader[reader_id] for reader_id in reader_ids if reader_id in by_reader}

    def any_with_keys(self, identity_keys: Collection[str]) -> list[Paper]:
        """Return the papers of all libraries with one of the keys. Never show them to readers."""
        return list(map(_paper, self._with_keys(identity_keys)))

    def last_owners(self, newest: int) -> list[ReaderId]:
        rows = self._rows(select(library.c.reader_id).order_by(library.c.id.desc()).limit(newest))
        return list(dict.fromkeys(row.reader_id for row in rows))

    def _with_keys(self, identity_keys: Collection[str]) -> list[AnyRow]:
        with self._database.reading() as connection:
            return _rows_with(connection, identity_keys, self._by_then(library.c.added_at))

    def all_of(self, reader_id: ReaderId) -> list[LibraryPaper]:
        query = select(library).where(library.c.reader_id == reader_id).order_by(library.c.id)
        return [_library_paper(row) for row in self._rows(query)]

    def size(self, reader_id: ReaderId) -> int:
        query = select(func.count()).select_from(library).where(library.c.reader_id == reader_id)
        return self._scalar(query) or 0

    def last_ids(self, reader_ids: Sequence[ReaderId]) -> dict[ReaderId, int]:
        return self._greatest(library.c.id, reader_ids)

    def held(self, reader_id: ReaderId, papers: Collection[Paper]) -> set[PaperId]:
        if not papers:
            return set()
        ids = {paper.id for paper in papers}
        with self._database.reading() as connection:
            return in_libraries(connection, [reader_id], min(ids), max(ids))[reader_id] & ids

    def remove(self, reader_id: ReaderId, origin: str | None = None) -> int:
        """Delete a reader's library or one origin of it, and return the number of papers."""
        papers_of_reader = delete(library).where(library.c.reader_id == reader_id)
        if origin is not None:
            papers_of_reader = papers_of_reader.where(library.c.origin == origin)
        with self._database.writing() as connection:
            return connection.execute(papers_of_reader).rowcount


def in_libraries(
    connection: Connection,
    reader_ids: Collection[ReaderId],
    lowest: PaperId,
    upto: PaperId,
    until: datetime | None = None,
) -> Mapping[ReaderId, set[PaperId]]:
    """Return the stored papers from ``lowest`` to ``upto`` in each reader's library by ``until``."""
    owned: dict[ReaderId, set[PaperId]] = defaultdict(set)
    for chunk in in_chunks(list(reader_ids)):
        query = (
            select(
                library.c.reader_id,
                library.c.title.label("own_title"),
                library.c.doi.label("own_doi"),
                library.c.arxiv_id.label("own_arxiv_id"),
                papers.c.id,
                papers.c.title,
                papers.c.doi,
                papers.c.arxiv_id,
            )
            .join(library_keys, library_keys.c.library_id == library.c.id)
            .join(paper_keys, paper_keys.c.key == library_keys.c.key)
            .join(papers, papers.c.id == paper_keys.c.paper_id)
            .where(library.c.reader_id.in_(chunk), paper_keys.c.paper_id.between(lowest, upto))
        )
        if until:
            query = query.where(library.c.added_at <= until)
        for row in connection.execute(query):
            entry = Entry(row.own_title, doi=row.own_doi, arxiv_id=row.own_arxiv_id)
            if is_same_paper(entry, Entry(row.title, doi=row.doi, arxiv_id=row.arxiv_id)):
                owned[row.reader_id].add(row.id)
    return owned


def _rows_with(connection: Connection, identity_keys: Collection[str], condition: ColumnElement[bool]) -> list[AnyRow]:
    # SQLite reads whole libraries for a join, or when it starts from the readers.
    ids: set[int] = set()
    for keys_ in in_chunks([stored_key(key) for key in identity_keys]):
        ids.update(connection.scalars(select(library_keys.c.library_id).where(library_keys.c.key.in_(keys_))))
    rows: list[AnyRow] = []
    for chunk in in_chunks(sorted(ids)):
        query = select(library).where(library.c.id.in_(chunk), condition).order_by(library.c.id)
        rows += connection.execute(query).all()
    return rows


def _library_paper(row: AnyRow) -> LibraryPaper:
    return LibraryPaper(_paper(row), row.added_at, row.origin)


def _paper(row: AnyRow) -> Paper:
    return new_paper(from_row(Entry, row), -row.id, row.added_at)


_WAITING = (State.PENDING, State.RETRY)


class Zotero(Aggregate):
    """Connections to Zotero, one per reader, and liked papers that the outbox saves there."""

    def connect(self, connection: ZoteroConnection) -> None:
        poll = row_of(zotero_connections, connection.poll)
        row = row_of(zotero_connections, connection, reader_id=connection.reader, **poll)
        with self._database.writing() as transaction:
            for table in (zotero_connections, zotero_saves):
                transaction.execute(delete(table).where(table.c.reader_id == connection.reader))
            transaction.execute(insert(zotero_connections), row)

    def disconnect(self, reader_id: ReaderId) -> bool:
        """Delete a reader's connection and cancel pending saves, and return whether one existed."""
        saves = select(zotero_saves.c.outbox_key).where(zotero_saves.c.reader_id == reader_id)
        is_waiting = outbox.c.key.in_(saves) & outbox.c.state.in_(_WAITING)
        with self._database.writing() as transaction:
            transaction.execute(update(outbox).where(is_waiting).values(state=State.CANCELLED))
            transaction.execute(delete(zotero_saves).where(zotero_saves.c.reader_id == reader_id))
            of_reader = zotero_connections.c.reader_id == reader_id
            return transaction.execute(delete(zotero_connections).where(of_reader)).rowcount == 1

    def get(self, reader_id: ReaderId) -> ZoteroConnection | None:
        query = select(zotero_connections).where(zotero_connections.c.reader_id == reader_id)
        return next(map(_connection, self._rows(query)), None)

    def all(self) -> list[ZoteroConnection]:
        query = select(zotero_connections).order_by(zotero_connections.c.reader_id)
        return list(map(_connection, self._rows(query)))

    def record_poll(self, connection: ZoteroConnection, poll: SourceState, version: int) -> None:
        polled = update(zotero_connections).where(
            zotero_connections.c.reader_id == connection.reader,
            zotero_connections.c.sealed_key == connection.sealed_key,
        )
        with self._database.writing() as transaction:
            transaction.execute(polled.values(row_of(zotero_connections, poll, version=version)))

    def saves(self, reader_id: ReaderId) -> list[ZoteroSave]:
        query = select(zotero_saves).where(zotero_saves.c.reader_id == reader_id)
        rows = self._rows(query.order_by(zotero_saves.c.paper_id))
        return [ZoteroSave(row.paper_id, row.item_key, row.outbox_key) for row in rows]

    def put_save(self, reader_id: ReaderId, save: ZoteroSave, message: Message, key: OutboxKey, now: datetime) -> None:
        row = {"reader_id": reader_id, "paper_id": save.paper, "item_key": save.item_key, "outbox_key": save.outbox_key}
        with self._database.writing() as transaction:
            statement = insert_new(transaction, zotero_saves).values(row).returning(zotero_saves.c.paper_id)
            if transaction.scalar(statement) is not None:
                insert_message(transaction, message, key, now)

    def undo_save(self, reader_id: ReaderId, save: ZoteroSave, message: Message, key: OutboxKey, now: datetime) -> None:
        """Cancel a save that still waits, or queue ``message``."""
        is_save = (zotero_saves.c.reader_id == reader_id) & (zotero_saves.c.paper_id == save.paper)
        is_waiting = (outbox.c.key == save.outbox_key) & outbox.c.state.in_(_WAITING)
        with self._database.writing() as transaction:
            if not transaction.execute(delete(zotero_saves).where(is_save)).rowcount:
                return
            cancelled = update(outbox).where(is_waiting).values(state=State.CANCELLED, updated_at=now)
            if not transaction.execute(cancelled).rowcount:
                insert_message(transaction, message, key, now)

    def outcome(self, outbox_key: str) -> tuple[State, str] | None:
        query = select(outbox.c.state, outbox.c.detail).where(outbox.c.key == outbox_key)
        return next(((row.state, row.detail) for row in self._rows(query)), None)


def _connection(row: AnyRow) -> ZoteroConnection:
    return from_row(ZoteroConnection, row, reader=row.reader_id, poll=from_row(SourceState, row, name="zotero"))
