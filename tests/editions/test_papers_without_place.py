"""Matches that an edition had no place for, from the store on: candidates, editions, and what a vote changes."""

from datetime import UTC, datetime, timedelta

import pytest
from support import digest

from bot.app import open_app
from bot.model import GOOD, Vote
from bot.model import STRONG as STRONG_FROM
from bot.readers.votes import vote_with_effect

MONDAY = datetime(2026, 6, 8, 8, 0, tzinfo=UTC)
DAY = timedelta(days=1)
STRONG = [
    f"Reward models of {name}: verifiable reward models for reasoning"
    for name in ("cats", "owls", "bees", "chess", "ants")
]


@pytest.fixture
def edition(owls_home, paperbot):
    """Return titles and matches of the edition of a day, on which a digest with these titles comes."""
    profile = owls_home / "profiles" / "owls.toml"
    profile.write_text(
        profile.read_text()
        .replace('"reward models"', '"verifiable reward models for reasoning"')
        .replace("threshold = 0", "size = 2\nexplore = 0")
    )

    def edition(day, *titles):
        now = MONDAY + day * DAY
        if titles:
            (owls_home / "drop" / f"{day}.txt").write_text(digest(*titles, header=f"OWLS - {now:%Y-%m-%d}"))
        assert paperbot("run", "--now", now.isoformat()).code == 0
        with open_app(owls_home) as app:
            (reader,) = app.store.readers.all()
            picks = app.store.editions.picks_of(app.store.editions.last(reader.id).id)
        return {pick.paper.title: pick.probability for pick in picks}

    return edition


def test_strong_papers_without_a_place_come_in_the_next_editions_that_have_a_new_paper(edition):
    first = edition(0, *STRONG)
    second = edition(1, "Cooking pasta")
    assert edition(2) == {}
    third = edition(3, "Baking bread")
    assert sorted([*first, *second, *third]) == sorted(STRONG)
    assert (len(first), len(second)) == (2, 2)


def test_strong_matches_come_before_good_ones_and_all_of_them_come(edition):
    good = ["Reward for models", "Reward model"]
    others = ["Reward models in cooking and in gardens", "Reward models that sing of rivers and of mountains"]
    editions = [edition(0, *others, *good, *STRONG[:2]), edition(1, "Cooking pasta"), edition(2, "Baking bread")]
    matches = [match for sent in editions for match in sent.values()]
    assert sorted(title for sent in editions for title in sent) == sorted([*good, *STRONG[:2]])
    assert matches == sorted(matches, reverse=True)
    assert STRONG_FROM > matches[-1] >= GOOD


def test_after_three_days_they_are_out_of_date(edition):
    edition(0, *STRONG)
    assert edition(4) == {}
    assert edition(7, "Cooking pasta") == {}


def test_what_a_vote_changes_is_shown_with_them(edition, owls_home, paperbot):
    sent = list(edition(0, *STRONG))
    (owls_home / "drop" / "1.txt").write_text(digest("Cooking pasta", header="OWLS - 2026-06-09"))
    assert paperbot("ingest").code == 0
    with open_app(owls_home) as app:
        (reader,) = app.store.readers.all()
        (paper,) = app.store.papers.find(sent[0])
        effect = vote_with_effect(
            app.composer, reader, app.profiles["owls"], paper=paper, vote=Vote.UP, now=MONDAY + DAY, via="page"
        )
    assert effect.waiting
    assert {paper.title for paper in effect.before} <= set(STRONG) - set(sent)
    assert len(effect.before) == 2
