"""``paperbot profiles``: list the profiles and their readers, and check the files.

``paperbot subscribe``: add a reader to a profile's file.

``paperbot unsubscribe``: stop a reader's editions.

``paperbot export``: print all data about a reader.

``paperbot forget``: delete all data about a reader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bot.channels.registry import channel_of
from bot.cli.output import app_of, console, now_option, plain, print_json, print_problems, table
from bot.model.errors import UsageError

if TYPE_CHECKING:
    from datetime import datetime

    from bot.app import App
    from bot.config.profiles import Profile


@click.command("profiles", short_help="List and check the profiles.")
@click.pass_context
def profiles(ctx: click.Context) -> int:
    """List the profiles and their readers, with the readers' own settings, and check each file."""
    from bot.config.profiles import describe_days

    app = app_of(ctx)
    rows = table("profile", "title", "when", "size", "readers", unbroken=("readers",))
    lines: list[str] = []
    for slug, profile in app.profiles.items():
        schedule = profile.schedule
        when = f"{schedule.at:%H:%M} {schedule.timezone}, {describe_days(schedule.days)}"
        title = f"{profile.title} (open)" if profile.open else profile.title
        notes = reader_notes(app, slug, profile)
        readers = "\n".join(notes) or "none yet"
        rows.add_row(slug, plain(title), when, str(profile.edition.size), readers)
        # Below the table: in a column of their own the notes would make it too wide for a terminal.
        lines += [f"{slug}/{address}: {note}" for address, note in notes.items() if note]
    console().print(rows)
    for line in lines:
        click.echo(line)
    print_problems(app.profile_problems)
    return 1 if app.profile_problems else 0


def reader_notes(app: App, slug: str, profile: Profile) -> dict[str, str]:
    """Return how each reader differs from the profile, by address; empty for a reader who doesn't."""
    from bot.config.profiles import describe_override
    from bot.model import Origin

    store = app.store
    stored = {reader.address: reader for reader in store.readers.of_profile(slug)}
    in_file = [address for _, address in profile.addresses]
    notes: dict[str, str] = {}
    for address in dict.fromkeys([*in_file, *stored]):
        reader = stored.get(address)
        if reader is None:
            # Their data was deleted on request, but somebody has to edit the file: no edition is sent meanwhile.
            is_forgotten = store.readers.forgotten(slug, address)
            notes[address] = "forgotten at their request; remove the address from the file" if is_forgotten else ""
            continue
        by_web = "by web" if reader.origin is Origin.WEB else ""
        own_settings = describe_override(store.overrides.get(reader.id))
        notes[address] = "; ".join(filter(None, (by_web, reader.stopped_because, own_settings)))
    return notes


@click.command("subscribe", short_help="Add a reader to PROFILE.")
@click.argument("profile")
@click.argument("address")
@now_option
@click.pass_context
def subscribe(ctx: click.Context, profile: str, address: str, now: datetime) -> None:
    """Write ADDRESS, an email address or a Slack id, into PROFILE's file; the rest of the file is unchanged.

    A reader who unsubscribed, or asked to be forgotten, is subscribed again.

    \b
    Examples:
      paperbot subscribe reward-models grace@example.org
      paperbot subscribe agents C0123ABC
    """
    from bot.readers import unknown_profile

    app = app_of(ctx)
    if profile not in app.profiles:
        raise unknown_profile(profile, app.profiles)
    try:
        channel = channel_of(address)
        address = channel.check_address(address)
    except ValueError as error:
        raise UsageError(str(error)) from None
    added = app.subscriptions.add(profile, channel.name, address, now)
    state = "is in the profile already" if added.was_listed else "is subscribed"
    click.echo(f"{added.reader.name} {state}")


@click.command("unsubscribe", short_help="Stop READER's editions.")
@click.argument("reader")
@now_option
@click.pass_context
def unsubscribe(ctx: click.Context, reader: str, now: datetime) -> None:
    """Take READER out of the profile's file and stop the editions; votes are kept in case of a return.

    \b
    Example:
      paperbot unsubscribe reward-models/grace@example.org
    """
    from bot.readers import find_reader

    app = app_of(ctx)
    stopped, _ = find_reader(app.store, app.profiles, reader)
    app.subscriptions.remove(stopped, now)
    click.echo(f"{stopped.name} gets no more editions; `paperbot forget {stopped.name}` deletes all data about them")


@click.command("export", short_help="Print all data about READER, as JSON.")
@click.argument("reader")
@now_option
@click.pass_context
def export(
    ctx: click.Context,
    reader: str,
    now: datetime,  # noqa: ARG001 - every command takes --now; the stored data does not depend on it
) -> None:
    """Print all data about READER as one JSON object: votes, their history, editions, settings.

    \b
    Example:
      paperbot export reward-models/ada@example.org > ada.json
    """
    from bot.readers import find_stored_reader
    from bot.readers.personal_data import export

    app = app_of(ctx)
    print_json(export(app.store, find_stored_reader(app.store, app.profiles, reader)))


@click.command("forget", short_help="Delete all data about READER.")
@click.argument("reader")
@now_option
@click.pass_context
def forget(ctx: click.Context, reader: str, now: datetime) -> None:
    """Delete READER from the profile's file and the store, with votes, editions and message files.

    \b
    Example:
      paperbot forget reward-models/ada@example.org
    """
    from bot.channels.registry import address_checks
    from bot.config.profiles import remove_reader
    from bot.readers import find_stored_reader

    app = app_of(ctx)
    stored = find_stored_reader(app.store, app.profiles, reader)
    path = app.home.profile_file(stored.profile)
    if path.exists():
        # First, and with its error: a file that can't be edited leaves the store untouched, and the operator can
        # correct it and repeat the command. On the page, where no operator is present, the store comes first.
        remove_reader(path, stored.address, address_checks())
    remaining = app.forget(stored, now)
    click.echo(
        f"{stored.name} is forgotten" + (f", but a comment in {remaining} still names the address" if remaining else "")
    )
