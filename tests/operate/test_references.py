"""What papers cite, asked of OpenAlex: of which papers, how often, and what of the answers is kept."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from servers import Page, Request, Web
from support import ON_ONE_DATABASE, digest

from bot.app import App, open_app
from bot.model import FactKind
from bot.operate import references
from bot.operate.ingest import LinkResolver
from bot.operate.references import A_DAY, NAME, References

NOW = datetime(2025, 5, 7, 9, tzinfo=UTC)
TOMORROW = NOW + timedelta(days=1)
ADA, GRACE = "ada@example.org", "grace@example.org"
PROFILE = """title = "Owls"
interests = "reward models"
[edition]
threshold = 0.8
{extra}
[[readers]]
email = "ada@example.org"
[[readers]]
email = "grace@example.org"
"""
SETTINGS = """[fetch]
private_hosts = ["127.0.0.1"]
contact = "operator@example.org"
[links]
resolve = true
[[sources]]
name = "seeds"
kind = "folder"
path = "seeds"
[email]
host = ""
"""
CITED = [
    {"doi": "https://doi.org/10.1000/numbers", "title": "Numbers, in other words"},
    {"doi": "https://doi.org/10.1000/elsewhere", "title": "A paper that nobody here has"},
    {"doi": None, "title": "Rewards for small owls"},
]


class OpenAlex:
    """Answers as OpenAlex does: works by DOI with the ids that they cite, and works by their ids."""

    def __init__(self, web: Web) -> None:
        self.web = web
        self.cited = CITED
        self.unknown: set[str] = set()
        web.default = self.answer
        web.pages["/api"] = Page(b"<feed xmlns='http://www.w3.org/2005/Atom'><title>Nothing found</title></feed>")

    def answer(self, request: Request) -> Page:
        parts = urlsplit(request.path)
        query = parse_qs(parts.query)
        if parts.path.startswith("/works/doi:"):
            if parts.path.removeprefix("/works/doi:") in self.unknown:
                return Page(b'{"error": "Not found"}', 404)
            assert query == {"select": ["referenced_works"]}
            ids = [f"https://openalex.org/W{number}" for number in range(len(self.cited))]
            return Page(json.dumps({"referenced_works": ids}).encode())
        assert query["filter"] == ["openalex_id:" + "|".join(f"W{number}" for number in range(len(self.cited)))]
        return Page(json.dumps({"meta": {"count": len(self.cited)}, "results": self.cited}).encode())

    @property
    def asked(self) -> list[str]:
        """The DOIs asked about so far."""
        paths = (urlsplit(request.path).path for request in self.web.requests)
        return [path.removeprefix("/works/doi:") for path in paths if path.startswith("/works/doi:")]


@pytest.fixture
def openalex(web: Web) -> OpenAlex:
    return OpenAlex(web)


@pytest.fixture
def asking(bare: Path, paperbot, openalex: OpenAlex, store_url: str, monkeypatch) -> Path:
    """A home on each database that asks the server; two new papers have ids; Ada's library has one paper."""
    monkeypatch.setenv("PAPERBOT_STORE__URL", store_url)
    monkeypatch.setattr(LinkResolver.__init__, "__defaults__", (f"{openalex.web.url}/api", openalex.web.url))
    monkeypatch.setattr(References.__init__, "__defaults__", (f"{openalex.web.url}/works",))
    (bare / "paperbot.toml").write_text(SETTINGS)
    (bare / "profiles" / "owls.toml").write_text(PROFILE.format(extra=""))
    (bare / "own.bib").write_text("@article{a, title = {Numbers in Nature}, doi = {10.1000/numbers}}")
    (bare / "seeds" / "old.txt").write_text(digest("Rewards for small owls"))
    assert paperbot("run", "--now", NOW.isoformat()).code == 0
    assert openalex.asked == []  # nobody has a library or voted
    assert paperbot("import", f"owls/{ADA}", "own.bib", "--now", NOW.isoformat()).code == 0
    return bare


def bring(home: Path, name: str, *ids: str) -> None:
    entries = "".join(
        f"<entry><id>http://arxiv.org/abs/{number}v1</id><title>Reward models of kind {number}</title>"
        f"<summary>We study reward models.</summary><author><name>R Roe</name></author></entry>"
        for number in ids
    )
    feed = f"<feed xmlns='http://www.w3.org/2005/Atom'><title>Answer</title>{entries}</feed>"
    (home / "seeds" / name).write_text(feed)


def facts(app: App, arxiv_id: str) -> dict[FactKind, list[str]]:
    (paper,) = app.store.papers.with_keys([f"arxiv:{arxiv_id}"])
    kinds = {fact.kind for fact in paper.facts}
    return {kind: [fact.value for fact in paper.facts if fact.kind is kind] for kind in kinds}


Run = Callable[..., dict]


@pytest.fixture
def run(paperbot) -> Run:
    return lambda now: paperbot("run", "--now", now.isoformat(), "--json").json


def test_what_a_paper_cites_is_asked_once_and_said_to_whom_it_concerns(asking, openalex, paperbot, run):
    bring(asking, "new.xml", "2505.00001")
    assert run(TOMORROW)["problems"] == []
    assert openalex.asked == ["10.48550/arxiv.2505.00001"]
    assert all("mailto:operator@example.org" in request.headers["user-agent"] for request in openalex.web.requests)
    with open_app(asking) as app:
        stored = facts(app, "2505.00001")
    # What neither the store nor a library has is not kept.
    assert stored[FactKind.CITES] == ["doi:10.1000/numbers Numbers, in other words", "Rewards for small owls"]
    assert stored[FactKind.REFERENCES] == ["3"]
    of_ada, of_grace = (
        paperbot("why", f"owls/{address}", "p2", "--now", TOMORROW.isoformat(), "--json").json["why"]
        for address in (ADA, GRACE)
    )
    assert "ites “Numbers in Nature”, which is in your library" in of_ada
    assert "ites" not in of_grace
    assert "small owls" not in of_ada  # it is nobody's
    run(TOMORROW + timedelta(days=1))
    assert len(openalex.asked) == 1


def test_an_alert_follows_in_the_same_run(asking, openalex, run):
    (asking / "profiles" / "owls.toml").write_text(PROFILE.format(extra="[alerts]\ncites = true"))
    bring(asking, "new.xml", "2505.00001")
    assert run(TOMORROW)["alerts"] == 1


def test_a_paper_that_openalex_does_not_know_is_asked_about_once(asking, openalex, run):
    openalex.unknown = {"10.48550/arxiv.2505.00001"}
    bring(asking, "new.xml", "2505.00001")
    assert run(TOMORROW)["problems"] == []
    bring(asking, "newer.xml", "2505.00002")
    assert run(TOMORROW + timedelta(hours=1))["problems"] == []
    assert openalex.asked == ["10.48550/arxiv.2505.00001", "10.48550/arxiv.2505.00002"]


@pytest.mark.slow
def test_a_day_has_a_budget(asking, openalex, run):
    bring(asking, "new.xml", *(f"2505.{number:05}" for number in range(A_DAY + 3)))
    run(TOMORROW)
    bring(asking, "newer.xml", "2505.01000")
    run(TOMORROW + timedelta(hours=1))
    assert len(openalex.asked) == A_DAY
    assert len(set(openalex.asked)) == A_DAY
    bring(asking, "next.xml", "2505.02000")
    run(TOMORROW + timedelta(days=1))
    assert "10.48550/arxiv.2505.02000" in openalex.asked[A_DAY:]


def test_a_failure_costs_the_look_up_alone_and_is_in_the_status_until_one_succeeds(asking, openalex, paperbot, run):
    openalex.web.default = Page(b"", 503, {"Retry-After": "7200"})
    bring(asking, "new.xml", "2505.00001")
    report = run(TOMORROW)
    (problem,) = (each for each in report["problems"] if each["source"] == NAME)
    assert problem["problem"].startswith("looking references up: ")
    assert report["editions"] == 2
    requests = len(openalex.web.requests)
    status = paperbot("status", "--now", TOMORROW.isoformat(), "--json").json
    assert [each["source"] for each in status["problems"]] == [NAME]
    run(TOMORROW + timedelta(hours=1))  # it asked for two hours
    assert len(openalex.web.requests) == requests
    openalex.web.default = openalex.answer
    bring(asking, "newer.xml", "2505.00002")
    assert run(TOMORROW + timedelta(hours=3))["problems"] == []
    assert openalex.asked[-1] == "10.48550/arxiv.2505.00002"
    assert paperbot("status", "--now", TOMORROW.isoformat(), "--json").json["problems"] == []


@ON_ONE_DATABASE
def test_an_answer_that_is_no_list_of_works_is_a_problem_of_one_paper(asking, openalex, run):
    def broken(request: Request) -> Page:
        return Page(b"<html>Sorry") if "filter=" in request.path else openalex.answer(request)

    openalex.web.default = broken
    bring(asking, "new.xml", "2505.00001", "2505.00002")
    problems = [each["problem"] for each in run(TOMORROW)["problems"]]
    assert len(problems) == len(openalex.asked) == 2
    assert len({problem.partition(":")[0] for problem in problems}) == 2


@ON_ONE_DATABASE
def test_a_mistake_of_ours_is_a_problem_too(asking, run, monkeypatch):
    monkeypatch.setattr(references, "_doi", lambda _: 1 / 0)
    bring(asking, "new.xml", "2505.00001")
    report = run(TOMORROW)
    assert [each["source"] for each in report["problems"]] == [NAME]
    assert report["editions"] == 2


@ON_ONE_DATABASE
def test_papers_far_from_the_threshold_are_not_asked_about(asking, openalex, run):
    (asking / "profiles" / "owls.toml").write_text(PROFILE.format(extra="").replace("0.8", "0.1"))
    bring(asking, "new.xml", "2505.00001")
    run(TOMORROW)
    assert openalex.asked == []
