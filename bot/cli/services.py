"""The commands ``serve``, ``worker``, ``mcp`` and ``completion``."""

from __future__ import annotations

import os
import warnings
from urllib.parse import urlsplit

import click
from click.shell_completion import get_completion_class

from bot.app import App, open_app
from bot.cli.options import Number, OneOf, home_of, pass_app, reader_argument
from bot.cli.output import echo, print_note, print_problems
from bot.model.addresses import is_loopback
from bot.model.errors import UsageError
from bot.worker import TASKS


@click.command("serve")
# Loopback by default: a reverse proxy provides TLS.
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, type=Number(0, 65535), help="Port to listen on.")
@click.option("--no-web", is_flag=True, help="Run the schedule without the pages.")
@click.pass_context
def serve(ctx: click.Context, host: str, port: int, no_web: bool) -> None:
    """Run the schedule every minute, and serve the pages behind the links in messages."""
    from bot.serve import listen, serve

    home = home_of(ctx)
    with open_app(home) as app:
        print_problems(app.profile_problems)
        # Report an unusable store before anything starts.
        app.store.papers.newest_id()
        public_url = app.public_url
    if no_web or not public_url:
        echo(f"Paperbot runs the schedule of {home.resolve()} (stop with Ctrl-C)")
        serve(home, None)
        return
    # Before the scheduler starts: a port in use is exit code 2.
    with listen(host, port) as listener:
        # Port 0 is any free port.
        port = listener.getsockname()[1]
        echo(f"Paperbot serves {home.resolve()} at http://{host}:{port} (stop with Ctrl-C)")
        if warning := unreachable_pages(public_url, host, port):
            print_note(warning)
        serve(home, listener)


def unreachable_pages(public_url: str, host: str, port: int) -> str:
    """Return why links in messages don't reach pages at this host and port, or an empty string.

    An https address is a proxy's, whose port may be another.
    """
    address = urlsplit(public_url)
    if address.scheme != "http":
        return ""
    named = address.port or 80
    if named != port:
        remedy = f"add --port {named}, or set bot.public_url to the address with port {port}"
        return f"links in messages lead to {public_url}, and the pages are at port {port}: {remedy}"
    if is_loopback(host) and not is_loopback(address.hostname or ""):
        remedy = "add --host 0.0.0.0, or let a proxy forward it"
        return f"links in messages lead to {public_url}, and the pages are reachable on this machine only: {remedy}"
    return ""


def queue_names(_ctx: click.Context, _param: click.Parameter, value: str) -> list[str]:
    names = [name.strip() for name in value.split(",")]
    if unknown := [name for name in names if name not in TASKS]:
        raise click.BadParameter(f"{unknown[0]!r} is not a queue; known queues: {', '.join(TASKS)}")
    return names


@click.command("worker")
@click.option(
    "--concurrency",
    type=Number(1, 1_000),
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
    """Ingest, compose and deliver what `paperbot serve` enqueues, on any number of machines.

    \b
    Example:
      paperbot worker --concurrency 4 --queues compose,deliver
    """
    home = home_of(ctx)
    with open_app(home) as app:
        queue = app.home.settings.queue
        if not queue.url:
            raise UsageError("a worker needs a broker: set queue.url in paperbot.toml, such as amqp://localhost")
        # Report an unusable store before anything starts.
        app.store.papers.newest_id()
    try:
        from bot.worker.tasks import run_worker
    except ModuleNotFoundError as error:
        raise UsageError("a worker needs Celery: in Paperbot's checkout, pip install '.[queue]'") from error
    from bot.serve import log_to_stderr

    log_to_stderr()
    # It warns of root workers that unpickle messages.
    warnings.filterwarnings("ignore", module="celery.platforms")
    echo(f"Paperbot works for {home.resolve()}: {', '.join(queues)} (stop with Ctrl-C)")
    return run_worker(home, queue.url, queue.name, concurrency=concurrency, queues=queues)


@click.command("mcp")
@reader_argument()
@click.option("--votes", is_flag=True, help="Also let the program vote for READER; by default it only reads.")
@pass_app
def mcp(app: App, reader: str, votes: bool) -> None:
    """Serve READER's picks, reasons and search by the Model Context Protocol, until standard input ends.

    The program that asks starts it. It uses no network, and shows no address.

    \b
    Example:
      paperbot --home ~/papers mcp reward-models/ada@example.org --votes
    """
    try:
        from bot.cli.mcp_server import run
    except ModuleNotFoundError as error:
        raise UsageError("mcp needs an extra: in Paperbot's checkout, pip install '.[mcp]'") from error
    run(app, reader, votes=votes)


@click.command("completion")
@click.argument("shell", type=OneOf(("bash", "zsh", "fish")))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script with which SHELL completes the commands, options and readers of paperbot.

    \b
    Examples:
      paperbot completion bash >> ~/.bashrc
      paperbot completion zsh >> ~/.zshrc
      paperbot completion fish > ~/.config/fish/completions/paperbot.fish
    """
    completion = get_completion_class(shell)
    assert completion is not None  # noqa: S101 - click has a class for each of the three
    if shell == "zsh":
        # compdef needs compinit, which a plain .zshrc may not have called.
        click.echo("(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }")
    click.echo(completion(ctx.find_root().command, {}, "paperbot", "_PAPERBOT_COMPLETE").source())
