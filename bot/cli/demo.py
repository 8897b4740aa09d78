"""``paperbot demo``: a run on the sample digests, some votes, and what is learned from them."""

from __future__ import annotations

import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.cli.output import console, plain, print_edition, table, why
from bot.domain import Edition, Match, PaperId, Vote
from bot.errors import UsageError
from bot.resources import shipped
from bot.wording import plural

if TYPE_CHECKING:
    from bot.app import App

DEFAULT_HOME = Path("state/demo")
# An empty file by which an earlier demo is recognised: only such a directory is deleted.
_MARKER = ".demo"
_LEARNING_PROFILE = "reward-models"
# A reader who, of reward models, wants those of preferences rather than of reasoning.
_VOTES = (
    (Vote.UP, "Energy-Based Reward Models"),
    (Vote.UP, "LoRe: Personalizing LLMs"),
    (Vote.UP, "SALMON: Self-Alignment"),
    (Vote.UP, "A Unified Pairwise Framework for RLHF"),
    (Vote.DOWN, "RM-R1"),
    (Vote.DOWN, "Stop Summation: Min-Form Credit Assignment"),
    (Vote.DOWN, "VLM-R1"),
    (Vote.DOWN, "J1: Incentivizing Thinking"),
)


@click.command("demo", short_help="Show how it works, on the sample digests.")
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False), default=DEFAULT_HOME)
def command(directory: Path) -> int:
    """Make a home in DIRECTORY (state/demo), run the sample digests through it, and show what it learns.

    It can be run repeatedly: each time the directory is made again.
    """
    click.echo(f"Making a home in {directory}: settings, three profiles, five sample digests.")
    if directory.exists():
        if not (directory / _MARKER).exists():
            raise UsageError(f"{directory} was not made by an earlier demo; name another directory")
        shutil.rmtree(directory)
    from bot.channels.registry import address_checks
    from bot.config.new_home import make_home
    from bot.sources.registry import source_models

    profiles = [path.stem for path in sorted(shipped("profiles").glob("*.toml"))]
    make_home(directory, source_models(), address_checks(), profiles)
    (directory / _MARKER).touch()
    from bot.app import open_app

    with open_app(directory) as app:
        return run_demo(app)


def run_demo(app: App) -> int:
    """Run the job once, record some votes, and print each step; return the exit code."""
    now = datetime.now(UTC)
    editions: list[Edition] = []
    steps: set[str] = set()

    def print_step(step: str, _done: int, _total: int) -> None:
        # A line for each step instead of a progress bar, so that `make demo` in a CI log shows them too.
        if step not in steps:
            steps.add(step)
            click.echo(f"{step.capitalize()} ...")

    report = app.daily_job.run(now, force=True, progress=print_step, show=editions.append)
    papers = sum(digest.new for digest in report.digests)
    click.echo(
        f"{plural(len(report.digests), 'digest')}, {plural(papers, 'paper')}. The editions, with reasons:"
    )
    for edition in editions:
        print_edition(edition)
    show_learning(
        app, next(edition for edition in editions if edition.reader.profile == _LEARNING_PROFILE), now
    )

    files = sorted(app.home.outbox_folder.rglob("*.*"))
    mails = [path for path in files if path.suffix == ".eml"]
    click.echo("The mails are files, as no mail server is set. Any mail program opens them:")
    for path in mails:
        click.echo(f"  {path}")
    click.echo("The messages for Slack are files too, as there is no token; they show what would be posted:")
    for path in files:
        if path not in mails:
            click.echo(f"  {path}")
    # As it was called, so that the line can be copied: `make demo` calls .venv/bin/paperbot.
    program = sys.argv[0] if sys.argv[0].endswith("paperbot") else "paperbot"
    home = app.home.path
    click.echo(
        f"\nMore: {program} --home {home} why {_LEARNING_PROFILE} p1      (or preview, status, thumb, ...)"
    )
    return 0 if report.complete else 1


def show_learning(app: App, edition: Edition, now: datetime) -> None:
    """Record the sample votes, and compare the ranking of the same papers before and after them."""
    from bot.editions.candidates import Candidates
    from bot.feedback.service import record
    from bot.lookup import find_paper
    from bot.rendering.latex import readable

    reader = edition.reader
    profile = app.profiles[reader.profile]
    click.echo(f"\nNow {reader.name} votes:")
    voted = [(vote, find_paper(app.store, title)) for vote, title in _VOTES]
    voted_ids = {paper.id for _, paper in voted}
    # The picks were sent, so they are no longer new to the reader; they are ranked again all the same.
    ids = [*app.store.papers.new_to(reader.id), *(pick.paper.id for pick in edition.picks)]
    candidates = Candidates([paper_id for paper_id in ids if paper_id not in voted_ids], edition.watermark)

    def places() -> dict[PaperId, int]:
        ranked = app.composer.ranked(reader, profile, candidates.ids, now)
        return {score.paper: place for place, score in enumerate(ranked.scores if ranked else (), 1)}

    before = places()
    for vote, paper in voted:
        click.echo(f"  {'👍' if vote is Vote.UP else '👎'} {readable(paper.title)}")
        record(app.store, reader, paper, vote, now=now, via="cli")
    after = places()
    click.echo("\nThe same day, composed again without these papers. Ranks before and after the votes:")
    moves = table("match", ">before", ">after", "", "paper", "why")
    for pick in app.composer.edition(reader, profile, edition.date, now, candidates).picks:
        old_place = before[pick.paper.id]
        new_place = after[pick.paper.id]
        arrow = "↑" if old_place > new_place else "↓" if old_place < new_place else "="
        match = Match.of(pick.probability)
        title = plain(readable(pick.paper.title))
        moves.add_row(match, f"#{old_place}", f"#{new_place}", arrow, title, plain(why(pick)))
    console().print(moves)
