"""``paperbot sources``: what comes from where, and how it does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.cli.options import app_of, home_option, json_option, now_option
from bot.cli.output import console, plain, print_json, print_problems, table
from bot.domain import Problem
from bot.errors import UsageError

if TYPE_CHECKING:
    from datetime import datetime

    from bot.domain import ParsedDigest
    from bot.operations.status import SourceStatus

_TITLES_SHOWN = 5


@click.group("sources", invoke_without_command=True)
@now_option
@json_option
@click.pass_context
def command(ctx: click.Context, now: datetime, as_json: bool) -> int:
    """List the sources and how they do; try one out, or add many feeds at once.

    \b
    Examples:
      paperbot sources
      paperbot sources test arxiv-ai
      paperbot sources import feeds.opml
    """
    if ctx.invoked_subcommand:
        return 0
    from bot.operations.status import sources_status

    app = app_of(ctx)
    found = sources_status(app.store, app.sources, now)
    if as_json:
        print_json({"sources": [asdict(source) for source in found]})
    else:
        console().print(_table(found))
    return 1 if any(source.trouble for source in found) else 0


def _table(found: Sequence[SourceStatus]) -> object:
    made = table("source", "kind", "state", "last asked", "newest digest", ">papers", ">usual a day")
    for source in found:
        asked = f"{source.last_checked:%Y-%m-%d %H:%M}" if source.last_checked else "never"
        usual = f"{source.usual:.0f}" if source.usual is not None else "-"
        state = plain(f"{source.health}: {source.detail}" if source.detail else source.health)
        newest = str(source.latest_digest or "-")
        made.add_row(source.name, source.kind, state, asked, newest, str(source.papers), usual)
    return made


@command.command("test")
@click.argument("name")
@now_option
@click.pass_context
def test(ctx: click.Context, name: str, now: datetime) -> int:
    """Ask the source NAME and show what would come; nothing is stored, no mail is marked."""
    from bot.ingestion.service import peek

    app = app_of(ctx)
    source = next((source for source in app.sources if source.name == name), None)
    if source is None:
        known = ", ".join(source.name for source in app.sources)
        raise UsageError(f"no source {name!r}; there are: {known or 'none in paperbot.toml'}")
    problems: list[Problem] = []
    for outcome in peek(source, app.parser.parse, now):
        if isinstance(outcome, Problem):
            problems.append(outcome)
        else:
            _show(*outcome)
    print_problems(problems)
    return 1 if problems else 0


def _show(name: str, digest: ParsedDigest) -> None:
    click.echo(f"{name}: {digest.format}, {digest.topic or '-'}, {digest.date or 'no date'}")
    click.echo(f"  {len(digest.entries)} papers, {len(digest.rejected)} rejected")
    for entry in digest.entries[:_TITLES_SHOWN]:
        click.echo(f"  - {entry.title} ({entry.arxiv_id or entry.doi or entry.url or 'no link'})")
    if len(digest.entries) > _TITLES_SHOWN:
        click.echo(f"  ... and {len(digest.entries) - _TITLES_SHOWN} more")
    for rejected in digest.rejected:
        click.secho(f"! {name}: {rejected}", fg="yellow", err=True)


@command.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.pass_context
def import_feeds(ctx: click.Context, file: Path) -> int:
    """Add the feeds of an OPML FILE, as feed readers export it, to paperbot.toml; known ones are left out."""
    added = app_of(ctx).add_feeds(file.read_bytes())
    for name in added:
        click.echo(f"added {name}")
    click.echo(f"{len(added)} feeds added; `paperbot sources test NAME` shows what one brings")
    return 0


test.params.append(home_option)
import_feeds.params.append(home_option)
