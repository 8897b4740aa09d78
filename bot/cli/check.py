"""``paperbot check``: is everything as it should be, before the first run?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from bot.cli.options import app_of
from bot.cli.output import count, print_problems
from bot.domain import Kind, Origin, Problem
from bot.errors import PaperbotError
from bot.loopback import is_loopback
from bot.resources import shipped

if TYPE_CHECKING:
    from bot.app import App
    from bot.sources import Source


_NAMES = {Kind.EMAIL: "mail", Kind.SLACK: "Slack"}


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
    readers = Counter() if _attempt("store", lambda: app.store) else _readers(app)
    for kind in Kind:
        if readers[kind] or kind not in app.file_kinds:
            click.echo(
                f"    {count(readers[kind], 'reader')} by {_NAMES[kind]}: messages {app.way_out(kind)}"
            )
    for note in _notes(app, readers):
        click.secho(f"?   {note}", fg="yellow")
    print_problems(problems)
    return 2 if problems else 0


def _readers(app: App) -> Counter[Kind]:
    """How many readers each kind of address has: those whom files name, and those who came by web."""
    named = {(slug, *address) for slug, profile in app.profiles.items() for address in profile.addresses}
    by_web = {
        (reader.profile, reader.kind, reader.address)
        for reader in app.store.readers.all()
        if reader.origin is Origin.WEB and reader.profile in app.profiles and not reader.stopped
    }
    return Counter(kind for _, kind, _ in named | by_web)


def _notes(app: App, readers: Counter[Kind]) -> Iterator[str]:
    """What is no mistake, but may not be what is meant."""
    if not app.profiles and not app.profile_problems:
        yield "there is no profile, so nobody gets an edition; write one, such as profiles/my-topic.toml"
    if not app.sources:
        yield "there is no source, so nothing comes in; add [[sources]] to paperbot.toml"
    for slug, profile in app.profiles.items():
        if not profile.addresses and not profile.open:
            yield f"profiles/{slug}.toml has no readers; add one with `paperbot subscribe {slug} ada@example.org`"
    sending = [kind for kind in Kind if readers[kind] and kind not in app.file_kinds]
    if sending and is_loopback(urlsplit(app.public_url).hostname or ""):
        yield (
            f"links in messages lead to {app.public_url}, which opens on this machine only: thumbs work nowhere else; "
            "set bot.public_url to an address that readers reach"
        )
    if readers[Kind.SLACK] and Kind.SLACK not in app.file_kinds and not app.has_slack_buttons:
        yield (
            "messages for Slack go without buttons, as nothing receives them; "
            "set PAPERBOT_SLACK__APP_TOKEN or PAPERBOT_SLACK__SIGNING_SECRET"
        )


def _checks(app: App, connect: bool, now: datetime) -> Iterator[tuple[str, list[Problem]]]:
    from bot.rendering.templates import check_names, check_templates

    yield count(len(app.profiles), "profile"), app.profile_problems
    for source in app.sources:
        if connect or not source.every:
            yield f"source {source.name}", _peek(source, now)
    yield "signing keys", _attempt("signing keys", lambda: app.signer)
    yield "state/ is for its owner only", app.exposure_problems()
    own = app.home / "templates"
    yield (
        "templates",
        [
            *_attempt("templates", lambda: check_templates(app.templates)),
            *_attempt("templates", lambda: check_names(app.templates, shipped("templates"), own)),
        ],
    )
    yield "store", _attempt("store", lambda: app.store)
    if connect:
        for kind, route in app.routes.items():
            what = f"folder for messages by {_NAMES[kind]}" if kind in app.file_kinds else f"{kind} channel"
            if kind not in app.file_kinds or _readers(app)[kind]:
                yield what, _attempt(what, route.channels[0].check)


def _peek(source: Source, now: datetime) -> list[Problem]:
    """What goes wrong when a source is read; nothing is changed."""
    from bot.ingestion.service import retrieved
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
