"""Security headers, limits, wrong methods, errors, and random input."""

import asyncio
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
import time_machine
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.testclient import TestClient

from bot.app import open_app
from bot.cli.main import invoke
from bot.config.keys import Redactor
from bot.model import Vote
from bot.model.errors import StoreError
from bot.readers import find_paper
from bot.web.application import make_web
from bot.web.site import client_key

PAGES = [
    ("GET", "/"), ("GET", "/style.css"), ("GET", "/icon.svg"), ("POST", "/subscribe"), ("GET", "/search?q=reward"),
    ("GET", "/open/reward-models"), ("GET", "/open/reward-models/feed.atom"), ("GET", "/open/reward-models/papers.bib"),
    ("GET", "/open/reward-models/papers.ris"), ("GET", "/healthz"), ("GET", "/metrics"), ("GET", "/status"),
    ("POST", "/slack/actions"), ("POST", "/slack/commands"), ("GET", "/nowhere"),
]  # fmt: skip


def token_pages(links, paper, day):
    """Return every page that a token opens, and whether it accepts POST."""
    me, edition, thumb = links.me(), links.edition(day), links.thumb(paper, Vote.UP)
    return [
        *((page, True) for page in (thumb, links.unsubscribe(), links.confirm(), me, f"{me}/votes", f"{me}/data")),
        (f"{me}/forget", True),
        *((f"{me}/{page}", False) for page in ("search", "export.json", f"edition/{day}")),
        *((links.library(extension), False) for extension in ("bib", "ris")),
        (links.save(paper, "page"), False),
        *((f"{thumb.partition('?')[0]}/paper.{extension}", False) for extension in ("bib", "ris")),
        *((edition + page, False) for page in ("", "/papers.bib", "/papers.ris")),
    ]


@pytest.fixture
def day(app, reader):
    return app.store.editions.last(reader.id).date


def test_all_pages_have_security_headers_and_load_nothing_and_get_changes_nothing(client, links, paper, day, paperbot):
    before = paperbot("export", "reward-models").json
    for method, page in [*PAGES, *(("GET", page) for page, _ in token_pages(links, paper, day))]:
        answer = client.request(method, page)
        headers, text = answer.headers, answer.text
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'"), page
        assert "unsafe" not in policy
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == ("max-age=3600" if page in ("/style.css", "/icon.svg") else "no-store")
        if page == "/":  # the one page with a script, which is ours
            text = text.replace('<script src="/preview.js" defer></script>', "", 1)
        assert "<script" not in text
        assert " style=" not in text
        assert 'src="' not in text
        assert 'rel="stylesheet" href="/style.css"' in text or "<html" not in text
        if method == "GET":
            client.head(page)
    assert paperbot("export", "reward-models").json == before


def test_a_wrong_method_is_405_and_changes_nothing(client, links, paper, day, paperbot):
    before = paperbot("export", "reward-models").json
    for page, takes_post in token_pages(links, paper, day):
        for method in ("PUT", "DELETE", "PATCH", "OPTIONS", *(() if takes_post else ("POST",))):
            answer = client.request(method, page)
            assert answer.status_code == 405
            assert "GET" in answer.headers["allow"]
    assert paperbot("export", "reward-models").json == before


OVERSIZED = {
    "a 20 MB field": lambda: {"data": {"email": "x" * 20_000_000}},
    "5,000 fields": lambda: {"data": {f"field{n}": "x" for n in range(5_000)}},
    "20 MB in pieces": lambda: {"content": (b"x" * 100_000 for _ in range(200))},
    "thousands of digits announced": lambda: {"content": b"", "headers": {"Content-Length": "9" * 5_000}},
    "20 MB announced": lambda: {"content": b"", "headers": {"Content-Length": "20000000"}},
}


@pytest.mark.parametrize("kind", OVERSIZED)
def test_requests_that_are_too_large_are_refused_and_change_nothing(app, client, links, reader, paper, kind):
    for page in (links.thumb(paper, Vote.UP), links.unsubscribe()):
        answer = client.post(page, **OVERSIZED[kind]())
        assert answer.status_code == 413
        assert "content-security-policy" in answer.headers
    assert app.store.readers.by_id(reader.id).stopped is None
    assert app.store.feedback.history(reader.id) == []


def test_a_form_without_a_content_type_has_no_fields(app, client, links, reader):
    answer = client.post(links.me(), content=b"do=pause")
    assert answer.status_code == 400
    assert app.store.readers.by_id(reader.id).stopped is None


@pytest.mark.parametrize(
    ("error", "status", "logged"),
    [(StoreError("disk I/O error"), 503, "disk I/O error"), (ZeroDivisionError("ada"), 500, "ZeroDivisionError")],
)
def test_an_error_shows_a_page_and_logs_a_line(app, client, links, monkeypatch, caplog, error, status, logged):
    def broken(_reader_id):
        raise error

    monkeypatch.setattr(app.store.readers, "by_id", broken)
    answer = client.get(links.me())
    assert answer.status_code == status
    assert "content-security-policy" in answer.headers
    assert str(error) not in answer.text
    (message,) = caplog.messages
    assert logged in message
    assert "ada" not in message, "an unexpected error may quote a reader's data"


def test_tokens_are_redacted_from_log_records(links, paper):
    record = logging.LogRecord("x", logging.INFO, "", 0, "GET %s failed", (links.thumb(paper, Vote.UP),), None)
    assert Redactor().filter(record)
    assert record.getMessage() == "GET http://localhost:8000/thumb/…?vote=up failed"


def test_a_trailing_slash_does_not_redirect_to_another_host(client, links):
    for page in (links.me(), links.unsubscribe(), "/search", "/healthz"):
        for method in ("GET", "POST"):
            headers = {"Host": "evil.example"}
            answer = client.request(method, f"{page}/", headers=headers, follow_redirects=False)
            assert answer.status_code == 404
            assert "location" not in answer.headers
            assert "evil.example" not in answer.text


@pytest.mark.parametrize("chunks", [[], [b"List-Uns"], [b"List-Unsubscribe=One"]])
def test_a_truncated_post_changes_nothing(app, links, reader, chunks):
    path = links.unsubscribe().removeprefix("http://localhost:8000")
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"content-length", b"26"), (b"content-type", b"application/x-www-form-urlencoded")],
        "http_version": "1.1",
        "scheme": "http",
        "server": ("localhost", 8000),
        "client": ("127.0.0.1", 1),
        "root_path": "",
    }
    messages = [{"type": "http.request", "body": part, "more_body": True} for part in chunks]
    messages.append({"type": "http.disconnect"})
    sent = []

    async def receive():
        return messages.pop(0)

    async def send(message):
        sent.append(message)

    # In a thread of its own: Playwright's loop runs in this one as soon as a test has used the browser.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: asyncio.run(make_web(app)(scope, receive, send))).result()
    assert sent == []
    assert app.store.readers.by_id(reader.id).stopped is None


def test_views_are_rate_limited_by_reader(client, app, reader, paperbot, monkeypatch):
    monkeypatch.setattr("bot.web.site.VIEWS_A_MINUTE", 2)
    with time_machine.travel("2025-05-07T10:00:00+02:00", tick=False) as clock:
        me = app.links(reader).me()
        pages = [me, f"{me}/export.json", f"{me}/search?q=reward", app.links(reader).library("bib")]
        assert [client.get(page).status_code for page in pages] == [200, 200, 429, 429]
        assert client.get("/healthz").status_code == 200
        assert paperbot("subscribe", "reward-models", "bob@example.org").code == 0
        bob = app.store.readers.get("reward-models", "bob@example.org")
        assert client.get(app.links(bob).me()).status_code == 200
        clock.shift(60)
        assert client.get(me).status_code == 200


def test_public_search_is_rate_limited_by_client(client, monkeypatch):
    monkeypatch.setattr("bot.web.site.VIEWS_A_MINUTE", 2)
    with time_machine.travel("2025-05-07T10:00:00+02:00", tick=False):
        assert [client.get("/search?q=reward").status_code for _ in range(3)] == [200, 200, 429]


def test_the_health_check_is_answered_while_all_other_pages_wait(app, client, links, monkeypatch):
    """As many requests hang as Starlette has worker threads."""
    entered, go_on = threading.Semaphore(0), threading.Event()

    def hang(_reader_id):
        entered.release()
        go_on.wait(60)

    with client, ThreadPoolExecutor(40) as pool:
        monkeypatch.setattr(app.store.readers, "by_id", hang)
        hanging = [pool.submit(client.get, links.me()) for _ in range(40)]
        try:
            for _ in hanging:
                assert entered.acquire(timeout=60)
            assert client.get("/healthz").status_code == 200
            assert not any(page.done() for page in hanging)
        finally:
            go_on.set()
        assert {page.result().status_code for page in hanging} == {410}


@pytest.mark.parametrize(
    ("host", "client"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("no address", "no address"),
    ],
)
def test_clients_are_counted_by_ipv4_address_or_ipv6_network(host, client):
    assert client_key(Request({"type": "http", "client": (host, 1)})) == client


NAMES = "do vote word paper voter size at day q email profile payload command".split()
VALUES = ["up", "down", "clear", "p1", "reward", "settings", "ignore", "reward-models", "eve@example.org"]
FORMS = st.dictionaries(
    st.text(max_size=10) | st.sampled_from(NAMES), st.text(max_size=40) | st.sampled_from(VALUES), max_size=5
)
TYPES = ["", "application/x-www-form-urlencoded", "multipart/form-data", "application/json"]


@settings(suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_input_makes_any_page_fail(client, links, paper, day, data):
    """Random forms, queries, paths and bodies never cause a server error."""
    takes = {page: ["GET", "POST"] if post else ["GET"] for page, post in token_pages(links, paper, day)}
    del takes[f"{links.me()}/forget"]  # it would leave nothing for the other pages to show
    pages = [*PAGES, *((method, page) for page, methods in takes.items() for method in methods)]
    method, page = data.draw(st.sampled_from(pages))
    kind = data.draw(st.sampled_from(["form", "bytes", "query", "path"]))
    if kind == "path":
        page = f"{page.partition('?')[0]}/{data.draw(st.sampled_from(['x', '%00', '%ff', '..', 'é']))}"
        answer = client.request(method, page)
    elif kind == "bytes":
        headers = {"Content-Type": data.draw(st.sampled_from(TYPES))}
        answer = client.request(method, page, content=data.draw(st.binary(max_size=200)), headers=headers)
    elif kind == "form" and method == "POST":
        answer = client.post(page, data=data.draw(FORMS))
    else:
        answer = client.request(method, page, params=data.draw(FORMS))
    assert answer.status_code in (200, 303, 400, 401, 404, 405, 413, 429)
    assert "content-security-policy" in answer.headers


FORM = {"content-type": "application/x-www-form-urlencoded"}


def test_a_null_character_in_a_form_reaches_no_database(app, client, me, reader):
    assert client.post(me, content="do=ignore&word=o%00wls", headers=FORM).status_code == 200
    assert app.store.overrides.get(reader.id).ignored == ("owls",)


def test_null_characters_are_no_error_on_postgresql(served, empty_schema_url, monkeypatch):
    # psycopg 3 raises DataError for a text with one; SQLite stores it.
    monkeypatch.setenv("PAPERBOT_STORE__URL", empty_schema_url)
    assert invoke(["--home", str(served), "ingest"]) == 0
    with open_app(served) as app:
        now = datetime.now(UTC)
        (reader,) = app.store.readers.sync("reward-models", app.profiles["reward-models"].addresses, now)
        client = TestClient(make_web(app), base_url="http://localhost:8000")
        me, nul = app.links(reader).me(), "%00o%00wls%00"
        names = ("title", "interests", "keywords", "authors", "mute", "timezone", "language", "day", "paper", "name")
        everywhere = "&".join(f"{name}={nul}" for name in names)
        answers = [
            client.post(path, content=f"{start}&{everywhere}", headers=FORM)
            for path, start in (
                (me, f"do=ignore&word={nul}"),
                (me, f"do=restore&word={nul}"),
                (me, "do=settings&size=5&at=08:00&day=mon&timezone=UTC&language=en"),
                (me, f"do={nul}"),
                ("/subscribe", f"profile=reward-models&email={nul}@example.org"),
                ("/subscribe", "profile=reward-models&email=eve@example.org"),
                ("/preview", f"wishes={nul}"),
            )
        ]
        answers += [client.get(f"{page}?q={nul}&phrase={nul}&page={nul}") for page in ("/search", f"{me}/search", me)]
        assert [answer.status_code for answer in answers if answer.status_code >= 500] == []
        assert app.store.overrides.get(reader.id).title == "owls"
        assert find_paper(app.store, "TT\0RL")
