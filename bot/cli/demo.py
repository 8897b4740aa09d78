"""``paperbot demo``: what Paperbot does, on the sample digests, and how it learns."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.cli.init import make_home
from bot.cli.output import console, count, plain, print_edition, table, why
from bot.domain import Edition, PaperId, Reader, Vote
from bot.errors import UsageError
from bot.resources import shipped

if TYPE_CHECKING:
    from bot.app import App
    from bot.config.profiles import Profile
    from bot.editions.daily_job import Progress

DEFAULT_HOME = Path("state/demo")
_MARK = ".demo"
_LEARNER = "reward-models"
_THUMBS = (
    (Vote.UP, "Stop Summation: Min-Form Credit Assignment"),
    (Vote.UP, "Energy-Based Reward Models"),
    (Vote.DOWN, "RM-R1"),
)


@click.command("demo", short_help="Show all of it on the sample digests.")
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False), default=DEFAULT_HOME)
def command(directory: Path) -> int:
    """Make a home in DIRECTORY (state/demo), run the sample digests through it, and show what it learns.

    It may be run again and again: each time it begins anew.
    """
    click.echo(f"Making a home in {directory}: settings, three profiles, five sample digests.")
    _clear(directory)
    make_home(directory, [path.name for path in sorted(shipped("profiles").glob("*.toml"))])
    (directory / _MARK).touch()
    from bot.app import open_app

    with open_app(directory) as app:
        return _show(app)


def _clear(directory: Path) -> None:
    """Removes what an earlier demo left, and nothing else."""
    if not directory.exists():
        return
    if not (directory / _MARK).exists():
        raise UsageError(f"{directory} is not an earlier demo's; name another directory")
    shutil.rmtree(directory)


def _show(app: App) -> int:
    now = datetime.now(UTC)
    editions: list[Edition] = []
    report = app.pipeline.run(now, force=True, progress=_step_printer(), show=editions.append)
    papers = sum(digest.new for digest in report.digests)
    click.echo(
        f"{count(len(report.digests), 'digest')}, {count(papers, 'paper')}. What went to whom, and why:"
    )
    for edition in editions:
        print_edition(edition)
    learner = next(edition for edition in editions if edition.reader.profile == _LEARNER)
    _show_learning(app, learner, now)
    _show_files(app)
    return 0 if report.complete else 1


def _step_printer() -> Progress:
    """Prints a line as each step begins, on a terminal and in a pipe alike."""
    begun: set[str] = set()

    def step(what: str, _done: int, _total: int) -> None:
        if what not in begun:
            begun.add(what)
            click.echo(f"{what.capitalize()} ...")

    return step


def _show_learning(app: App, edition: Edition, now: datetime) -> None:
    """Gives the sample thumbs and ranks the same day's papers again."""
    from bot.editions.candidates import Candidates
    from bot.feedback.service import record
    from bot.lookup import find_paper
    from bot.rendering.latex import readable

    reader, profile = edition.reader, app.profiles[edition.reader.profile]
    click.echo(f"\nNow {reader.name} presses some thumbs:")
    ids = [*app.store.papers.fresh(reader.id), *(pick.paper.id for pick in edition.picks)]
    thumbed = []
    for vote, title in _THUMBS:
        paper = find_paper(app.store, title)
        thumbed.append((paper, vote))
        click.echo(f"  {'👍' if vote is Vote.UP else '👎'} {readable(paper.title)}")
    left = Candidates([i for i in ids if i not in {paper.id for paper, _ in thumbed}], edition.watermark)
    before = _places(app, reader, profile, left.ids, now)
    for paper, vote in thumbed:
        record(app.store, reader, paper, vote, now=now, via="cli")
    after = app.editor.edition(reader, profile, edition.date, now, left)
    click.echo(
        "\nThe same day, composed again without what was judged. Places in the ranking, before and now:"
    )
    _print_moves(after, before, _places(app, reader, profile, left.ids, now))


def _places(
    app: App, reader: Reader, profile: Profile, ids: Sequence[PaperId], now: datetime
) -> dict[PaperId, int]:
    """Each paper's place, from 1, in the reader's ranking as it is now."""
    ranking = app.editor.ranking(reader, profile, ids, now)
    return {score.paper: place for place, score in enumerate(ranking.scores if ranking else (), 1)}


def _print_moves(edition: Edition, before: dict[PaperId, int], now: dict[PaperId, int]) -> None:
    from bot.rendering import phrases
    from bot.rendering.latex import readable

    made = table(">match", ">was", ">is", "", "paper", "why")
    for pick in edition.picks:
        was, place = before[pick.paper.id], now[pick.paper.id]
        arrow = "↑" if was > place else "↓" if was < place else "="
        match, title = phrases.percent(pick.probability), readable(pick.paper.title)
        made.add_row(match, f"#{was}", f"#{place}", arrow, plain(title), plain(why(pick)))
    console().print(made)


def _show_files(app: App) -> None:
    files = sorted(app.outbox_folder.rglob("*.*"))
    mails = [path for path in files if path.suffix == ".eml"]
    click.echo("The mails are files, as no mail server is set. Any mail program opens them:")
    for path in mails:
        click.echo(f"  {path}")
    click.echo("So are the messages for Slack, as there is no token; these show what would be posted:")
    for path in files:
        if path not in mails:
            click.echo(f"  {path}")
    program = sys.argv[0] if sys.argv[0].endswith("paperbot") else "paperbot"
    click.echo(f"\nMore: {program} --home {app.home} why {_LEARNER} p1      (or preview, status, thumb, ...)")
