"""``paperbot worker``: take tasks from the queue until stopped."""

from __future__ import annotations

import os
import warnings

import click

from bot.cli.options import home_of
from bot.errors import UsageError
from bot.worker.names import TASKS


def queue_names(_ctx: click.Context, _param: click.Parameter, value: str) -> list[str]:
    """Return the names of a list with commas; raises click's usage error."""
    names = [name.strip() for name in value.split(",")]
    if unknown := [name for name in names if name not in TASKS]:
        raise click.BadParameter(f"{unknown[0]!r} is not a queue; known queues: {', '.join(TASKS)}")
    return names


@click.command("worker", short_help="Take tasks from the queue.")
@click.option(
    "--concurrency",
    type=click.IntRange(1, 1_000),
    default=lambda: os.cpu_count() or 1,
    show_default="processors",
    help="Processes side by side.",
)
@click.option(
    "--queues",
    default=",".join(TASKS),
    show_default=True,
    callback=queue_names,
    help="Kinds of tasks to take, with commas.",
)
@click.pass_context
def command(ctx: click.Context, concurrency: int, queues: list[str]) -> int:
    """Ingest, compose and deliver what `paperbot serve` enqueues, on as many machines as wanted.

    \b
    Examples:
      paperbot worker
      paperbot worker --concurrency 4 --queues compose,deliver
    """
    from bot.app import open_app

    home = home_of(ctx)
    with open_app(home) as app:
        queue = app.home.settings.queue
        if not queue.url:
            raise UsageError(
                "a worker needs a broker: set queue.url in paperbot.toml, such as amqp://localhost"
            )
        # A query, so that a store that can't be used is reported before anything is started.
        app.store.papers.newest_id()
    try:
        from bot.worker.process import run_worker
    except ModuleNotFoundError as error:
        raise UsageError("a worker needs Celery: in Paperbot's checkout, pip install '.[queue]'") from error
    from bot.scheduler import log_to_stderr

    log_to_stderr()
    # It warns of a worker that runs as root and unpickles messages; ours takes JSON only.
    warnings.filterwarnings("ignore", module="celery.platforms")
    click.echo(f"Paperbot works for {home.resolve()}: {', '.join(queues)} (stop with Ctrl-C)")
    return run_worker(home, queue.url, queue.name, concurrency=concurrency, queues=queues)
