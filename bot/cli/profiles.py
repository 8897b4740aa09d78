"""``paperbot profiles``: what is in profiles/, and whether it is sound."""

from __future__ import annotations

import click

from bot.cli.options import app_of
from bot.cli.output import console, plain, print_problems, table


@click.command("profiles", short_help="List and check the profiles.")
@click.pass_context
def command(ctx: click.Context) -> int:
    """List the profiles and their readers, and check each file."""
    app = app_of(ctx)
    made = table("profile", "title", "when", "size", "readers")
    for slug, profile in app.profiles.items():
        schedule = profile.schedule
        when = f"{schedule.at:%H:%M} {schedule.timezone}, {' '.join(schedule.days)}"
        readers = "\n".join(address for _, address in profile.addresses) or "none yet"
        made.add_row(slug, plain(profile.title), when, str(profile.edition.size), readers)
    console().print(made)
    print_problems(app.profile_problems)
    return 1 if app.profile_problems else 0
