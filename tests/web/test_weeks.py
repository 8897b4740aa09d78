"""The page of an open profile's best papers of a week, and its picture."""

import re
from datetime import UTC, datetime
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from support import digest, edit

from bot.app import open_app
from bot.web.open_pages import PICTURE_SIZE, draw, drawable

WEEK = "/open/reward-models/week/2025-W19"


def property_of(page, name):
    return re.search(rf'<meta property="og:{name}" content="([^"]*)">', page)[1]


def test_the_newest_week_shows_the_best_papers_without_reasons(client):
    answer = client.get("/open/reward-models/week", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, WEEK)
    page = client.get(WEEK).text
    assert '<h1 dir="auto">Best of the week: Reward models</h1>' in page
    assert "5 May 2025 – 11 May 2025 · the best 5 of 176 papers" in page
    assert page.count('<li id="p') == 5
    for personal in ("match</strong>", "your words", "●", "<mark", "/thumb/", "/me/"):
        assert personal not in page
    assert f'href="{WEEK.removesuffix("/2025-W19")}"' in client.get("/open/reward-models").text
    # All papers came on one day: there is no other week.
    assert "The week before" not in page
    assert "The week after" not in page


def test_previews_have_a_title_a_text_and_a_picture_with_whole_addresses(client, app):
    page = client.get(WEEK).text
    address = f"{app.public_url}{WEEK}"
    assert property_of(page, "url") == address
    assert property_of(page, "image") == f"{address}.png"
    assert property_of(page, "title") == "Best of the week: Reward models"
    assert 50 < len(property_of(page, "description")) <= 200
    picture = client.get(f"{WEEK}.png")
    assert picture.headers["content-type"] == "image/png"
    assert picture.headers["cross-origin-resource-policy"] == "cross-origin"
    with Image.open(BytesIO(picture.content)) as image:
        assert image.size == PICTURE_SIZE
        assert property_of(page, "image:width") == str(image.width)
        assert len(image.getcolors(1_000_000)) > 10


@pytest.mark.slow
def test_weeks_with_papers_lead_to_one_another(served, client, paperbot):
    for day, title in (
        ("14", "Reward models of owls"),
        ("21", "Reward hacking of bees"),
        ("28", "Reward models of ants"),
    ):
        (served / "seeds" / f"{day}.txt").write_text(digest(title))
        assert paperbot("run", "--now", f"2025-05-{day}T09:00:00+02:00", "--force").code == 0
    page = client.get("/open/reward-models/week", follow_redirects=True).text
    assert "26 May 2025 – 1 Jun 2025 · the best 1 of 1 papers" in page
    assert "The week after" not in page
    page = client.get("/open/reward-models/week/2025-W21").text
    assert "Reward hacking of bees" in page
    assert 'href="/open/reward-models/week/2025-W20">The week before' in page
    assert 'href="/open/reward-models/week/2025-W22">The week after' in page
    # The samples are left out once there are others.
    assert client.get(WEEK).status_code == 404


@pytest.mark.parametrize(
    ("week", "message"),
    [
        ("2025-W20", "No paper of this week is here."),
        ("2031-W01", "No paper of this week is here."),
        ("9999-W52", "No paper of this week is here."),
        ("0001-W01", "No paper of this week is here."),
        ("2025-W54", "Not a valid week. Write it like 2025-W19."),
        ("2025-W5", "Not a valid week. Write it like 2025-W05."),
        ("week", "Not a valid week"),
        ("2025-W19-1", "Not a valid week"),
        ("2025-W١٩", "Not a valid week"),
    ],
)
def test_other_weeks_are_refused_with_the_reason(client, week, message):
    for suffix in ("", ".png"):
        answer = client.get(f"/open/reward-models/week/{week}{suffix}")
        assert answer.status_code == 404
        assert message in answer.text


def test_a_profile_that_is_not_open_has_no_week(served, client):
    edit(served / "profiles/reward-models.toml", "open = true", "open = false")
    for address in ("/open/reward-models/week", WEEK, f"{WEEK}.png", "/open/nobody/week"):
        assert client.get(address).status_code == 404


def test_a_paper_cannot_break_out_of_the_page(served, client, paperbot):
    (served / "seeds" / "hostile.txt").write_text(digest('Reward models "><script>alert(1)</script>'))
    assert paperbot("run", "--now", "2025-05-14T09:00:00+02:00", "--force").code == 0
    page = client.get("/open/reward-models/week/2025-W20").text
    assert "Reward models" in page
    assert "<script" not in page


def test_what_ranks_is_limited_and_what_is_kept_is_not(client):
    assert [client.get(WEEK).status_code for _ in range(40)] == [200] * 40


@given(st.text(max_size=300), st.text(max_size=300), st.lists(st.text(max_size=300), max_size=6))
def test_any_text_makes_a_picture(title, dates, lines):
    with Image.open(BytesIO(draw(title, dates, lines))) as image:
        assert image.size == PICTURE_SIZE
    assert all(drawable(text).isascii() for text in (title, dates, *lines))


def test_the_store_has_the_week_in_the_profiles_time_zone(served, client, paperbot):
    (served / "seeds" / "late.txt").write_text(digest("Reward models of owls"))
    # Sunday evening in UTC, Monday in Berlin.
    assert paperbot("run", "--now", "2025-05-18T23:30:00+00:00", "--force").code == 0
    assert client.get("/open/reward-models/week/2025-W20").status_code == 404
    assert "Reward models of owls" in client.get("/open/reward-models/week/2025-W21").text
    with open_app(served) as app:
        assert app.store.papers.newest_first_seen() == datetime(2025, 5, 18, 23, 30, tzinfo=UTC)
