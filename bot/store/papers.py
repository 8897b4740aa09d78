"""Papers, the digests they came in, and their sightings.

A file's digests go in whole or not at all. Papers are never removed, and digests go in one at a time, so that paper
ids grow in the order in which they can be seen: an edition's watermark covers all that was there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime
from hashlib import sha256
from typing import Any, TypeVarTuple

from sqlalchemy import ColumnElement, Connection, Select, bindparam, exists, func, insert, select, update

from bot.domain import Entry, Paper, PaperId, ParsedDigest, ReaderId, Sighting
from bot.identity import keys, merge
from bot.store.deduplication import Deduplicator
from bot.store.engine import AnyRow, Database, Lock, in_chunks, insert_new
from bot.store.new_papers import NewsCursor, new_papers_of, revisions_of
from bot.store.schema import digests, lookups, paper_keys, papers, revisions, sightings

Columns = TypeVarTuple("Columns")

_LONG = 400  # characters; PostgreSQL indexes 2,700 bytes at most


@dataclass(frozen=True, slots=True)
class StoredDigest:
    """A digest that was taken in: where it came from and what was in it."""

    source: str
    name: str
    format: str
    topic: str
    date: date | None
    papers: int
    rejected: tuple[str, ...]


class Papers:
    """The papers known, and what came in when."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_digests(
        self, source: str, name: str, content_hash: str, parsed: Sequence[ParsedDigest], *, now: datetime
    ) -> list[tuple[int, int]]:
        """Take in the digests of one file; returns of each how many new papers it had, and how many known ones.

        ``content_hash`` stands for the file's bytes; the same bytes again change nothing: all is known. All of a
        file goes in or nothing, so that known bytes need not be read again.
        """
        with self._database.writing(Lock.INGEST) as connection:
            return [
                _add(
                    connection,
                    {"received_at": now, **_digest_row(source, name, content_hash, part, one)},
                    one,
                )
                for part, one in enumerate(parsed, start=1)
            ]

    def digests_with(self, content_hash: str) -> list[StoredDigest]:
        """Return the digests in these bytes as they first came, in order; none for unknown bytes."""
        query = select(digests).where(digests.c.content_hash == content_hash).order_by(digests.c.part)
        with self._database.reading() as connection:
            return [_stored_digest(row) for row in connection.execute(query)]

    def get(self, ids: Iterable[PaperId]) -> dict[PaperId, Paper]:
        """Return the papers that exist of those asked for, with their sightings."""
        with self._database.reading() as connection:
            return load_papers(connection, ids)

    def existing(self, ids: Iterable[PaperId]) -> set[PaperId]:
        """Return which of these papers there are."""
        with self._database.reading() as connection:
            return {
                paper_id
                for chunk in in_chunks(list(ids))
                for paper_id in connection.scalars(select(papers.c.id).where(papers.c.id.in_(chunk)))
            }

    def only_from(self, sources: Collection[str]) -> set[PaperId]:
        """Return the papers that no source but these has brought."""
        brought = select(sightings.c.paper_id).join(digests)
        theirs = brought.where(digests.c.source.in_(sources))
        with self._database.reading() as connection:
            paper_ids = set(connection.scalars(theirs))
            for chunk in in_chunks(list(paper_ids)):
                others = brought.where(digests.c.source.not_in(sources), sightings.c.paper_id.in_(chunk))
                paper_ids.difference_update(connection.scalars(others))
        return paper_ids

    def find(self, words: str, limit: int = 10) -> list[Paper]:
        """Return papers whose title begins with the words, case and runs of white space aside, by title."""
        wanted = _folded(words)
        query = select(papers.c.id, papers.c.title).order_by(papers.c.title_start, papers.c.id).limit(limit)
        with self._database.reading() as connection:
            # Titles that begin alike stand together; no pattern, so nothing in the words to escape.
            rows = connection.execute(query.where(papers.c.title_start >= wanted[:_LONG]))
            found = [row.id for row in rows if _folded(row.title).startswith(wanted)]
            return list(load_papers(connection, found).values())

    def newest_id(self) -> PaperId:
        """Return the highest id given so far; 0 where there are no papers yet."""
        with self._database.reading() as connection:
            return connection.scalar(self._known(select(func.max(papers.c.id)))) or 0

    def newest_first_seen(self, sources: Collection[str] = ()) -> datetime | None:
        """Return when the last new paper came in, from these sources if any are named; None before the first."""
        query = select(papers.c.first_seen).order_by(papers.c.id.desc()).limit(1)
        if sources:
            query = query.where(_brought_by(sources))
        with self._database.reading() as connection:
            return connection.scalar(self._known(query))

    def count(self) -> int:
        """Return how many papers are known."""
        with self._database.reading() as connection:
            return connection.scalar(self._known(select(func.count()).select_from(papers))) or 0

    def fresh(
        self,
        reader_id: ReaderId,
        after: PaperId = 0,
        upto: PaperId | None = None,
        sources: Collection[str] = (),
    ) -> list[PaperId]:
        """Return the papers to consider for one reader, as ``new_papers_of`` does for many."""
        upto = self.newest_id() if upto is None else upto
        return self.new_papers_of([NewsCursor(reader_id, after, sources=tuple(sources))], upto)[reader_id]

    def new_papers_of(self, horizons: Sequence[NewsCursor], upto: PaperId) -> dict[ReaderId, list[PaperId]]:
        """Return for each reader the papers that are news beyond the horizon, to ``upto``, oldest first.

        Left out are papers that stood in an edition of the reader or carry a thumb of theirs now.
        """
        with self._database.reading() as connection:
            return new_papers_of(connection, horizons, upto)

    def last_before(self, time: datetime) -> PaperId:
        """Return the newest paper that came in before a time; 0 where none did."""
        query = select(papers.c.id).where(papers.c.first_seen < time).order_by(papers.c.id.desc()).limit(1)
        with self._database.reading() as connection:
            return connection.scalar(query) or 0

    def arrivals(
        self, since: datetime, until: datetime, sources: Collection[str] = ()
    ) -> list[tuple[PaperId, datetime]]:
        """Return which papers came in between two times, both included, and when, oldest first.

        With ``sources``, only papers that one of these has delivered.
        """
        query = select(papers.c.id, papers.c.first_seen).where(papers.c.first_seen.between(since, until))
        if sources:
            query = query.where(_brought_by(sources))
        with self._database.reading() as connection:
            return [(row.id, row.first_seen) for row in connection.execute(query.order_by(papers.c.id))]

    def revisions_of(self, since: Mapping[ReaderId, datetime]) -> dict[ReaderId, list[PaperId]]:
        """Return for each reader the papers they like and of which a later version came since, oldest first.

        Left out are those of which an edition of the reader has told since the version came.
        """
        with self._database.reading() as connection:
            return revisions_of(connection, since)

    def without_link(self, limit: int) -> list[Paper]:
        """Return the newest papers that have neither id nor address and were never looked up."""
        query = (
            select(papers.c.id)
            .where(papers.c.arxiv_id.is_(None), papers.c.doi.is_(None), papers.c.url.is_(None))
            .where(papers.c.id.not_in(select(lookups.c.paper_id)))
            .order_by(papers.c.id.desc())
            .limit(limit)
        )
        with self._database.reading() as connection:
            return list(load_papers(connection, connection.scalars(query).all()).values())

    def keep_lookup(self, paper_id: PaperId, found: Entry | None, now: datetime) -> None:
        """Note that a paper was looked up, and add the ids of what was found, if anything.

        Where another paper is known by the same id, this one gets its address only: they stay two.
        """
        with self._database.writing(Lock.INGEST) as connection:
            row = {"paper_id": paper_id, "at": now, "arxiv_id": found.arxiv_id if found else None}
            connection.execute(insert_new(connection, lookups).values(row))
            if found and (paper := load_papers(connection, [paper_id]).get(paper_id)):
                ids = Entry(paper.title, arxiv_id=found.arxiv_id, doi=found.doi, categories=found.categories)
                taken = [other for other in _papers_with(connection, keys(ids)[:-1]) if other.id != paper_id]
                address = replace(paper, url=f"https://arxiv.org/abs/{found.arxiv_id}")
                _update(connection, [address if taken else merge(paper, ids)])

    def recent_texts(self, limit: int, upto: PaperId | None = None) -> list[tuple[PaperId, str, str]]:
        """Return id, title and abstract of the newest papers (to ``upto`` with it), newest first."""
        query = (
            select(papers.c.id, papers.c.title, papers.c.abstract).order_by(papers.c.id.desc()).limit(limit)
        )
        if upto is not None:
            query = query.where(papers.c.id <= upto)
        with self._database.reading() as connection:
            return [(row.id, row.title, row.abstract) for row in connection.execute(self._known(query))]

    def _known(self, query: Select[*Columns]) -> Select[*Columns]:
        """Narrow a query to the papers that there are: here to none but all."""
        return query


def _brought_by(sources: Collection[str]) -> ColumnElement[bool]:
    """That one of these sources has delivered a paper."""
    seen = select(sightings).join(digests).where(sightings.c.paper_id == papers.c.id)
    return exists(seen.where(digests.c.source.in_(sources)))


def _add(connection: Connection, row: dict[str, Any], parsed: ParsedDigest) -> tuple[int, int]:
    now = row["received_at"]
    digest_id = connection.scalar(insert_new(connection, digests).values(row).returning(digests.c.id))
    if digest_id is None:
        return 0, len(parsed.entries)
    shelf = Deduplicator(_papers_with(connection, [key for entry in parsed.entries for key in keys(entry)]))
    placed = [paper_id for entry in parsed.entries if (paper_id := shelf.place(entry, now)) is not None]
    ids = _insert(connection, shelf.new())
    _update(connection, shelf.changed())
    _revise(connection, shelf.revised(), now)
    here = list(dict.fromkeys(ids.get(paper_id, paper_id) for paper_id in placed))
    _see(connection, digest_id, row, here)
    return len(ids), len(parsed.entries) - len(ids)


def _see(connection: Connection, digest_id: int, row: dict[str, Any], here: Sequence[PaperId]) -> None:
    """Note that the papers stood in the digest, and how many of them its source had not brought before.

    A feed shows a paper for days, in digest after digest: that is one sighting.
    """
    seen: set[PaperId] = set()
    seen_that_day: set[PaperId] = set()
    for some in in_chunks(here):
        query = select(sightings.c.paper_id, digests.c.topic, digests.c.date).join(digests)
        query = query.where(sightings.c.paper_id.in_(some), digests.c.source == row["source"])
        for paper_id, topic, day in connection.execute(query):
            seen.add(paper_id)
            if (topic, day) == (row["topic"], row["date"]):
                seen_that_day.add(paper_id)
    rows = [
        {"digest_id": digest_id, "paper_id": paper_id, "position": position}
        for position, paper_id in enumerate(here, start=1)
        if paper_id not in seen_that_day
    ]
    if rows:
        connection.execute(insert(sightings), rows)
    fresh = update(digests).where(digests.c.id == digest_id).values(fresh=len(here) - len(seen))
    connection.execute(fresh)


def _revise(connection: Connection, revised: Sequence[Paper], now: datetime) -> None:
    if revised:
        rows = [{"paper_id": paper.id, "version": paper.version, "at": now} for paper in revised]
        connection.execute(insert_new(connection, revisions), rows)


def load_papers(connection: Connection, ids: Iterable[PaperId]) -> dict[PaperId, Paper]:
    """Read papers with their sightings, in the order asked for; an id that is none is left out."""
    wanted = list(dict.fromkeys(ids))
    found: dict[PaperId, Paper] = {}
    for some in in_chunks(wanted):
        seen = _sightings(connection, some)
        for row in connection.execute(select(papers).where(papers.c.id.in_(some))):
            found[row.id] = _paper(row, tuple(seen.get(row.id, ())))
    return {paper_id: found[paper_id] for paper_id in wanted if paper_id in found}


def _sightings(connection: Connection, ids: Sequence[PaperId]) -> dict[PaperId, dict[Sighting, None]]:
    """Sightings in order of arrival; a digest that came again, longer, is one sighting with its first."""
    query = (
        select(sightings.c.paper_id, digests.c.source, digests.c.topic, digests.c.date)
        .join(digests)
        .where(sightings.c.paper_id.in_(ids))
        .order_by(sightings.c.digest_id)
    )
    seen: dict[PaperId, dict[Sighting, None]] = {}
    for paper_id, *rest in connection.execute(query):
        seen.setdefault(paper_id, {})[Sighting(*rest)] = None
    return seen


def _papers_with(connection: Connection, identity_keys: Sequence[str]) -> list[Paper]:
    """The papers that share a key, without their sightings, oldest first."""
    found: dict[PaperId, Paper] = {}
    for some in in_chunks([_stored_key(key) for key in identity_keys]):
        query = select(papers).join(paper_keys).where(paper_keys.c.key.in_(some))
        found |= {row.id: _paper(row) for row in connection.execute(query)}
    return [found[paper_id] for paper_id in sorted(found)]


def _insert(connection: Connection, new: Sequence[Paper]) -> dict[PaperId, PaperId]:
    """Store papers; returns the ids given, by the ids they had on the shelf."""
    if not new:
        return {}
    returning = insert(papers).returning(papers.c.id, sort_by_parameter_order=True)
    given = connection.scalars(returning, [_paper_row(paper) for paper in new]).all()
    ids = dict(zip((paper.id for paper in new), given, strict=True))
    _insert_keys(connection, [(key, ids[paper.id]) for paper in new for key in keys(paper)])
    return ids


def _update(connection: Connection, changed: Sequence[Paper]) -> None:
    if not changed:
        return
    statement = update(papers).where(papers.c.id == bindparam("at_id"))
    connection.execute(statement, [{"at_id": paper.id, **_paper_row(paper)} for paper in changed])
    _insert_keys(connection, [(key, paper.id) for paper in changed for key in keys(paper)])


def _insert_keys(connection: Connection, rows: Sequence[tuple[str, PaperId]]) -> None:
    values = [{"key": _stored_key(key), "paper_id": paper_id} for key, paper_id in rows]
    connection.execute(insert_new(connection, paper_keys), values)


def _stored_key(key: str) -> str:
    """The key, or a hash where it is too long for an index; ``identity.same`` has the last word anyway."""
    return key if len(key) <= _LONG else f"sha256:{sha256(key.encode()).hexdigest()}"


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _digest_row(
    source: str, name: str, content_hash: str, part: int, parsed: ParsedDigest
) -> dict[str, object]:
    return {
        "source": source,
        "name": name,
        "format": parsed.format,
        "topic": parsed.topic,
        "date": parsed.date,
        "content_hash": content_hash,
        "part": part,
        "papers": len(parsed.entries),
        "rejected": parsed.rejected,
        "highest_id": max(filter(_is_sequential, _arxiv_ids(parsed)), default=None),
    }


def _arxiv_ids(parsed: ParsedDigest) -> Iterable[str]:
    return (entry.arxiv_id for entry in parsed.entries if entry.arxiv_id)


def _is_sequential(arxiv_id: str) -> bool:
    """Whether it is an id of today's form, which grows as time goes by: ``2504.08385``."""
    return arxiv_id[:4].isdecimal() and len(arxiv_id) == 10


def _stored_digest(row: AnyRow) -> StoredDigest:
    return StoredDigest(
        row.source, row.name, row.format, row.topic, row.date, row.papers, tuple(row.rejected)
    )


def _paper_row(paper: Paper) -> dict[str, object]:
    row = asdict(paper) | {"title_start": _folded(paper.title)[:_LONG]}
    del row["id"], row["sightings"]
    return row


def _paper(row: AnyRow, seen: tuple[Sighting, ...] = ()) -> Paper:
    return Paper(
        id=row.id,
        title=row.title,
        abstract=row.abstract,
        authors=tuple(row.authors),
        author_count=row.author_count,
        published=row.published,
        arxiv_id=row.arxiv_id,
        doi=row.doi,
        url=row.url,
        upvotes=row.upvotes,
        organisation=row.organisation,
        first_seen=row.first_seen,
        sightings=seen,
        version=row.version,
        categories=tuple(row.categories),
    )
