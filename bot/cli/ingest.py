"""``paperbot ingest``: retrieve digests and store their new papers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.cli.options import app_of, json_option, now_option
from bot.cli.output import console, print_json, print_problems, problems_json, progress_bar, table
from bot.wording import plural

if TYPE_CHECKING:
    from datetime import datetime

    from bot.ingestion.service import DigestReport


@click.command("ingest", short_help="Store new papers, of the sources or of PATHS.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--again",
    is_flag=True,
    help="Also parse digests that exceeded a limit, and mails that could not be read.",
)
@now_option
@json_option
@click.pass_context
def command(ctx: click.Context, paths: Sequence[Path], now: datetime, again: bool, as_json: bool) -> int:
    """Retrieve digests and store the papers that are new: from the sources, or from PATHS.

    \b
    Examples:
      paperbot ingest
      paperbot ingest ~/Downloads/llm-rl-2025-05-06.txt
      paperbot ingest --again seeds/slow.xml
    """
    from bot.sources.folder import FilesSource

    app = app_of(ctx)
    sources = [FilesSource(paths)] if paths else app.sources
    with progress_bar() as progress:
        report = app.ingestion.ingest(sources, now, at_once=True, again=again, progress=progress)
    if as_json:
        print_json(
            {"digests": [digest_json(d) for d in report.digests], "problems": problems_json(report.problems)}
        )
    else:
        print_digests(report.digests)
        print_problems(report.problems)
    return 1 if report.problems else 0


def digest_json(digest: DigestReport) -> dict[str, object]:
    """Return one digest in the JSON form of ``ingest``; ``rejected`` is a number."""
    return {
        "source": digest.source,
        "date": digest.date,
        "format": digest.format,
        "papers": digest.papers,
        "new": digest.new,
        "known": digest.known,
        "rejected": len(digest.rejected),
        "file": digest.file,
    }


def print_digests(digests: Sequence[DigestReport]) -> None:
    """Print a row for each digest, and on standard error what could not be parsed."""
    rows = table("file", "format", "date", ">papers", ">new", ">known", ">rejected")
    for digest in digests:
        counts = (digest.papers, digest.new, digest.known, len(digest.rejected))
        rows.add_row(digest.file, digest.format, str(digest.date or "-"), *map(str, counts))
    console().print(rows)
    new_papers = sum(digest.new for digest in digests)
    click.echo(f"{plural(len(digests), 'digest')}, {plural(new_papers, 'new paper')}")
    # Rejected entries are not problems of the run: digests in the wild often have a few, and the exit code stays 0.
    for digest in digests:
        for rejected in digest.rejected:
            click.secho(f"! {digest.file}: {rejected}", fg="yellow", err=True)
