"""``paperbot check``: check the configuration before the first run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from bot.channels.registry import reader_channels
from bot.cli.options import app_of
from bot.cli.output import print_problems
from bot.domain import Kind, Origin, Problem
from bot.errors import PaperbotError
from bot.loopback import is_loopback
from bot.resources import shipped
from bot.wording import plural

if TYPE_CHECKING:
    from bot.app import App


@click.command("check", short_help="Check settings, profiles, templates, store.")
@click.option(
    "--connect",
    is_flag=True,
    help="Also log in to the mail server and Slack, and query the sources; nothing is stored.",
)
@click.option(
    "--fix",
    is_flag=True,
    help="First mend what can be mended: create missing folders, and replace signing keys that can't be used.",
)
@click.pass_context
def command(ctx: click.Context, connect: bool, fix: bool) -> int:
    """Check settings, profiles, sources, templates and the store.

    Permissions of state/ are always corrected, and what was corrected is listed.

    \b
    Examples:
      paperbot check
      paperbot check --connect
      paperbot check --fix
    """
    app = app_of(ctx)
    if fix:
        from bot.app.repair import repair

        for repaired in repair(app.home):
            click.echo(f"ok  {repaired}")
    click.echo(f"ok  settings in {app.home.settings_file}")
    for path in app.home.repaired:
        click.echo(f"ok  {path}: other users of this machine could read it; now they can't")
    problems: list[Problem] = []
    for subject, subject_problems in checks(app, connect, datetime.now(UTC)):
        problems += subject_problems
        if not subject_problems:
            click.echo(f"ok  {subject}")
    # Without a usable store the readers are unknown; the store's problem is listed below.
    readers = Counter() if _attempt("store", lambda: app.store) else _count_readers(app)
    for channel in reader_channels():
        if readers[channel.name] or channel.name not in app.file_kinds:
            number = plural(readers[channel.name], "reader")
            click.echo(f"    {number} by {channel.noun}: messages {app.route_description(channel.name)}")
    for note in notes(app, readers):
        click.secho(f"?   {note}", fg="yellow")
    print_problems(problems)
    return 2 if problems else 0


def checks(app: App, connect: bool, now: datetime) -> Iterator[tuple[str, list[Problem]]]:
    """Yield the subject of each check, and its problems."""
    from bot.ingestion.service import retrieved
    from bot.rendering.templates import check_names, check_templates
    from bot.sources import Visit

    yield plural(len(app.profiles), "profile"), app.profile_problems
    for source in app.sources:
        # A source without an interval is a folder: reading it needs no network.
        if connect or not source.poll_interval:
            try:
                # peek: mails are not marked as read, and the source's state is not stored.
                items = list(retrieved(source, Visit(now, peek=True)))
            except PaperbotError as error:
                items = [Problem(source.name, str(error))]
            yield f"source {source.name}", [item for item in items if isinstance(item, Problem)]
    yield "signing keys", _attempt("signing keys", lambda: app.signer)
    yield "state/ is readable by its owner only", app.home.permission_problems()
    # Both are run: a misnamed template must not hide one that does not compile.
    yield (
        "templates",
        [
            *_attempt("templates", lambda: check_templates(app.templates)),
            *_attempt(
                "templates", lambda: check_names(app.templates, shipped("templates"), app.home.templates)
            ),
        ],
    )
    yield "store", _attempt("store", lambda: app.store)
    yield "free disk space", app.disk_space.problems()
    if not connect:
        return
    for channel in reader_channels():
        check = app.routes[channel.name].channels[0].check
        if channel.name not in app.file_kinds:
            yield f"{channel.name} channel", _attempt(f"{channel.name} channel", check)
        elif _count_readers(app)[channel.name]:
            folder = f"folder for messages by {channel.noun}"
            yield folder, _attempt(folder, check)


def _attempt(subject: str, action: Callable[[], object]) -> list[Problem]:
    """Return the error of an action as a problem."""
    try:
        action()
    except PaperbotError as error:
        return [Problem(subject, str(error))]
    return []


def _count_readers(app: App) -> Counter[Kind]:
    """Count the readers of each kind of address: those in profile files, and those who subscribed by web."""
    # The store has only the readers that a run has seen; before the first run, the files alone know them.
    readers = app.store.readers
    number = readers.active_by_kind(app.profiles.keys(), Origin.WEB)
    for slug, profile in app.profiles.items():
        number.update(kind for kind, _ in profile.addresses)
        # Who subscribed by web and stands in the file as well is one reader.
        for reader in readers.at_addresses(slug, [address for _, address in profile.addresses]).values():
            if reader.origin is Origin.WEB and not reader.stopped:
                number[reader.kind] -= 1
    return number


def notes(app: App, readers: Counter[Kind]) -> Iterator[str]:
    """Yield what is valid, but probably not intended."""
    if not app.profiles and not app.profile_problems:
        yield "there is no profile, so nobody gets an edition; write one, such as profiles/my-topic.toml"
    if not app.sources:
        yield "there is no source, so nothing comes in; add [[sources]] to paperbot.toml"
    for slug, profile in app.profiles.items():
        if not profile.addresses and not profile.open:
            yield f"profiles/{slug}.toml has no readers; add one with `paperbot subscribe {slug} ada@example.org`"
    by_server = [
        channel
        for channel in reader_channels()
        if readers[channel.name] and channel.name not in app.file_kinds
    ]
    # Messages that are files are opened on this machine, where links to it work.
    if by_server and is_loopback(urlsplit(app.public_url).hostname or ""):
        yield (
            f"links in messages lead to {app.public_url}, which opens on this machine only: thumbs work nowhere else; "
            "set bot.public_url to an address that readers reach"
        )
    for channel in by_server:
        yield from channel.notes(app.section(channel))
