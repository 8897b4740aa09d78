"""``paperbot serve``: run the scheduler and the web pages until stopped."""

from __future__ import annotations

import click

from bot.cli.options import home_of
from bot.cli.output import print_problems


@click.command("serve", short_help="Run the schedule, and serve the pages.")
# Loopback by default: TLS and the outside world are for a reverse proxy.
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="Port to listen on."
)
@click.option("--no-web", is_flag=True, help="Run the schedule without the pages.")
@click.pass_context
def command(ctx: click.Context, host: str, port: int, no_web: bool) -> None:
    """Do every minute what is due, and serve the pages that links in messages lead to.

    \b
    Example:
      paperbot serve --port 8000
    """
    from bot.app import open_app
    from bot.scheduler import listen, serve

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
        click.echo(
            f"Paperbot serves {home.resolve()} at http://{host}:{listener.getsockname()[1]} (stop with Ctrl-C)"
        )
        serve(home, listener)
