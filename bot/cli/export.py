"""``paperbot export``: print all data about a reader."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bot.cli.options import app_of, now_option
from bot.cli.output import print_json

if TYPE_CHECKING:
    from datetime import datetime


@click.command("export", short_help="Print all data about READER, as JSON.")
@click.argument("reader")
@now_option
@click.pass_context
def command(
    ctx: click.Context,
    reader: str,
    now: datetime,  # noqa: ARG001 - every command takes --now; the stored data does not depend on it
) -> None:
    """Print all data about READER as one JSON object: votes, their history, editions, settings.

    \b
    Example:
      paperbot export reward-models/ada@example.org > ada.json
    """
    from bot.feedback.export import export
    from bot.lookup import find_stored_reader

    app = app_of(ctx)
    print_json(export(app.store, find_stored_reader(app.store, app.profiles, reader)))
