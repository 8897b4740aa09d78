"""Which papers are news to whom: for a batch of readers in a few queries, however many they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, case, exists, func, select

from bot.domain import PaperId, ReaderId, Vote
from bot.store.engine import in_chunks
from bot.store.feedback import current_thumbs
from bot.store.schema import digests, editions, papers, picks, revisions, sightings

# A digest that was on its way while an edition was composed bears an earlier time than the edition.
_ON_ITS_WAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class NewsCursor:
    """Up to where a reader has been told: papers with higher ids than ``after`` are news.

    With ``sources``, only papers that one of these has delivered; and those that another had delivered before,
    if the first of these did so ``since``.
    """

    reader_id: ReaderId
    after: PaperId = 0
    since: datetime | None = None
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AsOf:
    """A time in the past, and what is to be left out of it: the editions composed from ``untold`` on."""

    at: datetime
    untold: datetime


def new_papers_of(
    connection: Connection, horizons: Sequence[NewsCursor], upto: PaperId, then: AsOf | None = None
) -> dict[ReaderId, list[PaperId]]:
    """For each reader the papers to consider, to ``upto`` with it, oldest first; with ``then``, as it was then.

    Left out are papers that stood in an edition of the reader or carry a thumb of theirs now.
    """
    by_sources: dict[tuple[str, ...], list[NewsCursor]] = defaultdict(list)
    for horizon in horizons:
        by_sources[horizon.sources].append(horizon)
    news = {
        reader_id: ids
        for sources, some in by_sources.items()
        for reader_id, ids in _news(connection, some, upto, sources, then)
    }
    lowest = min((ids[0] for ids in news.values() if ids), default=upto + 1)
    known = _known(connection, list(news), lowest, then)
    return {reader_id: [i for i in ids if i not in known[reader_id]] for reader_id, ids in news.items()}


def _news(
    connection: Connection,
    horizons: Sequence[NewsCursor],
    upto: PaperId,
    sources: tuple[str, ...],
    then: AsOf | None,
) -> Iterator[tuple[ReaderId, list[PaperId]]]:
    """What came in for readers who want the same sources."""
    query = select(papers.c.id).where(papers.c.id > min(h.after for h in horizons), papers.c.id <= upto)
    if sources:
        seen = select(sightings).join(digests).where(sightings.c.paper_id == papers.c.id)
        query = query.where(exists(seen.where(digests.c.source.in_(sources))))
    arrived = connection.scalars(query.order_by(papers.c.id)).all()
    times = [h.since for h in horizons if h.since]
    late = _late(connection, sources, min(times) - _ON_ITS_WAY, then) if sources and times else {}
    for one in horizons:
        came = [i for i, at in late.items() if i <= one.after and one.since and at >= one.since - _ON_ITS_WAY]
        yield one.reader_id, sorted(came) + [i for i in arrived if i > one.after]


def _late(
    connection: Connection, sources: tuple[str, ...], since: datetime, then: AsOf | None
) -> dict[PaperId, datetime]:
    """When papers first came from these sources, if that was since, and if another source had them before."""
    ours = digests.c.source.in_(sources)
    recent = select(sightings.c.paper_id).join(digests).where(ours, digests.c.received_at >= since)
    if then:
        recent = recent.where(digests.c.received_at <= then.at)
    first = func.min(case((ours, digests.c.received_at))).label("first")
    query = (
        select(sightings.c.paper_id, first)
        .join(digests)
        .where(sightings.c.paper_id.in_(recent))
        .group_by(sightings.c.paper_id)
        .having(func.min(digests.c.id) < func.min(case((ours, digests.c.id))), first >= since)
    )
    return {row.paper_id: row.first for row in connection.execute(query)}


def _known(
    connection: Connection, reader_ids: Sequence[ReaderId], lowest: PaperId, then: AsOf | None
) -> Mapping[ReaderId, Collection[PaperId]]:
    """The papers from ``lowest`` on that the readers were sent or have judged."""
    known: dict[ReaderId, set[PaperId]] = defaultdict(set)
    for some in in_chunks(reader_ids):
        thumbs = current_thumbs(some, until=then.at if then else None)
        sent = select(editions.c.reader_id, picks.c.paper_id).join(picks)
        if then:
            sent = sent.where(editions.c.composed_at < then.untold)
        for query in (
            sent.where(editions.c.reader_id.in_(some), picks.c.paper_id >= lowest),
            select(thumbs.c.reader_id, thumbs.c.paper_id).where(thumbs.c.paper_id >= lowest),
        ):
            for reader_id, paper_id in connection.execute(query):
                known[reader_id].add(paper_id)
    return known


def revisions_of(
    connection: Connection, since: Mapping[ReaderId, datetime], then: AsOf | None = None
) -> dict[ReaderId, list[PaperId]]:
    """For each reader the papers that they like and of which a later version came in since, oldest first.

    With ``then``, as it was then. Left out are those of which an edition of the reader has told since the version came.
    """
    found: dict[ReaderId, list[PaperId]] = {reader_id: [] for reader_id in since}
    for some in in_chunks(list(since)):
        liked = current_thumbs(some, until=then.at if then else None)
        told = (
            select(picks.c.paper_id)
            .join(editions)
            .where(
                editions.c.reader_id == liked.c.reader_id,
                picks.c.paper_id == revisions.c.paper_id,
                editions.c.composed_at >= revisions.c.at,
            )
        )
        if then:
            told = told.where(editions.c.composed_at < then.untold)
        query = (
            select(liked.c.reader_id, revisions.c.paper_id, revisions.c.at)
            .join(liked, liked.c.paper_id == revisions.c.paper_id)
            .where(liked.c.vote == Vote.UP, revisions.c.at >= min(since.values()), ~exists(told))
            .order_by(revisions.c.paper_id)
        )
        if then:
            query = query.where(revisions.c.at <= then.at)
        for reader_id, paper_id, at in connection.execute(query):
            if at >= since[reader_id] and paper_id not in found[reader_id]:
                found[reader_id].append(paper_id)
    return found
