"""``paperbot subscribe``: one more reader, written into the profile's file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bot.cli.options import app_of, now_option
from bot.domain import Kind
from bot.errors import UsageError

if TYPE_CHECKING:
    from datetime import datetime


@click.command("subscribe", short_help="Add a reader to PROFILE.")
@click.argument("profile")
@click.argument("address")
@now_option
@click.pass_context
def command(ctx: click.Context, profile: str, address: str, now: datetime) -> None:
    """Write ADDRESS, of mail or Slack, into PROFILE's file; the rest of the file stays as it is.

    One who had stopped, or wanted to be forgotten, is a reader again.

    \b
    Examples:
      paperbot subscribe reward-models grace@example.org
      paperbot subscribe agents C0123ABC
    """
    from bot.config.editing import add_reader

    app = app_of(ctx)
    if profile not in app.profiles:
        names = ", ".join(app.profiles) or "none in profiles/"
        raise UsageError(f"no profile {profile!r}; there are: {names}")
    kind, address = _address(address)
    added = add_reader(app.home.profile_file(profile), kind, address)
    readers = app.store.readers
    readers.remember(profile, address)
    app.refresh()
    readers.sync(profile, app.profiles[profile].addresses, now)
    reader = readers.ask(profile, kind, address, now)
    readers.resume(reader.id)
    click.echo(f"{reader.name} {'is a reader now' if added else 'stands in the profile already'}")


def _address(text: str) -> tuple[Kind, str]:
    """An address and its kind; raises UsageError."""
    from bot.config.profiles import mail_address, slack_address

    try:
        if "@" in text:
            return Kind.EMAIL, mail_address(text)
        return Kind.SLACK, slack_address(text)
    except ValueError as error:
        raise UsageError(str(error)) from None
