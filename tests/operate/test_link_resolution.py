"""Links that digests don't give, looked up by title."""

from datetime import UTC, datetime

import pytest
from servers import Page, Web
from support import ParserBy

from bot.formats.registry import parse
from bot.model import Entry, ParsedDigest, Problem
from bot.model.papers import paper_link
from bot.operate.ingest import LinkResolver
from bot.sources.http import Fetcher
from bot.store import Store

NOW = datetime(2026, 6, 12, 8, 0, tzinfo=UTC)


@pytest.fixture
def resolver(store: Store, web: Web, fetcher: Fetcher) -> LinkResolver:
    return LinkResolver(store, fetcher, ParserBy(parse), f"{web.url}/api", web.url)


def take_in(store: Store, *entries: Entry) -> None:
    store.papers.add_digests("a", "x", str(entries), [ParsedDigest("keyword", "", None, entries)], now=NOW)


def answer(*papers: tuple[str, str, str]) -> Page:
    entries = "".join(
        f"<entry><id>http://arxiv.org/abs/{number}v1</id><title>{title}</title><author><name>{author}</name></author>"
        "<category term='cs.OW'/></entry>"
        for number, title, author in papers
    )
    return Page(f"<feed xmlns='http://www.w3.org/2005/Atom'><title>Answer</title>{entries}</feed>".encode())


def links(store: Store) -> list[str]:
    return [paper_link(paper).url for paper in store.papers.get(range(1, 10)).values()]


def test_a_paper_gets_the_id_of_the_same_title_and_author(store: Store, web: Web, resolver: LinkResolver) -> None:
    take_in(store, Entry("Owls: at Night?", authors=("Ada Lovelace",)))
    web.pages["/api"] = answer(
        ("2606.00001", "Owls at Noon", "Ada Lovelace"),
        ("2606.00002", "Owls at Night", "Grace Hopper"),
        ("2606.00003", "Owls, at Night", "A. Lovelace"),
    )
    assert list(resolver.resolve(NOW)) == []
    (paper,) = store.papers.get([1]).values()
    assert (paper.arxiv_id, paper.categories) == ("2606.00003", ("cs.OW",))
    assert "ti%3A%22Owls+at+Night%22" in web.requests[0].path


def test_each_paper_is_looked_up_once_whether_found_or_not(store: Store, web: Web, resolver: LinkResolver) -> None:
    take_in(store, Entry("Owls"), Entry("Bees", url="https://example.org"), Entry("Cats", doi="10.1000/x"))
    web.pages["/api"] = answer()
    assert [*resolver.resolve(NOW), *resolver.resolve(NOW)] == []
    assert len(web.requests) == 1
    assert "searchtype=title" in links(store)[0]


def test_an_id_of_another_paper_is_not_assigned_twice(store: Store, web: Web, resolver: LinkResolver) -> None:
    take_in(store, Entry("Owls, First Title", arxiv_id="2606.00001"), Entry("Owls"))
    web.pages["/api"] = answer(("2606.00001", "Owls", "Ada Lovelace"))
    assert list(resolver.resolve(NOW)) == []
    assert links(store) == ["https://arxiv.org/abs/2606.00001"] * 2
    assert [paper.arxiv_id for paper in store.papers.get([1, 2]).values()] == ["2606.00001", None]


@pytest.mark.parametrize("page", [Page(b"", 503, {"Retry-After": "600"}), Page(b"<html>Sorry")])
def test_a_failure_is_one_problem_and_the_papers_are_looked_up_again(
    store: Store, web: Web, resolver: LinkResolver, page: Page
) -> None:
    take_in(store, Entry("Owls"), Entry("Bees"))
    web.pages["/api"] = page
    (problem,) = resolver.resolve(NOW)
    assert isinstance(problem, Problem)
    assert problem.problem.startswith("looking papers up: ")
    assert len(web.requests) == 1
    web.pages["/api"] = answer(("2606.00001", "Owls", "Ada Lovelace"))
    assert list(resolver.resolve(NOW)) == []
    assert sum("arxiv.org/abs" in url for url in links(store)) == 1


def test_a_cut_text_is_fetched_whole_by_its_arxiv_id(store: Store, web: Web, resolver: LinkResolver) -> None:
    take_in(store, Entry("Owls that see and \u2026", "We study how \u2026", ("A Lovelace",), arxiv_id="2606.00001"))
    web.pages["/api"] = Page(
        b"<feed xmlns='http://www.w3.org/2005/Atom'><title>Answer</title><entry><id>http://arxiv.org/abs/2606.00001v1"
        b"</id><title>Owls that see and hear</title><summary>We study how.</summary></entry></feed>"
    )
    assert [*resolver.resolve(NOW), *resolver.resolve(NOW)] == []
    (paper,) = store.papers.get([1]).values()
    assert (paper.title, paper.abstract) == ("Owls that see and hear", "We study how.")
    assert [request.path for request in web.requests] == ["/api?id_list=2606.00001"]


def test_a_cut_text_is_fetched_whole_by_bioRxivs_doi_and_by_no_other(  # noqa: N802 - the name has a capital
    store: Store, web: Web, resolver: LinkResolver
) -> None:
    cut = "We study how \u2026"
    take_in(store, Entry("Owls", cut, doi="10.1101/2026.01.20.700468"), Entry("Bees", cut, doi="10.1000/x"))
    web.pages["/details/biorxiv/10.1101/2026.01.20.700468/na/json"] = Page(
        b'{"messages":[{"status":"no posts found"}],"collection":[]}'
    )
    web.pages["/details/medrxiv/10.1101/2026.01.20.700468/na/json"] = Page(
        b'{"messages":[{"status":"ok"}],"collection":[{"title":"Owls","doi":"10.1101/2026.01.20.700468",'
        b'"abstract":"We study how owls see.","version":"1"}]}'
    )
    assert list(resolver.resolve(NOW)) == []
    owls, bees = store.papers.get([1, 2]).values()
    assert (owls.abstract, bees.abstract) == ("We study how owls see.", cut)
    assert len(web.requests) == 2
