"""``paperbot retry``: send messages again that are waiting, failed, or of unknown outcome."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from bot.cli.options import app_of, json_option, now_option
from bot.cli.output import print_json, print_problems, problems_json
from bot.domain import State

if TYPE_CHECKING:
    from datetime import datetime


@click.command("retry", short_help="Send waiting, failed or unknown messages again.")
@click.argument("reader", required=False)
@click.option(
    "--unknown", "state", flag_value=State.UNKNOWN.value, help="Messages that may have arrived already."
)
@click.option("--failed", "state", flag_value=State.FAILED.value, help="Messages that were given up.")
@now_option
@json_option
@click.pass_context
def command(ctx: click.Context, reader: str | None, state: str | None, now: datetime, as_json: bool) -> int:
    """Send messages again, to READER or to all: those that are waiting for a retry, or those of the option.

    Channels with an open circuit breaker are tried at once. READER, if stopped because the address was refused, gets
    messages again. A message of unknown outcome that Slack's history has is not sent twice.

    \b
    Examples:
      paperbot retry                                   after the password was corrected
      paperbot retry --unknown reward-models/ada@example.org
      paperbot retry --failed
    """
    from bot.lookup import find_reader
    from bot.operations.retry import retry

    app = app_of(ctx)
    only = find_reader(app.store, app.profiles, reader)[0] if reader else None
    requeued = retry(app.store, app.routes, State(state or State.RETRY), only, now)
    # Delivered now and not with the next run: who types this wants to see whether it works.
    sent = app.dispatcher.deliver_due(now)
    if as_json:
        numbers = {"delivered": sent.delivered, "failed": sent.failed, "unknown": sent.unknown}
        print_json({**asdict(requeued), **numbers, "problems": problems_json(sent.problems)})
    else:
        arrived = f"{requeued.arrived} had arrived; " if requeued.arrived else ""
        click.echo(f"{arrived}{requeued.again} tried again; {sent.delivered} delivered")
        print_problems(sent.problems)
    return 1 if sent.problems else 0
