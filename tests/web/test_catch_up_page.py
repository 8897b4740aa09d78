"""The button on the archive page of days that a reader missed, and the page of what was skipped."""

import re
import sqlite3
from contextlib import closing
from datetime import UTC, date, datetime

import pytest
import time_machine
from starlette.testclient import TestClient
from support import digest

from bot.channels.papers import path
from bot.web.application import make_web

BACK = "2025-05-21T10:00:00+02:00"  # two weeks after the only edition
ANIMALS = ("owls", "bats", "bees", "ants", "cats", "dogs", "eels", "rats", "cows", "hens", "pigs", "apes")
TITLES = [f"Reward models that {animal} learn in {n} steps" for n, animal in enumerate(ANIMALS * 4)]


@pytest.fixture
def back(served, paperbot):
    """Two weeks later: 48 papers arrived, and no edition was made."""
    (served / "seeds" / "later.txt").write_text(digest(*TITLES, header="LLM-RL - 2025-05-12"))
    assert paperbot("ingest", "--now", "2025-05-12T10:00:00+02:00").code == 0
    with time_machine.travel(BACK, tick=False) as clock:
        yield clock


@pytest.fixture
def published():
    return []


@pytest.fixture
def client(app, published):
    return TestClient(make_web(app, lambda: published.append(1)), base_url="http://localhost:8000")


@pytest.fixture
def here(back, links):
    """The path of the reader's own pages, signed at that time."""
    return path(links.me())


def button(page):
    found = re.search(r'name="since" value="([\d-]+)">.*?<button[^>]*>(Catch up on [^<]*)</button>', page, re.DOTALL)
    return found and found.groups()


def test_the_button_makes_one_edition_which_is_sent_and_shown(here, client, app, reader, published):
    before = app.store.editions.of_reader(reader.id)
    since, label = button(client.get(f"{here}/archive").text)
    assert (since, label) == ("2025-05-08", "Catch up on 8 May to 21 May: 48 papers, ten minutes")
    assert app.store.editions.of_reader(reader.id) == before
    answer = client.post(f"{here}/archive", data={"since": since}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, f"{here}/edition/2025-05-21")
    assert len(published) == 1
    page = client.get(answer.headers["location"]).text
    assert "48 papers, 8 May 2025 to 21 May 2025: these" in page
    assert "By topic" in page
    # Pressed again, it makes no second one; and the button is gone.
    client.post(f"{here}/archive", data={"since": since})
    assert len(app.store.editions.of_reader(reader.id)) == len(before) + 1
    assert button(client.get(f"{here}/archive").text) is None


def test_no_stranger_reads_that_its_reader_was_away(here, client, links, served):
    client.post(f"{here}/archive", data={"since": "2025-05-08"})
    with closing(sqlite3.connect(served / "state" / "paperbot.db")) as store:
        store.execute("UPDATE catch_ups SET is_automatic = 1")
        store.commit()
    assert "neither opened a link nor voted" in client.get(f"{here}/edition/2025-05-21").text
    shared = client.get(path(links.edition(date(2025, 5, 21))))
    assert shared.status_code == 200
    assert "neither opened a link nor voted" not in shared.text


def test_what_was_skipped_is_listed_by_pages_with_thumbs(here, client, app, reader):
    client.post(f"{here}/archive", data={"since": "2025-05-08"})
    (_, _, covered), *_ = app.store.catch_ups.of_reader(reader.id)
    listed = []
    for number in (1, 2):
        page = client.get(f"{here}/skipped/2025-05-21?page={number}").text
        listed += re.findall(r"/paper/(p\d+)\">", page)
    assert listed == [f"p{paper_id}" for paper_id, _ in covered.skipped]
    assert len(listed) > 30
    shown = client.get(f"{here}/edition/2025-05-21").text
    assert f'{here}/skipped/2025-05-21"' in shown
    vote = re.search(r'formaction="(/thumb/[^"]+)"', page)[1].replace("&amp;", "&")
    assert client.post(vote).status_code == 200
    assert client.get(f"{here}/skipped/2025-05-07").status_code == 404


def test_what_nobody_offered_is_not_made(here, client, app, reader):
    for since in ("2020-01-01", "", "x"):
        client.post(f"{here}/archive", data={"since": since})
    assert app.store.catch_ups.of_reader(reader.id) == []


def test_a_reader_who_paused_gets_none(here, client, app, reader):
    app.subscriptions.pause([reader], datetime.now(UTC))
    assert button(client.get(f"{here}/archive").text) is None
    assert client.post(f"{here}/archive", data={"since": "2025-05-08"}).status_code == 403


@pytest.mark.slow
def test_a_week_of_editions_without_a_vote_has_a_button_until_a_vote(here, back, client, served, paperbot, app, reader):
    for day in (13, 16, 20):
        (served / "seeds" / f"{day}.txt").write_text(digest(f"Reward models of day {day}"))
        assert paperbot("run", "--force", "--now", f"2025-05-{day}T08:00:00+02:00").code == 0
    page = client.get(f"{here}/archive").text
    assert "You voted on no paper of these days." in page
    assert button(page)[1].startswith("Catch up on 7 May to 21 May")
    (paper,) = app.store.papers.find("Reward models of day 20")
    assert paperbot("thumb", "up", reader.name, paper.ref, "--now", "2025-05-20T09:00:00+02:00").code == 0
    assert "You voted on no paper of these days." not in client.get(f"{here}/archive").text


def test_a_visit_is_noted_once_a_day_and_only_of_readers_who_catch_up(here, back, client, app, reader, served):
    client.get(f"{here}/archive")
    assert app.store.visits.last([reader.id]) == {}
    form = {"do": "settings", "size": "5", "at": "08:00", "day": "mon", "catch_up": ["", "1"]}
    assert client.post(here, data=form).status_code == 200
    assert app.store.overrides.get(reader.id).catch_up
    client.get(f"{here}/archive")
    assert str(app.store.visits.last([reader.id])[reader.id]) == "2025-05-21"
    back.move_to("2025-05-22T10:00:00+02:00")
    # A mail's link is a visit, what a program fetches is none.
    client.get(path(app.links(reader).library("bib")))
    assert str(app.store.visits.last([reader.id])[reader.id]) == "2025-05-21"
    (paper,) = app.store.papers.find(TITLES[0])
    client.get(path(app.links(reader).thumb(paper, "up")))
    assert str(app.store.visits.last([reader.id])[reader.id]) == "2025-05-22"
    assert client.post(here, data=form | {"catch_up": ""}).status_code == 200
    assert not app.store.overrides.get(reader.id).catch_up
