"""A source for tests to derive from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass
class FakeSource:
    name: str = "owls"
    poll_interval: timedelta = timedelta(hours=1)
    kind: str = "feed"
    follows_arxiv_calendar: bool = False
    delivers_papers: bool = True
    delivers_bounces: bool = False
