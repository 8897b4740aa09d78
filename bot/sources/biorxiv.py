"""bioRxiv or medRxiv by their API, page by page through the days since the last poll.

A paper may enter the list of a past day, so each poll looks back further.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, timedelta
from typing import Annotated, Literal

from pydantic import StringConstraints

from bot.config.tables import FetchUrl, Minutes, PolledOptions
from bot.model import Problem, RawDigest
from bot.model.errors import SourceError
from bot.sources import FetchedSource, SourceKind, Visit, in_subject

URL = "https://api.biorxiv.org"
MAX_PAGES = 30  # of 100 papers. bioRxiv posts some 150 a day
FIRST_LOOK_BACK = timedelta(days=7)
_LATE = timedelta(days=3)  # how late a paper may enter a day's list
_HEAD = 2_000  # bytes with the counts
# Only for paging. Numbers may come as text.
_STATUS = re.compile(rb'"status"\s*:\s*"([^"]{1,200})"')
_COUNT = re.compile(rb'"count"\s*:\s*"?(\d{1,9})')
_TOTAL = re.compile(rb'"total"\s*:\s*"?(\d{1,9})')
_DATE = re.compile(rb'"date"\s*:\s*"(\d{4}-\d\d-\d\d)')


class BiorxivOptions(PolledOptions):
    """The server, and the subject, such as ``cell biology``, or all."""

    server: Literal["biorxiv", "medrxiv"] = "biorxiv"
    category: Annotated[str, StringConstraints(max_length=100)] = ""
    url: FetchUrl = URL
    every: Minutes = 180

    def mistakes(self) -> Iterator[tuple[str, str]]:
        if self.category:
            yield from (("category", problem) for problem in in_subject(self.server, self.category))


class BiorxivSource(FetchedSource[BiorxivOptions]):
    """The preprints of a server."""

    def retrieve(self, visit: Visit) -> Iterator[RawDigest | Problem]:
        today = visit.now.date()
        server, category = self.options.server, self.options.category
        query = f"{server}/{category}"
        memory = visit.memory_of("query", query)
        newest = date.fromisoformat(memory["newest"]) if "newest" in memory else None
        since = newest - _LATE if newest else today - FIRST_LOOK_BACK
        address = f"{self.options.url.rstrip('/')}/details/{server}/{since}/{today}"
        subject = category.lower().replace(" ", "_")
        cursor = 0
        for _ in range(MAX_PAGES):
            page = self.get(f"{address}/{cursor}/json", {"category": subject})
            head = page[:_HEAD]
            status = _STATUS.search(head)
            if status is None:
                raise SourceError(f"{server}'s answer is not a list of papers; it is polled again later")
            # "no posts found": a day without papers.
            if status[1] != b"ok" and b"no posts" not in status[1].lower():
                message = status[1].decode(errors="replace")
                raise SourceError(f"{server} answers: {message}; correct the category, or wait")
            if not (count := _number(_COUNT, head)):
                break
            days = [newest] if newest else []
            for text in _DATE.findall(page):
                with suppress(ValueError):  # such as the 31st of April
                    days.append(date.fromisoformat(text.decode()))
            # A date in the future would hide papers from later polls.
            newest = min(max(days, default=today), today)
            yield RawDigest(self.name, f"{query} {since} to {today} from {cursor + 1}", page)
            cursor += count
            if cursor >= _number(_TOTAL, head):
                break
        else:
            yield Problem(self.name, f"more than {cursor:,} new papers; choose a category")
        if newest:
            visit.memory.update({"query": query, "newest": newest.isoformat()})


def _number(pattern: re.Pattern[bytes], head: bytes) -> int:
    match = pattern.search(head)
    return int(match[1]) if match else 0


BIORXIV = SourceKind("biorxiv", BiorxivOptions, BiorxivSource.make)
