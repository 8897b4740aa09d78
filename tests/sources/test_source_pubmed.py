"""PubMed, from a server that lists and fetches as NCBI's E-utilities do."""

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from servers import Page, Request, Web

from bot.formats.registry import parse
from bot.model import Problem, RawDigest
from bot.model.errors import DigestError, SourceError
from bot.sources import Visit
from bot.sources.http import Fetcher
from bot.sources.pubmed import BATCH, MAX_ARTICLES, PubmedOptions, PubmedSource

NOW = datetime(2026, 11, 23, 8, 0, tzinfo=UTC)
DAY = timedelta(days=1)
HEAD = (
    '<?xml version="1.0" encoding="UTF-8" ?>\n<!DOCTYPE {0} PUBLIC "-//NLM//DTD {0}//EN" "https://x.example/{0}.dtd">\n'
)


def article(number: int, day: date) -> str:
    return f"""<PubmedArticle><MedlineCitation><PMID Version="1">{number}</PMID><Article>
        <Journal><Title>Owls</Title></Journal><ArticleTitle>Reward models of owls, part {number}.</ArticleTitle>
        <PublicationTypeList><PublicationType>Randomized Controlled Trial</PublicationType></PublicationTypeList>
        </Article></MedlineCitation><PubmedData><History><PubMedPubDate PubStatus="entrez"><Year>{day.year}</Year>
        <Month>{day.month}</Month><Day>{day.day}</Day></PubMedPubDate></History><ArticleIdList>
        <ArticleId IdType="doi">10.1000/owls.{number}</ArticleId></ArticleIdList></PubmedData></PubmedArticle>"""


class Api:
    """E-utilities over articles by the day of their entry."""

    def __init__(self, web: Web, entered: dict[int, date], unknown: str = "") -> None:
        self.entered = entered
        self.unknown = unknown
        self.asked: list[dict[str, str]] = []
        web.pages["/esearch.fcgi"] = self.search
        web.pages["/efetch.fcgi"] = self.fetch

    def search(self, request: Request) -> Page:
        asked = self._parameters(request)
        since = datetime.strptime(asked["mindate"], "%Y/%m/%d").replace(tzinfo=UTC).date()
        found = sorted(number for number, day in self.entered.items() if day >= since)
        errors = f"<ErrorList><PhraseNotFound>{self.unknown}</PhraseNotFound></ErrorList>" if self.unknown else ""
        listed = "\n".join(f"<Id>{number}</Id>" for number in found[: int(asked["retmax"])])
        answer = (
            f"<eSearchResult><Count>{len(found)}</Count><RetMax>{len(found)}</RetMax><IdList>{listed}</IdList>"
            f"<TranslationStack><TermSet><Count>7</Count></TermSet></TranslationStack>{errors}</eSearchResult>\n"
        )
        return Page((HEAD.format("eSearchResult") + answer).encode())

    def fetch(self, request: Request) -> Page:
        numbers = map(int, self._parameters(request)["id"].split(","))
        articles = "".join(article(number, self.entered[number]) for number in numbers)
        return Page(f"{HEAD.format('PubmedArticleSet')}<PubmedArticleSet>{articles}</PubmedArticleSet>".encode())

    def _parameters(self, request: Request) -> dict[str, str]:
        asked = {key: value[0] for key, value in parse_qs(urlsplit(request.path).query).items()}
        assert (asked["db"], asked["tool"], asked["email"]) == ("pubmed", "paperbot", "ada@example.org")
        self.asked.append(asked)
        return asked


def source(web: Web, key: str = "", **options: Any) -> PubmedSource:
    values = {"name": "owls", "kind": "pubmed", "query": "owls[Title]", "url": web.url, **options}
    fetcher = Fetcher(private_hosts=["127.0.0.1"], contact="ada@example.org", sleep=lambda _: None)
    return PubmedSource(PubmedOptions(**values), fetcher, key)


def fetched(results: list[RawDigest | Problem]) -> list[list[str | None]]:
    digests = [digest for raw in results if isinstance(raw, RawDigest) for digest in parse(raw)]
    return [[entry.doi for entry in digest.entries] for digest in digests]


def test_later_polls_look_back_some_weeks_and_fetch_only_what_earlier_ones_did_not(web: Web) -> None:
    today = NOW.date()
    api = Api(web, {9: today, 7: today - 3 * DAY, 5: today - 20 * DAY})
    owls = source(web, types=["Randomized Controlled Trial", "Systematic Review"])
    visit = Visit(NOW)
    assert fetched(list(owls.retrieve(visit))) == [["10.1000/owls.9", "10.1000/owls.7"]]
    search, fetch = api.asked
    assert search["term"] == (
        '(owls[Title]) AND ("Randomized Controlled Trial"[Publication Type] OR "Systematic Review"[Publication Type])'
    )
    assert (search["datetype"], search["mindate"], search["maxdate"]) == ("edat", "2026/11/16", "3000")
    assert (fetch["id"], fetch["retmode"], "api_key" in fetch) == ("9,7", "xml", False)

    # Entered before, and only now of this type.
    api.entered |= {6: today - DAY}
    later = Visit(NOW + 3 * DAY, visit.memory)
    assert fetched(list(owls.retrieve(later))) == [["10.1000/owls.6"]]
    assert api.asked[-2]["mindate"] == "2026/11/16"
    assert list(owls.retrieve(Visit(NOW + 3 * DAY, later.memory))) == []
    assert list(owls.retrieve(Visit(NOW + 60 * DAY, later.memory))) == []
    assert api.asked[-1]["mindate"] == "2026/12/23"
    # Another query has nothing to do with what was fetched of this one.
    assert len(fetched(list(source(web).retrieve(Visit(NOW, later.memory))))[0]) == 3


def test_many_articles_come_in_bounded_batches(web: Web) -> None:
    Api(web, dict.fromkeys(range(1, MAX_ARTICLES + 2), NOW.date()))
    *batches, problem = source(web).retrieve(Visit(NOW))
    assert [len(batch) for batch in fetched(batches)] == [BATCH] * (MAX_ARTICLES // BATCH)
    assert problem == Problem("owls", "more than 2,000 new articles; make its query narrower")


def test_a_phrase_that_pubmed_does_not_know_is_named_once_unless_nothing_is_found(web: Web) -> None:
    Api(web, {3: NOW.date()}, unknown='"Randomised Trial"[Publication Type]')
    visit = Visit(NOW)
    problem, _ = source(web).retrieve(visit)
    assert problem == Problem(
        "owls", 'PubMed doesn\'t know "Randomised Trial"[Publication Type]; correct its query or types'
    )
    (batch,) = source(web).retrieve(Visit(NOW, visit.lasting))
    assert isinstance(batch, RawDigest)
    Api(web, {}, unknown="owlz[Title]")
    with pytest.raises(SourceError, match=r"PubMed doesn't know owlz\[Title\]"):
        list(source(web).retrieve(Visit(NOW, visit.lasting)))


EMPTY = HEAD.format("eSearchResult") + "<eSearchResult><Count>0</Count><IdList/></eSearchResult>"
LISTED = HEAD.format("eSearchResult") + "<eSearchResult><Count>1</Count><IdList><Id>1</Id></IdList></eSearchResult>"
BUSY = Page(json.dumps({"error": "API rate limit exceeded", "api-key": "hush hush", "count": "11"}).encode(), 429)


@pytest.mark.parametrize(
    ("listed", "record", "message"),
    [
        (Page(b"<eSearchResult><ERROR>Search Backend failed</ERROR></eSearchResult>"), b"", "Backend failed; wait, or"),
        (Page(b'{"error":"API key invalid","api-key":"hush hush"}', 400), b"", "key invalid; correct the key"),
        (BUSY, b"", "API rate limit exceeded; wait"),
        (Page(b"<html>hush hush", 502), b"", "502 Bad Gateway"),
        (Page(b"<html>Sorry"), b"", "answer to esearch is not complete; it is polled again later"),
        (Page(LISTED.encode()), b"<eFetchResult><ERROR>ID list is empty</ERROR></eFetchResult>", "ID list is empty"),
        (Page(LISTED.encode()), b"<PubmedArticleSet><PubmedArticle>", "answer to efetch is not complete"),
    ],
)
def test_errors_are_explained_and_never_tell_the_key(web: Web, listed: Page, record: bytes, message: str) -> None:
    web.pages |= {"/esearch.fcgi": listed, "/efetch.fcgi": Page(record)}
    visit = Visit(NOW)
    with pytest.raises(SourceError, match=message) as refused:
        list(source(web, "hush hush").retrieve(visit))
    assert ("hush" in str(refused.value), visit.memory) == (False, {})
    assert parse_qs(urlsplit(web.requests[0].path).query)["api_key"] == ["hush hush"]


def test_nothing_new_is_no_failure(web: Web) -> None:
    web.pages["/esearch.fcgi"] = Page(EMPTY.encode())
    assert list(source(web).retrieve(Visit(NOW))) == []


@pytest.mark.parametrize(
    "xml",
    [
        '<!DOCTYPE PubmedArticleSet [<!ENTITY a "x">]><PubmedArticleSet>&a;</PubmedArticleSet>',
        "<PubmedArticleSet2/>",
        f"<PubmedArticleSet>{'<PubmedArticle/>' * 5_001}</PubmedArticleSet>",
    ],
)
def test_entities_and_other_sets_are_refused(xml: str) -> None:
    with pytest.raises(DigestError):
        parse(RawDigest("owls", "x", xml.encode()))


def test_an_edition_shows_the_design_and_the_journal(home: Path, paperbot: Any, web: Web) -> None:
    Api(web, {1: NOW.date()})
    settings = '[fetch]\nprivate_hosts = ["127.0.0.1"]\ncontact = "ada@example.org"\n'
    settings += f'[[sources]]\nname = "owls"\nkind = "pubmed"\nurl = "{web.url}"\n'
    (home / "paperbot.toml").write_text(f'{settings}query = "owls[Title"\ntypes = ["Trial[pt]"]\n')
    assert "sources[1].types" in paperbot("check").err
    (home / "paperbot.toml").write_text(f'{settings}query = "(owls"\n')
    assert 'the "(" at character 1 is not closed' in paperbot("check").err
    (home / "paperbot.toml").write_text(f'{settings}query = "owls"\ntypes = ["Randomized Controlled Trial"]\n')
    now = ("--now", "2026-11-23T09:00")
    assert "pubmed, PubMed, 2026-11-23\n  1 paper, 0 rejected\n" in paperbot("sources", "test", "owls", *now).out
    assert paperbot("run", "--force", *now, "--json").json["editions"] == 1
    (mail,) = (home / "state" / "outbox").rglob("*.eml")
    for shown in (b"Randomized Controlled Trial", b"https://doi.org/10.1000/owls.1"):
        assert shown in mail.read_bytes()
