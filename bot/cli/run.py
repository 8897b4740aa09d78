"""``paperbot run``: ingest, compose and deliver, once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from bot.channels.registry import reader_channel
from bot.cli.options import app_of, json_option, now_option
from bot.cli.output import (
    discard_output,
    print_edition,
    print_json,
    print_problems,
    problems_json,
    progress_bar,
)
from bot.errors import UsageError
from bot.wording import plural

if TYPE_CHECKING:
    from bot.app import App
    from bot.domain import Edition
    from bot.editions.daily_job import RunReport


_MAX_AHEAD = timedelta(hours=48)


@click.command("run", short_help="Compose and deliver what is due.")
@now_option
@click.option("--force", is_flag=True, help="Compose an edition for every reader, due or not.")
@json_option
@click.pass_context
def command(ctx: click.Context, now: datetime, force: bool, as_json: bool) -> int:
    """Ingest, then compose and deliver every edition that is due.

    \b
    Examples:
      paperbot run                                    as cron calls it every few minutes
      paperbot run --force                            now, whatever the schedule says
      paperbot run --now 2025-05-06T08:00+02:00 --json
    """
    app = app_of(ctx)
    if not force:
        refuse_far_future(app, now)

    def show(edition: Edition) -> None:
        try:
            if edition.quiet:
                click.echo(f"{edition.profile_title} → {edition.reader.address}: quiet. {edition.quiet}")
            else:
                print_edition(edition)
        except (BrokenPipeError, SystemExit):  # SystemExit: how rich ends a program then
            # As by `paperbot run | head`; what is due is sent all the same.
            discard_output()

    with progress_bar() as progress:
        report = app.daily_job.run(
            now, force=force, progress=progress, show=(lambda _edition: None) if as_json else show
        )
    problems = [*app.profile_problems, *report.problems]
    # Only what a person must repair: deliveries that failed are in the outbox, from which the notice takes them.
    problems += app.notify_operator([*app.profile_problems, *report.source_problems], now)
    if as_json:
        numbers = {
            "digests": len(report.digests),
            "papers": sum(digest.papers for digest in report.digests),
            "new": sum(digest.new for digest in report.digests),
            "editions": report.editions,
            "alerts": report.alerts,
            "delivered": report.delivered,
            "failed": report.failed,
            "unknown": report.unknown,
            "skipped": report.skipped,
        }
        print_json({**numbers, "problems": problems_json(problems)})
    else:
        print_report(app, report, force)
        print_problems(problems)
    return 0 if report.complete and not problems else 1


def refuse_far_future(app: App, now: datetime) -> None:
    """Refuse a mistaken ``--now``: it would take the slots of days to come, which then get no edition."""
    # Compared with the newest stored times too: after a test with --now, later tests may go on from there.
    stored = [app.store.editions.newest_composed(), app.store.papers.newest_first_seen()]
    times = [time for time in stored if time]
    # An empty store has no slots to lose.
    if not times:
        return
    latest = max(datetime.now(UTC), *times)
    if now > latest + _MAX_AHEAD:
        raise UsageError(
            f"--now is {(now - latest).days} days ahead of the clock and of everything in the store; "
            "correct it, or add --force"
        )


def print_report(app: App, report: RunReport, force: bool) -> None:
    """Print the numbers of a run, why there is no edition, and which messages became files."""
    new_papers = sum(digest.new for digest in report.digests)
    parts = [plural(report.editions, "edition")]
    if report.alerts:
        parts.append(plural(report.alerts, "alert"))
    parts.append(f"{plural(report.delivered, 'message')} delivered")
    if report.skipped:
        parts.append(f"{report.skipped} quiet")
    ingested = f"{plural(new_papers, 'new paper')} in {plural(len(report.digests), 'digest')}"
    click.echo(f"{ingested}; {', '.join(parts)}")
    # Problems of sources are no reason: without a reader there is no edition, whatever can be read.
    is_explained = set(report.problems) - set(report.source_problems)
    if not (report.editions or report.skipped or is_explained):
        for line in reasons_for_no_edition(app, force):
            click.echo(line)
    samples = app.home.sample_sources
    if report.skipped and samples and not app.store.sources.has_other(samples):
        click.echo(
            "So far there are only the sample digests, about reinforcement learning and language models. For your own "
            f"field, name a source in {app.home.settings_file}, such as arXiv's feed of a category (docs/sources.md "
            f"shows how), or copy digests into {app.home.path / 'seeds'}."
        )
    for kind in sorted(report.sent_kinds & app.file_kinds):
        click.echo(f"{reader_channel(kind).messages} {app.route_description(kind)}.")


def reasons_for_no_edition(app: App, force: bool) -> list[str]:
    """Return why no edition was composed although nothing failed; empty if the profiles' problems say it."""
    if any(True for profile in app.profiles for _ in app.store.active_readers.all(profile)):
        return (
            [] if force else ["No edition is due now; `paperbot status` says when, and --force doesn't wait."]
        )
    if app.store.readers.first(app.profiles, 1):
        return ["No edition was made: all readers have stopped; `paperbot status` says why."]
    if app.profiles:
        command = f"paperbot subscribe {next(iter(app.profiles))} ada@example.org"
        return [f"No edition was made: no profile has a reader. Add an address to one, as with `{command}`."]
    if app.profile_problems:
        return []
    return [
        "No edition was made: there is no profile. Write one, such as profiles/my-topic.toml (docs/profiles.md)."
    ]
