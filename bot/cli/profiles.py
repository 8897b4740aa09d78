"""``paperbot profiles``: what is in profiles/, whether it is sound, and what readers have set for themselves."""

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
    """List the profiles and their readers, with what these have set on their pages, and check each file."""
    app = app_of(ctx)
    made = table("profile", "title", "when", "size", "readers", whole=("readers",))
    said: list[str] = []
    for slug, profile in app.profiles.items():
        schedule = profile.schedule
        when = f"{schedule.at:%H:%M} {schedule.timezone}, {' '.join(schedule.days)}"
        title = f"{profile.title} (open)" if profile.open else profile.title
        notes = _notes(app, slug, profile)
        made.add_row(slug, plain(title), when, str(profile.edition.size), "\n".join(notes) or "none yet")
        said += [f"{slug}/{address}: {note}" for address, note in notes.items() if note]
    console().print(made)
    for line in said:
        click.echo(line)
    print_problems(app.profile_problems)
    return 1 if app.profile_problems else 0


def _notes(app: App, slug: str, profile: Profile) -> dict[str, str]:
    """What differs from the profile, by reader; empty for one of whom there is nothing to say."""
    from bot.config.overrides import describe_override
    from bot.domain import Origin

    store = app.store
    known = {reader.address: reader for reader in store.readers.of_profile(slug)}
    notes = {
        address: "forgotten at their own wish; take it out of the file"
        for _, address in profile.addresses
        if store.readers.forgotten(slug, address)
    }
    for address in dict.fromkeys([*(address for _, address in profile.addresses), *known]):
        reader = known.get(address)
        if reader is None:
            notes.setdefault(address, "")
            continue
        own = describe_override(store.overrides.get(reader.id))
        by_web = "by web" if reader.origin is Origin.WEB else ""
        notes[address] = "; ".join(part for part in (by_web, reader.stopped_because or "", own) if part)
    return notes
