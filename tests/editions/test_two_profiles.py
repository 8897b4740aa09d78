"""Two profiles of one reader: what one has sent, or what the reader disliked there, doesn't come from the other."""

from datetime import UTC, datetime, timedelta

import pytest
from support import digest

from bot.app import open_app

MONDAY = datetime(2026, 6, 8, 8, 0, tzinfo=UTC)
DAY = timedelta(days=1)
TITLES = [f"Reward models of {name}" for name in ("cats", "owls", "bees")]
PROFILE = 'title = "{0}"\ninterests = "reward models"\n{1}[[readers]]\n{2}\n[edition]\nthreshold = 0\n{3}\n'
ADA = 'email = "ada@example.org"'


@pytest.fixture
def edition(owls_home, paperbot):
    """Return the titles of the editions of a day by profile, on which a digest with these titles comes."""

    def edition(day, *titles):
        now = MONDAY + day * DAY
        (owls_home / "drop" / f"{day}.txt").write_text(digest(*titles, header=f"OWLS - {now:%Y-%m-%d}"))
        assert paperbot("run", "--now", now.isoformat()).code == 0
        with open_app(owls_home) as app:
            stored = {reader.profile: app.store.editions.last(reader.id) for reader in app.store.readers.all()}
            return {
                slug: sorted(pick.paper.title for pick in app.store.editions.picks_of(last.id))
                for slug, last in stored.items()
                if last
            }

    return edition


def write(home, slug, *, authors="", reader=ADA, edition=""):
    (home / "profiles" / f"{slug}.toml").write_text(PROFILE.format(slug, authors, reader, edition))


@pytest.mark.parametrize("address", [ADA, 'slack = "C0123ABC"'])
def test_one_digest_on_one_day_comes_once_to_an_address(edition, owls_home, address):
    write(owls_home, "owls", reader=address)
    write(owls_home, "rewards", reader=address)
    assert edition(0, *TITLES) == {"owls": sorted(TITLES), "rewards": []}


def test_other_addresses_get_the_papers_too(edition, owls_home):
    write(owls_home, "rewards", reader='email = "bob@example.org"')
    assert edition(0, *TITLES) == {"owls": sorted(TITLES), "rewards": sorted(TITLES)}


@pytest.mark.parametrize("size", [5, 1])
def test_a_paper_comes_from_the_profile_where_its_match_is_better_while_that_has_places(edition, owls_home, size):
    write(owls_home, "rewards", authors='keywords = ["bees", "cats"]\n', edition=f"size = {size}\nexplore = 0")
    sent = edition(0, *TITLES)
    assert set(sent["rewards"]) <= {TITLES[0], TITLES[2]}
    assert len(sent["rewards"]) == min(size, 2)
    assert sorted([*sent["owls"], *sent["rewards"]]) == sorted(TITLES)


def test_a_profile_whose_interests_have_ended_keeps_no_paper_from_the_other(edition, owls_home):
    (owls_home / "profiles" / "rewards.toml").write_text(
        f'title = "rewards"\ninterests = [{{ text = "reward models", until = 2026-01-31 }}]\n'
        f"[[readers]]\n{ADA}\n[edition]\nthreshold = 0\n"
    )
    others = ("Cooking pasta", "Baking bread")
    assert edition(0, *TITLES, *others) == {"owls": sorted((*TITLES, *others)), "rewards": []}


def test_what_one_edition_had_no_place_for_comes_from_the_other(edition, owls_home):
    write(owls_home, "owls", edition="size = 2\nexplore = 0")
    write(owls_home, "rewards")
    sent = edition(0, *TITLES)
    assert len(sent["owls"]) == 2
    assert sorted([*sent["owls"], *sent["rewards"]]) == sorted(TITLES)


def test_a_paper_sent_on_another_day_is_not_sent_again(edition, owls_home):
    write(owls_home, "rewards", edition='[schedule]\ndays = ["tue"]')
    assert edition(0, *TITLES)["owls"] == sorted(TITLES)
    assert edition(1, "Reward models of ants") == {"owls": ["Reward models of ants"], "rewards": []}


def test_a_followed_author_brings_it_again(edition, owls_home):
    write(owls_home, "rewards", authors='authors = ["Grace Hopper"]\n')
    assert edition(0, *TITLES) == {"owls": sorted(TITLES), "rewards": sorted(TITLES)}


def test_the_note_of_a_quiet_edition_tells_why(edition, owls_home):
    write(owls_home, "rewards", edition='when_quiet = "note"')
    edition(0, *TITLES)
    (note,) = (owls_home / "state" / "outbox").rglob("rewards--*.eml")
    assert "3 new papers came in, and you got all from another profile." in note.read_text()


@pytest.mark.parametrize(("vote", "titles"), [("down", TITLES[1:]), ("up", TITLES)])
def test_a_dislike_hides_the_paper_in_the_other_profile(edition, owls_home, paperbot, vote, titles):
    write(owls_home, "owls", edition="size = 1\nexplore = 0")
    write(owls_home, "rewards", authors='authors = ["Grace Hopper"]\n', edition='[schedule]\ndays = ["tue"]')
    (owls_home / "drop" / "first.txt").write_text(digest(*TITLES))
    assert paperbot("ingest", "--now", (MONDAY - DAY).isoformat()).code == 0
    assert paperbot("thumb", vote, "owls", TITLES[0]).code == 0
    assert edition(1, "Reward models of ants")["rewards"] == sorted([*titles, "Reward models of ants"])
