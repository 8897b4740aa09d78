"""bioRxiv's API, from a server that pages and answers as it does."""

import json
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest
from servers import Page, Request, Web

from bot.formats.registry import parse
from bot.model import Problem, RawDigest
from bot.model.errors import SourceError
from bot.sources import Visit
from bot.sources.biorxiv import MAX_PAGES, BiorxivOptions, BiorxivSource
from bot.sources.http import Fetcher

NOW = datetime(2026, 1, 23, 8, 0, tzinfo=UTC)


def preprint(number: int, **fields: object) -> dict[str, object]:
    return {
        "doi": f"10.64898/2026.01.20.{700000 + number}",
        "title": f"How owls see by night, part {number}",
        "authors": "Lovelace, A. M.; van der Berg, R.; Hopper, G.",
        "author_corresponding_institution": "University of Owls",
        "date": "2026-01-22",
        "version": "1",
        "category": "neuroscience",
        "abstract": "Owls see by night. We measured how.",
        **fields,
    }


def page(items: list[dict[str, object]], total: int, cursor: int = 0) -> bytes:
    message = {"status": "ok", "category": "all", "cursor": cursor, "count": len(items), "total": str(total)}
    return json.dumps({"messages": [message], "collection": items}).encode()


class Api:
    """The list of a server's preprints, 100 a page."""

    def __init__(self, web: Web, items: list[dict[str, object]]) -> None:
        self.items = items
        self.requests: list[tuple[str, str, str]] = []  # first day, category, cursor
        web.default = self.answer

    def answer(self, request: Request) -> Page:
        address = urlsplit(request.path)
        _, details, server, since, until, cursor, form = address.path.split("/")
        assert (details, server, until, form) == ("details", "biorxiv", "2026-01-23", "json")
        category = parse_qs(address.query).get("category", [""])[0]
        self.requests.append((since, category, cursor))
        items = self.items[int(cursor) : int(cursor) + 100]
        if not items:
            return Page(b'{"messages":[{"status":"no posts found"}],"collection":[]}')
        return Page(page(items, len(self.items), int(cursor)))


def source(web: Web, fetcher: Fetcher, category: str = "") -> BiorxivSource:
    options = BiorxivOptions(name="preprints", kind="biorxiv", category=category, url=web.url)
    return BiorxivSource(options, fetcher)


def test_all_pages_are_retrieved_and_the_next_poll_begins_days_before_the_newest_date(
    web: Web, fetcher: Fetcher
) -> None:
    api = Api(web, [preprint(n) for n in range(250)])
    memory: dict[str, str] = {}
    results = source(web, fetcher, "Cell Biology").retrieve(Visit(NOW, memory))
    pages = [len(parse(result)[0].entries) for result in results if isinstance(result, RawDigest)]
    assert pages == [100, 100, 50]
    assert api.requests == [("2026-01-16", "cell_biology", cursor) for cursor in ("0", "100", "200")]

    api.requests.clear()
    list(source(web, fetcher, "Cell Biology").retrieve(Visit(NOW, memory)))
    assert {since for since, _, _ in api.requests} == {"2026-01-19"}

    # Another category has nothing to do with what was retrieved of this one.
    api.requests.clear()
    list(source(web, fetcher).retrieve(Visit(NOW, memory)))
    assert {since for since, _, _ in api.requests} == {"2026-01-16"}


def test_impossible_and_future_dates_are_not_remembered(web: Web, fetcher: Fetcher) -> None:
    Api(web, [preprint(1, date="2026-13-41"), preprint(2, date="2031-01-01"), preprint(3, date=None)])
    memory: dict[str, str] = {}
    assert len(list(source(web, fetcher).retrieve(Visit(NOW, memory)))) == 1
    assert memory["newest"] == "2026-01-23"


def test_days_without_papers_bring_nothing(web: Web, fetcher: Fetcher) -> None:
    Api(web, [])
    assert list(source(web, fetcher).retrieve(Visit(NOW, {}))) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<html>down</html>", "not a list of papers"),
        (b'{"messages":[{"status":"unknown category"}],"collection":[]}', "answers: unknown category"),
    ],
)
def test_other_answers_are_failures(web: Web, fetcher: Fetcher, content: bytes, message: str) -> None:
    web.default = Page(content)
    with pytest.raises(SourceError, match=message):
        list(source(web, fetcher).retrieve(Visit(NOW, {})))


def test_a_list_without_an_end_is_cut_and_reported(web: Web, fetcher: Fetcher) -> None:
    web.default = Page(page([preprint(1)], 10_000_000))
    *pages, problem = source(web, fetcher).retrieve(Visit(NOW, {}))
    assert len(pages) == MAX_PAGES
    assert isinstance(problem, Problem)
    assert "choose a category" in problem.problem
