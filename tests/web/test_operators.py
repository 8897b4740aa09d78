"""The public health check; metrics and status for holders of the operator's token."""

import re
from datetime import timedelta

import pytest

from bot.model import Vote
from bot.model.errors import StoreError

from .conftest import OPERATOR as TOKEN


def test_health_is_public_and_fails_with_the_store(app, client, monkeypatch):
    assert client.get("/healthz").text == "ok\n"

    def broken():
        raise StoreError("disk full")

    monkeypatch.setattr(app.store.papers, "newest_id", broken)
    assert client.get("/healthz").status_code == 503


@pytest.mark.parametrize("page", ["/metrics", "/status"])
@pytest.mark.parametrize(
    "refused",
    [
        ("", "Bearer no", "Basic !!!", "Basic bm8=", "Basic /w==", "Basic w6k6", "Digest x"),
        [f"{scheme} {it}" for scheme in ("Basic", "Bearer") for it in ("é", "=", "YQ", "ÿÿÿÿ", "Og==" * 3_000)],
    ],
    ids=["wrong", "malformed"],
)
def test_without_the_token_operators_pages_are_401(client, page, refused):
    for authorization in refused:
        answer = client.get(page, headers={"Authorization": authorization.encode("latin-1")})
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Basic")
        assert "reward" not in answer.text


def test_wrong_tokens_are_limited_and_the_right_one_is_not(client):
    wrong = [client.get("/status", headers={"Authorization": f"Bearer {n}"}).status_code for n in range(12)]
    assert wrong == [401] * 10 + [429] * 2
    assert client.get("/status", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_metrics_are_prometheus_text(client):
    client.get("/")
    text = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).text
    assert "paperbot_papers 176.0" in text
    assert 'paperbot_readers{state="active"} 1.0' in text
    assert 'paperbot_outbox{state="sent"} 1.0' in text
    assert "paperbot_messages_sent_total 1.0" in text
    assert "paperbot_editions_total 1.0" in text
    assert "paperbot_claims_expired 0.0" in text
    assert "paperbot_oldest_unsent_seconds 0.0" in text
    assert 'paperbot_http_requests_total{page="/",status="200"} 1.0' in text


def test_metrics_name_pages_and_never_their_tokens(client, links):
    client.get(links.me())
    client.get("/no/such/page")
    text = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).text
    assert 'paperbot_http_requests_total{page="/me/{token}",status="200"} 1.0' in text
    assert links.me().rpartition("/")[2] not in text


def test_status_shows_sources_and_readers(client):
    page = client.get("/status", auth=("anyone", TOKEN)).text
    assert "No problems" in page
    assert "reward-models/ada@example.org" in page


def test_without_a_token_in_the_settings_operators_pages_are_disabled(served, monkeypatch):
    from starlette.testclient import TestClient

    from bot.app import open_app
    from bot.web.application import make_web

    monkeypatch.delenv("PAPERBOT_WEB__OPERATOR_TOKEN")
    with open_app(served) as app:
        client = TestClient(make_web(app))
        answer = client.get("/status", headers={"Authorization": "Bearer "})
    assert answer.status_code == 404
    assert "PAPERBOT_WEB__OPERATOR_TOKEN" in answer.text


def test_status_shows_volumes_as_sparklines_and_inactive_readers(app, client, reader, paper, paperbot):
    def page():
        return client.get("/status", headers={"Authorization": f"Bearer {TOKEN}"}).text

    assert 'class="spark"' in page()
    assert re.search(r'aria-label="\d+ papers in 28 days, at most \d+ a day"', page())
    at = app.store.editions.last(reader.id).composed_at
    app.store.feedback.add(reader.id, paper.id, Vote.UP, at - timedelta(days=27), "mail")
    assert "Inactive readers" not in page()
    paperbot("run", "--force", "--now", (at + timedelta(days=1)).isoformat())
    assert "Inactive readers" in page()
    app.store.feedback.add(reader.id, paper.id, Vote.DOWN, at, "mail")
    assert "Inactive readers" not in page()
