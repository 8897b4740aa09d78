"""``paperbot forget``: nothing is kept of a reader any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bot.cli.options import app_of, now_option

if TYPE_CHECKING:
    from datetime import datetime


@click.command("forget", short_help="Delete all that is kept of READER.")
@click.argument("reader")
@now_option
@click.pass_context
def command(ctx: click.Context, reader: str, now: datetime) -> None:
    """Delete READER from the profile's file and the store, with thumbs, editions and message files.

    \b
    Example:
      paperbot forget reward-models/ada@example.org
    """
    from bot.config.editing import remove_reader
    from bot.lookup import find_stored_reader

    app = app_of(ctx)
    found = find_stored_reader(app.store, app.profiles, reader)
    path = app.home.profile_file(found.profile)
    if path.exists():
        remove_reader(path, found.address)
    left = app.forget(found, now)
    click.echo(
        f"{found.name} is forgotten" + (f", but {left} still mentions it in a comment" if left else "")
    )
