"""``paperbot profiles``: list the profiles and their readers, and check the files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bot.cli.options import app_of
from bot.cli.output import console, plain, print_problems, table

if TYPE_CHECKING:
    from bot.app import App
    from bot.config.profiles import Profile


@click.command("profiles", short_help="List and check the profiles.")
@click.pass_context
def command(ctx: click.Context) -> int:
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
    from bot.config.overrides import describe_override
    from bot.domain import Origin

    store = app.store
    stored = {reader.address: reader for reader in store.readers.of_profile(slug)}
    in_file = [address for _, address in profile.addresses]
    notes: dict[str, str] = {}
    for address in dict.fromkeys([*in_file, *stored]):
        reader = stored.get(address)
        if reader is None:
            # Their data was deleted on request, but somebody has to edit the file: no edition is sent meanwhile.
            is_forgotten = store.readers.forgotten(slug, address)
            notes[address] = (
                "forgotten at their request; remove the address from the file" if is_forgotten else ""
            )
            continue
        by_web = "by web" if reader.origin is Origin.WEB else ""
        own_settings = describe_override(store.overrides.get(reader.id))
        notes[address] = "; ".join(filter(None, (by_web, reader.stopped_because, own_settings)))
    return notes
