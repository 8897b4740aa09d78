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
    if weekly:
        with working("composing the letter"):
            letter = app.weekly_letters.preview(recipient, profile, now)
        if letter.is_empty:
            click.echo("Nothing to write this week, no vote and no missed paper: no letter would be sent.")
        elif output_format == "slack":
            click.echo(app.renderer.letter_slack(letter))
        else:
            mail = app.renderer.letter_mail(letter)
            click.echo(mail.html if output_format == "html" else mail.text)
        return
    with working("composing the edition"):
        edition = app.composer.edition(recipient, profile, local_date(now, profile.schedule.timezone), now)
    if app.tldr_writer:
        # Stored TL;DRs only: asking the language model would cost money and write to the store.
        edition = app.tldr_writer.known(edition)
    renderers = {"html": app.renderer.html, "text": app.renderer.text, "slack": app.renderer.slack}
    click.echo(renderers[output_format](edition))
