"""``paperbot serve``: run the scheduler and the web pages until stopped.

``paperbot worker``: take tasks from the queue until stopped.
"""

from __future__ import annotations

import os
import warnings

import click

from bot.cli.output import home_of, print_problems
from bot.model.errors import UsageError
from bot.worker import TASKS


@click.command("serve", short_help="Run the schedule, and serve the pages.")
# Loopback by default: TLS and the outside world are for a reverse proxy.
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="Port to listen on.")
@click.option("--no-web", is_flag=True, help="Run the schedule without the pages.")
@click.pass_context
def serve(ctx: click.Context, host: str, port: int, no_web: bool) -> None:
    """Do every minute what is due, and serve the pages that links in messages lead to.

    \b
    Example:
      paperbot serve --port 8000
    """
    from bot.app import open_app
    from bot.serve import listen, serve

    home = home_of(ctx)
    with open_app(home) as app:
        print_problems(app.profile_problems)
        # A query, so that a store that can't be used is reported before anything is started.
        app.store.papers.newest_id()
    if no_web:
        click.echo(f"Paperbot runs the schedule of {home.resolve()} (stop with Ctrl-C)")
        serve(home, None)
        return
    # Bound before the scheduler starts: a port in use is exit code 2, and nothing was done.
    with listen(host, port) as listener:
        # Port 0 is any free port, so the message has the one that was bound.
        click.echo(f"Paperbot serves {home.resolve()} at http://{host}:{listener.getsockname()[1]} (stop with Ctrl-C)")
        serve(home, listener)


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
def worker(ctx: click.Context, concurrency: int, queues: list[str]) -> int:
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
            raise UsageError("a worker needs a broker: set queue.url in paperbot.toml, such as amqp://localhost")
        # A query, so that a store that can't be used is reported before anything is started.
        app.store.papers.newest_id()
    try:
        from bot.worker.tasks import run_worker
    except ModuleNotFoundError as error:
        raise UsageError("a worker needs Celery: in Paperbot's checkout, pip install '.[queue]'") from error
    from bot.serve import log_to_stderr

    log_to_stderr()
    # It warns of a worker that runs as root and unpickles messages; ours takes JSON only.
    warnings.filterwarnings("ignore", module="celery.platforms")
    click.echo(f"Paperbot works for {home.resolve()}: {', '.join(queues)} (stop with Ctrl-C)")
    return run_worker(home, queue.url, queue.name, concurrency=concurrency, queues=queues)
