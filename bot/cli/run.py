"""``paperbot run``: the main job, once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from bot.cli.options import app_of, json_option, now_option
from bot.cli.output import (
    MESSAGES,
    count,
    print_edition,
    print_json,
    print_problems,
    problems_json,
    progress_bar,
)
from bot.errors import UsageError

if TYPE_CHECKING:
    from bot.app import App
    from bot.domain import Edition
    from bot.editions.daily_job import RunReport


_AHEAD = timedelta(hours=48)


@click.command("run", short_help="Make and deliver what is due.")
@now_option
@click.option("--force", is_flag=True, help="Compose an edition for every reader, due or not.")
@json_option
@click.pass_context
def command(ctx: click.Context, now: datetime, force: bool, as_json: bool) -> int:
    """Ingest, then make and deliver every edition that is due.

    \b
    Examples:
      paperbot run                                    what cron calls every few minutes
      paperbot run --force                            now, whatever the schedule says
      paperbot run --now 2025-05-06T08:00+02:00 --json
    """
    app = app_of(ctx)
    if not force:
        _refuse_the_future(app, now)
    with progress_bar() as progress:
        show = _unseen if as_json else _show
        report = app.pipeline.run(now, force=force, progress=progress, show=show)
    problems = [*app.profile_problems, *report.problems]
    problems += app.notify_operator([*app.profile_problems, *report.unread], now)
    if as_json:
        print_json({**_counts(report), "problems": problems_json(problems)})
    else:
        _print(app, report, force)
        print_problems(problems)
    return 0 if report.complete and not problems else 1


def _refuse_the_future(app: App, now: datetime) -> None:
    """A mistaken ``--now`` would take the slots of days to come, and leave them without an edition."""
    seen = [at for at in (app.store.editions.newest_composed(), app.store.papers.newest_first_seen()) if at]
    if seen and now > (latest := max(datetime.now(UTC), *seen)) + _AHEAD:
        raise UsageError(
            f"--now is {(now - latest).days} days ahead of the clock and of all that was seen so far; "
            "correct it, or say --force"
        )


def _unseen(_edition: Edition) -> None:
    """JSON tells numbers only."""


def _show(edition: Edition) -> None:
    if edition.quiet:
        click.echo(f"{edition.profile_title} → {edition.reader.address}: quiet. {edition.quiet}")
    else:
        print_edition(edition)


def _counts(report: RunReport) -> dict[str, int]:
    return {
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


def _print(app: App, report: RunReport, force: bool) -> None:
    new = sum(digest.new for digest in report.digests)
    said = [count(report.editions, "edition")]
    said += [count(report.alerts, "alert")] if report.alerts else []
    said += [f"{count(report.delivered, 'message')} delivered"]
    said += [f"{report.skipped} quiet"] if report.skipped else []
    click.echo(f"{count(new, 'new paper')} in {count(len(report.digests), 'digest')}; {', '.join(said)}")
    if not (report.editions or report.skipped or report.problems) and (why := _why_nothing(app, force)):
        click.echo(why)
    for kind in sorted(report.sent_kinds & app.file_kinds):
        click.echo(f"{MESSAGES[kind]} {app.way_out(kind)}.")


def _why_nothing(app: App, force: bool) -> str:
    """Why no edition was made although nothing went wrong; empty where the problems of profiles say it."""
    readers = [reader for reader in app.store.readers.all() if reader.profile in app.profiles]
    if any(reader.stopped is None for reader in readers):
        wait = "No edition is due now; `paperbot status` says when, and --force doesn't wait."
        return "" if force else wait
    if readers:
        return "No edition was made: all readers have stopped; `paperbot status` says why."
    if app.profiles:
        slug = next(iter(app.profiles))
        return (
            "No edition was made: nobody receives a profile. Write an address into one, as with "
            f"`paperbot subscribe {slug} ada@example.org`."
        )
    if app.profile_problems:
        return ""
    return "No edition was made: there is no profile. Write one, such as profiles/my-topic.toml; the README shows how."
