"""A query to arXiv's API, page by page from the newest paper back.

arXiv announces papers days after submission, so each poll looks back further than the newest known paper.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Annotated

from pydantic import StringConstraints

from bot.config.tables import FetchUrl, PolledOptions
from bot.model import Problem, RawDigest
from bot.model.errors import SourceError
from bot.sources import FetchedSource, HttpError, SourceKind, Visit, in_arxiv_query

URL = "https://export.arxiv.org/api/query"
PAGE_SIZE = 200  # papers. arXiv allows 2,000, and answers small pages faster
MAX_PAGES = 10
FIRST_LOOK_BACK = timedelta(days=7)
_MAX_HOLD = timedelta(days=4)  # how long arXiv may hold back a paper
_ATTEMPTS = 3  # the API sometimes answers with an empty page
_ARXIV_BEGAN = 1991  # subtracting days from the year 1 would overflow
# Only for paging. No pattern reads past the next "<", which keeps them linear.
_TOTAL = re.compile(rb"<(?:\w+:)?totalResults[^<>]*>\s*(\d{1,9})\s*<")
_PUBLISHED = re.compile(rb"<published>\s*(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)Z?\s*<")
_SUMMARY = re.compile(rb"<summary[^<>]*>([^<]{1,300})<")
_ENTRY = re.compile(rb"<entry\b")


class ArxivOptions(PolledOptions):
    """The query, and the address of the API."""

    query: Annotated[str, StringConstraints(max_length=2_000)]
    url: FetchUrl = URL

    def mistakes(self) -> Iterator[tuple[str, str]]:
        yield from (("query", problem) for problem in in_arxiv_query(self.query))


class ArxivSource(FetchedSource[ArxivOptions]):
    """The results of a query."""

    follows_arxiv_calendar = True

    def retrieve(self, visit: Visit) -> Iterator[RawDigest | Problem]:
        query = self.options.query
        memory = visit.memory_of("query", query)
        newest = datetime.fromisoformat(memory["newest"]) if "newest" in memory else None
        since = newest - _MAX_HOLD if newest else visit.now - FIRST_LOOK_BACK
        for number in range(MAX_PAGES):
            page = self._fetch_page(number * PAGE_SIZE)
            times = _submission_times(page)
            if times:
                # A time in the future would hide papers from later polls.
                newest = min(max([*times, *([newest] if newest else [])]), visit.now)
                yield RawDigest(self.name, f"{query} from {number * PAGE_SIZE + 1}", page)
            if len(times) < PAGE_SIZE or min(times) < since:
                break
        else:
            yield Problem(self.name, f"more than {MAX_PAGES * PAGE_SIZE:,} new papers; make its query narrower")
        if newest:
            visit.memory.update({"query": query, "newest": newest.isoformat()})

    def _fetch_page(self, start: int) -> bytes:
        parameters = {
            "search_query": self.options.query,
            "start": start,
            "max_results": PAGE_SIZE,
            "sortBy": "submittedDate",
            "sortOrder": "descending",
        }
        total = start
        for _ in range(_ATTEMPTS):
            try:
                page = self.get(self.options.url, parameters)
            except HttpError as error:
                explanation = _SUMMARY.search(error.body)
                if error.status != HTTPStatus.BAD_REQUEST or not explanation:
                    raise
                message = explanation[1].decode(errors="replace").strip()
                raise SourceError(f"arXiv answers: {message}; correct its query") from None
            match = _TOTAL.search(page)
            if match is None:
                raise SourceError("arXiv's answer is not a list of papers; it is polled again later")
            total = int(match[1])
            if _ENTRY.search(page) or total <= start:
                return page
        raise SourceError(f"arXiv counts {total:,} papers but lists none; it is polled again later")


def _submission_times(page: bytes) -> list[datetime]:
    times = []
    for text in _PUBLISHED.findall(page):
        with suppress(ValueError):  # such as the 31st of April
            times.append(datetime.fromisoformat(text.decode()).replace(tzinfo=UTC))
    return [time for time in times if time.year >= _ARXIV_BEGAN]


ARXIV = SourceKind("arxiv", ArxivOptions, ArxivSource.make)
