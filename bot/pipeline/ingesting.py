"""From sources to the store: retrieve, parse, identify."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime

from bot.digests import parse
from bot.domain import Problem, RawDigest
from bot.errors import DigestError
from bot.sources import Source
from bot.store import Store


@dataclass(frozen=True, slots=True)
class DigestReport:
    """What became of one digest; ``rejected`` says which of its blocks could not be read."""

    source: str
    date: date | None
    format: str
    papers: int
    new: int
    known: int
    rejected: tuple[str, ...]
    file: str


def ingest(sources: Iterable[Source], store: Store, now: datetime) -> Iterator[DigestReport | Problem]:
    """Stores what the sources bring, one digest after the other; what can't be read becomes a Problem."""
    for source in sources:
        for raw in source.retrieve():
            if isinstance(raw, Problem):
                yield raw
            else:
                yield from _ingest_one(raw, store, now)


def _ingest_one(raw: RawDigest, store: Store, now: datetime) -> Iterator[DigestReport | Problem]:
    content_hash = hashlib.sha256(raw.content).hexdigest()
    if known := store.papers.digests_with(content_hash):
        for digest in known:
            yield DigestReport(
                source=raw.source,
                date=digest.date,
                format=digest.format,
                papers=digest.papers,
                new=0,
                known=digest.papers,
                rejected=tuple(digest.rejected),
                file=raw.name,
            )
        return
    try:
        parsed = parse(raw)
    except DigestError as error:
        yield Problem(f"{raw.source}/{raw.name}", str(error))
        return
    counts = store.papers.add_digests(raw.source, raw.name, content_hash, parsed, now=now)
    for one, (new, known_papers) in zip(parsed, counts, strict=True):
        yield DigestReport(
            source=raw.source,
            date=one.date,
            format=one.format,
            papers=len(one.entries),
            new=new,
            known=known_papers,
            rejected=one.rejected,
            file=raw.name,
        )
