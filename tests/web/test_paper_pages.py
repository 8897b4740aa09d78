"""A page for each paper: the public part, a reader's part, what is similar, and what leads to it."""

import re
import time
from urllib.parse import urlsplit

import pytest
from support import edit

from bot.model import Vote
from bot.store.schema import papers


@pytest.fixture
def me(links):
    return urlsplit(links.me()).path


@pytest.fixture
def on_arxiv(app, paper):
    """Give the paper an arXiv id, which the sample digests don't have."""
    changed = {"arxiv_id": "2504.16084", "url": "https://arxiv.org/abs/2504.16084"}
    with app.store._database.writing() as connection:
        connection.execute(papers.update().where(papers.c.id == paper.id).values(**changed))
    return app.store.papers.get([paper.id])[paper.id]


def test_the_public_page_has_abstract_authors_links_and_no_votes(client, on_arxiv):
    paper = on_arxiv
    page = client.get(f"/paper/{paper.ref}").text
    assert '<h1 dir="auto">TTRL: Test-Time Reinforcement Learning</h1>' in page
    assert paper.abstract[:40] in page
    assert all(author in page for author in paper.authors)
    assert "Read it at arxiv.org" in page
    assert "/thumb/" not in page
    assert "/me/" not in page
    assert "All reasons" not in page


def test_a_shared_link_has_a_card_without_pictures(client, paper):
    page = client.get(f"/paper/{paper.ref}").text
    assert f'<meta property="og:title" content="{paper.title}">' in page
    assert re.search(r'<meta property="og:description" content="[^"]{40,200}">', page)
    assert f'<meta property="og:url" content="http://localhost:8000/paper/{paper.ref}">' in page
    assert "og:image" not in page


def test_papers_are_public_only_while_a_profile_is_open(client, paper, served, me):
    edit(served / "profiles/reward-models.toml", "open = true", "open = false")
    for path in ("", "/paper.bib", "/paper.ris"):
        assert client.get(f"/paper/{paper.ref}{path}").status_code == 404
    page = client.get(f"{me}/paper/{paper.ref}").text
    assert "Page to share" not in page
    assert paper.title in page


def test_readers_see_match_and_all_reasons_and_can_vote(client, app, paper, me, reader):
    page = client.get(f"{me}/paper/{paper.ref}").text
    assert re.search(r"(Strong|Good|Possible|Unlikely) match", page)
    assert "All reasons, by weight" in page
    assert "where every paper starts: most are not liked" in page
    vote = re.search(r'action="(/thumb/[^"]*vote=up)"', page)[1].replace("&amp;", "&")
    client.post(vote)
    assert app.store.feedback.current(reader.id)[paper.id].vote is Vote.UP
    assert re.findall(r'aria-pressed="true">([^\s<]+)', client.get(f"{me}/paper/{paper.ref}").text) == ["👍"]


def test_the_weights_shown_add_up_to_the_match(client, paper, me, paperbot):
    page = client.get(f"{me}/paper/{paper.ref}").text
    weights = [float(weight) for weight in re.findall(r"<td>([+-]\d+\.\d\d)</td>", page)]
    why = paperbot("why", "reward-models", paper.ref, "--json").json
    assert sum(weights) == pytest.approx(why["log_odds"], abs=0.01 * len(weights))


def test_similar_papers_come_from_the_store(client, app):
    energy = app.store.papers.find("Energy-Based Reward")[0]
    page = client.get(f"/paper/{energy.ref}").text
    similar = page.partition("Similar papers")[2]
    refs = re.findall(r'href="/paper/(p\d+)"', similar)
    assert 1 <= len(refs) <= 5
    assert energy.ref not in refs
    titles = [app.store.papers.get([int(ref[1:])])[int(ref[1:])].title for ref in refs]
    assert any("eward" in title for title in titles)


@pytest.mark.parametrize("ref", ["p999999", "nonsense", "p" + "9" * 30, "-1"])
def test_unknown_papers_are_refused(client, ref, me):
    assert client.get(f"/paper/{ref}").status_code in (400, 404)
    assert client.get(f"{me}/paper/{ref}").status_code in (400, 404)


def test_titles_of_editions_archive_and_search_lead_to_the_page(client, app, reader, links, me):
    edition = app.store.editions.last(reader.id)
    for address in (f"{me}/edition/{edition.date}", f"{me}/archive", f"{me}/search?q=reward"):
        page = client.get(address).text
        own_page = re.search(r'href="(/me/[^"]+/paper/p\d+)"', page)[1]
        assert client.get(own_page).status_code == 200, address
    for address in ("/", "/open/reward-models", "/search?q=reward"):
        public = re.search(r'href="(/paper/p\d+)"', client.get(address).text)[1]
        assert client.get(public).status_code == 200, address


def test_an_editions_page_opens_as_long_as_its_readers_pages(client, app, reader, links, me, monkeypatch):
    edition = urlsplit(links.edition(app.store.editions.last(reader.id).date)).path
    for days, status in ((390, 200), (401, 410)):
        later = time.time() + days * 86_400
        with monkeypatch.context() as clock:
            clock.setattr("bot.config.keys.time.time", lambda now=later: now)
            assert (client.get(edition).status_code, client.get(me).status_code) == (status, status)


def test_after_a_quiet_day_the_latest_edition_is_the_last_one_with_papers(client, me, served, paperbot):
    edit(served / "profiles/reward-models.toml", "threshold = 0 ", "threshold = 1.0 ")
    later = "2025-05-08T09:00:00+02:00"
    report = paperbot("run", "--now", later, "--json").json
    assert (report["editions"], report["skipped"]) == (0, 1)
    latest = client.get(f"{me}/today")
    assert latest.url.path == f"{me}/edition/2025-05-07"
    assert 'aria-current="page">Latest' in latest.text
    assert "7 May 2025 · 5 papers; 176 new papers came in" in latest.text
    preview = paperbot("preview", "reward-models", "--now", later)
    assert "5 papers; 176 new papers came in" in preview.out
    assert "This is the last edition with papers, of 7 May 2025." in preview.err


def test_every_page_of_a_reader_leads_to_today_archive_search_and_preferences(client, app, paper, reader, links, me):
    today = client.get(f"{me}/today")
    assert today.url.path == f"{me}/edition/2025-05-07"
    for address in (
        me,
        f"{me}/archive",
        f"{me}/search",
        f"{me}/paper/{paper.ref}",
        f"{me}/forget",
        today.url.path,
        links.thumb(paper, Vote.UP),
    ):
        page = client.get(address).text
        own_page = re.search(r'href="(/me/[^"]+)/today"', page)[1]
        for place in ("/today", "/archive", "/search", ""):
            assert f'href="{own_page}{place}"' in page, address
    for place in ("/today", "/archive", "/search", ""):
        assert client.get(f"{own_page}{place}").status_code == 200


def test_error_pages_lead_on(client, me):
    page = client.get("/nowhere").text
    assert 'href="/search"' in page
    page = client.get(f"{me}/paper/p999999").text
    assert f'href="{me}/today"' in page
    assert "/me/" not in client.get("/me/forged/paper/p999999").text


def test_the_archive_has_every_edition_by_day_and_pages(client, app, reader, me, monkeypatch, paperbot):
    paperbot("run", "--force", "--now", "2025-05-08T09:00:00+02:00")
    days = [edition.date for edition in app.store.editions.of_reader(reader.id)]
    monkeypatch.setattr("bot.web.archive._DAYS_A_PAGE", 1)
    assert len(set(days)) == 2
    first = client.get(f"{me}/archive").text
    assert "8 May 2025" in first
    assert 'href="?page=2"' in first
    second = client.get(f"{me}/archive?page=2").text
    assert "7 May 2025" in second
    assert "Stop Summation" in second
    for page in ("0", "-1", "x", "9" * 5000):
        again = client.get(f"{me}/archive?page={page}").text
        # Links hold the second of their signing.
        assert re.sub(r'/(thumb|me)/[^"]+', "", again) == re.sub(r'/(thumb|me)/[^"]+', "", first)


def test_a_misspelt_word_is_corrected_and_hits_are_marked(client, me):
    page = client.get("/search?q=rewrad+modeling").text
    assert "No paper has all the words of “rewrad modeling”." in page
    assert re.search(r'<a href="\?q=[^"]+">reward modeling</a>', page)
    assert '<mark class="word">' in page
    assert "/thumb/" not in page
    assert "/thumb/" in client.get(f"{me}/search?q=rewrad").text
