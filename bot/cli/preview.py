"""``paperbot preview``: the edition as it would be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bot.cli.options import app_of, now_option

if TYPE_CHECKING:
    from datetime import datetime


@click.command("preview", short_help="Show READER's next edition; store nothing.")
@click.argument("reader")
@now_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "text", "slack"]),
    default="text",
    show_default=True,
    help="What to print.",
)
@click.pass_context
def command(ctx: click.Context, reader: str, now: datetime, form: str) -> None:
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
    found, profile = find_reader(app.store, app.profiles, reader)
    edition = app.editor.edition(found, profile, local_date(now, profile.schedule.timezone), now)
    if app.tldr_writer:
        edition = app.tldr_writer.known(edition)
    show = {"html": app.renderer.html, "text": app.renderer.text, "slack": app.renderer.slack}[form]
    click.echo(show(edition))
