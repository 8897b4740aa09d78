"""``paperbot thumb``: record feedback from the command line, one vote or a file of votes."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

import click

from bot.cli.options import app_of, json_option, now_option
from bot.cli.output import print_json, print_problems, problems_json, working
from bot.domain import Vote
from bot.wording import plural

if TYPE_CHECKING:
    from datetime import datetime

_CONFIRMATIONS = {Vote.UP: "more like", Vote.DOWN: "less like", Vote.CLEAR: "vote removed from"}


@click.command("thumb", short_help="Record READER's vote on PAPER.")
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
    """Record READER's VOTE (up, down or clear) on PAPER: its id, or the beginning of its title.

    With --from many votes are recorded, in the order of the file. "at" is the time of the vote, in ISO 8601; it is
    UTC if it has no offset, now if it is absent, and refused if it is in the future. A line that can't be used is
    reported as a problem, and the other lines are recorded.

    \b
    Examples:
      paperbot thumb up reward-models p17
      paperbot thumb down reward-models/ada@example.org "A New DAPO"
      paperbot thumb clear reward-models p17
      paperbot thumb --from votes.jsonl --json
    """
    from bot.feedback.service import record
    from bot.feedback.vote_files import record_file
    from bot.lookup import find_paper, stored_reader
    from bot.rendering.latex import readable

    if file and vote:
        raise click.UsageError("--from takes the votes from a file; leave VOTE, READER and PAPER out")
    app = app_of(ctx)
    if file:
        # click names standard input <stdin>, which people would take for a file's name.
        name = getattr(file, "name", "<stdin>").replace("<stdin>", "standard input")
        with working("recording votes"):
            votes, problems = record_file(app.store, app.profiles, name, file, now)
        if as_json:
            print_json({"votes": votes, "problems": problems_json(problems)})
        else:
            click.echo(f"{plural(votes, 'vote')} recorded")
            print_problems(problems)
        return 1 if problems else 0
    # Not required=True in their declarations, as --from replaces all three.
    if not (vote and reader and paper):
        raise click.UsageError("Missing VOTE, READER or PAPER; or name a file of votes with --from")
    voter, _ = stored_reader(app.store, app.profiles, reader, now)
    rated = find_paper(app.store, paper)
    record(app.store, voter, rated, Vote(vote), now=now, via="cli")
    if as_json:
        print_json({"votes": 1, "problems": []})
    else:
        click.echo(f"{voter.name}: {_CONFIRMATIONS[Vote(vote)]} “{readable(rated.title)}”")
    return 0
