"""``paperbot send-test``: the last edition once more, to try out a channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bot.cli.options import app_of, now_option
from bot.cli.output import MESSAGES, print_problems
from bot.domain import Problem
from bot.errors import DeliveryError

if TYPE_CHECKING:
    from datetime import datetime


@click.command("send-test", short_help="Send READER's last edition now, as a test.")
@click.argument("reader")
@now_option
@click.pass_context
def command(ctx: click.Context, reader: str, now: datetime) -> int:
    """Send READER's last edition, marked as a test, through the configured channel now; it counts nowhere.

    Before the first edition a sample is sent. Nothing is stored, so that it may be repeated at will.

    \b
    Examples:
      paperbot send-test reward-models
      paperbot send-test reward-models/ada@example.org
    """
    from bot.lookup import find_reader
    from bot.rendering import phrases

    app = app_of(ctx)
    found, profile = find_reader(app.store, app.profiles, reader)
    try:
        report = app.channel_tests.send(found, profile, now)
    except DeliveryError as error:
        print_problems([Problem(found.name, str(error))])
        return 1
    what = "A sample" if report.is_sample else f"The edition of {phrases.day(report.edition.date)}"
    click.echo(f"{what} was sent to {found.address} as a test: {'; '.join(report.receipts)}")
    click.echo(f"{MESSAGES[found.kind]} {app.way_out(found.kind)}.")
    return 0
