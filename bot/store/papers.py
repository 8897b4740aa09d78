"""Papers, their digests and sightings, and full-text search.

An advisory lock serialises ingestion, so ids become visible in ascending order, and an edition's watermark covers every
paper visible then. Search uses FTS5 on SQLite and tsvector on PostgreSQL. The migrations' triggers maintain the index
``papers_search``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    TextClause,
    case,
    exists,
    func,
    insert,
    select,
    text,
    update,
)

from bot.model import Entry, Fact, Paper, PaperId, ParsedDigest, ReaderId, Vote, VotedPaper
from bot.model.papers import PROGRAMME_SOURCE, keys, keys_in, merge
from bot.store.engine import Aggregate, Columns, Database, Lock, from_row, in_chunks, insert_new, row_of
from bot.store.libraries import in_libraries
from bot.store.paper_rows import (
    LONGEST_KEY,
    Deduplicator,
    insert_papers,
    load_papers,
    papers_with,
    title_start,
    update_papers,
)
from bot.store.readers import current_votes, same_addresses
from bot.store.schema import (
    digests,
    editions,
    leading_authors,
    lookups,
    papers,
    picks,
    publications,
    revisions,
    sightings,
)

_RECENT = 2_000  # papers; some weeks of alerts
# An ingestion during a composition has an earlier time.
_OVERLAP = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class StoredDigest:
    """A digest as it was ingested."""

    source: str
    name: str
    format: str
    topic: str
    date: date | None
    papers: int
    rejected: tuple[str, ...]


class PaperChange(NamedTuple):
    """A new version with the earlier abstract, or a publication without a version."""

    paper: PaperId
    at: datetime
    version: int | None = None
    before: str = ""


@dataclass(frozen=True, slots=True)
class NewsCursor:
    """A keyset cursor: the reader's last edition considered ids up to ``after``.

    Without ``sources``, all but programmes count. A lower id is new, too, if these sources delivered it after
    ``since``, and another source before.
    """

    reader_id: ReaderId
    after: PaperId = 0
    since: datetime | None = None
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AsOf:
    """A past time, for one reader. The papers ``shown`` replace the editions ``without_editions_since``."""

    at: datetime
    without_editions_since: datetime
    shown: frozenset[PaperId] = frozenset()


class Papers(Aggregate):
    """The stored papers and their arrival. Papers of a programme alone never arrive."""

    def __init__(self, database: Database, as_of: AsOf | None = None) -> None:
        super().__init__(database, as_of.at if as_of else None)
        self._as_of = as_of

    def add_digests(
        self, source: str, name: str, content_hash: str, parsed: Sequence[ParsedDigest], *, now: datetime
    ) -> list[tuple[int, int]]:
        """Store a file's digests (idempotent), and return for each the numbers of new and known papers."""
        with self._database.writing(Lock.INGEST) as connection:
            return [
                _add_digest(connection, digest, source=source, name=name, content_hash=content_hash, part=part, now=now)
                for part, digest in enumerate(parsed, start=1)
            ]

    def identified(self, entries: Sequence[Entry], now: datetime) -> list[Paper]:
        """Return each entry's paper, merged with its stored version. New ones have negative ids."""
        with self._database.reading() as connection:
            deduplicator = Deduplicator(papers_with(connection, [key for entry in entries for key in keys(entry)]))
        ids = [deduplicator.add(entry, now) for entry in entries]
        return [deduplicator.paper(paper_id) for paper_id in ids if paper_id is not None]

    def digests_with(self, content_hash: str) -> list[StoredDigest]:
        query = select(digests).where(digests.c.content_hash == content_hash).order_by(digests.c.part)
        return [from_row(StoredDigest, row) for row in self._rows(query)]

    def get(self, ids: Iterable[PaperId]) -> dict[PaperId, Paper]:
        with self._database.reading() as connection:
            return load_papers(connection, ids)

    def voted(self, ids: Iterable[PaperId]) -> dict[PaperId, VotedPaper]:
        query = select(papers.c.id, papers.c.title, papers.c.abstract, papers.c.arxiv_id, papers.c.doi)
        return {row.id: VotedPaper(*row) for row in self._rows_in(query, papers.c.id, set(ids))}

    def existing(self, ids: Iterable[PaperId]) -> set[PaperId]:
        return {row.id for row in self._rows_in(select(papers.c.id), papers.c.id, list(ids))}

    def only_from(self, sources: Collection[str]) -> set[PaperId]:
        delivered = select(sightings.c.paper_id).join(digests).where(self._by_then(digests.c.received_at))
        with self._database.reading() as connection:
            paper_ids = set(connection.scalars(delivered.where(digests.c.source.in_(sources))))
            for chunk in in_chunks(list(paper_ids)):
                others = delivered.where(digests.c.source.not_in(sources), sightings.c.paper_id.in_(chunk))
                paper_ids.difference_update(connection.scalars(others))
        return paper_ids

    def find(self, words: str, limit: int = 10) -> list[Paper]:
        """Return papers whose title begins with ``words``, by title. Ignores case and white space."""
        prefix = title_start(words)
        query = select(papers.c.id, papers.c.title).order_by(papers.c.title_start, papers.c.id).limit(limit)
        with self._database.reading() as connection:
            # The index has titles with the prefix side by side. SQLite's LIKE ignores only the case of ASCII.
            rows = connection.execute(query.where(papers.c.title_start >= prefix[:LONGEST_KEY]))
            matches = [row.id for row in rows if title_start(row.title).startswith(prefix)]
            return list(load_papers(connection, matches).values())

    def newest_id(self) -> PaperId:
        return self._scalar(self._visible(select(func.max(papers.c.id)))) or 0

    def newest_first_seen(self, sources: Collection[str] = ()) -> datetime | None:
        query = self._delivered(select(papers.c.first_seen).order_by(papers.c.id.desc()).limit(1), sources)
        return self._scalar(self._visible(query))

    def count(self) -> int:
        return self._scalar(self._visible(select(func.count()).select_from(papers))) or 0

    def new_to(self, reader_id: ReaderId, after: PaperId = 0, sources: Collection[str] = ()) -> list[PaperId]:
        cursor = NewsCursor(reader_id, after, sources=tuple(sources))
        return self.new_papers_of([cursor], self.newest_id())[reader_id]

    def new_papers_of(self, cursors: Sequence[NewsCursor], upto: PaperId) -> dict[ReaderId, list[PaperId]]:
        """Return each reader's papers beyond their cursor up to ``upto``, oldest first.

        Leaves out papers that the reader was sent, voted on or owns, and those that they disliked in another profile.
        """
        as_of = self._as_of
        by_sources: dict[tuple[str, ...], list[NewsCursor]] = defaultdict(list)
        for cursor in cursors:
            by_sources[cursor.sources].append(cursor)
        arrived: dict[ReaderId, list[PaperId]] = {}
        with self._database.reading() as connection:
            for sources, same_sources in by_sources.items():
                arrived |= _arrived(connection, same_sources, upto, sources, as_of)
            lowest = min((ids[0] for ids in arrived.values() if ids), default=upto + 1)
            excluded = _shown_or_voted(connection, list(arrived), lowest, as_of)
            owned = in_libraries(connection, list(arrived), lowest, upto, self._until)
        new = {}
        for reader_id, ids in arrived.items():
            hidden = excluded[reader_id].union(owned.get(reader_id, ()), as_of.shown if as_of else ())
            new[reader_id] = [paper_id for paper_id in ids if paper_id not in hidden]
        return new

    def sent_elsewhere(self, reader_ids: Sequence[ReaderId], lowest: PaperId) -> dict[ReaderId, set[PaperId]]:
        """Return the papers from ``lowest`` on that other profiles have sent to these readers' addresses."""
        sent: dict[ReaderId, set[PaperId]] = {}
        with self._database.reading() as connection:
            for chunk in in_chunks(reader_ids):
                same = same_addresses(chunk)
                query = (
                    select(same.c.reader_id, picks.c.paper_id)
                    .select_from(same)
                    .join(editions, editions.c.reader_id == same.c.other_id)
                    .join(picks, picks.c.edition_id == editions.c.id)
                    .where(editions.c.watermark >= lowest, picks.c.paper_id >= lowest)
                )
                if self._until:
                    query = query.where(editions.c.composed_at < self._until)
                for reader_id, paper_id in connection.execute(query):
                    sent.setdefault(reader_id, set()).add(paper_id)
        return sent

    def last_before(self, time: datetime) -> PaperId:
        query = select(papers.c.id).where(papers.c.first_seen < time).order_by(papers.c.id.desc()).limit(1)
        return self._scalar(query) or 0

    def arrivals(
        self, since: datetime, until: datetime, sources: Collection[str] = ()
    ) -> list[tuple[PaperId, datetime]]:
        query = select(papers.c.id, papers.c.first_seen).where(papers.c.first_seen.between(since, until))
        query = self._delivered(query, sources)
        return [(row.id, row.first_seen) for row in self._rows(query.order_by(papers.c.id))]

    def changes(self, since: datetime) -> list[PaperChange]:
        revised = select(revisions.c.paper_id, revisions.c.at, revisions.c.version, revisions.c.before)
        published = select(publications.c.paper_id, publications.c.at)
        revised = revised.where(revisions.c.at >= since, self._by_then(revisions.c.at))
        published = published.where(publications.c.at >= since, self._by_then(publications.c.at))
        changes = [PaperChange(*row) for row in (*self._rows(revised), *self._rows(published))]
        return sorted(changes, key=lambda change: change.at)

    def by_leading_authors(self, names: Sequence[str]) -> dict[str, list[PaperId]]:
        papers_by_name: dict[str, list[PaperId]] = defaultdict(list)
        query = select(leading_authors).order_by(leading_authors.c.paper_id)
        for row in self._rows_in(query, leading_authors.c.name, names):
            papers_by_name[row.name].append(row.paper_id)
        return papers_by_name

    def with_keys(self, identity_keys: Sequence[str]) -> list[Paper]:
        with self._database.reading() as connection:
            return papers_with(connection, identity_keys)

    def without_link(self, limit: int) -> list[Paper]:
        return self._never_looked_up(limit, papers.c.arxiv_id.is_(None), papers.c.doi.is_(None), papers.c.url.is_(None))

    def with_cut_text(self, limit: int) -> list[Paper]:
        newest = select(func.max(papers.c.id)).scalar_subquery()
        return self._never_looked_up(
            limit,
            papers.c.id > newest - _RECENT,
            papers.c.abstract.endswith("\u2026") | papers.c.title.endswith("\u2026"),
            papers.c.arxiv_id.is_not(None) | papers.c.doi.is_not(None),
        )

    def _never_looked_up(self, limit: int, *conditions: ColumnElement[bool]) -> list[Paper]:
        query = select(papers.c.id).where(papers.c.id.not_in(select(lookups.c.paper_id)), *conditions)
        with self._database.reading() as connection:
            ids = connection.scalars(query.order_by(papers.c.id.desc()).limit(limit)).all()
            return list(load_papers(connection, ids).values())

    def complete(self, paper_id: PaperId, whole: Entry | None, now: datetime) -> None:
        with self._database.writing(Lock.INGEST) as connection:
            paper = _add_lookup(connection, paper_id, whole, now)
            if whole and paper:
                update_papers(connection, [merge(paper, whole)])

    def add_facts(self, paper_id: PaperId, facts: Sequence[Fact]) -> None:
        with self._database.writing(Lock.INGEST) as connection:
            if paper := load_papers(connection, [paper_id]).get(paper_id):
                update_papers(connection, [merge(paper, Entry(paper.title, facts=tuple(facts)))])

    def record_lookup(self, paper_id: PaperId, match: Entry | None, now: datetime) -> None:
        """Record a lookup at arXiv, and add the ids that it found."""
        with self._database.writing(Lock.INGEST) as connection:
            paper = _add_lookup(connection, paper_id, match, now)
            if match is None or paper is None:
                return
            entry = Entry(paper.title, arxiv_id=match.arxiv_id, doi=match.doi, categories=match.categories)
            id_keys = keys(entry)[:-1]
            # Votes, picks and sightings refer to both papers, so they are not merged.
            if any(other.id != paper_id for other in papers_with(connection, id_keys)):
                resolved = replace(paper, url=f"https://arxiv.org/abs/{match.arxiv_id}")
            else:
                resolved = merge(paper, entry)
            update_papers(connection, [resolved])

    def recent_texts(self, limit: int) -> list[tuple[PaperId, str, str]]:
        return list(self.stream_recent_texts(limit))

    def stream_recent_texts(self, limit: int) -> Iterator[tuple[PaperId, str, str]]:
        """Yield the newest papers' id, title and abstract, newest first."""
        query = select(papers.c.id, papers.c.title, papers.c.abstract)
        query = self._visible(self._delivered(query.order_by(papers.c.id.desc()).limit(limit), ()))
        with self._database.reading() as connection:
            for row in connection.execute(query):
                yield row.id, row.title, row.abstract

    def _delivered(self, query: Select[*Columns], sources: Collection[str]) -> Select[*Columns]:
        with self._database.reading() as connection:
            is_narrowed = bool(sources) or _has_programmes(connection)
        return query.where(_delivered_by(sources)) if is_narrowed else query

    def _visible(self, query: Select[*Columns]) -> Select[*Columns]:
        return query.where(self._by_then(papers.c.first_seen))


def _add_lookup(connection: Connection, paper_id: PaperId, result: Entry | None, now: datetime) -> Paper | None:
    row = {"paper_id": paper_id, "at": now, "arxiv_id": result.arxiv_id if result else None}
    connection.execute(insert_new(connection, lookups).values(row))
    return load_papers(connection, [paper_id]).get(paper_id)


_OF_PROGRAMME = digests.c.source.startswith(PROGRAMME_SOURCE, autoescape=True)


def _is_theirs(sources: Collection[str]) -> ColumnElement[bool]:
    return digests.c.source.in_(sources) if sources else ~_OF_PROGRAMME


def _has_programmes(connection: Connection) -> bool:
    return connection.scalar(select(digests.c.id).where(_OF_PROGRAMME).limit(1)) is not None


def _delivered_by(sources: Collection[str]) -> ColumnElement[bool]:
    seen = select(sightings).join(digests).where(sightings.c.paper_id == papers.c.id)
    return exists(seen.where(_is_theirs(sources)))


def _add_digest(
    connection: Connection, parsed: ParsedDigest, *, source: str, name: str, content_hash: str, part: int, now: datetime
) -> tuple[int, int]:
    arxiv_ids = [entry.arxiv_id for entry in parsed.entries if entry.arxiv_id]
    # Ids since 2007 (2504.08385) are sequential, earlier ones (hep-th/9901001) are not.
    sequential = [arxiv_id for arxiv_id in arxiv_ids if len(arxiv_id) == 10 and arxiv_id[:4].isdecimal()]
    row = row_of(
        digests,
        parsed,
        source=source,
        name=name,
        content_hash=content_hash,
        part=part,
        received_at=now,
        papers=len(parsed.entries),
        highest_id=max(sequential, default=None),
    )
    digest_id = connection.scalar(insert_new(connection, digests).values(row).returning(digests.c.id))
    if digest_id is None:
        return 0, len(parsed.entries)

    candidates = papers_with(connection, [key for entry in parsed.entries for key in keys(entry)])
    deduplicator = Deduplicator(candidates)
    matches = [deduplicator.add(entry, now) for entry in parsed.entries]
    ids = insert_papers(connection, deduplicator.new())  # in the store, by provisional id
    update_papers(connection, deduplicator.changed())
    if revised := deduplicator.revised():
        rows = [
            {"paper_id": paper.id, "version": paper.version, "at": now, "before": before} for paper, before in revised
        ]
        connection.execute(insert_new(connection, revisions), rows)
    if published := deduplicator.published():
        rows = [{"paper_id": paper_id, "at": now} for paper_id in published]
        connection.execute(insert_new(connection, publications), rows)
    alerts: dict[PaperId, str | None] = {}
    for entry, paper_id in zip(parsed.entries, matches, strict=True):
        if paper_id is not None:
            alerts.setdefault(ids.get(paper_id, paper_id), entry.alert)
    _add_sightings(connection, digest_id, source, parsed, alerts)
    return len(ids), len(parsed.entries) - len(ids)


def _add_sightings(
    connection: Connection, digest_id: int, source: str, parsed: ParsedDigest, alerts: Mapping[PaperId, str | None]
) -> None:
    seen: set[PaperId] = set()
    seen_that_day: set[PaperId] = set()
    for chunk in in_chunks(list(alerts)):
        query = select(sightings.c.paper_id, digests.c.topic, digests.c.date, sightings.c.alert).join(digests)
        query = query.where(sightings.c.paper_id.in_(chunk), digests.c.source == source)
        for paper_id, topic, day, alert in connection.execute(query):
            seen.add(paper_id)
            if (topic, day, alert) == (parsed.topic, parsed.date, alerts[paper_id]):
                seen_that_day.add(paper_id)
    # A paper that a feed repeats for days is one sighting.
    rows = [
        {"digest_id": digest_id, "paper_id": paper_id, "position": position, "alert": alert}
        for position, (paper_id, alert) in enumerate(alerts.items(), start=1)
        if paper_id not in seen_that_day
    ]
    if rows:
        connection.execute(insert(sightings), rows)
    connection.execute(update(digests).where(digests.c.id == digest_id).values(fresh=len(alerts) - len(seen)))


def _arrived(
    connection: Connection, cursors: Sequence[NewsCursor], upto: PaperId, sources: tuple[str, ...], as_of: AsOf | None
) -> dict[ReaderId, list[PaperId]]:
    query = select(papers.c.id).where(papers.c.id > min(cursor.after for cursor in cursors), papers.c.id <= upto)
    is_narrowed = bool(sources) or _has_programmes(connection)
    if is_narrowed:
        query = query.where(_delivered_by(sources))
    paper_ids = connection.scalars(query.order_by(papers.c.id)).all()

    late: dict[PaperId, datetime] = {}
    times = [cursor.since for cursor in cursors if cursor.since]
    if is_narrowed and times:
        since = min(times) - _OVERLAP
        is_theirs = _is_theirs(sources)
        recent = select(sightings.c.paper_id).join(digests).where(is_theirs, digests.c.received_at >= since)
        if as_of:
            recent = recent.where(digests.c.received_at <= as_of.at)
        first = func.min(case((is_theirs, digests.c.received_at))).label("first")
        # Another source delivered them before.
        late_papers = (
            select(sightings.c.paper_id, first)
            .join(digests)
            .where(sightings.c.paper_id.in_(recent))
            .group_by(sightings.c.paper_id)
            .having(func.min(digests.c.id) < func.min(case((is_theirs, digests.c.id))), first >= since)
        )
        late = {row.paper_id: row.first for row in connection.execute(late_papers)}
    arrived: dict[ReaderId, list[PaperId]] = {}
    for cursor in cursors:
        below = [
            paper_id
            for paper_id, at in late.items()
            if paper_id <= cursor.after and cursor.since and at >= cursor.since - _OVERLAP
        ]
        arrived[cursor.reader_id] = [*sorted(below), *paper_ids[bisect_right(paper_ids, cursor.after) :]]
    return arrived


def _shown_or_voted(
    connection: Connection, reader_ids: Sequence[ReaderId], lowest: PaperId, as_of: AsOf | None
) -> Mapping[ReaderId, set[PaperId]]:
    """Return the papers that each reader was sent, voted on, or disliked in another profile."""
    excluded: dict[ReaderId, set[PaperId]] = defaultdict(set)
    until = as_of.at if as_of else None
    for chunk in in_chunks(reader_ids):
        votes = current_votes(chunk, until=until, lowest=lowest, kinds=(Vote.UP, Vote.DOWN, Vote.SAVE))
        may_show = editions.c.reader_id.in_(chunk) & (editions.c.watermark >= lowest)
        picked = select(editions.c.reader_id, picks.c.paper_id).join(picks).where(may_show)
        if as_of:
            picked = picked.where(editions.c.composed_at < as_of.without_editions_since)
        queries = [picked.where(picks.c.paper_id >= lowest), select(votes.c.reader_id, votes.c.paper_id)]
        same = same_addresses(chunk)
        if others := set(connection.scalars(select(same.c.other_id))):  # none in most homes
            theirs = current_votes(others, until=until, lowest=lowest)
            sign = case((theirs.c.vote == Vote.DOWN, 1), else_=-1)
            disliked = select(same.c.reader_id, theirs.c.paper_id).select_from(same)
            disliked = disliked.join(theirs, theirs.c.reader_id == same.c.other_id)
            # In a channel, the majority decides.
            disliked = disliked.group_by(same.c.reader_id, theirs.c.reader_id, theirs.c.paper_id)
            queries.append(disliked.having(func.sum(sign) > 0))
        for query in queries:
            for reader_id, paper_id in connection.execute(query):
                excluded[reader_id].add(paper_id)
    return excluded


_WORD = re.compile(r"\w+")
_MAX_WORDS = 20

# BM25 with weights for title, authors and abstract. FTS5's best score is the lowest. A score takes a microsecond, so
# only the newest 20,000 matches get one.
_SQLITE = text(
    "SELECT id FROM (SELECT rowid AS id, bm25(papers_search, 10.0, 4.0, 1.0) AS score FROM papers_search "
    "WHERE papers_search MATCH :words ORDER BY rowid DESC LIMIT 20000) ORDER BY score, id DESC LIMIT :limit"
)
_POSTGRESQL = text(
    "SELECT paper_id FROM papers_search, plainto_tsquery('english', :words) AS query WHERE words @@ query "
    "ORDER BY ts_rank(words, query) DESC, paper_id DESC LIMIT :limit"
)
# websearch_to_tsquery reads "or".
_POSTGRESQL_ANY = text(_POSTGRESQL.text.replace("plainto_tsquery", "websearch_to_tsquery"))


class Search(Aggregate):
    """Search by words of titles, authors and abstracts."""

    def papers(self, words: str, limit: int = 30) -> list[Paper]:
        """Return papers with all the words or this id or address, best match first."""
        words = words.strip()
        with self._database.reading() as connection:
            ids = [paper.id for paper in papers_with(connection, keys_in(words))]
            if not ids and words.startswith(("https://", "http://")):
                ids = list(connection.scalars(select(papers.c.id).where(papers.c.url == words)))
            if ids:
                return list(load_papers(connection, ids).values())[:limit]
        return self._best(_WORD.findall(words)[:_MAX_WORDS], " ", limit, _POSTGRESQL)

    def with_any(self, words: Sequence[str], limit: int) -> list[Paper]:
        terms = [term for word in words for term in _WORD.findall(word)]
        return self._best(terms[:_MAX_WORDS], " OR ", limit, _POSTGRESQL_ANY)

    def _best(self, terms: Sequence[str], joiner: str, limit: int, postgresql: TextClause) -> list[Paper]:
        if not terms:
            return []
        # Quoted, AND, OR, NOT and NEAR are no operators of FTS5.
        quoted = joiner.join(f'"{term}"' for term in terms)
        with self._database.reading() as connection:
            statement = postgresql if connection.dialect.name == "postgresql" else _SQLITE
            rows = connection.scalars(statement, {"words": quoted, "limit": limit})
            return list(load_papers(connection, rows.all()).values())
