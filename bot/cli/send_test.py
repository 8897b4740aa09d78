"""``paperbot send-test``: send the last edition again, to test a channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bot.channels.registry import reader_channel
from bot.cli.options import app_of, now_option
from bot.cli.output import print_problems, working
from bot.domain import Problem
from bot.errors import DeliveryError

if TYPE_CHECKING:
    from datetime import datetime


@click.command("send-test", short_help="Send READER's last edition now, as a test.")
@click.argument("reader")
@now_option
@click.pass_context
def command(ctx: click.Context, reader: str, now: datetime) -> int:
    """Send READER's last edition, marked as a test, through the configured channel now; it is not counted.

    Before the first edition a sample is sent. Nothing is stored, so it can be repeated.

    \b
    Examples:
      paperbot send-test reward-models
      paperbot send-test reward-models/ada@example.org
    """
    from bot.languages import long_date
    from bot.lookup import find_reader

    app = app_of(ctx)
    recipient, profile = find_reader(app.store, app.profiles, reader)
    try:
        with working("sending"):
            report = app.channel_tests.send(recipient, profile, now)
    except DeliveryError as error:
        # Reported here and not by main: a refusal is exit code 1, and has the reader's name before it.
        print_problems([Problem(recipient.name, str(error))])
        return 1
    message = "A sample" if report.is_sample else f"The edition of {long_date(report.edition.date)}"
    # The receipts name the server's queue id or the file, by which the message can be traced.
    click.echo(f"{message} was sent to {recipient.address} as a test: {'; '.join(report.receipts)}")
    click.echo(f"{reader_channel(recipient.kind).messages} {app.route_description(recipient.kind)}.")
    return 0
