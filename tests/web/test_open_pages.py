"""The public pages of an open profile: its edition, feed, BibTeX and RIS, and search."""

import html
import re
import sqlite3
from contextlib import closing
from xml.etree import ElementTree as ET

import pytest
from support import edit

ATOM = "{http://www.w3.org/2005/Atom}"


def test_an_open_edition_is_what_a_new_reader_would_get(client):
    page = client.get("/open/reward-models").text
    assert "Stop Summation: Min-Form Credit Assignment" in page
    assert "has this list's keyword “reward hacking”" in html.unescape(page)
    assert "/thumb/" not in page


@pytest.mark.parametrize("page", ["/open/reward-models", "/"])
def test_reasons_name_the_list_and_not_the_stranger_who_reads(client, page):
    reasons = re.findall(r'<p class="(?:why|kind)".*?</p>', client.get(page).text)
    assert "this list's keyword" in html.unescape(" ".join(reasons))
    assert not [text for text in reasons if re.search(r"\byour?\b", text, re.I)]


def test_a_page_to_share_quotes_nothing_of_its_reader(client, links, app, reader):
    day = app.store.editions.last(reader.id).date
    own = client.get(f"{links.me()}/edition/{day}").text
    assert "your keyword" in own
    assert '<mark class="word">' in own
    shared = client.get(links.edition(day)).text
    for personal in ("keyword", '<mark class="word">', "match</strong>", "Exploratory", "as estimated", "new papers"):
        assert personal not in shared
    assert "5 papers" in shared
    assert shared.count('<p class="summary"') == own.count('<p class="summary"') > 0


def test_a_page_to_share_says_which_abstracts_are_not_the_authors(client, links, app, reader, served):
    with closing(sqlite3.connect(served / "state" / "paperbot.db")) as store:
        store.execute("UPDATE digests SET source = 'samples'")
        store.commit()
    shared = client.get(links.edition(app.store.editions.last(reader.id).date)).text
    assert "5 papers · samples: real papers with abstracts in our words" in shared


def test_strangers_see_no_alert_by_which_a_paper_came(client, links, app, reader, served):
    with closing(sqlite3.connect(served / "state" / "paperbot.db")) as store:
        store.execute("UPDATE sightings SET alert = 'Rare diseases'")
        store.commit()
    day = app.store.editions.last(reader.id).date
    assert "via your alert on Rare diseases" in client.get(f"{links.me()}/edition/{day}").text
    for page in ("/", "/open/reward-models", links.edition(day), "/paper/p1", "/search?q=reward"):
        assert "Rare diseases" not in client.get(page).text


def test_the_result_and_the_matching_words_are_highlighted(client):
    page = client.get("/open/reward-models").text
    assert '<strong class="result">' in page
    assert '<mark class="word">' in page


@pytest.mark.parametrize("page", ["own", "open", "start", "preview"])
def test_match_and_reasons_stand_above_the_summary_with_their_strength(client, links, app, reader, page):
    day = app.store.editions.last(reader.id).date
    text = {
        "own": lambda: client.get(f"{links.me()}/edition/{day}"),
        "open": lambda: client.get("/open/reward-models"),
        "start": lambda: client.get("/"),
        "preview": lambda: client.post("/preview", data={"wishes": "Reward models"}),
    }[page]().text
    picks = re.findall(r'<p class="why".*?<p class="summary"', text, re.S)
    assert len(picks) == text.count('<p class="summary"') > 0
    assert all(
        re.search("[●○]{3}</span>&ensp;<strong>(Strong|Good|Possible|Unlikely) match</strong>", p) for p in picks
    )


@pytest.mark.parametrize("page", ["edition", "open"])
def test_an_edition_begins_with_a_line_for_each_pick_that_leads_to_it(client, links, app, reader, page):
    day = app.store.editions.last(reader.id).date
    text = client.get(links.edition(day) if page == "edition" else "/open/reward-models").text
    assert "In thirty seconds" in text
    lines = re.findall(r'<a href="#(p\d+)">', text)
    assert lines == re.findall(r'<li id="(p\d+)">', text)
    assert len(lines) > 1


def test_the_atom_feed_is_unchanged_until_new_papers_arrive(client, served, paperbot):
    answer = client.get("/open/reward-models/feed.atom")
    assert answer.headers["content-type"].startswith("application/atom+xml")
    feed = ET.fromstring(answer.text)
    assert feed.findtext(f"{ATOM}title") == "Reward models"
    assert feed.findtext(f"{ATOM}id") == "http://localhost:8000/open/reward-models"
    entries = feed.findall(f"{ATOM}entry")
    assert len(entries) == 5
    assert all(entry.find(f"{ATOM}link").get("href").startswith("http") for entry in entries)
    assert len({entry.findtext(f"{ATOM}id") for entry in entries}) == 5
    assert client.get("/open/reward-models/feed.atom").text == answer.text
    from support import digest

    (served / "seeds" / "new.txt").write_text(digest("Reward models, reward models and reward hacking"))
    paperbot("ingest")
    assert "Reward models, reward models" in client.get("/open/reward-models/feed.atom").text


def test_papers_are_exported_for_reference_managers(client):
    assert client.get("/open/reward-models/papers.bib").text.count("@misc{") == 5
    assert client.get("/open/reward-models/papers.ris").text.count("ER  - ") == 5


def test_an_unknown_profile_is_404(client):
    for page in ("", "/feed.atom", "/papers.bib", "/papers.ris"):
        assert client.get(f"/open/none{page}").status_code == 404


def test_search_finds_words_of_title_author_and_abstract(client, served):
    assert "Energy-Based Reward Models" in client.get("/search?q=energy+rewards").text
    assert "Enhancing Personalized" in client.get("/search?q=Jaques").text
    assert "No paper has all these words." in client.get("/search?q=zyzzyva").text
    assert "@misc{" in client.get("/search?q=reward&format=bib").text
    assert "TY  - " in client.get("/search?q=reward&format=ris").text
    assert client.get("/search").status_code == 200
    edit(served / "profiles/reward-models.toml", "open = true", "open = false")
    assert client.get("/search?q=energy").status_code == 404


def test_a_start_page_without_papers_says_so(client, app, served):
    profile = served / "profiles" / "reward-models.toml"
    profile.write_text(profile.read_text().replace("threshold = 0 ", "threshold = 1.0 ").replace("authors = [", "# ["))
    page = client.get("/").text
    assert "none comes close enough" in page
    assert client.get("/open/reward-models").status_code == 200
