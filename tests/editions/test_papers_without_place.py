"""Matches that an edition had no place for, from the store on: candidates, editions, and what a vote changes."""

from datetime import UTC, datetime, timedelta

import pytest
from support import digest, text_of

from bot.app import open_app
from bot.model import GOOD, StopReason, Vote
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


def test_strong_papers_without_a_place_come_in_the_next_editions_with_and_without_new_papers(edition, owls_home):
    sent = [edition(0, *STRONG), edition(1), edition(2, "Cooking pasta")]
    assert sorted(title for titles in sent for title in titles) == sorted(STRONG)
    assert [len(titles) for titles in sent] == [2, 2, 1]
    assert edition(3) == {}
    first, second, third = (text_of(path) for path in sorted((owls_home / "state" / "outbox").rglob("*.eml")))
    assert "2 papers; 5 new papers came in; 1 minute to read" in first
    assert "3 more papers fit:" in first
    assert "another chance in the next one" in " ".join(first.split())
    assert "2 papers of earlier days; 1 minute to read" in second
    assert "more paper" not in second
    assert "1 paper; 1 new paper came in" in third


def test_papers_below_the_threshold_are_not_said_to_fit(edition, owls_home):
    profile = owls_home / "profiles" / "owls.toml"
    profile.write_text(profile.read_text().replace("size = 2", "size = 1\nthreshold = 0.99"))
    edition(0, STRONG[0], "Reward model", "Reward for models")
    (mail,) = (owls_home / "state" / "outbox").rglob("*.eml")
    assert "more paper" not in text_of(mail)


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


@pytest.mark.parametrize("pause", [True, False])
def test_they_do_not_wait_for_the_end_of_a_pause(edition, owls_home, paperbot, pause):
    edition(0, *STRONG)
    with open_app(owls_home) as app:
        (reader,) = app.store.readers.all()
        if pause:
            app.store.readers.leave(reader.id, StopReason.PAUSED, until=MONDAY + 8 * DAY)
    assert bool(edition(9, "Cooking pasta")) is not pause


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
    assert {paper.title for paper in effect.before} <= set(STRONG) - set(sent)
    assert len(effect.before) == len(effect.after) == 2
