"""``paperbot preview``: print the next edition without storing or sending it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

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
    type=click.Choice(["html", "text", "slack"]),
    default="text",
    show_default=True,
    help="The form of the message to print.",
)
@click.pass_context
def command(ctx: click.Context, reader: str, now: datetime, output_format: str) -> None:
    """Print READER's next edition as it would be now; nothing is stored or sent.

    The links back to Paperbot work from READER's first real edition on.

    \b
    Examples:
      paperbot preview reward-models
      paperbot preview reward-models/ada@example.org --format html > edition.html
    """
    from bot.lookup import find_reader
    from bot.schedule import local_date

    app = app_of(ctx)
    recipient, profile = find_reader(app.store, app.profiles, reader)
    with working("composing the edition"):
        edition = app.composer.edition(recipient, profile, local_date(now, profile.schedule.timezone), now)
    if app.tldr_writer:
        # Stored TL;DRs only: asking the language model would cost money and write to the store.
        edition = app.tldr_writer.known(edition)
    renderers = {"html": app.renderer.html, "text": app.renderer.text, "slack": app.renderer.slack}
    click.echo(renderers[output_format](edition))
