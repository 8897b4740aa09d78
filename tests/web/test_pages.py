"""The pages behind the links in a mail: GET shows, POST does."""

import re

import pytest
from starlette.testclient import TestClient

from bot.app import open_app
from bot.domain import Vote
from bot.web import make_web

NOW = "2025-05-07T09:00:00+02:00"


@pytest.fixture
def app(home, paperbot):
    paperbot("run", "--now", NOW)
    with open_app(home) as app:
        yield app


@pytest.fixture
def client(app):
    return TestClient(make_web(app), base_url="http://localhost:8000")


@pytest.fixture
def reader(app):
    return app.store.readers.all()[0]


@pytest.fixture
def links(app, reader):
    return app.links(reader)


@pytest.fixture
def paper(app):
    return app.store.papers.find("TTRL")[0]


def test_opening_a_thumb_link_shows_the_paper_and_changes_nothing(app, client, reader, links, paper):
    for method in ("GET", "HEAD"):
        answer = client.request(method, links.thumb(paper, Vote.UP))
        assert answer.status_code == 200
    page = client.get(links.thumb(paper, Vote.UP)).text
    assert "TTRL: Test-Time Reinforcement Learning" in page
    assert re.findall(r"<button[^>]*>(.*?)</button>", page) == ["👍 More like this"]
    assert app.store.feedback.history(reader.id) == []


def test_the_button_records_the_vote_and_offers_to_take_it_back(app, client, reader, links, paper):
    page = client.post(links.thumb(paper, Vote.DOWN)).text
    assert "Noted: less like this." in page
    assert re.findall(r"<button[^>]*>(.*?)</button>", page) == ["Take it back", "👍 More like this"]
    (thumb,) = app.store.feedback.history(reader.id)
    assert (thumb.paper, thumb.vote, thumb.via) == (paper.id, Vote.DOWN, "mail")
    client.post(links.thumb(paper, Vote.CLEAR))
    assert app.store.feedback.current(reader.id) == {}


def test_unsubscribing_takes_a_button_and_stops_the_editions(app, client, reader, links, home, paperbot):
    page = client.get(links.unsubscribe())
    assert "Stop the editions of “reward-models”?" in page.text
    assert app.store.readers.all()[0].stopped is None
    assert "You are unsubscribed." in client.post(links.unsubscribe()).text
    assert app.store.readers.all()[0].stopped == "unsubscribed by its reader"
    assert paperbot("run", "--force", "--json").json["editions"] == 0


@pytest.mark.parametrize(
    "form",
    [{"data": {"List-Unsubscribe": "One-Click"}}, {"files": {"List-Unsubscribe": (None, "One-Click")}}],
)
def test_one_click_unsubscribing_of_mail_programs_works_in_both_forms(app, client, links, form):
    answer = client.post(links.unsubscribe(), follow_redirects=False, **form)
    assert answer.status_code == 200
    assert client.post(links.unsubscribe(), **form).status_code == 200


@pytest.mark.parametrize("token", ["x", "WzEsMV0.aaaaaa.bbbb", "a" * 5000, "%00", "..%2f"])
@pytest.mark.parametrize("page", ["thumb", "unsubscribe"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_token_that_is_none_leads_to_a_friendly_page(app, client, reader, page, token, method):
    answer = client.request(method, f"/{page}/{token}")
    assert answer.status_code == 404
    assert app.store.feedback.history(reader.id) == []
    assert app.store.readers.all()[0].stopped is None


def test_a_token_for_one_page_opens_no_other(client, links):
    token = links.unsubscribe().rpartition("/")[2]
    answer = client.post(f"/thumb/{token}")
    assert answer.status_code == 404
    assert "This link doesn't work" in answer.text


def test_a_vote_that_is_none_is_refused(app, client, reader, links, paper):
    answer = client.post(links.thumb(paper, Vote.UP).replace("vote=up", "vote=sideways"))
    assert answer.status_code == 400
    assert app.store.feedback.history(reader.id) == []


def test_a_paper_or_reader_that_is_gone_is_told(app, client):
    from bot.tokens import Purpose

    gone_paper = app.signer.sign(Purpose.THUMB, [app.store.readers.all()[0].id, 99_999])
    gone_reader = app.signer.sign(Purpose.UNSUBSCRIBE, [99_999])
    assert client.get(f"/thumb/{gone_paper}").status_code == 404
    assert client.get(f"/unsubscribe/{gone_reader}").status_code == 410


def test_pages_send_no_referrer_and_allow_no_script(client, links, paper):
    headers = client.get(links.thumb(paper, Vote.UP)).headers
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert headers["cache-control"] == "no-store"


def test_every_link_of_a_mail_opened_by_a_scanner_changes_nothing(app, client, reader, home):
    (mail,) = (home / "state" / "outbox").rglob("*.eml")
    import email
    from email import policy

    message = email.message_from_bytes(mail.read_bytes(), policy=policy.default)
    text = message.get_body(("html",)).get_content() + message["List-Unsubscribe"]
    found = {link.replace("&amp;", "&") for link in re.findall(r"http://localhost:8000/[^\s\"<>]+", text)}
    assert len(found) == 15
    for link in found:
        assert client.get(link).status_code == client.head(link).status_code == 200
    assert app.store.feedback.history(reader.id) == []
    assert app.store.readers.all()[0].stopped is None
