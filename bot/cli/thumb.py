"""``paperbot thumb``: feedback from the command line, one vote or a file of them."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

import click

from bot.cli.options import app_of, json_option, now_option
from bot.cli.output import count, print_json, print_problems, problems_json
from bot.domain import Vote

if TYPE_CHECKING:
    from datetime import datetime

    from bot.app import App

_SAID = {Vote.UP: "more like", Vote.DOWN: "less like", Vote.CLEAR: "no opinion any more on"}


@click.command("thumb", short_help="Tell what READER thinks of PAPER.")
@click.argument("vote", type=click.Choice([vote.value for vote in Vote]), required=False)
@click.argument("reader", required=False)
@click.argument("paper", required=False)
@click.option(
    "--from",
    "file",
    type=click.File("rb"),
    help='Record the votes of a file: JSON Lines {"reader", "paper", "vote", "at"}; - reads standard input.',
)
@now_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    vote: str | None,
    reader: str | None,
    paper: str | None,
    file: IO[bytes] | None,
    now: datetime,
    as_json: bool,
) -> int:
    """Tell what READER thinks of PAPER: its id, or the beginning of its title. VOTE is up, down or clear.

    With --from many votes are recorded, in the order of the file. "at" is when a vote was given, an ISO time that
    is UTC where it names no zone; without it, now; one in the future is refused. A line that can't be used is
    a problem, and the rest counts.

    \b
    Examples:
      paperbot thumb up reward-models p17
      paperbot thumb down reward-models/ada@example.org "A New DAPO"
      paperbot thumb clear reward-models p17
      paperbot thumb --from votes.jsonl --json
    """
    if file and vote:
        raise click.UsageError("--from takes the votes from a file; leave VOTE, READER and PAPER out")
    app = app_of(ctx)
    if file:
        return _from_file(app, file, now, as_json)
    if not (vote and reader and paper):
        raise click.UsageError("Missing VOTE, READER or PAPER; or name a file of votes with --from")
    said = _one(app, Vote(vote), reader, paper, now)
    if as_json:
        print_json({"votes": 1, "problems": []})
    else:
        click.echo(said)
    return 0


def _one(app: App, vote: Vote, name: str, title: str, now: datetime) -> str:
    """Records one vote; what was said."""
    from bot.feedback.service import record
    from bot.lookup import find_paper, stored_reader
    from bot.rendering.latex import readable

    reader, _ = stored_reader(app.store, app.profiles, name, now)
    paper = find_paper(app.store, title)
    record(app.store, reader, paper, vote, now=now, via="cli")
    return f"{reader.name}: {_SAID[vote]} “{readable(paper.title)}”"


def _from_file(app: App, file: IO[bytes], now: datetime, as_json: bool) -> int:
    from bot.feedback.vote_files import record_file

    name = getattr(file, "name", "<stdin>").replace("<stdin>", "standard input")
    votes, problems = record_file(app.store, app.profiles, name, file, now)
    if as_json:
        print_json({"votes": votes, "problems": problems_json(problems)})
    else:
        click.echo(f"{count(votes, 'vote')} recorded")
        print_problems(problems)
    return 1 if problems else 0
