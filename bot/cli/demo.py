"""The command ``demo``: two days of four sample readers, and the effect of one vote.

four digests --run, yesterday--> mail --vote--> ranks before and after     a fifth digest --run, now--> next mail
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from bot import wording
from bot.app import App, open_app
from bot.channels import address_checks, reader_channels
from bot.channels.papers import ReaderLinks
from bot.channels.templates import render_part
from bot.cli.output import echo, open_in_browser
from bot.config.files import shipped, write_atomically
from bot.config.home import command_in, make_home
from bot.editions.choices import Explanation
from bot.model import SAMPLES, Edition, Paper, Vote
from bot.model.errors import UsageError
from bot.model.wording import plural
from bot.readers import find_paper
from bot.readers.votes import VoteEffect, vote_with_effect
from bot.sources import source_models

DEFAULT_HOME = Path("state/demo")
# Marks a directory of an earlier demo, which may be deleted.
_MARKER = ".demo"
_PAGE = "index.html"
_SECOND_DAY = "llm-rl-2025-05-18.txt"
# With few interests, one vote has a visible effect.
_PROFILE = "human-feedback"
_INTERESTS = "Human feedback and preferences"
_PROFILE_TEXT = f"""title = "Human feedback"
interests = "{_INTERESTS}"
[edition]
size = 5
[[readers]]
email = "mary@example.org"
"""
# It optimises on given preferences, while the reader means people's feedback.
_VOTED, _VOTE = "Pre-DPO: Improving Data Utilization", Vote.DOWN
_THUMBS = {Vote.UP: "👍 More like this", Vote.DOWN: "👎 Less like this"}


@click.command("demo")
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False), default=DEFAULT_HOME)
def demo(directory: Path) -> int:
    """Make a home in DIRECTORY (state/demo), run the sample digests through it, and show the effect of a vote.

    The result is a page, DIRECTORY/index.html, which opens in a browser if there is one. The next demo replaces the
    directory.
    """
    echo(f"Making a home in {directory}: settings, four profiles, five sample digests.")
    if directory.exists():
        if not (directory / _MARKER).exists():
            raise UsageError(f"{directory} was not made by an earlier demo; name another directory")
        shutil.rmtree(directory)
    profiles = [path.stem for path in sorted(shipped("profiles").glob("*.toml"))]
    make_home(directory, source_models(), address_checks(), profiles)
    (directory / _MARKER).touch()
    (directory / "profiles" / f"{_PROFILE}.toml").write_text(_PROFILE_TEXT)
    # Hidden files are not read.
    held_back = (directory / SAMPLES / _SECOND_DAY).rename(directory / SAMPLES / f".{_SECOND_DAY}")
    with open_app(directory) as app:
        days = _run(app, held_back, datetime.now(UTC))
        page = directory / _PAGE
        links = app.links(days.first.reader)
        text = render_part(
            app.templates,
            "demo/index.html.j2",
            days=days,
            interests=_INTERESTS,
            thumb=_THUMBS[_VOTE],
            mails=[_mail(app, days.first, links, "first-"), _mail(app, days.second, links, "second-")],
            command=f"{command_in(app.home.path, _program())} serve",
            language=days.first.language,
        )
        write_atomically(page, text.encode())
    print_days(app, days)
    echo(f"\nAll of it on one page: {page}", bold=True)
    echo(f"Its pages, where thumbs work: {command_in(directory, _program())} serve")
    open_in_browser(page)
    return 0 if days.is_complete else 1


def _program() -> str:
    return sys.argv[0] if sys.argv[0].endswith("paperbot") else "paperbot"


@dataclass(frozen=True, slots=True)
class Days:
    """The first mail, the vote on one of its papers, and the next mail."""

    papers: tuple[int, int]  # new on each day
    first: Edition
    voted: Paper
    effect: VoteEffect
    second: Edition
    explanation: Explanation  # of the first paper of the second mail
    is_complete: bool  # everything was read and sent

    @property
    def place(self) -> int:
        return next(place for place, pick in enumerate(self.first.picks, 1) if pick.paper.id == self.voted.id)

    def moves(self) -> Iterator[tuple[int, int | None, Paper]]:
        before = {paper.id: place for place, paper in enumerate(self.effect.before, 1)}
        for place, paper in enumerate(self.effect.after, 1):
            yield place, before.get(paper.id), paper


def _run(app: App, held_back: Path, now: datetime) -> Days:
    steps: set[str] = set()

    def progress(step: str, _done: int, _total: int) -> None:
        if step not in steps:
            steps.add(step)
            echo(f"{step.capitalize()} ...")

    first: list[Edition] = []
    second: list[Edition] = []
    yesterday = now - timedelta(days=1)
    report = app.daily_job.run(yesterday, force=True, progress=progress, show=first.append)
    held_back.rename(held_back.with_name(_SECOND_DAY))
    # Before the vote, so the next edition can be composed with and without it.
    news = app.daily_job.ingest(now, progress=progress)
    edition = _of_profile(first)
    reader, profile, voted = edition.reader, app.profiles[_PROFILE], find_paper(app.store, _VOTED)
    effect = vote_with_effect(app.composer, reader, profile, paper=voted, vote=_VOTE, now=yesterday, via="mail")
    next_report = app.daily_job.run(now, force=True, progress=progress, show=second.append)
    best = _of_profile(second).picks[0].paper
    explanation = app.composer.explanation(reader, profile, best, now)
    if explanation is None:
        raise LookupError(f"{best.ref} was sent and isn't ranked")
    papers = (sum(digest.new for digest in report.digests), sum(digest.new for digest in news.digests))
    is_complete = report.complete and next_report.complete
    return Days(papers, edition, voted, effect, _of_profile(second), explanation, is_complete)


def _of_profile(editions: list[Edition]) -> Edition:
    return next(edition for edition in editions if edition.reader.profile == _PROFILE)


def print_days(app: App, days: Days) -> None:
    address = days.first.reader.address
    echo(f"\nYesterday: {plural(days.papers[0], 'paper')}; {address}, who wrote “{_INTERESTS}”, got these:")
    for place, pick in enumerate(days.first.picks, 1):
        echo(f"  {place}. {wording.title(pick.paper)}")
    echo(f"Then {address} pressed {_THUMBS[_VOTE]}, under paper {days.place}.")
    echo(f"Today: {plural(days.papers[1], 'paper')}; the next edition, and each paper's place without that thumb:")
    for place, before, paper in days.moves():
        echo(f"  {place}. (was {before or 'not in it'}) {wording.title(paper)}")
    for channel in reader_channels():
        echo(f"{channel.messages} {app.route_description(channel.name)}.")


def _mail(app: App, edition: Edition, links: ReaderLinks, prefix: str) -> str:
    """Return a mail's HTML without its frame, with a prefix for its anchors."""
    html = app.renderer.of_kind(edition.reader.kind).preview(edition, "html")
    body = html[html.index(">", html.index("<body")) + 1 : html.index("</body>")]
    # The pages are not served yet, so links lead to sections of this page.
    address = re.escape(links.public_url)
    body = re.sub(rf'href="{address}/thumb/[^"]*"', 'href="#changed"', body)
    body = re.sub(rf'href="{address}[^"]*"', 'href="#pages"', body)
    return re.sub(r'(href="#|name=")(?=p\d+")', rf"\1{prefix}", body)
