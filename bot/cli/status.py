"""The commands ``status`` and ``sources``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime, tzinfo
from functools import partial
from pathlib import Path

import click

from bot.app import App
from bot.cli.options import Commands, app_of, json_option, now_option, pass_app, report_options
from bot.cli.output import console, echo, local_time, print_json, print_problems, table, with_local_times
from bot.model import Problem, RawDigest
from bot.model.errors import DigestError, QueueError, UsageError
from bot.model.wording import duration, plural
from bot.operate.ingest import peek
from bot.operate.status import Load, Status, sources_status
from bot.operate.status import status as status_of

_TITLES_SHOWN = 5


@click.command("status")
@report_options
def status(app: App, now: datetime, as_json: bool) -> int:
    """Show sources, readers, outbox and problems."""
    queue, queue_problems = queue_depths(app)
    problems = [*app.standing_problems(now), *queue_problems]
    current = status_of(app.store, app.sources, app.profiles, problems, now, queue=queue)
    if as_json:
        print_json(current)
    else:
        print_status(current, app.zone)
        print_problems([replace(each, problem=with_local_times(each.problem, app.zone)) for each in current.problems])
    # 1 with any problem, so monitoring needs the exit code only.
    return 1 if current.problems else 0


def queue_depths(app: App) -> tuple[dict[str, int], list[Problem]]:
    settings = app.home.settings.queue
    if not settings.url:
        return {}, []
    try:
        from bot.worker.tasks import TaskQueue
    except ModuleNotFoundError:
        return {}, [Problem("queue", "needs Celery: in Paperbot's checkout, pip install '.[queue]'")]
    try:
        with closing(TaskQueue(settings.url, settings.name)) as queue:
            return queue.depths(), []
    except QueueError as error:
        return {}, [Problem("queue", str(error))]


def print_status(status: Status, zone: tzinfo) -> None:
    shown = partial(local_time, zone=zone)
    sources = table("source", "state", "last new digest", "newest digest", ">digests", ">papers")
    for source in status.sources:
        cells = [shown(source.last_seen), str(source.latest_digest or "-"), str(source.digests), str(source.papers)]
        if not source.delivers_papers:
            read = f"read {shown(source.last_checked)}" if source.last_checked else "not read yet"
            cells = [read, "-", "-", "-" if source.votes is None else plural(source.votes, "vote")]
        sources.add_row(source.name, source.health, *cells)
    readers = table("reader", "thumbs", "last edition", "next due", unbroken=("reader",))
    for reader in status.readers:
        thumbs = f"{reader.thumbs_up} up, {reader.thumbs_down} down"
        if reader.last_edition is None:
            last_edition = "none yet"
        elif reader.quiet:
            last_edition = f"{reader.last_edition}, quiet: {reader.quiet}"
        else:
            # An edition for Slack may have several messages.
            states = ", ".join(dict.fromkeys(reader.last_states))
            last_edition = f"{reader.last_edition}, {plural(reader.last_picks, 'paper')}, {states}"
        readers.add_row(reader.reader, thumbs, last_edition, reader.stopped or shown(reader.next_due))
    console().print(sources, readers)
    if status.readers_left_out:
        echo(f"and {plural(status.readers_left_out, 'more reader')}")
    outbox = ", ".join(f"{number} {state}" for state, number in status.outbox.items() if number) or "empty"
    echo(f"{plural(status.papers, 'paper')} in the store; outbox: {outbox}")
    for line in load_lines(status.load, zone):
        echo(line)
    if status.bounces:
        echo("came back: " + ", ".join(f"{number} {kind}" for kind, number in status.bounces.items()))
    for reader in status.readers:
        if reader.late:
            late = with_local_times(reader.late, zone)
            echo(f"late: {reader.reader} (last message: {shown(reader.last_sent)}): {late}", fg="yellow")


def load_lines(load: Load, zone: tzinfo) -> Iterator[str]:
    if load.queue:
        yield "queue: " + ", ".join(f"{number} {task}" for task, number in load.queue.items())
    if load.oldest_due_seconds:
        yield f"the oldest due edition has waited {duration(load.oldest_due_seconds)}"
    if load.oldest_unsent_seconds:
        yield f"the oldest unsent message has waited {duration(load.oldest_unsent_seconds)}"
    if load.claimed_until:
        until = local_time(load.claimed_until, zone)
        yield (
            f"{plural(load.claims, 'message')} held by workers until {until} at most. If a worker died, its unsent "
            "messages are then due again, or unknown"
        )
    if load.expired_claims:
        yield f"{plural(load.expired_claims, 'message')} of workers that died"
    for rate in load.rates:
        yield f"{rate.kind}: {rate.used_today} sent today under the limit, at {rate.share:.0%} of the rate"


@click.group("sources", cls=Commands, invoke_without_command=True)
@now_option
@json_option
@click.pass_context
def sources(ctx: click.Context, now: datetime, as_json: bool) -> int:
    """List the sources and their health, add some, test one, or import many feeds."""
    # click also calls the group before its subcommand.
    if ctx.invoked_subcommand:
        return 0
    app = app_of(ctx)
    statuses = sources_status(app.store, app.sources, now)
    if as_json:
        print_json({"sources": statuses})
    else:
        rows = table("source", "kind", "state", "last checked", "newest digest", ">papers", ">usual a day")
        for status in statuses:
            checked = local_time(status.last_checked, app.zone)
            usual = f"{status.usual:.0f}" if status.usual is not None else "-"
            state = f"{status.health}: {status.detail}" if status.detail else status.health
            newest = str(status.latest_digest or "-")
            papers = str(status.papers) if status.delivers_papers else "-"
            rows.add_row(status.name, status.kind, state, checked, newest, papers, usual)
        console().print(rows)
    return 1 if any(status.trouble for status in statuses) else 0


@sources.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@pass_app
def import_feeds(app: App, file: Path) -> int:
    """Add the feeds of an OPML FILE, which feed readers export, to paperbot.toml. Skips known feeds."""
    try:
        listed = app.parser.parse_feeds(RawDigest("", file.name, file.read_bytes()))
    except DigestError as error:
        raise UsageError(f"{file}: {error}") from None
    if not listed.feeds:
        raise UsageError(f"{file}: no feed can be added; {listed.problems[0]}")
    added = app.home.add_feeds({feed.url: feed.title for feed in listed.feeds})
    for name in added:
        echo(f"added {name}")
    echo(f"{plural(len(added), 'feed')} added. `paperbot sources test NAME` shows a source's papers")
    print_problems([Problem(str(file), problem) for problem in listed.problems])
    return 1 if listed.problems else 0


@sources.command("test")
@click.argument("name")
@now_option
@pass_app
def test(app: App, name: str, now: datetime) -> int:
    """Query the source NAME and show its digests. Nothing is stored, and no mail is marked as read."""
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
        echo(f"{file}: {digest.format}, {digest.topic or '-'}, {digest.date or 'no date'}")
        echo(f"  {plural(len(digest.entries), 'paper')}, {len(digest.rejected)} rejected")
        for entry in digest.entries[:_TITLES_SHOWN]:
            echo(f"  - {entry.title} ({entry.arxiv_id or entry.doi or entry.url or 'no link'})")
        if len(digest.entries) > _TITLES_SHOWN:
            echo(f"  ... and {len(digest.entries) - _TITLES_SHOWN} more")
        for rejected in digest.rejected:
            echo(f"! {file}: {rejected}", fg="yellow", err=True)
    print_problems(problems)
    return 1 if problems else 0
