"""``paperbot unsubscribe``: stop a reader's editions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bot.cli.options import app_of, now_option

if TYPE_CHECKING:
    from datetime import datetime


@click.command("unsubscribe", short_help="Stop READER's editions.")
@click.argument("reader")
@now_option
@click.pass_context
def command(ctx: click.Context, reader: str, now: datetime) -> None:
    """Take READER out of the profile's file and stop the editions; votes are kept in case of a return.

    \b
    Example:
      paperbot unsubscribe reward-models/grace@example.org
    """
    from bot.lookup import find_reader

    app = app_of(ctx)
    stopped, _ = find_reader(app.store, app.profiles, reader)
    app.subscriptions.remove(stopped, now)
    click.echo(
        f"{stopped.name} gets no more editions; `paperbot forget {stopped.name}` deletes all data about them"
    )
