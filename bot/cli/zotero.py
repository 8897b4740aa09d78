"""``paperbot zotero``: connect a reader's Zotero library, end the connection, or show it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from bot.cli.options import app_of, home_option, json_option, now_option
from bot.cli.output import print_json
from bot.errors import UsageError
from bot.wording import listed, plural

if TYPE_CHECKING:
    from datetime import datetime

    from bot.domain import ZoteroConnection

_KEY = "PAPERBOT_ZOTERO_KEY"


@click.group("zotero", short_help="Connect READER's Zotero library; show it; disconnect.")
def command() -> None:
    """Connect a reader's Zotero library: it is followed as first feedback, and what the reader likes is saved in it.

    The API key, made at https://www.zotero.org/settings/keys, is taken from PAPERBOT_ZOTERO_KEY or asked for. It is
    stored encrypted, and never shown.

    \b
    Examples:
      paperbot zotero connect reward-models
      paperbot zotero connect reward-models/ada@example.org --collection "Reward models"
      paperbot zotero status reward-models
      paperbot zotero disconnect reward-models
    """


@command.command("connect")
@click.argument("reader")
@click.option("--user", type=click.IntRange(1), help="The user's id; by default, that of the key's user.")
@click.option("--group", type=click.IntRange(1), help="Follow a group's library instead, by its id.")
@click.option(
    "--collection",
    "collections",
    multiple=True,
    help="Follow this collection, with all below, only; repeatable.",
)
@now_option
@click.pass_context
def connect(
    ctx: click.Context,
    *,
    reader: str,
    user: int | None,
    group: int | None,
    collections: tuple[str, ...],
    now: datetime,
) -> None:
    """Connect READER to a Zotero library; an earlier connection is replaced."""
    from bot.lookup import stored_reader

    if user and group:
        raise click.UsageError("--user and --group name two libraries; leave one out")
    app = app_of(ctx)
    owner, _ = stored_reader(app.store, app.profiles, reader, now)
    key = os.environ.get(_KEY) or click.prompt("The Zotero API key", hide_input=True)
    library = f"groups/{group}" if group else f"users/{user}" if user else None
    connection = app.zotero.connect(owner, key.strip(), library=library, collections=collections, now=now)
    click.echo(f"{owner.name}: connected to {_described(connection)}")
    click.echo(f"It is followed from the next run on; `paperbot import {owner.name} zotero` reads it now.")


@command.command("disconnect")
@click.argument("reader")
@click.pass_context
def disconnect(ctx: click.Context, reader: str) -> None:
    """End READER's connection: its key and what was followed are removed; items in Zotero stay."""
    from bot.lookup import find_stored_reader

    app = app_of(ctx)
    owner = find_stored_reader(app.store, app.profiles, reader)
    if not app.zotero.disconnect(owner):
        raise UsageError(f"{owner.name} is not connected to Zotero")
    click.echo(f"{owner.name}: disconnected")


@command.command("status")
@click.argument("reader")
@json_option
@click.pass_context
def status(ctx: click.Context, reader: str, as_json: bool) -> int:
    """Show READER's connection, and how the last poll went."""
    from bot.lookup import find_stored_reader

    app = app_of(ctx)
    owner = find_stored_reader(app.store, app.profiles, reader)
    connection = app.store.zotero.get(owner.id)
    papers = app.store.library.size(owner.id)
    saved = len(app.store.zotero.saves(owner.id))
    if as_json:
        print_json(
            {
                "reader": owner.name,
                "library": connection and connection.library,
                "collections": list(connection.collections) if connection else [],
                "saves": bool(connection and connection.saves),
                "checked_at": connection and connection.poll.checked_at,
                "problem": connection.poll.problem if connection else "",
                "papers": papers,
                "saved": saved,
            }
        )
    elif connection is None:
        click.echo(f"{owner.name}: not connected to Zotero")
    else:
        checked = connection.poll.checked_at
        click.echo(f"{owner.name}: {_described(connection)}")
        click.echo(f"  last read {f'{checked:%Y-%m-%d %H:%M} UTC' if checked else 'never'}")
        click.echo(f"  {plural(papers, 'paper')} in the library; {plural(saved, 'liked paper')} saved")
        if connection.poll.problem:
            click.secho(f"! {connection.poll.problem}", fg="red")
    return 1 if connection and connection.poll.problem else 0


def _described(connection: ZoteroConnection) -> str:
    followed = listed(connection.collections) if connection.collections else "all of it"
    saves = "liked papers are saved in it" if connection.saves else "nothing is saved in it"
    return f"{connection.library}, {followed}; {saves}"


for _subcommand in (connect, disconnect, status):
    _subcommand.params.append(home_option)
