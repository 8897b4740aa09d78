"""A query to arXiv's API, page by page from the newest paper back to those that are known.

The API orders by the time of submission. A paper may be held back for days before it is announced, so the look
back goes some days further than the newest paper that was seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from bot.domain import Problem, RawDigest
from bot.errors import SourceError
from bot.sources import Visit
from bot.sources.http import Answer, Fetcher, HttpError

URL = "https://export.arxiv.org/api/query"
PAGE = 200  # papers; arXiv allows 2,000, and is quicker with few
MOST_PAGES = 10
FIRST_LOOK_BACK = timedelta(days=7)
_HELD_BACK = timedelta(days=4)
_TRIES = 3  # the API now and then answers with an empty page where there are papers
# What a page says of itself; its papers are for others to read. No pattern reads past the next "<", so that the time
# for a page grows with its length.
_TOTAL = re.compile(rb"<(?:\w+:)?totalResults[^<>]*>\s*(\d{1,9})\s*<")
_PUBLISHED = re.compile(rb"<published>\s*(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)Z?\s*<")
_SUMMARY = re.compile(rb"<summary[^<>]*>([^<]{1,300})<")
_ENTRY = re.compile(rb"<entry\b")


@dataclass(frozen=True, slots=True)
class ArxivSource:
    """What a query such as ``cat:cs.AI`` finds."""

    name: str
    query: str
    fetcher: Fetcher
    poll_interval: timedelta
    url: str = URL
    kind: str = "arxiv"
    follows_arxiv_calendar: bool = True

    def retrieve(self, visit: Visit) -> Iterator[RawDigest | Problem]:
        """Pages with papers submitted since some days before the newest known; raises SourceError."""
        known = visit.memory if visit.memory.get("query") == self.query else {}
        newest = datetime.fromisoformat(known["newest"]) if "newest" in known else None
        until = newest - _HELD_BACK if newest else visit.now - FIRST_LOOK_BACK
        for number in range(MOST_PAGES):
            page = self._page(number * PAGE)
            times = _times(page)
            if times:
                newest = min(max([*times, *([newest] if newest else [])]), visit.now)
                yield RawDigest(self.name, f"{self.query} from {number * PAGE + 1}", page)
            if len(times) < PAGE or min(times) < until:
                break
        else:
            yield Problem(self.name, f"more than {MOST_PAGES * PAGE:,} new papers; make its query narrower")
        if newest:
            visit.memory.update({"query": self.query, "newest": newest.isoformat()})

    def _page(self, start: int) -> bytes:
        """One page; asked for again where it is empty although there are more papers than that."""
        asked = {
            "search_query": self.query,
            "start": start,
            "max_results": PAGE,
            "sortBy": "submittedDate",
            "sortOrder": "descending",
        }
        total = start
        for _ in range(_TRIES):
            content = self._ask(f"{self.url}?{urlencode(asked)}").content or b""
            counted = _TOTAL.search(content)
            if counted is None:
                raise SourceError("arXiv's answer is no list of papers; asked again with the next run")
            total = int(counted[1])
            if _ENTRY.search(content) or total <= start:
                return content
        raise SourceError(f"arXiv counts {total:,} papers but lists none; asked again with the next run")

    def _ask(self, url: str) -> Answer:
        try:
            return self.fetcher.fetch(url)
        except HttpError as error:
            said = _SUMMARY.search(error.body)
            if error.status != 400 or not said:
                raise
            raise SourceError(
                f"arXiv answers: {said[1].decode(errors='replace').strip()}; correct its query"
            ) from None


def _times(page: bytes) -> list[datetime]:
    """When the papers of a page were submitted."""
    found = (time.decode() for time in _PUBLISHED.findall(page))
    return [datetime.fromisoformat(time).replace(tzinfo=UTC) for time in found if _is_time(time)]


def _is_time(text: str) -> bool:
    """Whether it is a time since there is arXiv; one before the year 1 plus some days could not be looked back from."""
    try:
        return datetime.fromisoformat(text).year >= 1991
    except ValueError:
        return False
