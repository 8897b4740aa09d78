"""``paperbot preview``: print the next edition without storing or sending it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bot.channels.registry import reader_channels
from bot.cli.options import app_of, now_option
from bot.cli.output import working

if TYPE_CHECKING:
    from datetime import datetime


@click.command("preview", short_help="Show READER's next edition; store nothing.")
@click.argument("reader")
@now_option
@click.option(
    "--format",
    "output_format",
    type=click.Choice([form for channel in reader_channels() for form in channel.forms]),
    default="text",
    show_default=True,
    help="The form of the message to print.",
)
@click.option("--weekly", is_flag=True, help="The weekly letter instead of the edition.")
@click.pass_context
def command(ctx: click.Context, reader: str, now: datetime, output_format: str, weekly: bool) -> None:
    """Print READER's next edition, or weekly letter, as it would be now; nothing is stored or sent.

    The links back to Paperbot work from READER's first real edition on.

    \b
    Examples:
      paperbot preview reward-models
      paperbot preview reward-models/ada@example.org --format html > edition.html
      paperbot preview reward-models --weekly
    """
    from bot.lookup import find_reader
    from bot.schedule import local_date

    app = app_of(ctx)
    recipient, profile = find_reader(app.store, app.profiles, reader)
    channel = next(each for each in reader_channels() if output_format in each.forms)
    renderer = app.renderer.of(channel.name)
    if weekly:
        with working("composing the letter"):
            letter = app.weekly_letters.preview(recipient, profile, now)
        if letter.is_empty:
            click.echo("Nothing to write this week, no vote and no missed paper: no letter would be sent.")
        else:
            click.echo(renderer.preview_letter(letter, output_format))
        return
    with working("composing the edition"):
        edition = app.composer.edition(recipient, profile, local_date(now, profile.schedule.timezone), now)
    if app.tldr_writer:
        # Stored TL;DRs only: asking the language model would cost money and write to the store.
        edition = app.tldr_writer.known(edition)
    click.echo(renderer.preview(edition, output_format))
