"""``paperbot check``: is everything as it should be, before the first run?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from bot.cli.options import app_of
from bot.cli.output import count, print_problems
from bot.domain import Problem
from bot.errors import PaperbotError

if TYPE_CHECKING:
    from bot.app import App
    from bot.sources import Source


@click.command("check", short_help="Check settings, profiles, templates, store.")
@click.option(
    "--connect",
    is_flag=True,
    help="Also log in to mail server and Slack, and ask the sources; nothing is kept.",
)
@click.pass_context
def command(ctx: click.Context, connect: bool) -> int:
    """Check settings, profiles, sources, templates and the store.

    \b
    Examples:
      paperbot check
      paperbot check --connect
    """
    app = app_of(ctx)
    click.echo(f"ok  settings in {app.home / 'paperbot.toml'}")
    for path in app.mended:
        click.echo(f"ok  {path}: other users of this machine could read it; now they can't")
    problems: list[Problem] = []
    for what, found in _checks(app, connect, datetime.now(UTC)):
        problems += found
        if not found:
            click.echo(f"ok  {what}")
    print_problems(problems)
    return 2 if problems else 0


def _checks(app: App, connect: bool, now: datetime) -> Iterator[tuple[str, list[Problem]]]:
    from bot.render.environment import check_templates

    yield count(len(app.profiles), "profile"), app.profile_problems
    for source in app.sources:
        if connect or not source.every:
            yield f"source {source.name}", _peek(source, now)
    yield "signing keys", _attempt("signing keys", lambda: app.signer)
    yield "state/ is for its owner only", app.exposure_problems()
    yield "templates", _attempt("templates", lambda: check_templates(app.templates))
    yield "store", _attempt("store", lambda: app.store)
    if connect:
        for kind, route in app.routes.items():
            yield f"{kind} channel", _attempt(f"{kind} channel", route.channels[0].check)


def _peek(source: Source, now: datetime) -> list[Problem]:
    """What goes wrong when a source is read; nothing is changed."""
    from bot.pipeline.ingesting import retrieved
    from bot.sources import Visit

    try:
        return [item for item in retrieved(source, Visit(now, peek=True)) if isinstance(item, Problem)]
    except PaperbotError as error:
        return [Problem(source.name, str(error))]


def _attempt(what: str, action: Callable[[], object]) -> list[Problem]:
    try:
        action()
    except PaperbotError as error:
        return [Problem(what, str(error))]
    return []
