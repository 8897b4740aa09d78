"""Candidate generation: which papers are new to which reader, for a batch of readers in a few queries.

The number of queries depends on the number of distinct lists of sources, not on the number of readers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, case, exists, func, select

from bot.model import PaperId, ReaderId, Vote
from bot.store.engine import in_chunks
from bot.store.feedback import current_votes
from bot.store.library import in_libraries
from bot.store.schema import digests, editions, papers, picks, revisions, sightings

# A digest that was being ingested while an edition was composed has an earlier time than the edition, but the
# edition could not consider it. The price of the overlap: such a paper may be considered twice.
_OVERLAP = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class NewsCursor:
    """A keyset cursor into the papers: a reader's last edition considered ids up to ``after``.

    With ``sources``, only papers that one of these delivered are new. Then a paper with a lower id is new too if
    another source had delivered it before and these did so only after ``since``, the time of the last edition.
    """

    reader_id: ReaderId
    after: PaperId = 0
    since: datetime | None = None
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AsOf:
    """A time in the past; editions composed at or after ``without_editions_since`` count as never composed."""

    at: datetime
    without_editions_since: datetime


def new_papers_of(
    connection: Connection, cursors: Sequence[NewsCursor], upto: PaperId, as_of: AsOf | None = None
) -> dict[ReaderId, list[PaperId]]:
    """Return for each reader the papers beyond their cursor, up to and including ``upto``, oldest first.

    Papers that an edition has shown to the reader, that the reader has voted on, or that are in the reader's own
    library, are left out.
    """
    by_sources: dict[tuple[str, ...], list[NewsCursor]] = defaultdict(list)
    for cursor in cursors:
        by_sources[cursor.sources].append(cursor)
    arrived: dict[ReaderId, list[PaperId]] = {}
    for sources, same_sources in by_sources.items():
        arrived |= _arrived(connection, same_sources, upto, sources, as_of)
    lowest = min((ids[0] for ids in arrived.values() if ids), default=upto + 1)
    excluded = _shown_or_voted(connection, list(arrived), lowest, as_of)
    owned = in_libraries(connection, list(arrived), lowest, upto, as_of.at if as_of else None)
    new = {}
    for reader_id, ids in arrived.items():
        hidden = excluded[reader_id].union(owned.get(reader_id, ()))
        new[reader_id] = [paper_id for paper_id in ids if paper_id not in hidden]
    return new


def revisions_of(
    connection: Connection, since: Mapping[ReaderId, datetime], as_of: AsOf | None = None
) -> dict[ReaderId, list[PaperId]]:
    """Return for each reader the liked papers with a later version since the given time, oldest first.

    Papers that an edition has shown to the reader since the version arrived are left out.
    """
    revised: dict[ReaderId, list[PaperId]] = {reader_id: [] for reader_id in since}
    for chunk in in_chunks(list(since)):
        liked = current_votes(chunk, until=as_of.at if as_of else None)
        mentioned = (
            select(picks.c.paper_id)
            .join(editions)
            .where(
                editions.c.reader_id == liked.c.reader_id,
                picks.c.paper_id == revisions.c.paper_id,
                editions.c.composed_at >= revisions.c.at,
            )
        )
        if as_of:
            mentioned = mentioned.where(editions.c.composed_at < as_of.without_editions_since)
        query = (
            select(liked.c.reader_id, revisions.c.paper_id, revisions.c.at)
            .join(liked, liked.c.paper_id == revisions.c.paper_id)
            .where(liked.c.vote == Vote.UP, revisions.c.at >= min(since.values()), ~exists(mentioned))
            .order_by(revisions.c.paper_id)
        )
        if as_of:
            query = query.where(revisions.c.at <= as_of.at)
        for reader_id, paper_id, at in connection.execute(query):
            # A paper has a row for each later version.
            if at >= since[reader_id] and paper_id not in revised[reader_id]:
                revised[reader_id].append(paper_id)
    return revised


def _arrived(
    connection: Connection, cursors: Sequence[NewsCursor], upto: PaperId, sources: tuple[str, ...], as_of: AsOf | None
) -> dict[ReaderId, list[PaperId]]:
    """Read the papers beyond each of some cursors that have the same sources."""
    # One query from the lowest cursor on; each reader gets the tail of it that is theirs.
    query = select(papers.c.id).where(papers.c.id > min(cursor.after for cursor in cursors), papers.c.id <= upto)
    if sources:
        seen = select(sightings).join(digests).where(sightings.c.paper_id == papers.c.id)
        query = query.where(exists(seen.where(digests.c.source.in_(sources))))
    paper_ids = connection.scalars(query.order_by(papers.c.id)).all()

    times = [cursor.since for cursor in cursors if cursor.since]
    late = _late_arrivals(connection, sources, min(times) - _OVERLAP, as_of) if sources and times else {}
    arrived: dict[ReaderId, list[PaperId]] = {}
    for cursor in cursors:
        below = [
            paper_id
            for paper_id, at in late.items()
            if paper_id <= cursor.after and cursor.since and at >= cursor.since - _OVERLAP
        ]
        arrived[cursor.reader_id] = [*sorted(below), *paper_ids[bisect_right(paper_ids, cursor.after) :]]
    return arrived


def _late_arrivals(
    connection: Connection, sources: tuple[str, ...], since: datetime, as_of: AsOf | None
) -> dict[PaperId, datetime]:
    """Read when these sources first delivered papers, if after ``since`` and after another source had."""
    is_ours = digests.c.source.in_(sources)
    recent = select(sightings.c.paper_id).join(digests).where(is_ours, digests.c.received_at >= since)
    if as_of:
        recent = recent.where(digests.c.received_at <= as_of.at)
    first = func.min(case((is_ours, digests.c.received_at))).label("first")
    query = (
        select(sightings.c.paper_id, first)
        .join(digests)
        .where(sightings.c.paper_id.in_(recent))
        .group_by(sightings.c.paper_id)
        .having(func.min(digests.c.id) < func.min(case((is_ours, digests.c.id))), first >= since)
    )
    return {row.paper_id: row.first for row in connection.execute(query)}


def _shown_or_voted(
    connection: Connection, reader_ids: Sequence[ReaderId], lowest: PaperId, as_of: AsOf | None
) -> Mapping[ReaderId, set[PaperId]]:
    """Read the papers from ``lowest`` on that stood in an edition of a reader or have a vote of theirs."""
    excluded: dict[ReaderId, set[PaperId]] = defaultdict(set)
    for chunk in in_chunks(reader_ids):
        votes = current_votes(chunk, until=as_of.at if as_of else None, lowest=lowest)
        # An edition shows no paper beyond its watermark, so that the picks of older editions are not read.
        may_show = editions.c.reader_id.in_(chunk) & (editions.c.watermark >= lowest)
        picked = select(editions.c.reader_id, picks.c.paper_id).join(picks).where(may_show)
        if as_of:
            picked = picked.where(editions.c.composed_at < as_of.without_editions_since)
        for query in (picked.where(picks.c.paper_id >= lowest), select(votes.c.reader_id, votes.c.paper_id)):
            for reader_id, paper_id in connection.execute(query):
                excluded[reader_id].add(paper_id)
    return excluded
