"""One RSS or Atom feed, by conditional requests."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from bot.config.tables import FetchUrl, PolledOptions
from bot.model import RawDigest
from bot.sources import FetchedSource, SourceKind, Visit, in_address


class FeedOptions(PolledOptions):
    """The address of the feed."""

    url: FetchUrl

    def mistakes(self) -> Iterator[tuple[str, str]]:
        yield from (("url", problem) for problem in in_address(self.url))


class FeedSource(FetchedSource[FeedOptions]):
    """The feed at a URL."""

    @property
    def follows_arxiv_calendar(self) -> bool:
        return f".{urlsplit(self.options.url).hostname or ''}".endswith(".arxiv.org")

    def retrieve(self, visit: Visit) -> Iterator[RawDigest]:
        # With another URL's validators, the server could answer 304 for a feed that was never read.
        url = self.options.url
        memory = visit.memory_of("url", url)
        answer = self.fetcher.fetch(url, etag=memory.get("etag", ""), last_modified=memory.get("last-modified", ""))
        if answer.content is None:
            return
        visit.memory.update({"url": url, "etag": answer.etag, "last-modified": answer.last_modified})
        yield RawDigest(self.name, url, answer.content)


FEED = SourceKind("feed", FeedOptions, FeedSource.make)
