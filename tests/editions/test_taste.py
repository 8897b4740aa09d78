"""How a taste has moved: what the letter says of it, its two buttons, and interests that end."""

from __future__ import annotations

import json
import re
from datetime import date, datetime, timedelta

import pytest
from starlette.testclient import TestClient
from support import buttons, digest

from bot.app import open_app
from bot.channels import sections
from bot.channels.email.rendering import render_letter_mail
from bot.channels.slack.rendering import render_letter_slack
from bot.cli.main import invoke
from bot.editions.composer import compose_letter
from bot.editions.letters import chance_of, is_told, leaving
from bot.editions.models import signatures
from bot.model import RENEWED, TasteChange, Vote
from bot.readers.votes import change_taste
from bot.web.application import make_web

FRIDAY = date(2025, 9, 5)  # the first of its month
NOW = datetime.fromisoformat("2025-09-05T08:00:00+00:00")
WEEK = timedelta(weeks=1)
THINGS = "grippers cloth fruit cables gloves skin bottles screws knobs wires pages coins keys".split()
OLD = [f"Tactile sensing of {thing}" for thing in THINGS]
NEW = [f"Reward hacking with {thing}" for thing in THINGS]
OTHERS = [f"Graph transformers for {thing}" for thing in THINGS] + [f"Protein folding near {thing}" for thing in THINGS]


@pytest.fixture
def home(owls_home, fill_once):
    """A home whose reader liked the papers on tactile sensing 20 weeks ago, and those on reward hacking 4 weeks ago."""
    (owls_home / "profiles" / "owls.toml").write_text(
        'title = "Owls"\ninterests = "owls at night"\nweekly = true\n'
        '[[readers]]\nemail = "ada@example.org"\n[edition]\nthreshold = 0\nsize = 4\n'
    )

    def fill():
        (owls_home / "seeds" / "all.txt").write_text(digest(*OLD[:12], *NEW[:12], *OTHERS))
        assert invoke(["--home", str(owls_home), "ingest"]) == 0
        vote(owls_home, OLD[:12], weeks_ago=20)
        vote(owls_home, NEW[:12], weeks_ago=4)

    fill_once(owls_home, fill)
    return owls_home


def vote(home, titles, weeks_ago, vote="up"):
    at = (NOW - weeks_ago * WEEK).isoformat()
    lines = [{"reader": "owls/ada@example.org", "paper": title, "vote": vote, "at": at} for title in titles]
    (home / "votes.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert invoke(["--home", str(home), "thumb", "--from", str(home / "votes.jsonl")]) == 0


def letter_of(app, day=FRIDAY):
    (reader,) = app.store.readers.all()
    return compose_letter(app.context(app.profiles), reader, app.profiles["owls"], day, NOW)


def faded_of(app):
    (phrase,) = letter_of(app).taste.faded
    return phrase


def test_the_first_letter_of_a_month_says_what_has_grown_and_what_has_faded(home):
    with open_app(home) as app:
        letter = letter_of(app)
        taste = letter.taste
        assert (taste.since, taste.recent, taste.before) == (FRIDAY - 13 * WEEK, 12, 12)
        (grown,), (faded,) = taste.grown, taste.faded
        assert (grown.text.lower(), grown.recent, grown.before) == ("reward hacking", 12, 0)
        assert (faded.text.lower(), faded.recent, faded.before, faded.sent) == ("tactile sensing", 0, 12, 0)
        assert {paper.title for paper in faded.papers} == set(OLD[:12])
        assert letter_of(app, FRIDAY + WEEK).taste is None
        (reader,) = app.store.readers.all()
        mail = render_letter_mail(app.templates, letter, app.links(reader))
        slack = json.loads(render_letter_slack(letter, app.links(reader), buttons=True))
    text = " ".join(mail.text.split())
    assert "Your 12 likes since 6 Jun 2025, beside the 12 from 6 Sep 2024 to then." in text
    assert re.search(
        "(?i)Grown: “reward hacking”, in 12 of your 12 likes, and in none of the 12 before. Such as “", text
    )
    assert re.search("(?i)Faded: “tactile sensing”, in none of your 12 likes, and in 12 of the 12 before. No new", text)
    assert mail.html.count("/taste/") == 2
    (section,) = [block["text"]["text"] for block in slack["blocks"] if sections.TASTE in str(block)]
    assert re.search(r"<http://localhost:8000/taste/[^|]*do=again[^|]*\|More of this again> · <[^|]*\|Done", section)


def test_papers_sent_in_the_quarter_are_counted(home):
    (home / "seeds" / "more.txt").write_text(digest("Tactile sensing of sand", "Tactile sensing of snow"))
    sent = (NOW - 2 * WEEK).isoformat()
    assert invoke(["--home", str(home), "run", "--now", sent, "--force"]) == 0
    with open_app(home) as app:
        (reader,) = app.store.readers.all()
        shown = app.store.papers.get(app.store.editions.shown(reader.id)).values()
        expected = sum("Tactile" in paper.title for paper in shown)
        assert expected
        assert faded_of(app).sent == expected


@pytest.mark.parametrize("change", ["few now", "few before", "still liked", "taken back"])
def test_what_the_votes_dont_show_is_not_said(home, change):
    if change == "still liked":
        (home / "seeds" / "more.txt").write_text(digest("Tactile sensing of sand", "Tactile sensing of snow"))
        assert invoke(["--home", str(home), "ingest"]) == 0
        vote(home, ["Tactile sensing of sand", "Tactile sensing of snow"], weeks_ago=1)
    else:
        titles = {"few now": NEW[:3], "few before": OLD[:3], "taken back": OLD[:12]}[change]
        vote(home, titles, weeks_ago=1, vote="clear")
    with open_app(home) as app:
        taste = letter_of(app).taste
    if change == "still liked":
        assert (len(taste.grown), taste.faded) == (1, ())
    else:
        assert taste is None


def test_a_constant_taste_has_neither_grown_nor_faded(home):
    vote(home, [*OLD[:12], *NEW[:12]], weeks_ago=4)
    vote(home, [*OLD[:12:2], *NEW[:12:2]], weeks_ago=20)
    with open_app(home) as app:
        assert letter_of(app).taste is None


def test_the_probability_of_chance_is_that_of_fishers_exact_test():
    assert chance_of(0, 3, 10, 10) == 1
    assert chance_of(3, 0, 3, 3) == pytest.approx(1 / 20)
    assert [is_told(date(2025, 8, day)) for day in (1, 7, 8)] == [True, True, False]


def test_the_page_says_what_would_change_and_only_its_button_renews_the_likes(home):
    with open_app(home) as app:
        (reader,) = app.store.readers.all()
        client = TestClient(make_web(app), base_url="http://localhost:8000")
        phrase = faded_of(app)
        link = app.links(reader).taste(phrase, TasteChange.AGAIN)
        votes = len(app.store.feedback.history(reader.id))
        # One of the five newest likes is taken back after the letter.
        app.store.feedback.add(reader.id, phrase.papers[0].id, Vote.CLEAR, NOW, "page")
        page = client.get(link).text
        assert "count as given today" in page
        assert buttons(page) == ["More of this again"]
        assert len(app.store.feedback.history(reader.id)) == votes + 1
        assert "Saved." in client.post(link).text
        renewed = app.store.feedback.history(reader.id)[votes + 1 :]
        assert {vote.paper for vote in renewed} == {paper.id for paper in phrase.papers[1:5]}
        assert {(vote.vote, vote.via) for vote in renewed} == {(Vote.UP, RENEWED)}
        assert "renewed by the letter" in client.get(f"{app.links(reader).me()}/votes").text


def test_more_of_the_old_raises_its_papers_and_is_no_new_like(home):
    (home / "seeds" / "more.txt").write_text(digest("Tactile sensing of sand", "Reward hacking of games", *OTHERS[:2]))
    assert invoke(["--home", str(home), "ingest"]) == 0
    with open_app(home) as app:
        (reader,) = app.store.readers.all()
        profile = app.profiles["owls"]
        ids = [app.store.papers.find(title)[0].id for title in ("Tactile sensing of sand", "Reward hacking of games")]

        def lead():
            scores = {score.paper: score.log_odds for score in app.composer.ranked(reader, profile, ids, NOW).scores}
            return scores[ids[0]] - scores[ids[1]]

        before = lead()
        papers = [paper.id for paper in faded_of(app).papers[:5]]
        change = {"change": TasteChange.AGAIN, "phrase": "tactile sensing", "papers": papers, "now": NOW}
        effect = change_taste(app.composer, reader, profile, **change)
        assert lead() > before
        assert effect.rise
        letter = letter_of(app)
        assert (letter.liked, letter.taste.recent, letter.taste.faded) == ((), 12, ())


def test_done_with_it_excludes_the_phrase_until_it_is_restored(home):
    (home / "seeds" / "more.txt").write_text(digest("Tactile sensing of sand"))
    assert invoke(["--home", str(home), "ingest"]) == 0
    with open_app(home) as app:
        (reader,) = app.store.readers.all()
        client = TestClient(make_web(app), base_url="http://localhost:8000")
        (sand,) = app.store.papers.find("Tactile sensing of sand")

        def terms():
            ranked = app.composer.ranked(reader, app.profiles["owls"], [sand.id], NOW)
            return ranked.explained(sand.id).terms

        assert terms()["tactil sens"] > 0
        link = app.links(reader).taste(faded_of(app), TasteChange.DONE)
        assert "no longer count" in client.get(link).text
        assert app.store.overrides.get(reader.id).ignored == ()
        page = client.post(link).text
        assert "no longer counts" in page
        assert buttons(page)[0] == "Undo"
        assert "tactil sens" not in terms()
        assert letter_of(app).taste.faded == ()
        (word,) = app.store.overrides.get(reader.id).ignored
        client.post(f"{app.links(reader).me()}/votes", data={"do": "restore", "word": word})
        assert terms()["tactil sens"] > 0


@pytest.mark.parametrize("wrong", ["do=maybe", "phrase=owls", "phrase=", "token"])
def test_a_link_that_was_changed_does_nothing(home, wrong):
    with open_app(home) as app:
        (reader,) = app.store.readers.all()
        client = TestClient(make_web(app), base_url="http://localhost:8000")
        link = app.links(reader).taste(faded_of(app), TasteChange.DONE)
        key = wrong.partition("=")[0]
        changed = link.replace("/taste/5", "/taste/6") if wrong == "token" else re.sub(f"{key}=[^&]*", wrong, link)
        changed = link.replace("?", "0?") if changed == link else changed
        assert client.post(changed).status_code in (400, 404)
        assert app.store.overrides.get(reader.id).ignored == ()


def ending(home, until="2025-09-10", timezone="UTC"):
    (home / "profiles" / "owls.toml").write_text(
        'title = "Owls"\nweekly = true\n'
        f'interests = ["owls at night", {{ text = "tactile sensing", until = {until} }}]\n'
        f'[schedule]\ntimezone = "{timezone}"\n[[readers]]\nemail = "ada@example.org"\n'
    )


@pytest.mark.parametrize(
    ("timezone", "last", "over"),
    [
        ("UTC", "2025-09-10T23:59:00+00:00", "2025-09-11T00:00:00+00:00"),
        ("Asia/Tokyo", "2025-09-10T14:59:00+00:00", "2025-09-10T15:00:00+00:00"),
    ],
)
def test_an_interest_counts_on_its_last_day_in_the_profiles_time_zone_and_then_no_more(home, timezone, last, over):
    ending(home, timezone=timezone)
    with open_app(home) as app:
        (reader,) = app.store.readers.all()
        profile = app.profiles["owls"]
        tactile = app.store.papers.find("Tactile sensing of cloth")[0].id
        for paper_id in app.store.feedback.current(reader.id):
            app.store.feedback.add(reader.id, paper_id, Vote.CLEAR, NOW, "cli")
        days = [datetime.fromisoformat(time) for time in (last, over)]
        reasons, keys, scores = [], [], []
        for now in (days[0] - timedelta(days=1), *days):
            ranked = app.composer.ranked(reader, profile, [tactile], now)
            keys.append(signatures(app.store, [(reader, profile)], now)[reader.id])
            scores.append(ranked.scores[0].log_odds)
            reasons.append({topic.text for topic in ranked.evidence.topics})
    assert keys[0] == keys[1] != keys[2]
    assert scores[0] == scores[1] > scores[2]
    assert "tactile sensing" in reasons[1]
    assert "tactile sensing" not in reasons[2]


def test_when_all_interests_have_ended_nothing_is_picked_at_random(home, paperbot):
    profile = home / "profiles" / "owls.toml"
    profile.write_text(
        'title = "Owls"\ninterests = [{ text = "owls at night", until = 2025-09-04 }]\n'
        '[edition]\nwhen_quiet = "note"\n[[readers]]\nemail = "eve@example.org"\n'
    )
    out = [paperbot("preview", "owls", "--now", f"2025-09-0{day}T08:00Z").out for day in (4, 5)]
    assert "Graph" in out[0] or "Protein" in out[0]
    assert "none comes close enough to what you want" in " ".join(out[1].split())
    assert "closest" not in out[1]


def test_the_letter_of_the_week_says_what_leaves(home):
    ending(home)
    with open_app(home) as app:
        profile = app.profiles["owls"]
        letter = letter_of(app)
        assert sections.taste_leaving(letter) == ["“tactile sensing” counts until 10 Sep 2025."]
        assert [len(leaving(profile, FRIDAY + weeks * WEEK)) for weeks in (-1, 0, 1)] == [0, 1, 0]
