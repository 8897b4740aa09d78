"""``paperbot check``: is everything as it should be, before the first run?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from bot.cli.options import app_of
from bot.cli.output import print_problems
from bot.domain import Problem
from bot.errors import PaperbotError

if TYPE_CHECKING:
    from bot.app import App


@click.command("check")
@click.option("--connect", is_flag=True, help="Also log in to the mail server and to Slack; nothing is sent.")
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
    problems: list[Problem] = []
    for what, found in _checks(app, connect):
        problems += found
        if not found:
            click.echo(f"ok  {what}")
    print_problems(problems)
    return 2 if problems else 0


def _checks(app: App, connect: bool) -> Iterator[tuple[str, list[Problem]]]:
    from bot.render.environment import check_templates

    yield f"{len(app.profiles)} profiles", app.profile_problems
    for source in app.sources:
        yield f"source {source.name}", [item for item in source.retrieve() if isinstance(item, Problem)]
    yield "templates", _attempt("templates", lambda: check_templates(app.templates))
    yield "store", _attempt("store", lambda: app.store)
    if connect:
        for kind, route in app.routes.items():
            yield f"{kind} channel", _attempt(f"{kind} channel", route.channels[0].check)


def _attempt(what: str, action: Callable[[], object]) -> list[Problem]:
    try:
        action()
    except PaperbotError as error:
        return [Problem(what, str(error))]
    return []
