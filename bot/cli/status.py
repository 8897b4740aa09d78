"""``paperbot status``: is it coming in, is it going out, what needs a person?"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from bot.cli.options import app_of, json_option, now_option
from bot.cli.output import console, count, print_json, print_problems, problems_json, table

if TYPE_CHECKING:
    from datetime import datetime

    from bot.operations.status import ReaderStatus, Status


@click.command("status", short_help="Show what comes in, goes out, and is wrong.")
@now_option
@json_option
@click.pass_context
def command(ctx: click.Context, now: datetime, as_json: bool) -> int:
    """Show sources, readers, outbox and problems."""
    from bot.ingestion.service import unreadable
    from bot.operations.status import status

    app = app_of(ctx)
    standing = [
        *app.profile_problems,
        *app.room.problems(),
        *unreadable(app.sources, app.store, app.parser.parse, now),
    ]
    found = status(app.store, app.sources, app.profiles, standing, now)
    if as_json:
        print_json({**asdict(found), "problems": problems_json(found.problems)})
    else:
        _print(found)
        print_problems(found.problems)
    return 1 if found.problems else 0


def _print(status: Status) -> None:
    sources = table("source", "state", "last brought something", "newest digest", ">digests", ">papers")
    for source in status.sources:
        seen = f"{source.last_seen:%Y-%m-%d %H:%M} UTC" if source.last_seen else "never"
        sources.add_row(
            source.name,
            source.health,
            seen,
            str(source.latest_digest or "-"),
            str(source.digests),
            str(source.papers),
        )
    readers = table("reader", "thumbs", "last edition", "next due", whole=("reader",))
    for reader in status.readers:
        due = reader.stopped or f"{reader.next_due:%a %Y-%m-%d %H:%M} UTC"
        readers.add_row(
            reader.reader, f"{reader.thumbs_up} up, {reader.thumbs_down} down", _last(reader), due
        )
    console().print(sources, readers)
    outbox = ", ".join(f"{count} {state}" for state, count in status.outbox.items() if count) or "empty"
    click.echo(f"{count(status.papers, 'paper')} known; outbox: {outbox}")
    for late in (reader for reader in status.readers if reader.late):
        last = f"{late.last_sent:%Y-%m-%d %H:%M} UTC" if late.last_sent else "never"
        click.secho(f"late: {late.reader} (last message: {last}): {late.late}", fg="yellow")


def _last(reader: ReaderStatus) -> str:
    if reader.last_edition is None:
        return "none yet"
    if reader.quiet:
        return f"{reader.last_edition}, quiet: {reader.quiet}"
    states = ", ".join(dict.fromkeys(reader.last_states))
    return f"{reader.last_edition}, {count(reader.last_picks, 'paper')}, {states}"
