"""``retention.papers_days``: what a home still knows and does after its old papers were deleted."""

import pytest
from support import digest

ADA = "owls/ada@example.org"
FIRST, LATER, NEXT = (f"{day}T18:00:00+00:00" for day in ("2025-05-07", "2025-08-06", "2025-08-07"))
PROFILE = """
title = "Owls"
interests = "owls"
[edition]
size = 2
explore = 0
threshold = 0
[[readers]]
email = "ada@example.org"
"""
BIB = "@article{{own, title = {{{}}}, date-added = {{2025-01-02 10:00}}}}"
OLD = ("Owls at night", "Foxes by day", "Cats at work", "Dogs at rest", "Bees in May", "Whales at sea")


class Home:
    """A home three months on: of six papers two were shown, one has a thumb, one is in the reader's library."""

    def __init__(self, path, paperbot):
        self.path = path
        self.paperbot = paperbot
        report = self.run("1.txt", OLD, FIRST)
        assert (report["editions"], report["problems"]) == (1, [])
        self.shown = self.shown_titles()
        self.voted, self.owned, *self.forgotten = (title for title in OLD if title not in self.shown)
        (path / "own.bib").write_text(BIB.format(self.owned))
        assert paperbot("thumb", "up", ADA, self.voted, "--now", FIRST).code == 0
        assert paperbot("import", ADA, "own.bib", "--now", FIRST, "--json").json["matched"] == 1
        report = self.run("2.txt", ["Owls in June", "Swifts in July"], LATER)
        assert (report["editions"], report["problems"]) == (1, [])

    def run(self, file, titles, now):
        """Have a digest of these papers, and run."""
        text = digest(*titles, date=f"{now[:10]} 09:00:00", header=f"LLM-RL - {now[:10]}")
        (self.path / "seeds" / file).write_text(text)
        return self.paperbot("run", "--now", now, "--json").json

    def shown_titles(self):
        editions = self.paperbot("export", ADA).json["editions"]
        return [paper["title"] for edition in editions for paper in edition["papers"]]


@pytest.fixture
def purged(bare, paperbot):
    (bare / "profiles" / "owls.toml").write_text(PROFILE)
    with (bare / "paperbot.toml").open("a") as settings:
        settings.write("\n[retention]\npapers_days = 60\n")
    return Home(bare, paperbot)


def test_papers_that_nobody_was_shown_or_judged_are_deleted_and_nothing_else(purged, paperbot):
    left = [title for title in OLD if paperbot("why", ADA, title, "--json").code == 0]
    assert sorted(left) == sorted([*purged.shown, purged.voted])
    data = paperbot("export", ADA).json
    assert [row["title"] for row in data["library"]] == [purged.owned]
    assert [row["title"] for row in data["thumbs"]] == [purged.voted]
    assert set(purged.shown) < set(purged.shown_titles())


@pytest.mark.slow
def test_the_next_edition_is_composed_over_what_is_left(purged, paperbot):
    report = purged.run("3.txt", ["Owls in August", "Dogs and owls"], NEXT)
    assert (report["editions"], report["delivered"], report["problems"]) == (1, 1, [])
    for command in (["preview", ADA, "--now", NEXT], ["evaluate", ADA], ["check"], ["status"]):
        assert paperbot(*command).code == 0
    replayed = paperbot("replay", ADA, "--from", FIRST[:10], "--to", NEXT[:10], "--json")
    assert replayed.code == 0
