"""A run over hostile and good files makes the editions of a run over the good ones."""

import hashlib
import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hostile.shapes import CRASHES, SHAPES
from support import digest

from bot.app import open_app
from bot.editions.models import CorpusCache
from bot.model import Edition, Problem
from bot.store import open_store

pytestmark = pytest.mark.slow

NOW = datetime(2026, 6, 12, 8, 0, tzinfo=UTC)
# Each shape is also read alone, at up to eight times this size. PAPERBOT_TEST_LARGEST adds minutes.
SIZE = 5_000_000 if os.environ.get("PAPERBOT_TEST_LARGEST") else 20_000


@pytest.fixture
def place(home: Path) -> Path:
    for path in (*home.glob("seeds/*"), *home.glob("profiles/*")):
        path.unlink()
    tables = [f'[[sources]]\nname = "{name}"\nkind = "folder"\npath = "{name}"\n' for name in ("one", "two", "three")]
    (home / "paperbot.toml").write_text("".join(tables))
    for name in ("one", "two", "three"):
        (home / name).mkdir()
        titles = [f"Reward models of {animal} by {name}" for animal in ("cats", "owls", "bees")]
        (home / name / "m-good.txt").write_text(digest(*titles, header="OWLS - 2026-06-12", date="2026-06-11"))
    for slug, interests in (("models", "reward models"), ("owls", "owls at night")):
        (home / "profiles" / f"{slug}.toml").write_text(
            f'title = "{slug}"\ninterests = "{interests}"\n'
            '[[readers]]\nemail = "ada@example.org"\n[[readers]]\nemail = "bob@example.org"\n'
            "[edition]\nthreshold = 0\n"
        )
    return home


def editions_of(home: Path) -> tuple[list[tuple[object, ...]], list[Problem]]:
    """Who got which papers, and the problems."""
    editions: list[Edition] = []
    with open_app(home) as app:
        report = app.daily_job.run(NOW, show=editions.append)
    return [
        (edition.reader.name, edition.considered, [(pick.paper.title, pick.kind) for pick in edition.picks])
        for edition in editions
    ], list(report.problems)


def test_all_hostile_shapes_at_once_change_no_edition_of_the_good_sources(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the real parser process, from a source that comes first; each file gives its papers or a problem."""
    for profile in place.glob("profiles/*"):
        profile.write_text('sources = ["one", "two", "three"]\n' + profile.read_text())
    settings = place / "paperbot.toml"
    table = '[[sources]]\nname = "hostile"\nkind = "folder"\npath = "hostile"\n'
    settings.write_text(table + settings.read_text())
    (place / "hostile").mkdir()
    with open_app(place) as app:
        app.daily_job.ingest(NOW - timedelta(days=1))
    # Papers of hostile files enter the vocabulary as any others do. Both runs rank with that of the day before.
    monkeypatch.setattr(CorpusCache, "renew", lambda _: None)
    for path in place.glob("*/m-good.txt"):
        text = path.read_text()
        path.write_text(text.replace("Reward models of", "New reward models of"))
    without = tmp_path / "without"
    shutil.copytree(place, without)
    usual, problems = editions_of(without)
    assert problems == []
    assert all(picks for *_, picks in usual)
    contents = {name: shape.content(SIZE) for name, shape in SHAPES.items()} | CRASHES
    for name, content in contents.items():
        (place / "hostile" / f"{name}.txt").write_bytes(content)
    got, problems = editions_of(place)
    assert got == usual
    named = {problem.source for problem in problems}
    assert named <= {f"hostile/{name}.txt" for name in contents}
    with open_store(f"sqlite:///{place}/state/paperbot.db") as store:
        for name, content in contents.items():
            digests = store.papers.digests_with(hashlib.sha256(content).hexdigest())
            has_result = any(digest.papers or digest.rejected for digest in digests)
            assert has_result or f"hostile/{name}.txt" in named, name  # both for a feed that is cut off
