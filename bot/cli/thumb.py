"""``paperbot thumb``: feedback from the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bot.cli.options import app_of, now_option
from bot.domain import Vote

if TYPE_CHECKING:
    from datetime import datetime

_SAID = {Vote.UP: "more like", Vote.DOWN: "less like", Vote.CLEAR: "no opinion any more on"}


@click.command("thumb", short_help="Tell what READER thinks of PAPER.")
@click.argument("vote", type=click.Choice([vote.value for vote in Vote]))
@click.argument("reader")
@click.argument("paper")
@now_option
@click.pass_context
def command(ctx: click.Context, vote: str, reader: str, paper: str, now: datetime) -> None:
    """Tell what READER thinks of PAPER: its id, or the beginning of its title.

    \b
    Examples:
      paperbot thumb up reward-models p17
      paperbot thumb down reward-models/ada@example.org "A New DAPO"
      paperbot thumb clear reward-models p17
    """
    from bot.feedback import record
    from bot.lookup import find_paper, stored_reader
    from bot.render.latex import readable

    app = app_of(ctx)
    found, _ = stored_reader(app.store, app.profiles, reader, now)
    judged = find_paper(app.store, paper)
    record(app.store, found, judged, Vote(vote), now=now, via="cli")
    click.echo(f"{found.name}: {_SAID[Vote(vote)]} “{readable(judged.title)}”")
