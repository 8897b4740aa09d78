"""Interests that end: until when they count, and what the letter says of them."""

import json
from datetime import date, datetime, timedelta

import pytest
from support import digest

from bot import wording
from bot.app import open_app
from bot.cli.main import invoke
from bot.editions.letters import compose_letter, leaving
from bot.editions.models import signatures
from bot.model import Vote

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
        (owls_home / "drop" / "all.txt").write_text(digest(*OLD[:12], *NEW[:12], *OTHERS))
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
        assert wording.leaving(letter) == ["“tactile sensing” counts until 10 Sep 2025."]
        assert [len(leaving(profile, FRIDAY + weeks * WEEK)) for weeks in (-1, 0, 1)] == [0, 1, 0]
