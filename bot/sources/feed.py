"""One RSS or Atom feed, by conditional requests: a feed that has not changed is not transferred."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit

from bot.domain import RawDigest
from bot.sources import Visit
from bot.sources.http import Fetcher

_ETAG = "etag"
_LAST_MODIFIED = "last-modified"


@dataclass(frozen=True, slots=True)
class FeedSource:
    """The feed at a URL."""

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
        """Yield the feed unless it is unchanged since the last poll; raises SourceError."""
        # Validators belong to one URL: with another one's, the server could answer 304 for a feed that was never read.
        memory = visit.memory_of("url", self.url)
        answer = self.fetcher.fetch(
            self.url, etag=memory.get(_ETAG, ""), last_modified=memory.get(_LAST_MODIFIED, "")
        )
        if answer.content is None:
            return
        visit.memory.update({"url": self.url, _ETAG: answer.etag, _LAST_MODIFIED: answer.last_modified})
        yield RawDigest(self.name, self.url, answer.content)
