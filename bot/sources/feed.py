"""One RSS or Atom feed, fetched when it has changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit

from bot.domain import RawDigest
from bot.sources import Visit
from bot.sources.http import Fetcher

ETAG, LAST_MODIFIED = "etag", "last-modified"


@dataclass(frozen=True, slots=True)
class FeedSource:
    """The feed at an address."""

    name: str
    url: str
    fetcher: Fetcher
    poll_interval: timedelta
    kind: str = "feed"

    @property
    def follows_arxiv_calendar(self) -> bool:
        """Whether it is one of arXiv's own feeds."""
        return f".{urlsplit(self.url).hostname or ''}".endswith(".arxiv.org")

    def retrieve(self, visit: Visit) -> Iterator[RawDigest]:
        """The feed, or nothing if it is as it was; raises SourceError."""
        known = visit.memory if visit.memory.get("url") == self.url else {}
        answer = self.fetcher.fetch(
            self.url, etag=known.get(ETAG, ""), last_modified=known.get(LAST_MODIFIED, "")
        )
        if answer.content is None:
            return
        visit.memory.update({"url": self.url, ETAG: answer.etag, LAST_MODIFIED: answer.last_modified})
        yield RawDigest(self.name, self.url, answer.content)
