"""A run over hostile files, a hostile source and good ones makes the editions of a run over the good ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from support import ROOT, digest

from bot.app import open_app
from bot.domain import Edition, Problem, RawDigest
from bot.parsing import Limits, Parser
from bot.sources import Source, Visit

NOW = datetime(2026, 6, 12, 8, 0, tzinfo=UTC)
COMMANDS = ("spin", "fill", "crash", "leave", "err", "connect")


@dataclass
class Mad:
    """A source that fails in a way that nobody foresaw."""

    name: str = "mad"
    poll_interval: timedelta = timedelta(hours=1)
    kind: str = "feed"
    follows_arxiv_calendar: bool = False

    def retrieve(self, visit: Visit) -> Iterator[RawDigest | Problem]:
        yield RawDigest(self.name, "spin", b"!spin")
        raise AttributeError("'NoneType' object has no attribute 'decode'")


@pytest.fixture
def place(home: Path) -> Path:
    for path in (*home.glob("seeds/*"), *home.glob("profiles/*")):
        path.unlink()
    tables = [
        f'[[sources]]\nname = "{name}"\nkind = "folder"\npath = "{name}"\n'
        for name in ("one", "two", "three")
    ]
    (home / "paperbot.toml").write_text("".join(tables))
    for name in ("one", "two", "three"):
        (home / name).mkdir()
        titles = [f"Reward models of {animal} by {name}" for animal in ("cats", "owls", "bees")]
        (home / name / "m-good.txt").write_text(
            digest(*titles, header="OWLS - 2026-06-12", date="2026-06-11")
        )
    for slug, interests in (("models", "reward models"), ("owls", "owls at night")):
        (home / "profiles" / f"{slug}.toml").write_text(
            f'title = "{slug}"\ninterests = "{interests}"\n'
            '[[readers]]\nemail = "ada@example.org"\n[[readers]]\nemail = "bob@example.org"\n'
        )
    return home


def editions_of(home: Path, state: str, *more: Source) -> tuple[list[tuple[object, ...]], list[Problem]]:
    """Who got which papers, in a store of its own, and the problems."""
    settings = home / "paperbot.toml"
    text = settings.read_text()
    settings.write_text(f'[store]\nurl = "sqlite:///{state}.db"\n{text}')
    editions: list[Edition] = []
    limits = Limits(seconds=1, memory=400_000_000)
    try:
        with (
            Parser(limits, module="hostile_child", path=(ROOT / "tests" / "parsing", ROOT)) as parser,
            open_app(home, parser=parser) as app,
        ):
            vars(app)["sources"] = [*more, *app.sources]
            report = app.daily_job.run(NOW, show=editions.append)
    finally:
        settings.write_text(text)
    return [
        (edition.reader.name, edition.considered, [(pick.paper.title, pick.kind) for pick in edition.picks])
        for edition in editions
    ], list(report.problems)


def test_each_reader_gets_the_same_edition_as_without_hostile_sources(place: Path) -> None:
    usual, problems = editions_of(place, "usual")
    assert problems == []
    assert [edition[:2] for edition in usual] == [
        (f"{slug}/{name}@example.org", 9) for slug in ("models", "owls") for name in ("ada", "bob")
    ]
    assert all(picks for *_, picks in usual)
    for folder, place_in_order in (("one", "a"), ("two", "z"), ("three", "a")):
        for command in COMMANDS:
            (place / folder / f"{place_in_order}-{command}.txt").write_text(f"!{command}{' ' * len(folder)}")
    got, problems = editions_of(place, "hostile", Mad())
    assert got == usual
    named = {problem.source for problem in problems}
    assert named == {
        "mad/spin",
        "mad",
        *(f"one/a-{command}.txt" for command in COMMANDS),
        *(f"two/z-{command}.txt" for command in COMMANDS),
        *(f"three/a-{command}.txt" for command in COMMANDS),
    }
