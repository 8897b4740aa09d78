"""What today's edition would be, for somebody who has not subscribed."""

import re

import pytest
import time_machine
from support import edit

from bot.model import Override
from bot.store.schema import paper_keys, papers

EVE = "eve@example.org"


def preview(client, wishes, **more):
    return client.post("/preview", data={"wishes": wishes, "profile": "reward-models", **more})


def titles(page):
    return re.findall(r'<h3 dir="auto"><a href="/paper/p\d+">([^<]+)</a>', page)


def test_interests_decide_what_the_edition_would_be(client):
    agents = titles(preview(client, "Agents that use tools and browse the web").text)
    rewards = titles(preview(client, "Reward models and reward hacking").text)
    assert agents
    assert rewards
    assert agents != rewards
    assert any("eward" in title for title in rewards)


def test_the_script_gets_the_edition_alone_and_the_button_a_page(client):
    part = preview(client, "Reward models", part="1").text
    assert titles(part)
    assert "<html" not in part
    page = preview(client, "Reward models").text
    assert titles(page) == titles(part)
    assert '<input type="hidden" name="interests" value="Reward models">' in page


def test_pasted_bibtex_counts_by_its_titles(client):
    entry = "@article{a,\n title = {Reward models for reasoning},\n author = {Ada Lovelace},\n year = {2024}\n}"
    page = preview(client, entry).text
    assert 'name="interests" value="Reward models for reasoning"' in page
    assert titles(page)


def test_pasted_papers_wait_neither_for_ingestion_nor_for_others_pastes(app, client):
    entry = "@article{a,\n title = {Reward models for reasoning},\n year = {2024}\n}"
    with app.parser._lock:  # as while it parses
        assert titles(preview(client, entry).text)
    with app.page_parser._lock:
        page = preview(client, entry).text
        assert "the parser is busy with another file; try again in a moment" in page
        assert client.get("/open/reward-models").status_code == 200


def test_known_arxiv_ids_count_by_their_titles_and_unknown_ones_are_named(client, app, paper):
    with app.store._database.writing() as connection:
        connection.execute(papers.update().where(papers.c.id == paper.id).values(arxiv_id="2504.16084"))
        connection.execute(paper_keys.insert(), {"key": "arxiv:2504.16084", "paper_id": paper.id})
    page = preview(client, "https://arxiv.org/abs/2504.16084\n2401.00001").text
    assert f'name="interests" value="{paper.title}"' in page
    assert "Not known here yet: 2401.00001." in page


@pytest.mark.parametrize("wishes", ["", "   ", "@article{", "@comment{}", "TY  - JOUR\r\nER  - \r\n"])
def test_what_can_not_be_used_is_explained(client, wishes):
    answer = preview(client, wishes)
    assert answer.status_code == 200
    assert 'class="problem small"' in answer.text or titles(answer.text)


@pytest.fixture
def second_profile(served):
    """Add another open profile; return its slug."""
    first = (served / "profiles" / "reward-models.toml").read_text()
    text = first.replace("Reward models", "Agents", 1).replace("ada@example.org", "bob@example.org")
    (served / "profiles" / "agents.toml").write_text(text)
    return "agents"


def test_of_several_open_profiles_one_is_chosen(client, second_profile):
    start = client.get(f"/?profile={second_profile}").text
    assert start.count("<select") == start.count(f'<option value="{second_profile}" selected>') == 2
    page = preview(client, "Reward models", profile=second_profile).text
    assert f'<option value="{second_profile}" selected>' in page
    assert f'<input type="hidden" name="profile" value="{second_profile}">' in page
    assert titles(page)


def test_nothing_is_stored_and_views_are_limited(client, app, monkeypatch):
    monkeypatch.setattr("bot.web.site.VIEWS_A_MINUTE", 2)
    readers = len(app.store.readers.all())
    with time_machine.travel("2025-05-07T10:00:00+02:00", tick=False):  # views are counted by minute
        assert [preview(client, "Reward models").status_code for _ in range(3)] == [200, 200, 429]
    assert len(app.store.readers.all()) == readers


def test_without_an_open_profile_there_is_no_preview(client, served):
    assert preview(client, "Reward models", profile="nonsense").status_code == 400
    edit(served / "profiles/reward-models.toml", "open = true", "open = false")
    assert preview(client, "Reward models").status_code == 404


def test_scripts_are_allowed_on_the_start_page_alone_and_only_ours(client):
    assert "script-src 'self'" in client.get("/").headers["content-security-policy"]
    assert "script-src" not in client.get("/open/reward-models").headers["content-security-policy"]
    assert client.get("/preview.js").headers["content-type"].startswith("text/javascript")


def subscribe(client, address, **more):
    return client.post("/subscribe", data={"profile": "reward-models", "email": address, "homepage": "", **more})


def test_a_subscription_with_interests_keeps_them_for_this_reader(client, app):
    subscribe(client, EVE, interests="Agents that use tools")
    eve = app.store.readers.get("reward-models", EVE)
    expected = Override(interests="Agents that use tools", keywords=(), authors=(), title="Agents that use tools")
    assert app.store.overrides.get(eve.id) == expected


def test_nobody_can_change_the_interests_of_a_subscriber(client, app, reader):
    subscribe(client, reader.address, interests="Agents that use tools")
    assert app.store.overrides.get(reader.id) == Override()
