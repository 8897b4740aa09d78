"""``paperbot sources``: list the sources and their health, try one, or import feeds."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.cli.options import app_of, home_option, json_option, now_option
from bot.cli.output import console, plain, print_json, print_problems, table
from bot.domain import Problem
from bot.errors import UsageError
from bot.wording import plural

if TYPE_CHECKING:
    from datetime import datetime

_MAX_TITLES = 5


@click.group("sources", invoke_without_command=True, short_help="List sources; test one; import feeds.")
@now_option
@json_option
@click.pass_context
def command(ctx: click.Context, now: datetime, as_json: bool) -> int:
    """List the sources and their health; test one, or import many feeds.

    \b
    Examples:
      paperbot sources
      paperbot sources test arxiv-ai
      paperbot sources import feeds.opml
    """
    # click calls the group before its subcommand, too.
    if ctx.invoked_subcommand:
        return 0
    from bot.operations.status import sources_status

    app = app_of(ctx)
    statuses = sources_status(app.store, app.sources, now)
    if as_json:
        print_json({"sources": [asdict(status) for status in statuses]})
    else:
        rows = table("source", "kind", "state", "last checked", "newest digest", ">papers", ">usual a day")
        for status in statuses:
            checked = f"{status.last_checked:%Y-%m-%d %H:%M}" if status.last_checked else "never"
            usual = f"{status.usual:.0f}" if status.usual is not None else "-"
            state = plain(f"{status.health}: {status.detail}" if status.detail else status.health)
            newest = str(status.latest_digest or "-")
            rows.add_row(status.name, status.kind, state, checked, newest, str(status.papers), usual)
        console().print(rows)
    return 1 if any(status.trouble for status in statuses) else 0


@command.command("test")
@click.argument("name")
@now_option
@click.pass_context
def test(ctx: click.Context, name: str, now: datetime) -> int:
    """Query the source NAME and show what it has; nothing is stored, no mail is marked as read."""
    from bot.ingestion.service import peek

    app = app_of(ctx)
    source = next((source for source in app.sources if source.name == name), None)
    if source is None:
        names = ", ".join(source.name for source in app.sources)
        raise UsageError(f"no source {name!r}; known sources: {names or 'none'}")
    problems: list[Problem] = []
    for outcome in peek(source, app.parser, now):
        if isinstance(outcome, Problem):
            problems.append(outcome)
            continue
        file, digest = outcome
        click.echo(f"{file}: {digest.format}, {digest.topic or '-'}, {digest.date or 'no date'}")
        click.echo(f"  {plural(len(digest.entries), 'paper')}, {len(digest.rejected)} rejected")
        for entry in digest.entries[:_MAX_TITLES]:
            click.echo(f"  - {entry.title} ({entry.arxiv_id or entry.doi or entry.url or 'no link'})")
        if len(digest.entries) > _MAX_TITLES:
            click.echo(f"  ... and {len(digest.entries) - _MAX_TITLES} more")
        for rejected in digest.rejected:
            click.secho(f"! {file}: {rejected}", fg="yellow", err=True)
    print_problems(problems)
    return 1 if problems else 0


@command.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.pass_context
def import_feeds(ctx: click.Context, file: Path) -> int:
    """Add the feeds of an OPML FILE, which feed readers export, to paperbot.toml; feeds that it has are left out."""
    added = app_of(ctx).home.add_feeds(file.read_bytes())
    for name in added:
        click.echo(f"added {name}")
    click.echo(f"{plural(len(added), 'feed')} added; `paperbot sources test NAME` shows what a source has")
    return 0


# The group of all commands gives --home to its own commands only.
test.params.append(home_option)
import_feeds.params.append(home_option)
