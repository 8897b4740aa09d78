"""``paperbot status``: what comes in, what goes out, and what needs attention."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from bot.cli.options import app_of, json_option, now_option
from bot.cli.output import console, print_json, print_problems, problems_json, table
from bot.domain import Problem
from bot.errors import QueueError
from bot.wording import plural

if TYPE_CHECKING:
    from datetime import datetime

    from bot.app import App
    from bot.operations.load import Load
    from bot.operations.status import Status


@click.command("status", short_help="Show sources, readers, outbox and problems.")
@now_option
@json_option
@click.pass_context
def command(ctx: click.Context, now: datetime, as_json: bool) -> int:
    """Show sources, readers, outbox and problems."""
    from bot.operations.status import status

    app = app_of(ctx)
    queue, queue_problems = queue_depths(app)
    problems = [*app.standing_problems(now), *queue_problems]
    current = status(app.store, app.sources, app.profiles, problems, now, queue=queue)
    if as_json:
        print_json({**asdict(current), "problems": problems_json(current.problems)})
    else:
        print_status(current)
        print_problems(current.problems)
    # 1 with any problem, so that a monitoring script needs the exit code only.
    return 1 if current.problems else 0


def queue_depths(app: App) -> tuple[dict[str, int], list[Problem]]:
    """Return how many tasks wait at the broker, and a problem if it can't be asked; nothing without a broker."""
    settings = app.home.settings.queue
    if not settings.url:
        return {}, []
    try:
        from bot.worker.queue import TaskQueue
    except ModuleNotFoundError:
        return {}, [Problem("queue", "needs Celery: in Paperbot's checkout, pip install '.[queue]'")]
    try:
        with closing(TaskQueue(settings.url, settings.name)) as queue:
            return queue.depths(), []
    except QueueError as error:
        return {}, [Problem("queue", str(error))]


def print_status(status: Status) -> None:
    """Print the sources, the readers with their last edition, the outbox, and what is late."""
    sources = table("source", "state", "last new digest", "newest digest", ">digests", ">papers")
    for source in status.sources:
        seen = f"{source.last_seen:%Y-%m-%d %H:%M} UTC" if source.last_seen else "never"
        newest = str(source.latest_digest or "-")
        sources.add_row(source.name, source.health, seen, newest, str(source.digests), str(source.papers))
    readers = table("reader", "thumbs", "last edition", "next due", unbroken=("reader",))
    for reader in status.readers:
        thumbs = f"{reader.thumbs_up} up, {reader.thumbs_down} down"
        if reader.last_edition is None:
            last_edition = "none yet"
        elif reader.quiet:
            last_edition = f"{reader.last_edition}, quiet: {reader.quiet}"
        else:
            # An edition for Slack may have several messages; each state is named once.
            states = ", ".join(dict.fromkeys(reader.last_states))
            last_edition = f"{reader.last_edition}, {plural(reader.last_picks, 'paper')}, {states}"
        due = reader.stopped or f"{reader.next_due:%a %Y-%m-%d %H:%M} UTC"
        readers.add_row(reader.reader, thumbs, last_edition, due)
    console().print(sources, readers)
    if status.readers_left_out:
        click.echo(f"and {plural(status.readers_left_out, 'more reader')}")
    outbox = ", ".join(f"{number} {state}" for state, number in status.outbox.items() if number) or "empty"
    click.echo(f"{plural(status.papers, 'paper')} in the store; outbox: {outbox}")
    for line in load_lines(status.load):
        click.echo(line)
    if status.bounces:
        click.echo("came back: " + ", ".join(f"{number} {kind}" for kind, number in status.bounces.items()))
    for reader in status.readers:
        if reader.late:
            last = f"{reader.last_sent:%Y-%m-%d %H:%M} UTC" if reader.last_sent else "never"
            click.secho(f"late: {reader.reader} (last message: {last}): {reader.late}", fg="yellow")


def load_lines(load: Load) -> list[str]:
    """Return a line for each figure that says something: what waits, and which rates are used."""
    lines = []
    if load.queue:
        lines.append("queue: " + ", ".join(f"{number} {task}" for task, number in load.queue.items()))
    if load.oldest_due_seconds:
        lines.append(f"the oldest due edition waits for {load.oldest_due_seconds / 60:.0f} minutes")
    if load.oldest_unsent_seconds:
        lines.append(f"the oldest unsent message waits for {load.oldest_unsent_seconds / 60:.0f} minutes")
    if load.expired_claims:
        lines.append(f"{plural(load.expired_claims, 'message')} of workers that died")
    lines += [
        f"{rate.kind}: {rate.used_today} sent today under the limit, at {rate.share:.0%} of the rate"
        for rate in load.rates
    ]
    return lines
