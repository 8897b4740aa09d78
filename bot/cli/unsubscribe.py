"""``paperbot unsubscribe``: a reader less."""

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
    """Take READER out of the profile's file and stop the editions; thumbs are kept in case of a return.

    \b
    Example:
      paperbot unsubscribe reward-models/grace@example.org
    """
    from bot.config.editing import remove_reader
    from bot.domain import StopReason
    from bot.lookup import find_reader

    app = app_of(ctx)
    found, _ = find_reader(app.store, app.profiles, reader)
    named = remove_reader(app.home.profile_file(found.profile), found.address)
    app.refresh()
    app.store.readers.sync(found.profile, app.profiles[found.profile].addresses, now)
    app.store.readers.stop(found.id, StopReason.REMOVED if named else StopReason.OPERATOR)
    click.echo(f"{found.name} gets no more editions; `paperbot forget {found.name}` deletes what is kept")
