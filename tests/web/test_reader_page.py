"""One's own page: what it shows, and what each of its buttons does."""

import json
import math
import re
from datetime import time

import pytest
from support import buttons, digest

from bot.domain import Override, Vote


@pytest.fixture
def me(links):
    return links.me()


def words(page, kind="for"):
    """The words that the page shows on one side, heaviest first."""
    bar = r'<svg class="bar"[^>]*><rect class="track"[^>]*/>'
    return re.findall(rf'<div dir="auto">([^<]+){bar}<rect class="{kind}"', page)


def test_it_shows_what_was_learned_as_words_for_and_against(client, me, links, app):
    assert "reward" in words(client.get(me).text)
    for title in ("LLM-Powered GUI", "A Summary on GUI", "Toward Efficient Exploration"):
        client.post(links.thumb(app.store.papers.find(title)[0], Vote.DOWN))
    assert "agent" in words(client.get(me).text, "against")


def test_a_word_taken_out_counts_no_more_and_can_be_used_again(app, client, me, reader, paperbot):
    def why():
        return paperbot("why", "reward-models", "Energy-Based Reward", "--json").json

    def terms():
        return [reason["term"] for reason in why()["reasons"]]

    assert "reward model" in terms()
    page = client.post(me, data={"do": "ignore", "word": "reward model"}).text
    assert "“reward model” counts no more." in page
    assert "reward model" not in words(page)
    assert "reward model" not in terms()
    total = why()["rest"] + sum(reason["weight"] for reason in why()["reasons"])
    assert total == pytest.approx(math.log(why()["score"] / (1 - why()["score"])))
    client.post(me, data={"do": "restore", "word": "reward model"})
    assert "reward model" in terms()
    assert app.store.overrides.get(reader.id) == Override()


def test_a_word_taken_out_stays_out_when_papers_come_and_the_vocabulary_is_learned_anew(
    app, client, me, links, served, paperbot
):
    for title in ("Energy-Based Reward", "Stop Summation"):
        client.post(links.thumb(app.store.papers.find(title)[0], Vote.UP))
    assert "reward" in words(client.get(me).text)
    client.post(me, data={"do": "ignore", "word": "reward"})
    titles = [f"Rewards of kind {n} for reward models" for n in range(40)]
    (served / "seeds" / "next.txt").write_text(digest(*titles, header="LLM-RL - 2025-05-08"))
    before = app.ranker
    assert paperbot("run", "--now", "2025-05-08T09:00:00+02:00", "--json").json["new"] == 40
    page = client.get(me).text
    assert app.ranker is not before
    assert "reward" not in words(page)
    assert "reward" not in words(page, "against")
    assert "reward model" in words(page)
    (edition,) = [
        e for e in paperbot("export", "reward-models").json["editions"] if e["date"] == "2025-05-08"
    ]
    assert edition["papers"]
    assert "reward" not in {reason["term"] for paper in edition["papers"] for reason in paper["reasons"]}


def test_thumbs_can_be_undone_and_turned_round(app, client, me, links, reader, paper):
    client.post(links.thumb(paper, Vote.UP))
    page = client.get(me).text
    assert "👍 TTRL" in page
    client.post(me, data={"do": "thumb", "paper": paper.ref, "vote": "down"})
    assert app.store.feedback.current(reader.id)[paper.id].vote is Vote.DOWN
    client.post(me, data={"do": "thumb", "paper": paper.ref, "vote": "clear"})
    assert app.store.feedback.current(reader.id) == {}
    assert [t.via for t in app.store.feedback.history(reader.id)] == ["mail", "page", "page"]


def test_thumbs_of_late_are_a_chart(client, me, links, paper):
    client.post(links.thumb(paper, Vote.UP))
    assert 'aria-label="Thumbs of the last twelve weeks: 1 up, 0 down"' in client.get(me).text


def test_without_thumbs_nothing_is_said_of_their_use_and_with_few_that_it_is_too_early(
    client, me, links, paper
):
    assert "Is it learning my preferences?" not in client.get(me).text
    client.post(links.thumb(paper, Vote.UP))
    page = client.get(me).text
    assert "Too early to tell: 0 liked papers could be predicted" in page
    assert 'class="chart curve"' not in page


def test_how_well_thumbs_were_predicted_is_a_drawing_with_words_for_those_who_cannot_see_it(
    client, me, practised
):
    page = client.get(me).text
    drawing = re.search(r'<svg class="chart curve".*?</svg>', page, re.DOTALL)[0]
    assert re.search(
        r'aria-label="With thumbs \d+ of 100 at first and \d+ of late; by interest words', drawing
    )
    assert drawing.count("<circle") >= 2
    assert len(re.search(r'"line with-thumbs" points="([^"]+)"', drawing)[1].split()) == drawing.count(
        "<circle"
    )
    assert "style=" not in drawing  # the pages' policy forbids it
    assert re.search(r"a paper you liked stood above one you passed over \d+ times in 100", page)


def test_the_page_and_the_command_give_one_answer(client, me, practised, paperbot):
    page = client.get(me).text
    found = paperbot("evaluate", practised.name, "--json").json
    said = re.search(r"passed over (\d+) times in 100; by your interest words alone (\d+)", page)
    assert [int(n) for n in said.groups()] == [round(100 * found[way]["auc"]) for way in ("learned", "words")]
    summary = re.search(
        r'aria-label="With thumbs (\d+) .*? and (\d+) of late; .*? alone (\d+) and (\d+);', page
    )
    over_time = found["over_time"]
    learned = [round(100 * over_time[n]["learned"]["mean"]) for n in (0, -1)]
    assert [int(n) for n in summary.groups()] == [
        *learned,
        *(round(100 * over_time[n]["words"]) for n in (0, -1)),
    ]
    assert page.count('<circle class="with-thumbs"') == len(over_time)


def test_when_and_how_much_are_set_for_this_reader_alone(app, client, me, reader, paperbot):
    form = {"do": "settings", "size": "3", "at": "06:30", "day": ["mon", "sun"]}
    assert "Noted." in client.post(me, data=form).text
    assert app.store.overrides.get(reader.id) == Override(3, time(6, 30), ("mon", "sun"))
    assert "ada@example.org: 3 papers, at 06:30, on mon sun" in paperbot("profiles").out
    text = paperbot("preview", "reward-models").out
    assert "new papers" not in text or "4. " not in text
    report = paperbot("run", "--now", "2025-05-11T06:31:00+02:00", "--json").json  # a Sunday
    assert report["editions"] + report["skipped"] == 1
    client.post(me, data={"do": "settings", "reset": "1"})
    assert app.store.overrides.get(reader.id) == Override()


def test_what_is_as_in_the_profile_is_no_override(app, client, me, reader):
    days = ["mon", "tue", "wed", "thu", "fri"]
    client.post(me, data={"do": "settings", "size": "7", "at": "08:00", "day": days})
    assert app.store.overrides.get(reader.id) == Override()


NO_SENSE = [
    {"do": "nothing"},
    {},
    {"do": "settings", "size": "0", "at": "08:00", "day": "mon"},
    {"do": "settings", "size": "many", "at": "08:00", "day": "mon"},
    {"do": "settings", "size": "5", "at": "25:00", "day": "mon"},
    {"do": "settings", "size": "5", "at": "08:00+01:00", "day": "mon"},
    {"do": "settings", "size": "5", "at": "08:00", "day": "someday"},
    {"do": "thumb", "paper": "seventeen", "vote": "up"},
    {"do": "thumb", "paper": "p1", "vote": "sideways"},
    {"do": "ignore", "word": ""},
    {"do": "ignore", "word": "x" * 300},
]


def test_forms_that_make_no_sense_are_refused_and_change_nothing(app, client, me, reader):
    for form in NO_SENSE:
        assert client.post(me, data=form).status_code == 400, form
    assert app.store.overrides.get(reader.id) == Override()
    assert app.store.feedback.history(reader.id) == []


CHANGES = [
    {"do": "ignore", "word": "reward"},
    {"do": "restore", "word": "agent"},
    {"do": "thumb", "paper": "p1", "vote": "up"},
    {"do": "settings", "size": "3", "at": "06:30", "day": "mon"},
    {"do": "settings", "reset": "1"},
    {"do": "pause"},
    {"do": "resume"},
]


@pytest.mark.parametrize("form", CHANGES, ids="-".join)
def test_without_its_profile_a_page_changes_nothing(app, client, me, reader, served, form):
    client.post(me, data={"do": "ignore", "word": "agent"})
    kept = app.store.overrides.get(reader.id)
    assert kept.ignored == ("agent",)
    (served / "profiles" / "reward-models.toml").rename(served / "elsewhere.toml")
    answer = client.post(me, data=form)
    assert answer.status_code == 410
    assert "The profile that this was for is no longer there." in answer.text
    assert app.store.overrides.get(reader.id) == kept
    assert app.store.readers.by_id(reader.id).stopped is None
    assert app.store.feedback.history(reader.id) == []


def test_pause_and_resume(app, client, me, reader, paperbot):
    page = client.post(me, data={"do": "pause"}).text
    assert "Nothing is sent at present: paused by its reader." in page
    assert paperbot("run", "--force", "--json").json["editions"] == 0
    client.post(me, data={"do": "resume"})
    assert app.store.readers.by_id(reader.id).stopped is None


def test_very_many_changes_are_slowed_down(client, me, monkeypatch):
    monkeypatch.setattr("bot.web.reader_page._CHANGES_A_MINUTE", 1)
    assert [client.post(me, data={"do": "pause"}).status_code for _ in range(2)] == [200, 429]


def test_everything_can_be_taken_along(client, me, links, paper, paperbot):
    client.post(links.thumb(paper, Vote.UP))
    answer = client.get(f"{me}/export.json")
    assert "attachment" in answer.headers["content-disposition"]
    assert json.loads(answer.text) == paperbot("export", "reward-models").json
    assert "@misc{" in client.get(f"{me}/liked.bib").text
    assert client.get(f"{me}/liked.ris").text.startswith("TY  - UNPB\r\n")


def test_being_forgotten_takes_a_button_and_leaves_nothing(app, client, me, reader, served, paperbot):
    profile = served / "profiles" / "reward-models.toml"
    comments = [line for line in profile.read_text().splitlines() if line.startswith("#")]
    assert buttons(client.get(f"{me}/forget").text) == ["Forget me"]
    assert app.store.readers.by_id(reader.id) is not None
    answer = client.post(f"{me}/forget").text
    assert "You are forgotten." in answer
    assert "Your address is deleted too, also from the profile" in answer
    assert app.store.readers.all() == []
    assert list(served.glob("state/outbox/*/*ada*")) == []
    assert client.get(me).status_code == 410
    assert paperbot("run", "--force", "--json").json["editions"] == 0
    assert reader.address not in profile.read_text()
    assert [line for line in profile.read_text().splitlines() if line.startswith("#")] == comments
    assert not app.store.readers.forgotten("reward-models", reader.address)


UNEDITABLE = {
    "readers written inline": lambda text: text.replace('[[readers]]\nemail = "ada@example.org"', "").replace(
        "title =", 'readers = [{ email = "ada@example.org" }]\ntitle ='
    ),
    "a comment that names the address": lambda text: "# ada@example.org asked for this\n" + text,
}


@pytest.mark.parametrize("way", UNEDITABLE)
def test_what_remains_of_one_who_is_forgotten_is_said(app, client, me, reader, served, paperbot, way):
    profile = served / "profiles" / "reward-models.toml"
    profile.write_text(UNEDITABLE[way](profile.read_text()))
    answer = client.post(f"{me}/forget").text
    assert "your address still stands in the file profiles/reward-models.toml" in answer
    assert "Only the operator of Paperbot can take it out" in answer
    assert "address is deleted" not in answer
    assert paperbot("run", "--force", "--json").json["editions"] == 0
    assert app.store.readers.all() == []
    if way == "readers written inline":
        assert "ada@example.org: forgotten at their own wish" in paperbot("profiles").out


def test_editions_are_kept_to_be_opened_again_with_their_thumbs(app, client, me, links, reader):
    page = client.get(me).text
    (link,) = re.findall(r'href="(/edition/[^"]+)"', page)
    edition = client.get(link).text
    assert edition.count("<li>") == 7
    action = re.search(r'action="(/thumb/[^"]+vote=up)"', edition)[1]
    voted = client.post(action.replace("&amp;", "&"))
    assert voted.status_code == 200
    assert [thumb.via for thumb in app.store.feedback.votes(reader.id)] == ["page"]
    for follow_up in re.findall(r'action="([?][^"]*)"', voted.text):
        client.post(action.split("?")[0] + follow_up.replace("&amp;", "&"))
    assert [t.via for t in app.store.feedback.history(reader.id)] == ["page"] * 3
    assert client.get(f"{link}/papers.bib").text.count("@misc{") == 7
    assert client.get(f"{link}/papers.ris").text.count("TY  - ") == 7


def test_a_day_without_an_edition_is_told(app, client, reader):
    from bot.tokens import Purpose

    for ordinal in (730_000, 10**9, -5):
        token = app.signer.sign(Purpose.EDITION, [reader.id, ordinal])
        assert client.get(f"/edition/{token}").status_code == 404


def test_search_on_ones_own_page_offers_thumbs(client, me):
    page = client.get(f"{me}/search", params={"q": "reward models"}).text
    assert "Energy-Based Reward Models" in page
    assert 'action="/thumb/' in page
