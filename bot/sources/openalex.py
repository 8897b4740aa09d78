"""Works of OpenAlex by filter and search, page by page from the newest publication date.

Only paying users can filter by ``from_created_date``, so each poll looks back some weeks by publication date. Pages
have numbers, because cursors need a key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from http import HTTPStatus
from typing import Annotated

from pydantic import StringConstraints, model_validator

from bot.config.tables import FetchUrl, Minutes, PolledOptions
from bot.model import Problem, RawDigest
from bot.model.errors import SourceError
from bot.sources import FetchedSource, HttpError, SourceKind, Visit, in_search, without_key

URL = "https://api.openalex.org/works"
PAGE_SIZE = 50  # of at most 100. 50 works with 100 authors each have some 7 MB
MAX_PAGES = 20  # 80 searches a day by default. 100 are free without a key
FIRST_LOOK_BACK = timedelta(days=7)
_LATE = timedelta(days=30)  # how long after its publication a work may be added
_FIELDS = (
    "id,doi,title,type,is_retracted,publication_date,created_date,authorships,primary_location,best_oa_location,"
    "primary_topic,abstract_inverted_index"
)
# Only for paging.
_COUNT = re.compile(rb'"count"\s*:\s*(\d{1,12})')
_PUBLISHED = re.compile(rb'"publication_date"\s*:\s*"(\d{4}-\d\d-\d\d)"')
_MESSAGE = re.compile(rb'"message"\s*:\s*"([^"\\]{1,300})')
_HEAD = 2_000  # bytes with the count
_REFUSALS = (HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN)
_KEY_STATUSES = (HTTPStatus.UNAUTHORIZED, HTTPStatus.TOO_MANY_REQUESTS)

Query = Annotated[str, StringConstraints(max_length=2_000)]


class OpenalexOptions(PolledOptions):
    """The filter, such as ``language:en``, and the search words. One is required."""

    filter: Query = ""
    search: Query = ""
    url: FetchUrl = URL
    every: Minutes = 360

    @model_validator(mode="after")
    def _asks_for_something(self) -> OpenalexOptions:
        if not (self.filter or self.search):
            raise ValueError('a source of kind "openalex" needs filter or search; add search = ...')
        return self

    def mistakes(self) -> Iterator[tuple[str, str]]:
        yield from (("search", problem) for problem in in_search(self.search))


class OpenalexSource(FetchedSource[OpenalexOptions]):
    """The works of a filter and a search."""

    def retrieve(self, visit: Visit) -> Iterator[RawDigest | Problem]:
        today = visit.now.date()
        query = " ".join(filter(None, (self.options.search, self.options.filter)))
        memory = visit.memory_of("query", query)
        recent = today - FIRST_LOOK_BACK
        first = date.fromisoformat(memory["first"]) if "first" in memory else recent
        since = max(first, today - _LATE)
        for number in range(1, MAX_PAGES + 1):
            page = self._fetch_page(since, number)
            count = _COUNT.search(page[:_HEAD])
            if count is None:
                raise SourceError("OpenAlex's answer is not a list of works; it is polled again later")
            days = _PUBLISHED.findall(page)
            if days:
                yield RawDigest(self.name, f"{today} {query} from {(number - 1) * PAGE_SIZE + 1}", page)
            if not days or int(count[1]) <= number * PAGE_SIZE:
                break
        else:
            # Earlier weeks were mostly retrieved in time.
            if min(days).decode() > recent.isoformat():
                most = f"{MAX_PAGES * PAGE_SIZE:,}"
                yield Problem(self.name, f"more than {most} works a week; narrow its filter or search")
        visit.memory.update({"query": query, "first": first.isoformat()})

    def _fetch_page(self, since: date, number: int) -> bytes:
        """Fetch one page. Raises SourceError, never with the key in its message."""
        parameters = {
            "filter": ",".join(filter(None, (self.options.filter, f"from_publication_date:{since}"))),
            "search": self.options.search,
            "sort": "publication_date:desc",
            "per_page": PAGE_SIZE,
            "page": number,
            "select": _FIELDS,
            "api_key": self.key,
        }
        try:
            return self.get(self.options.url, parameters)
        except SourceError as error:
            message = str(error)
            if isinstance(error, HttpError):
                stated = _MESSAGE.search(error.body)
                message = f"OpenAlex answers: {stated[1].decode(errors='replace').strip()}" if stated else message
                if error.status in _KEY_STATUSES:
                    variable = f"PAPERBOT_PASSWORDS__{self.name.replace('-', '_').upper()}"
                    get = "get a free key at openalex.org/settings/api and set it as"
                    message += f"; wait, or {'correct the key in' if self.key else get} {variable}"
                elif stated and error.status in _REFUSALS:
                    message += "; correct its filter or search"
            raise SourceError(without_key(message, self.key), retry_after=error.retry_after) from None


OPENALEX = SourceKind("openalex", OpenalexOptions, OpenalexSource.make)
