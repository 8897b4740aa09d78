"""``paperbot forget``: delete all data about a reader."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bot.cli.options import app_of, now_option

if TYPE_CHECKING:
    from datetime import datetime


@click.command("forget", short_help="Delete all data about READER.")
@click.argument("reader")
@now_option
@click.pass_context
def command(ctx: click.Context, reader: str, now: datetime) -> None:
    """Delete READER from the profile's file and the store, with votes, editions and message files.

    \b
    Example:
      paperbot forget reward-models/ada@example.org
    """
    from bot.channels.registry import address_checks
    from bot.config.editing import remove_reader
    from bot.lookup import find_stored_reader

    app = app_of(ctx)
    stored = find_stored_reader(app.store, app.profiles, reader)
    path = app.home.profile_file(stored.profile)
    if path.exists():
        # First, and with its error: a file that can't be edited leaves the store untouched, and the operator can
        # correct it and repeat the command. On the page, where no operator is present, the store comes first.
        remove_reader(path, stored.address, address_checks())
    remaining = app.forget(stored, now)
    click.echo(
        f"{stored.name} is forgotten"
        + (f", but a comment in {remaining} still names the address" if remaining else "")
    )
