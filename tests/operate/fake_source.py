"""A source for tests to derive from, and ingestion with a parser that is a function."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from support import ParserBy

from bot.model import Problem
from bot.operate.ingest import DigestReport, Ingestion


def outcomes(store, parse, sources: Sequence[object], now: datetime, **options: bool) -> list[DigestReport | Problem]:
    report = Ingestion(store, ParserBy(parse)).ingest(sources, now, **options)
    return [*report.digests, *report.problems]


@dataclass
class FakeSource:
    name: str = "owls"
    poll_interval: timedelta = timedelta(hours=1)
    kind: str = "feed"
    follows_arxiv_calendar: bool = False
    delivers_papers: bool = True
    delivers_bounces: bool = False
