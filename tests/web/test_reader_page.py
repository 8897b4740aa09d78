"""The preferences pages: what they show, and what each of their buttons does."""

import json
import math
import re
from datetime import UTC, datetime, time, timedelta

import pytest
import time_machine
from support import buttons, digest

from bot.config.keys import Purpose
from bot.editions.due import JUDGED
from bot.model import Entry, LibraryEntry, Override, Vote


def words(page, kind="for"):
    """Return the words that the page shows for or against, heaviest first."""
    bar = r'<svg class="bar"[^>]*><rect class="track"[^>]*/>'
    return re.findall(rf'<div dir="auto">([^<]+){bar}<rect class="{kind}"', page)


def test_the_page_shows_what_was_learned_as_phrases_for_and_against(client, me, links, app, reader):
    assert "Nothing yet." in client.get(f"{me}/votes").text
    for title in ("Energy-Based Reward", "Stop Summation"):
        client.post(links.thumb(app.store.papers.find(title)[0], Vote.UP))
    page = client.get(f"{me}/votes").text
    assert "credit assignment" in words(page)
    assert page.index("Since you liked “Stop Summation") < page.index("A longer bar means")
    assert "reward models" not in words(page), "the reader wrote that"
    papers = app.store.papers.get(paper_id for paper_id, _, _ in app.store.papers.recent_texts(300))
    for paper in [paper for paper in papers.values() if "agent" in paper.title.lower()][:12]:
        app.store.feedback.add(reader.id, paper.id, Vote.DOWN, datetime.now(UTC), "mail")
    assert any("agent" in phrase for phrase in words(client.get(f"{me}/votes").text, "against"))


def test_an_ignored_word_no_longer_counts_and_can_be_restored(app, client, me, reader, paperbot):
    def why():
        return paperbot("why", "reward-models", "Energy-Based Reward", "--json").json

    def terms():
        return [reason["term"] for reason in why()["reasons"]]

    assert any("preference" in term for term in terms())
    page = client.post(f"{me}/votes", data={"do": "ignore", "word": "human preferences"}).text
    assert "“human preferences” no longer counts." in page
    assert "human preferences" not in words(page)
    assert not any("preference" in term for term in terms())
    total = why()["rest"] + sum(reason["weight"] for reason in why()["reasons"])
    assert total == pytest.approx(math.log(why()["score"] / (1 - why()["score"])))
    client.post(me, data={"do": "restore", "word": "human preferences"})
    assert any("preference" in term for term in terms())
    assert app.store.overrides.get(reader.id) == Override()


@pytest.mark.slow
def test_an_ignored_word_stays_ignored_when_the_vocabulary_is_rebuilt(app, client, me, links, served, paperbot):
    for title in ("Energy-Based Reward", "Stop Summation"):
        client.post(links.thumb(app.store.papers.find(title)[0], Vote.UP))
    client.post(me, data={"do": "ignore", "word": "reward"})
    titles = [f"Rewards of kind {n} for reward models" for n in range(40)]
    (served / "seeds" / "next.txt").write_text(digest(*titles, header="LLM-RL - 2025-05-08"))
    before = app.ranker.get()
    assert paperbot("run", "--now", "2025-05-08T09:00:00+02:00", "--json").json["new"] == 40
    page = client.get(f"{me}/votes").text
    assert app.ranker.get() is not before
    assert "reward" not in words(page)
    assert "reward" not in words(page, "against")
    assert words(page)
    (edition,) = [e for e in paperbot("export", "reward-models").json["editions"] if e["date"] == "2025-05-08"]
    assert edition["papers"]
    assert "reward" not in {reason["term"] for paper in edition["papers"] for reason in paper["reasons"]}


def test_votes_can_be_undone_and_reversed(app, client, me, links, reader, paper):
    client.post(links.thumb(paper, Vote.UP))
    page = client.get(f"{me}/votes").text
    assert re.search(r"👍 <a [^>]+>TTRL", page)
    client.post(me, data={"do": "thumb", "paper": paper.ref, "vote": "down"})
    assert app.store.feedback.current(reader.id)[paper.id].vote is Vote.DOWN
    client.post(me, data={"do": "thumb", "paper": paper.ref, "vote": "clear"})
    assert app.store.feedback.current(reader.id) == {}
    assert [t.via for t in app.store.feedback.history(reader.id)] == ["mail", "page", "page"]


def test_votes_name_their_channels_in_words(app, client, me, reader):
    channels = {"cli": "on the command line", "mail": "by mail", "slack": "in Slack", JUDGED: "while setting up"}
    for paper_id, via in zip(app.store.papers.new_to(reader.id), channels, strict=False):
        app.store.feedback.add(reader.id, paper_id, Vote.UP, datetime(2025, 5, 7, 9, tzinfo=UTC), via)
    page = client.get(f"{me}/votes").text
    assert all(f", {words}</span>" in page for words in channels.values())


def test_votes_are_shown_as_a_chart_and_progress_is_too_early_to_tell_with_few(app, client, me, reader, paper):
    assert "Is it learning my preferences?" not in client.get(f"{me}/votes").text
    app.store.feedback.add(reader.id, paper.id, Vote.UP, datetime.now(UTC), "mail")
    page = client.get(f"{me}/votes").text
    assert 'aria-label="Thumbs of the last twelve weeks: 1 up, 0 down"' in page
    assert "Too early to tell: 0 liked papers could be predicted" in page
    assert 'class="chart curve"' not in page


@pytest.mark.slow
def test_the_page_and_the_command_give_the_same_answer(client, me, experienced, paperbot):
    page = client.get(f"{me}/votes").text
    report = paperbot("evaluate", experienced.name, "--json").json
    answer = re.search(r"passed over (\d+) times in 100; by your interest words alone (\d+)", page)
    assert [int(n) for n in answer.groups()] == [round(100 * report[way]["auc"]) for way in ("learned", "words")]
    summary = re.search(r'aria-label="With thumbs (\d+) .*? and (\d+) at last; .*? alone (\d+) and (\d+);', page)
    over_time = report["over_time"]
    learned = [round(100 * over_time[n]["learned"]["mean"]) for n in (0, -1)]
    assert [int(n) for n in summary.groups()] == [*learned, *(round(100 * over_time[n]["words"]) for n in (0, -1))]
    (svg,) = re.findall(r'<svg class="chart curve".*?</svg>', page, re.DOTALL)
    assert svg.count('<circle class="with-thumbs"') == len(over_time)
    assert len(re.search(r'"line with-thumbs" points="([^"]+)"', svg)[1].split()) == len(over_time)
    assert "style=" not in svg  # the pages' policy forbids it


def test_schedule_and_size_are_set_for_this_reader_alone(app, served, client, me, reader, paperbot):
    form = {"do": "settings", "size": "3", "at": "06:30", "day": ["mon", "sun"]}
    assert "Your changes count" in client.post(me, data=form).text
    assert app.store.overrides.get(reader.id) == Override(3, time(6, 30), ("mon", "sun"))
    assert "ada@example.org: 3 papers, at 06:30, on Mon, Sun" in paperbot("profiles").out
    titles = (f"Reward models for {subject}" for subject in ("owls", "gardens", "chess", "weather", "bees"))
    (served / "seeds" / "new.txt").write_text(digest(*titles))
    assert paperbot("run", "--now", "2025-05-11T06:31:00+02:00", "--json").json["editions"] == 1  # a Sunday
    assert app.store.editions.last(reader.id).picks == 3
    client.post(me, data={"do": "settings", "reset": "1"})
    assert app.store.overrides.get(reader.id) == Override()


def test_the_language_of_dates_is_set_for_this_reader_alone(app, client, me, reader, paperbot):
    paper = app.store.editions.picks_of(app.store.editions.last(reader.id).id)[0].paper
    days = ["mon", "tue", "wed", "thu", "fri"]
    form = {"do": "settings", "size": "5", "at": "08:00", "day": days, "language": "de"}
    page = client.post(me, data=form).text
    assert '<option value="de" selected>German</option>' in page
    assert app.store.overrides.get(reader.id) == Override(language="de")
    assert "ada@example.org: dates in “de”" in paperbot("profiles").out
    assert "7. Mai 2025" in client.get(f"{me}/archive").text
    assert ". April 2025" in client.get(f"{me}/paper/{paper.ref}").text
    edition = client.get(client.get(f"{me}/today", follow_redirects=False).headers["Location"]).text
    assert "7. Mai 2025 · 5 papers; 176 new papers came in" in edition
    letter = paperbot("preview", "reward-models", "--weekly", "--now", "2025-05-09T08:00:00+02:00").out
    assert "2. Mai 2025 to 8. Mai 2025" in letter
    client.post(me, data={"do": "settings", "reset": "1"})
    assert "7 May 2025" in client.get(f"{me}/archive").text


SETTINGS = {"do": "settings", "size": "5", "at": "08:00", "day": "mon"}
INVALID_FORMS = [
    {"do": "nothing"},
    {},
    SETTINGS | {"size": "0"},
    SETTINGS | {"size": "many"},
    SETTINGS | {"at": "25:00"},
    SETTINGS | {"at": "08:00+01:00"},
    SETTINGS | {"day": "someday"},
    SETTINGS | {"timezone": "Mars/Olympus"},
    SETTINGS | {"language": "german"},
    SETTINGS | {"interests": "", "keywords": "", "authors": ""},
    {"do": "thumb", "paper": "seventeen", "vote": "up"},
    {"do": "thumb", "paper": "p1", "vote": "sideways"},
    {"do": "ignore", "word": ""},
    {"do": "ignore", "word": "x" * 300},
]


def test_invalid_forms_are_refused_and_change_nothing(app, client, me, reader):
    for form in INVALID_FORMS:
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
    {"do": "unsubscribe"},
    {"do": "resume"},
]


@pytest.mark.parametrize("form", CHANGES, ids="-".join)
def test_without_its_profile_file_a_page_changes_nothing(app, client, me, reader, served, form):
    client.post(me, data={"do": "ignore", "word": "agent"})
    override = app.store.overrides.get(reader.id)
    assert override.ignored == ("agent",)
    (served / "profiles" / "reward-models.toml").rename(served / "elsewhere.toml")
    answer = client.post(me, data=form)
    assert answer.status_code == 410
    assert "The profile of this subscription no longer exists." in answer.text
    assert app.store.overrides.get(reader.id) == override
    assert app.store.readers.by_id(reader.id).stopped is None
    assert app.store.feedback.history(reader.id) == []


def test_changes_are_rate_limited(client, me, monkeypatch):
    monkeypatch.setattr("bot.web.readers._CHANGES_A_MINUTE", 1)
    assert [client.post(me, data={"do": "pause"}).status_code for _ in range(2)] == [200, 429]


def test_all_data_can_be_exported(client, me, links, paper, paperbot):
    client.post(links.thumb(paper, Vote.UP))
    answer = client.get(f"{me}/export.json")
    assert "attachment" in answer.headers["content-disposition"]
    assert json.loads(answer.text) == paperbot("export", "reward-models").json


def test_liked_papers_are_files_at_links_that_stay_valid(client, me, links, paper):
    client.post(links.thumb(paper, Vote.UP))
    on_page = re.findall(r'href="(/me/[^"]*/library\.\w+)"', client.get(f"{me}/data").text)
    assert [link.rpartition(".")[2] for link in on_page] == ["bib", "ris"]
    with time_machine.travel(datetime.now(UTC) + timedelta(days=1_000)):
        assert client.get(on_page[0]).text.startswith("@misc{")
        assert client.get(on_page[1]).text.startswith("TY  - UNPB\r\n")
    # It opens the list only: the token of the page is another.
    token = links.library("bib").split("/")[-2]
    assert client.get(f"/me/{token}").status_code == 404


LIBRARY = "@article{k, title = {On owls and verifiers}, timestamp = {2020-03-04}}"


def test_the_library_is_shown_apart_and_removed_at_once(client, me, tmp_path, paperbot):
    assert "Your library" not in client.get(f"{me}/data").text
    file = tmp_path / "own.bib"
    file.write_text(LIBRARY)
    assert paperbot("import", "reward-models", file).code == 0
    page = client.get(f"{me}/data").text
    assert "1 paper that you had before. Each counts as one that you liked, all together as 150 votes at most." in page
    assert "On owls and verifiers" in page
    assert "4 Mar 2020" in page
    page = client.post(f"{me}/data", data={"do": "remove library"}).text
    assert "Your library is removed: 1 paper." in page
    assert "On owls and verifiers" not in page
    assert paperbot("export", "reward-models").json["library"] == []


def test_deleting_ones_data_takes_a_button_and_leaves_nothing(app, client, me, reader, served, paperbot):
    profile = served / "profiles" / "reward-models.toml"
    comments = [line for line in profile.read_text().splitlines() if line.startswith("#")]
    assert buttons(client.get(f"{me}/forget").text) == ["Delete my data"]
    assert app.store.readers.by_id(reader.id) is not None
    answer = client.post(f"{me}/forget").text
    assert "Your data is deleted." in answer
    assert "Your address is deleted too, also from the profile" in answer
    assert app.store.readers.all() == []
    assert list(served.glob("state/outbox/*/*ada*")) == []
    assert client.get(me).status_code == 410
    assert paperbot("run", "--force", "--json").json["editions"] == 0
    assert reader.address not in profile.read_text()
    assert [line for line in profile.read_text().splitlines() if line.startswith("#")] == comments
    # The hash of the address stays: it keeps processes from adding it that read the file before.
    assert app.store.readers.forgotten("reward-models", reader.address)
    assert paperbot("subscribe", "reward-models", reader.address).code == 0
    assert app.store.readers.get("reward-models", reader.address)


UNEDITABLE = {
    "readers written inline": lambda text: text.replace('[[readers]]\nemail = "ada@example.org"', "").replace(
        "title =", 'readers = [{ email = "ada@example.org" }]\ntitle ='
    ),
    "a comment that names the address": lambda text: "# ada@example.org asked for this\n" + text,
}


@pytest.mark.parametrize("way", UNEDITABLE)
def test_data_that_could_not_be_deleted_is_named(app, client, me, reader, served, paperbot, way):
    profile = served / "profiles" / "reward-models.toml"
    profile.write_text(UNEDITABLE[way](profile.read_text()))
    answer = client.post(f"{me}/forget").text
    assert "your address is still in the file profiles/reward-models.toml" in answer
    assert "Only the operator of Paperbot can remove it" in answer
    assert "address is deleted" not in answer
    assert paperbot("run", "--force", "--json").json["editions"] == 0
    assert app.store.readers.all() == []
    if way == "readers written inline":
        assert "ada@example.org: forgotten at their request" in paperbot("profiles").out


def test_past_editions_can_be_opened_and_voted_on(app, client, me, links, reader):
    page = client.get(f"{me}/archive").text
    (link,) = re.findall(r'href="(/me/[^"]+/edition/2025-05-07)"', page)
    edition = client.get(link).text
    assert edition.count("<li id=") == 5
    action = re.search(r'action="(/thumb/[^"]+vote=up)"', edition)[1]
    voted = client.post(action.replace("&amp;", "&"))
    assert voted.status_code == 200
    assert [thumb.via for thumb in app.store.feedback.votes(reader.id)] == ["page"]
    for follow_up in re.findall(r'action="([?][^"]*)"', voted.text):
        client.post(action.split("?")[0] + follow_up.replace("&amp;", "&"))
    assert [t.via for t in app.store.feedback.history(reader.id)] == ["page"] * 5
    (shared,) = re.findall(r'href="(/edition/[^"]+)">Page to share', edition)
    assert client.get(f"{shared}/papers.bib").text.count("@misc{") == 5
    assert client.get(f"{shared}/papers.ris").text.count("TY  - ") == 5


def test_a_forwarded_mail_leads_to_its_edition_and_to_nothing_personal(app, client, links, reader):
    day = app.store.editions.last(reader.id).date
    page = client.get(links.edition(day))
    assert page.text.count("<li id=") == 5
    assert not re.search("/me/|/thumb/|Preferences<|Archive<", page.text)
    assert client.get(f"{links.me()}/edition/{day}").text.count("/thumb/") == 20
    for other in ("2025-05-06", "yesterday"):
        assert client.get(f"{links.me()}/edition/{other}").status_code == 404
    for ordinal in (730_000, 10**9, -5):
        token = app.signer.sign(Purpose.EDITION, [reader.id, ordinal])
        assert client.get(f"/edition/{token}").status_code == 404


def test_search_offers_thumbs_and_says_what_is_in_the_readers_library(client, app, me, reader):
    def owned():
        page = client.get(f"{me}/search", params={"q": "reward models"}).text
        assert 'action="/thumb/' in page
        return page.count("Already in your library")

    assert owned() == 0
    (paper,) = app.store.papers.find("Energy-Based Reward Models")
    entry = LibraryEntry(Entry(paper.title, doi=paper.doi, arxiv_id=paper.arxiv_id))
    app.store.library.add(reader.id, [entry], "bibtex", paper.first_seen)
    assert owned() == 1
