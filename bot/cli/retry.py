"""``paperbot retry``: send again what waits, failed, or is of unknown fate."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from bot.cli.options import app_of, json_option, now_option
from bot.cli.output import print_json, print_problems, problems_json
from bot.domain import State

if TYPE_CHECKING:
    from datetime import datetime


@click.command("retry")
@click.argument("reader", required=False)
@click.option(
    "--unknown", "state", flag_value=State.UNKNOWN.value, help="Those that may have arrived already."
)
@click.option("--failed", "state", flag_value=State.FAILED.value, help="Those that were given up.")
@now_option
@json_option
@click.pass_context
def command(ctx: click.Context, reader: str | None, state: str | None, now: datetime, as_json: bool) -> int:
    """Send again, to READER or to all: what waits to be tried again, or what the option says.

    Paused channels are tried again at once, and READER, if stopped because the address was refused, is served
    again. A message of unknown fate that Slack shows is not sent twice.

    \b
    Examples:
      paperbot retry                                   the password is right now
      paperbot retry --unknown reward-models/ada@example.org
      paperbot retry --failed
    """
    from bot.lookup import find_reader
    from bot.operations.retry import retry

    app = app_of(ctx)
    only = find_reader(app.store, app.profiles, reader)[0] if reader else None
    asked = retry(app.store, app.routes, State(state or State.RETRY), only, now)
    sent = app.dispatcher.deliver_due(now)
    if as_json:
        numbers = {"delivered": sent.delivered, "failed": sent.failed, "unknown": sent.unknown}
        print_json({**asdict(asked), **numbers, "problems": problems_json(sent.problems)})
    else:
        settled = f"{asked.arrived} had arrived; " if asked.arrived else ""
        click.echo(f"{settled}{asked.again} tried again; {sent.delivered} delivered")
        print_problems(sent.problems)
    return 1 if sent.problems else 0
