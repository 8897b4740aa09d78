"""Whatever comes in, something sensible goes out: headers, limits, wrong methods, and inputs nobody thought of."""

import logging

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.domain import Vote
from bot.tokens import Redactor

PAGES = [
    ("GET", "/"), ("GET", "/style.css"), ("GET", "/icon.svg"), ("POST", "/subscribe"), ("GET", "/search"),
    ("GET", "/open/reward-models"), ("GET", "/open/reward-models/feed.atom"), ("GET", "/open/reward-models/papers.bib"),
    ("GET", "/open/reward-models/papers.ris"), ("GET", "/healthz"), ("GET", "/metrics"), ("GET", "/status"),
    ("POST", "/slack/actions"), ("POST", "/slack/commands"), ("GET", "/nowhere"),
]  # fmt: skip


def personal(links, paper, day):
    """Every page that a token opens, and whether it takes a POST."""
    me, edition, thumb = links.me(), links.edition(day), links.thumb(paper, Vote.UP)
    return [
        *((page, True) for page in (thumb, links.unsubscribe(), links.confirm(), me, f"{me}/forget")),
        *((f"{me}/{page}", False) for page in ("search", "export.json", "liked.bib", "liked.ris")),
        *((edition + page, False) for page in ("", "/papers.bib", "/papers.ris")),
    ]


@pytest.fixture
def day(app, reader):
    return app.store.editions.last(reader.id).date


def test_every_answer_has_the_headers_that_keep_a_page_to_itself(client, links, paper, day):
    requests = [*PAGES, *(("GET", page) for page, _ in personal(links, paper, day))]
    for method, page in requests:
        headers = client.request(method, page).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'"), page
        assert "unsafe" not in policy
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == (
            "max-age=3600" if page in ("/style.css", "/icon.svg") else "no-store"
        )


def test_no_page_asks_anything_of_another_server_or_runs_a_script(client, links, paper, day):
    for page in [
        "/",
        "/open/reward-models",
        "/search?q=reward",
        *(page for page, _ in personal(links, paper, day)),
    ]:
        text = client.get(page).text
        assert "<script" not in text
        assert " style=" not in text
        assert 'src="' not in text
        assert 'rel="stylesheet" href="/style.css"' in text or "<html" not in text


def test_looking_at_any_page_changes_nothing(client, links, paper, day, paperbot):
    before = paperbot("export", "reward-models").json
    for page in [page for method, page in PAGES if method == "GET"] + [
        p for p, _ in personal(links, paper, day)
    ]:
        client.get(page)
        client.head(page)
    assert paperbot("export", "reward-models").json == before


def test_a_wrong_method_is_told_and_does_nothing(client, links, paper, day, paperbot):
    before = paperbot("export", "reward-models").json
    for page, takes_post in personal(links, paper, day):
        for method in ("PUT", "DELETE", "PATCH", "OPTIONS", *(() if takes_post else ("POST",))):
            answer = client.request(method, page)
            assert answer.status_code == 405
            assert "GET" in answer.headers["allow"]
    assert paperbot("export", "reward-models").json == before


TOO_MUCH = {
    "a 20 MB field": lambda: {"data": {"email": "x" * 20_000_000}},
    "5,000 fields": lambda: {"data": {f"field{n}": "x" for n in range(5_000)}},
    "20 MB in pieces": lambda: {"content": (b"x" * 100_000 for _ in range(200))},
    "20 MB announced": lambda: {"content": b"", "headers": {"Content-Length": "20000000"}},
}


@pytest.mark.parametrize("what", TOO_MUCH)
def test_what_is_too_much_is_refused_and_does_nothing(app, client, links, reader, paper, what):
    for page in (links.thumb(paper, Vote.UP), links.unsubscribe()):
        answer = client.post(page, **TOO_MUCH[what]())
        assert answer.status_code == 413
        assert "content-security-policy" in answer.headers
    assert app.store.readers.by_id(reader.id).stopped is None
    assert app.store.feedback.history(reader.id) == []


def test_a_form_without_a_content_type_has_no_fields(app, client, links, reader):
    answer = client.post(links.me(), content=b"do=pause")
    assert answer.status_code == 400
    assert app.store.readers.by_id(reader.id).stopped is None


def test_a_database_that_fails_is_a_page_and_a_line_in_the_log(
    app, client, links, paper, monkeypatch, caplog
):
    from bot.errors import StoreError

    def broken(_reader_id):
        raise StoreError("paperbot.db: disk I/O error")

    monkeypatch.setattr(app.store.readers, "by_id", broken)
    answer = client.get(links.thumb(paper, Vote.UP))
    assert answer.status_code == 503
    assert "disk" not in answer.text
    assert caplog.messages == ["paperbot.db: disk I/O error"]


def test_a_mistake_of_ours_is_a_page_and_a_place_in_the_log_without_values(
    app, client, links, monkeypatch, caplog
):
    def wrong(_reader_id):
        raise ZeroDivisionError("ada@example.org")

    monkeypatch.setattr(app.store.readers, "by_id", wrong)
    answer = client.get(links.me())
    assert answer.status_code == 500
    assert "content-security-policy" in answer.headers
    (message,) = caplog.messages
    assert "ZeroDivisionError" in message
    assert "ada@example.org" not in message + answer.text


def test_tokens_are_cut_out_of_what_is_logged(links, paper):
    record = logging.LogRecord(
        "x", logging.INFO, "", 0, "GET %s failed", (links.thumb(paper, Vote.UP),), None
    )
    assert Redactor().filter(record)
    assert record.getMessage() == "GET http://localhost:8000/thumb/…?vote=up failed"


NAMES = [
    "do",
    "vote",
    "word",
    "paper",
    "voter",
    "size",
    "at",
    "day",
    "q",
    "email",
    "profile",
    "payload",
    "command",
]
VALUES = ["up", "down", "clear", "p1", "reward", "settings", "ignore", "reward-models", "eve@example.org"]
FORMS = st.dictionaries(
    st.text(max_size=10) | st.sampled_from(NAMES), st.text(max_size=40) | st.sampled_from(VALUES), max_size=5
)
TYPES = ["", "application/x-www-form-urlencoded", "multipart/form-data", "application/json"]


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_input_makes_any_page_fail(client, links, paper, day, data):
    """Neither a form, a query, a path nor a body gets more than an answer of ours."""
    takes = {page: ["GET", "POST"] if post else ["GET"] for page, post in personal(links, paper, day)}
    del takes[f"{links.me()}/forget"]  # one press, and the others would only say who is gone
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
