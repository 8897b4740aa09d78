"""Store one digest: its row, its new papers, what it adds to stored ones, and its sightings."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection, insert, select, update

from bot.domain import PaperId, ParsedDigest
from bot.identity import keys
from bot.store.deduplication import Deduplicator
from bot.store.engine import in_chunks, insert_new
from bot.store.paper_rows import insert_papers, papers_with, update_papers
from bot.store.schema import digests, revisions, sightings


def add_digest(
    connection: Connection,
    parsed: ParsedDigest,
    *,
    source: str,
    name: str,
    content_hash: str,
    part: int,
    now: datetime,
) -> tuple[int, int]:
    """Store one digest, its new papers, what it adds to others, and its sightings; count new and stored papers."""
    arxiv_ids = [entry.arxiv_id for entry in parsed.entries if entry.arxiv_id]
    # Ids of today's form (2504.08385) are sequential; those of before 2007 (hep-th/9901001) are not.
    sequential = [arxiv_id for arxiv_id in arxiv_ids if len(arxiv_id) == 10 and arxiv_id[:4].isdecimal()]
    row = {
        "source": source,
        "name": name,
        "format": parsed.format,
        "topic": parsed.topic,
        "date": parsed.date,
        "content_hash": content_hash,
        "part": part,
        "received_at": now,
        "papers": len(parsed.entries),
        "rejected": parsed.rejected,
        "highest_id": max(sequential, default=None),
    }
    digest_id = connection.scalar(insert_new(connection, digests).values(row).returning(digests.c.id))
    if digest_id is None:  # a digest with the same bytes is stored already
        return 0, len(parsed.entries)

    candidates = papers_with(connection, [key for entry in parsed.entries for key in keys(entry)])
    deduplicator = Deduplicator(candidates)
    matches = [deduplicator.add(entry, now) for entry in parsed.entries]
    ids = insert_papers(connection, deduplicator.new())  # in the store, by provisional id
    update_papers(connection, deduplicator.changed())
    if revised := deduplicator.revised():
        rows = [{"paper_id": paper.id, "version": paper.version, "at": now} for paper in revised]
        connection.execute(insert_new(connection, revisions), rows)
    alerts: dict[PaperId, str | None] = {}
    for entry, paper_id in zip(parsed.entries, matches, strict=True):
        if paper_id is not None:
            alerts.setdefault(ids.get(paper_id, paper_id), entry.alert)
    _add_sightings(connection, digest_id, source, parsed, alerts)
    return len(ids), len(parsed.entries) - len(ids)


def _add_sightings(
    connection: Connection,
    digest_id: int,
    source: str,
    parsed: ParsedDigest,
    alerts: Mapping[PaperId, str | None],
) -> None:
    """Record that the digest contains the papers, and how many of them its source had not delivered before.

    ``alerts`` has the alert that each paper answers, in the order of the digest.
    """
    seen: set[PaperId] = set()
    seen_that_day: set[PaperId] = set()
    for chunk in in_chunks(list(alerts)):
        query = select(sightings.c.paper_id, digests.c.topic, digests.c.date, sightings.c.alert).join(digests)
        query = query.where(sightings.c.paper_id.in_(chunk), digests.c.source == source)
        for paper_id, topic, day, alert in connection.execute(query):
            seen.add(paper_id)
            if (topic, day, alert) == (parsed.topic, parsed.date, alerts[paper_id]):
                seen_that_day.add(paper_id)
    # A feed lists a paper for days, in digest after digest: that is one sighting.
    rows = [
        {"digest_id": digest_id, "paper_id": paper_id, "position": position, "alert": alert}
        for position, (paper_id, alert) in enumerate(alerts.items(), start=1)
        if paper_id not in seen_that_day
    ]
    if rows:
        connection.execute(insert(sightings), rows)
    new = update(digests).where(digests.c.id == digest_id).values(fresh=len(alerts) - len(seen))
    connection.execute(new)
