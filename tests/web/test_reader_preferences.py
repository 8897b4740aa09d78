"""What readers set on their own page: topics, schedule, time zone; and the parts of the pages."""

import re
from datetime import UTC, datetime
from urllib.parse import urlsplit

from support import digest

from bot.model import Vote

TOPICS = {
    "do": "settings",
    "size": "7",
    "at": "08:00",
    "day": ["mon", "tue", "wed", "thu", "fri"],
    "interests": "Agents that use tools",
    "keywords": "tool use\r\nweb agents",
    "authors": "",
    "mute": "stock trading",
}


def test_own_topics_change_the_next_edition_and_are_reset_with_one_button(client, me, served, paperbot):
    titles = ["Web agents that learn tool use", "Reward hacking of reward models", "Sorting with fewer comparisons"]
    (served / "seeds" / "next.txt").write_text(digest(*titles, header="LLM-RL - 2025-05-08"))
    paperbot("ingest")

    def edition():
        text = paperbot("preview", "reward-models", "--format", "text").out
        return re.sub(r"http://localhost\S+", "", text)  # links are signed anew

    before = edition()
    page = client.post(me, data=TOPICS).text
    assert "Your changes count" in page
    assert ">Agents that use tools</textarea>" in page
    assert "tool use\nweb agents</textarea>" in page
    assert (
        "interests “Agents that use tools”, keywords “tool use”, “web agents”, no authors" in paperbot("profiles").out
    )
    assert "looks like" not in page
    after = edition()
    assert after.index("Web agents") < after.find("Reward hacking") % len(after)
    assert before.index("Reward hacking") < before.find("Web agents") % len(before)
    assert "Reset all to the profile's" in page
    page = client.post(me, data={"do": "settings", "reset": "1"}).text
    assert "Reset all" not in page
    assert edition() == before


def test_topics_in_german_are_saved_with_the_advice_to_write_english(client, me):
    page = client.post(me, data=TOPICS | {"interests": "Eulen und Mäuse, keine Falken"}).text
    assert "Your changes count" in page
    assert "“Eulen und Mäuse, keine Falken” looks like German: write it in English" in page


def test_a_time_zone_of_ones_own_decides_when_an_edition_is_due(client, me, paperbot):
    form = {"do": "settings", "size": "7", "at": "08:00", "day": ["thu"], "timezone": "Pacific/Auckland"}
    client.post(me, data=form)
    # 08:00 on Thursday in Auckland is Wednesday 20:00 UTC.
    paperbot("run", "--now", "2025-05-08T00:00:00Z")
    early = paperbot("run", "--now", "2025-05-14T19:59:00Z", "--json").json
    assert early["editions"] + early["skipped"] == 0
    due = paperbot("run", "--now", "2025-05-14T20:01:00Z", "--json").json
    assert due["editions"] + due["skipped"] == 1


def test_votes_are_listed_by_page_and_found_by_words(app, client, me, reader, monkeypatch):
    ids = app.store.papers.new_to(reader.id)[:3]
    for minute, paper in enumerate(app.store.papers.get(ids).values()):
        app.store.feedback.add(reader.id, paper.id, Vote.UP, datetime(2025, 5, 7, 9, minute, tzinfo=UTC), "mail")
    monkeypatch.setattr("bot.web.readers._VOTES_A_PAGE", 2)
    page = client.get(f"{me}/votes").text
    assert page.count(">Undo<") == 2
    assert 'href="?page=2#votes"' in page
    assert client.get(f"{me}/votes?page=2").text.count(">Undo<") == 1
    title = app.store.papers.get(ids[:1])[ids[0]].title
    found = client.get(f"{me}/votes", params={"q": title.upper()}).text
    assert found.count(">Undo<") == 1
    assert title in found
    assert "No vote on a paper with these words." in client.get(f"{me}/votes?q=zyzzyva").text
    left = client.post(f"{me}/votes?page=2", data={"do": "thumb", "paper": f"p{ids[0]}", "vote": "clear"}).text
    assert "Vote removed. It no longer counts." in left


def test_each_page_of_preferences_has_its_part_and_leads_to_the_others(client, me):
    pages = {part: client.get(me + part).text for part in ("", "/votes", "/data")}
    own = {"": "When, and how many", "/votes": "What was learned", "/data": "Delete my data"}
    for part, page in pages.items():
        assert [other for other, text in own.items() if text in page] == [part]
        path = urlsplit(me).path
        assert all(f'<a href="{path}{other}"' in page for other in own)
        assert f'<a href="{path}{part}" aria-current="page">' in page


def test_time_zones_are_those_of_regions_and_the_readers_own(client, me):
    page = client.get(me).text
    zones = re.findall(r"<option(?: selected)?>([^<]+)</option>", page)
    assert {"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"} <= set(zones)
    assert not set(zones) & {"Factory", "localtime", "posixrules", "US/Eastern", "Asia/Calcutta", "EST5EDT", "GB"}
    form = {"do": "settings", "size": "7", "at": "08:00", "day": "mon", "timezone": "US/Eastern"}
    assert "<option selected>US/Eastern</option>" in client.post(me, data=form).text
