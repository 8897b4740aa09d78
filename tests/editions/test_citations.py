"""Papers that cite what a reader liked or has in their library: the reason, and the alert rule."""

import json

import pytest
from alert_mails import scholar, scholar_item
from support import ON_ONE_DATABASE, digest, outbox, parsed, text_of

from bot.app import open_app

MORNING, NOON, NEXT = (f"2025-05-{day}T{hour}:00+00:00" for day, hour in (("07", "09"), ("07", "12"), ("08", "09")))
ADA, GRACE = "ada@example.org", "grace@example.org"
PROFILE = """title = "Owls"
interests = "reward models"
{extra}
[edition]
threshold = 0
[[readers]]
email = "ada@example.org"
[[readers]]
email = "grace@example.org"
"""
BIB = "@article{a, title = {Numbers in {N}ature}, doi = {10.1000/numbers}}"


@pytest.fixture
def cited_home(bare, paperbot, store_url, monkeypatch):
    """Two readers of one profile, on each database; Ada's library has "Numbers in Nature"."""
    monkeypatch.setenv("PAPERBOT_STORE__URL", store_url)
    (bare / "profiles" / "owls.toml").write_text(PROFILE.format(extra=""))
    (bare / "own.bib").write_text(BIB)
    bring(bare, "first.txt", digest("Rewards for owls", "Rewards for bees").encode())
    assert paperbot("run", "--now", MORNING).code == 0
    assert paperbot("import", f"owls/{ADA}", "own.bib", "--now", MORNING).code == 0
    return bare


def bring(home, name, content):
    (home / "seeds" / name).write_bytes(content)


def alert_on(cites, title="Counting without words", number=5):
    item = scholar_item(
        title, f"https://example.org/{number}", "R Roe - 2025", "We count \u2026", below=f"<div>Cites: {cites}</div>"
    )
    return scholar(item)


def mails(home, address):
    return [path for path in outbox(home) if parsed(path)["To"] == address]


def why(paperbot, address, paper):
    return paperbot("why", f"owls/{address}", paper, "--now", NEXT, "--json").json


# Titles are compared as keys, which Python makes; the tests below look keys up on each database.
@ON_ONE_DATABASE
@pytest.mark.parametrize(
    ("cites", "is_named"),
    [
        ("\u202aNumbers in nature\u202c", True),
        ("Numbers in nature and art", False),
        ("Numbers in nature \u2026", False),
        ("Numbers", False),
    ],
)
def test_a_paper_that_cites_the_readers_library_says_so_to_this_reader_alone(cited_home, paperbot, cites, is_named):
    bring(cited_home, "alert.eml", alert_on(cites))
    assert paperbot("run", "--now", NEXT).code == 0
    of_ada, of_grace = (text_of(mails(cited_home, address)[-1]) for address in (ADA, GRACE))
    says = "ites “Numbers in Nature”, which is in your library"
    assert "Counting without words" in of_ada
    assert "Counting without words" in of_grace
    assert (says in of_ada) is is_named
    assert "your library" not in of_grace
    assert (says in why(paperbot, ADA, "Counting without words")["why"]) is is_named


def test_a_liked_paper_is_named_as_liked_and_a_disliked_one_never(cited_home, paperbot):
    bring(cited_home, "alert.eml", alert_on("Rewards for bees"))
    assert paperbot("thumb", "up", f"owls/{ADA}", "Rewards for bees", "--now", NOON).code == 0
    assert paperbot("thumb", "down", f"owls/{GRACE}", "Rewards for bees", "--now", NOON).code == 0
    assert paperbot("ingest", "--now", NEXT).code == 0
    liked = why(paperbot, ADA, "Counting without words")
    assert "Cites “Rewards for bees”, which you liked" in liked["why"]
    assert liked["because"] == [{"paper": "p2", "title": "Rewards for bees"}]
    assert "ites" not in why(paperbot, GRACE, "Counting without words")["why"]


def test_a_citation_changes_no_score(cited_home, paperbot):
    bring(cited_home, "alert.eml", alert_on("Numbers in nature"))
    bring(cited_home, "other.eml", alert_on("Numbers in art", "Counting without words at all", number=6))
    assert paperbot("ingest", "--now", NEXT).code == 0
    with open_app(cited_home) as app:
        cited, other = app.store.papers.with_keys(["title:countingwithoutwords", "title:countingwithoutwordsatall"])
        assert app.store.library.with_keys([1], ["doi:10.1000/numbers"])[1][0].paper.title == "Numbers in Nature"
    ada = why(paperbot, ADA, cited.ref)
    assert "ites" in ada["why"]
    assert "ites" not in why(paperbot, ADA, other.ref)["why"]
    assert {row["kind"] for row in ada["reasons"]} <= {"word", "absent"}


def test_alerts_on_citations_are_for_the_reader_whose_paper_is_cited(cited_home, paperbot):
    (cited_home / "profiles" / "owls.toml").write_text(PROFILE.format(extra="[alerts]\ncites = true"))
    assert paperbot("run", "--now", MORNING).code == 0
    before = len(outbox(cited_home))
    bring(cited_home, "alert.eml", alert_on("Numbers in nature"))
    bring(cited_home, "other.eml", alert_on("Numbers in art", "Painting without words", number=6))
    report = paperbot("run", "--now", NOON, "--json").json
    assert (report["alerts"], len(outbox(cited_home)) - before) == (1, 1)
    (alert,) = (mail for mail in mails(cited_home, ADA) if parsed(mail)["Subject"].startswith("Alert: "))
    assert "On your alert list (cites a paper of yours)" in text_of(alert)
    assert "Cites “Numbers in Nature”, which is in your library." in text_of(alert)
    assert paperbot("run", "--now", NOON, "--json").json["alerts"] == 0


def test_an_export_has_no_citation_that_others_libraries_may_have_brought(cited_home, paperbot):
    bring(cited_home, "alert.eml", alert_on("Numbers in nature"))
    assert paperbot("run", "--now", NEXT).code == 0
    exported = json.dumps(paperbot("export", f"owls/{GRACE}").json["editions"])
    assert "Counting without words" in exported
    assert "Numbers in" not in exported
