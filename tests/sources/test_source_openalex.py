"""OpenAlex, from a server that filters, pages and refuses as its API does."""

import json
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from servers import Page, Request, Web

from bot.formats.registry import parse
from bot.model import ParsedDigest, Problem, RawDigest
from bot.model.errors import DigestError, SourceError
from bot.model.limits import ABSTRACT
from bot.sources import Visit
from bot.sources.http import Fetcher
from bot.sources.openalex import MAX_PAGES, PAGE_SIZE, OpenalexOptions, OpenalexSource

NOW = datetime(2026, 11, 23, 8, 0, tzinfo=UTC)
DAY = timedelta(days=1)


def index(abstract: str) -> dict[str, list[int]]:
    words = abstract.split()
    return {word: [place for place, each in enumerate(words) if each == word] for word in words}


def work(number: int = 1, **fields: Any) -> dict[str, Any]:
    return {
        "id": f"https://openalex.org/W{number}",
        "doi": f"https://doi.org/10.1000/owls.{number}",
        "title": f"Reward models of <i>Strix aluco</i> &amp; others, part {number}",
        "type": "article",
        "is_retracted": False,
        "publication_date": "2026-11-20",
        "created_date": "2026-11-22T05:10:07.000000",
        "authorships": [{"author": {"display_name": name}} for name in ("Ada Lovelace", "Grace Hopper")],
        "primary_location": {
            "landing_page_url": "https://doi.org/10.1000/owls",
            "source": {"display_name": "Journal of Owls", "type": "journal"},
        },
        "best_oa_location": {"landing_page_url": None, "pdf_url": "https://owls.example.org/download/1"},
        "primary_topic": {"subfield": {"display_name": "Ornithology"}},
        "abstract_inverted_index": index("Abstract: Reward models say what owls like and what owls do."),
        **fields,
    }


def page(works: list[Any], count: int | None = None) -> bytes:
    return json.dumps({"meta": {"count": len(works) if count is None else count}, "results": works}).encode()


def read(*works: Any) -> ParsedDigest:
    (digest,) = parse(RawDigest("owls", "x", page(list(works))))
    return digest


class Api:
    """OpenAlex over these works, newest first."""

    def __init__(self, web: Web, works: list[dict[str, Any]]) -> None:
        self.works = works
        self.asked: list[dict[str, str]] = []
        web.pages["/works"] = self.answer

    def answer(self, request: Request) -> Page:
        asked = {key: value[0] for key, value in parse_qs(urlsplit(request.path).query).items()}
        self.asked.append(asked)
        assert "mailto:" in request.headers["user-agent"]
        *_, since = asked["filter"].split("from_publication_date:")
        found = [work for work in self.works if work["publication_date"] >= since]
        start = (int(asked["page"]) - 1) * int(asked["per_page"])
        return Page(page(found[start : start + int(asked["per_page"])], len(found)))


@pytest.fixture
def fetcher() -> Fetcher:
    return Fetcher(private_hosts=["127.0.0.1"], contact="ada@example.org")


def source(web: Web, fetcher: Fetcher, key: str = "", **options: str) -> OpenalexSource:
    query = {"search": '"reward model"', **options}
    return OpenalexSource(OpenalexOptions(name="owls", kind="openalex", url=f"{web.url}/works", **query), fetcher, key)


def dates(source: OpenalexSource, visit: Visit) -> list[list[date | None]]:
    raws = [raw for raw in source.retrieve(visit) if isinstance(raw, RawDigest)]
    return [[entry.published for entry in parse(raw)[0].entries] for raw in raws]


def test_later_polls_look_back_for_works_that_were_added_late_but_not_before_the_first_week(
    web: Web, fetcher: Fetcher
) -> None:
    days = [(NOW - n * DAY).date() for n in range(60)]
    api = Api(web, [work(n, publication_date=str(day), created_date=str(day)) for n, day in enumerate(days)])
    owls = source(web, fetcher, filter="language:en")
    memory: dict[str, str] = {}
    assert dates(owls, Visit(NOW, memory)) == [days[:8]]
    assert api.asked[0]["filter"] == "language:en,from_publication_date:2026-11-16"
    assert (api.asked[0]["search"], api.asked[0]["sort"]) == ('"reward model"', "publication_date:desc")
    for later, since in ((10, "2026-11-16"), (60, "2026-12-23")):
        assert len(list(owls.retrieve(Visit(NOW + later * DAY, memory)))) in (0, 1)
        assert api.asked[-1]["filter"].endswith(f"from_publication_date:{since}")
    # Another search has nothing to do with what was retrieved of this one.
    list(source(web, fetcher, search="bees").retrieve(Visit(NOW + 60 * DAY, memory)))
    assert api.asked[-1]["filter"] == "from_publication_date:2027-01-15"
    assert "api_key" not in api.asked[-1]


def test_pages_are_bounded_and_only_a_week_that_is_too_long_is_a_problem(web: Web, fetcher: Fetcher) -> None:
    most = MAX_PAGES * PAGE_SIZE
    Api(web, [work(n, publication_date="2026-11-20") for n in range(most + 1)])
    *pages, problem = source(web, fetcher).retrieve(Visit(NOW))
    assert len(pages) == MAX_PAGES
    assert problem == Problem("owls", "more than 1,000 works a week; narrow its filter or search")

    Api(web, [work(n, publication_date="2026-11-10") for n in range(most + 1)])
    memory = {"query": '"reward model"', "first": "2026-11-01"}
    assert all(isinstance(result, RawDigest) for result in source(web, fetcher).retrieve(Visit(NOW, memory)))


@pytest.mark.parametrize(
    ("answer", "key", "message"),
    [
        (Page(b'{"error":"x","message":"owl is not a valid field"}', 400), "", "field; correct its filter or search"),
        (Page(b'{"message":"Unauthorized"}', 401), "", "get a free key .* set it as PAPERBOT_PASSWORDS__OWLS"),
        (Page(b'{"message":"Unauthorized"}', 401), "hush", "correct the key in PAPERBOT_PASSWORDS__OWLS"),
        (Page(b"<html>", 429, {"Retry-After": "3600"}), "hush hush", "Requests; asks to wait 3600 s; wait, or"),
        (Page(b"", 500), "hush hush", "500 Internal Server Error"),
        (Page(b"<html>Sorry"), "hush", "not a list of works"),
    ],
)
def test_refusals_are_explained_and_never_tell_the_key(
    web: Web, fetcher: Fetcher, answer: Page, key: str, message: str
) -> None:
    web.pages["/works"] = answer
    with pytest.raises(SourceError, match=message) as refused:
        list(source(web, fetcher, key).retrieve(Visit(NOW)))
    assert "hush" not in str(refused.value)
    assert refused.value.retry_after == (3600 if answer.status == 429 else None)
    assert (parse_qs(urlsplit(web.requests[0].path).query).get("api_key") or [""]) == [key]


@pytest.mark.parametrize(
    ("inverted", "abstract"),
    [
        ({"see.": [10**30], "Owls": [-5, True]}, "Owls Owls see."),
        ({"Owls": [0, "1", None, 0.5], "see": 7, "bees": {"0": 1}}, "Owls"),
        ({"x" * 100: list(range(1000))}, ""),
        ({"": [0] * (ABSTRACT + 1)}, ""),
        ("Owls", ""),
    ],
)
def test_hostile_positions_neither_fail_nor_grow(inverted: Any, abstract: str) -> None:
    assert read(work(abstract_inverted_index=inverted)).entries[0].abstract == abstract


_KEYS = [*work(), "author", "display_name", "source", "subfield", "pdf_url", "landing_page_url"]
_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(["https://[x/10.1/2", "9999-12-31"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=5),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(_KEYS), _JSON))
def test_any_json_is_read_or_refused(fields: dict[str, Any]) -> None:
    with suppress(DigestError):
        assert read(work(), {**work(2), **fields}).entries[0].doi == "10.1000/owls.1"


def test_an_edition_shows_journal_and_pdf(home: Path, paperbot: Any, web: Web) -> None:
    Api(web, [work(1)])
    settings = '[fetch]\nprivate_hosts = ["127.0.0.1"]\ncontact = "ada@example.org"\n'
    settings += '[[sources]]\nname = "owls"\nkind = "openalex"\n'
    (home / "paperbot.toml").write_text(settings)
    refused = paperbot("check")
    assert (refused.code, 'kind "openalex" needs filter or search; add search = ...' in refused.err) == (2, True)
    (home / "paperbot.toml").write_text(f'{settings}search = "reward model"\nurl = "{web.url}/works"\n')
    now = ("--now", "2026-11-23T09:00")
    tried = paperbot("sources", "test", "owls", *now)
    assert tried.out.startswith("2026-11-23 reward model from 1: openalex, OpenAlex, 2026-11-22\n  1 paper, 0 rejected")
    assert paperbot("run", "--force", *now, "--json").json["editions"] == 1
    (mail,) = (home / "state" / "outbox").rglob("*.eml")
    for shown in (b"Journal of Owls", b"https://owls.example.org/download/1", b"https://doi.org/10.1000/owls.1"):
        assert shown in mail.read_bytes()
