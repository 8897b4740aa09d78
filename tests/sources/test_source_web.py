"""Feeds, arXiv's API and Hugging Face's lists, from a server that behaves as theirs do."""

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from servers import FakeTime, Page, Request, Web

from bot.model import Problem, RawDigest
from bot.model.errors import SourceError
from bot.sources import Source, Visit
from bot.sources.arxiv import PAGE_SIZE, ArxivOptions, ArxivSource
from bot.sources.feed import FeedOptions, FeedSource
from bot.sources.http import Fetcher
from bot.sources.huggingface import HuggingFaceOptions, HuggingFaceSource

NOW = datetime(2026, 6, 12, 8, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def contents(source: Source, visit: Visit) -> list[bytes]:
    results = list(source.retrieve(visit))
    assert all(isinstance(result, RawDigest) and result.source == source.name for result in results)
    return [result.content for result in results if isinstance(result, RawDigest)]


# --- feeds ------------------------------------------------------------------------------------


def feed_source(url: str, fetcher: Fetcher) -> FeedSource:
    return FeedSource(FeedOptions(name="owls", kind="feed", url=url), fetcher)


def test_an_unchanged_feed_is_delivered_once(web: Web, fetcher: Fetcher) -> None:
    def feed(request: Request) -> Page:
        if request.headers.get("if-none-match") == '"1"':
            return Page(status=304)
        return Page(b"owls", headers={"ETag": '"1"'})

    web.pages["/feed"] = feed
    source, memory = feed_source(f"{web.url}/feed", fetcher), {}
    assert contents(source, Visit(NOW, memory)) == [b"owls"]
    assert contents(source, Visit(NOW, memory)) == []


def test_a_feed_with_another_url_is_requested_without_the_old_validators(web: Web, fetcher: Fetcher) -> None:
    web.pages["/new"] = Page(b"owls")
    memory = {"url": f"{web.url}/old", "etag": '"1"', "last-modified": "x"}
    assert contents(feed_source(f"{web.url}/new", fetcher), Visit(NOW, memory)) == [b"owls"]
    assert "if-none-match" not in web.requests[0].headers


def test_arxivs_own_feeds_are_recognised_by_their_host(fetcher: Fetcher) -> None:
    hosts = ("rss.arxiv.org/rss/cs.AI", "arxiv.org.example.org/", "example.org/arxiv.org")
    assert [feed_source(f"https://{host}", fetcher).follows_arxiv_calendar for host in hosts] == [True, False, False]


# --- arXiv ------------------------------------------------------------------------------------


class Api:
    """arXiv's API over papers submitted at these times, newest first."""

    def __init__(self, web: Web, *times: datetime) -> None:
        self.times = list(times)
        self.empty_answers = 0
        self.asked: list[dict[str, str]] = []
        web.pages["/api"] = self.answer

    def answer(self, request: Request) -> Page:
        parameters = {key: value[0] for key, value in parse_qs(urlsplit(request.path).query).items()}
        self.asked.append(parameters)
        start, most = int(parameters["start"]), int(parameters["max_results"])
        papers = self.times[start : start + most]
        if self.empty_answers:
            self.empty_answers -= 1
            papers = []
        entries = "".join(
            f"<entry><title>T</title><published>{time:%Y-%m-%dT%H:%M:%SZ}</published></entry>" for time in papers
        )
        total = f"<opensearch:totalResults>{len(self.times)}</opensearch:totalResults>"
        return Page(f"<feed>{total}{entries}</feed>".encode())


def arxiv(web: Web, fetcher: Fetcher) -> ArxivSource:
    options = ArxivOptions(name="ai", kind="arxiv", query="cat:cs.AI AND abs:owls", url=f"{web.url}/api")
    return ArxivSource(options, fetcher)


def hours_ago(*hours: float) -> list[datetime]:
    return [NOW - timedelta(hours=ago) for ago in hours]


def test_the_newest_papers_of_the_query_are_requested(web: Web, fetcher: Fetcher) -> None:
    api = Api(web, *hours_ago(1, 2))
    (page,) = contents(arxiv(web, fetcher), Visit(NOW))
    assert page.count(b"<entry>") == 2
    assert api.asked == [
        {
            "search_query": "cat:cs.AI AND abs:owls",
            "start": "0",
            "max_results": str(PAGE_SIZE),
            "sortBy": "submittedDate",
            "sortOrder": "descending",
        }
    ]


def test_pages_are_requested_back_to_some_days_before_the_querys_newest_paper(web: Web, fetcher: Fetcher) -> None:
    """Papers every half hour for a month: a week of them at first, then four days beyond the newest known."""
    api = Api(web, *hours_ago(*(n / 2 for n in range(1440))))
    memory: dict[str, str] = {}
    assert len(contents(arxiv(web, fetcher), Visit(NOW, memory))) == 2
    assert memory["newest"] == NOW.isoformat()
    assert len(contents(arxiv(web, fetcher), Visit(NOW, memory))) == 1
    assert len(contents(arxiv(web, fetcher), Visit(NOW, memory | {"query": "cat:cs.OW"}))) == 2
    assert [parameters["start"] for parameters in api.asked] == ["0", "200", "0", "0", "200"]


def test_a_query_with_too_many_results_is_reported(web: Web, fetcher: Fetcher) -> None:
    Api(web, *hours_ago(*(n / 100 for n in range(3000))))
    *pages, problem = arxiv(web, fetcher).retrieve(Visit(NOW))
    assert len(pages) == 10
    assert problem == Problem("ai", "more than 2,000 new papers; make its query narrower")


def test_an_empty_page_is_requested_again_if_there_are_papers(web: Web, fetcher: Fetcher) -> None:
    api = Api(web, *hours_ago(1))
    api.empty_answers = 2
    assert len(contents(arxiv(web, fetcher), Visit(NOW))) == 1
    api.empty_answers = 3
    with pytest.raises(SourceError, match="arXiv counts 1 papers but lists none"):
        contents(arxiv(web, fetcher), Visit(NOW))


def test_arxivs_message_about_a_wrong_query_is_reported(web: Web, fetcher: Fetcher) -> None:
    web.pages["/api"] = Page(b"<entry><summary>incorrect id format</summary></entry>", 400)
    with pytest.raises(SourceError, match="arXiv answers: incorrect id format; correct its query"):
        contents(arxiv(web, fetcher), Visit(NOW))
    for page in (Page(b"<html>Error", 400), Page(b"<html>Sorry"), Page(b"", 500)):
        web.pages["/api"] = page
        with pytest.raises(SourceError):
            contents(arxiv(web, fetcher), Visit(NOW))


def test_a_query_without_results_or_with_invalid_times_is_not_a_failure(web: Web, fetcher: Fetcher) -> None:
    invalid = b"<totalResults>1</totalResults><entry><published>2026-99-99T00:00:00Z</published></entry>"
    for page in (b"<totalResults>0</totalResults>", invalid):
        web.pages["/api"] = Page(page)
        assert contents(arxiv(web, fetcher), visit := Visit(NOW)) == []
        assert visit.memory == {}


@pytest.mark.parametrize("submitted", [b"0001-01-01T00:00:00Z", b"9999-12-31T23:59:59Z"])
def test_an_implausible_time_does_not_change_how_far_the_next_poll_looks_back(
    web: Web, fetcher: Fetcher, submitted: bytes
) -> None:
    good = b"<entry><published>2026-06-12T07:00:00Z</published></entry>"
    page = b"<totalResults>2</totalResults><entry><published>%s</published></entry>%s" % (submitted, good)
    web.pages["/api"] = Page(page)
    visit = Visit(NOW)
    assert contents(arxiv(web, fetcher), visit) == [page]
    assert datetime.fromisoformat(visit.memory["newest"]) <= NOW
    assert contents(arxiv(web, fetcher), Visit(NOW, visit.memory)) == [page]


# --- Hugging Face -----------------------------------------------------------------------------


def lists(web: Web, fetcher: Fetcher) -> HuggingFaceSource:
    web.pages["/hf"] = lambda request: Page(f'["{request.path.partition("=")[2]}"]'.encode())
    options = HuggingFaceOptions(name="hf", kind="huggingface", url=f"{web.url}/hf")
    return HuggingFaceSource(options, fetcher)


def test_the_lists_of_the_last_two_days_are_retrieved_at_each_poll(web: Web, fetcher: Fetcher) -> None:
    source, memory = lists(web, fetcher), {}
    for now in (NOW, NOW + HOUR):
        assert contents(source, Visit(now, memory)) == [b'["2026-06-11"]', b'["2026-06-12"]']


def test_missed_days_are_retrieved_up_to_a_week(web: Web, fetcher: Fetcher) -> None:
    source = lists(web, fetcher)
    assert len(contents(source, Visit(NOW, {"last": "2026-06-09"}))) == 5
    assert len(contents(source, Visit(NOW, {"last": "2026-01-01"}))) == 8
    assert len(contents(source, Visit(NOW, {"last": "2027-01-01"}))) == 2


def test_a_list_not_yet_published_is_not_a_failure_and_an_empty_one_not_a_digest(web: Web, fetcher: Fetcher) -> None:
    source = lists(web, fetcher)
    web.pages["/hf"] = lambda request: Page(b"{}", 400) if request.path.endswith("12") else Page(b" [] \n")
    assert contents(source, Visit(NOW)) == []
    web.pages["/hf"] = Page(b"", 400)
    with pytest.raises(SourceError, match="400 Bad Request"):
        contents(source, Visit(NOW))


def test_a_busy_host_is_not_polled_before_its_retry_after(web: Web, fetcher: Fetcher, time: FakeTime) -> None:
    source = lists(web, fetcher)
    web.pages["/hf"] = Page(status=429, headers={"Retry-After": "120"})
    with pytest.raises(SourceError) as refused:
        contents(source, Visit(NOW))
    assert (refused.value.retry_after, time.slept) == (120, [])
