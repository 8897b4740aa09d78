"""``paperbot subscribe``: add a reader to a profile's file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bot.channels.registry import channel_of
from bot.cli.options import app_of, now_option
from bot.errors import UsageError

if TYPE_CHECKING:
    from datetime import datetime


@click.command("subscribe", short_help="Add a reader to PROFILE.")
@click.argument("profile")
@click.argument("address")
@now_option
@click.pass_context
def command(ctx: click.Context, profile: str, address: str, now: datetime) -> None:
    """Write ADDRESS, an email address or a Slack id, into PROFILE's file; the rest of the file is unchanged.

    A reader who unsubscribed, or asked to be forgotten, is subscribed again.

    \b
    Examples:
      paperbot subscribe reward-models grace@example.org
      paperbot subscribe agents C0123ABC
    """
    from bot.lookup import unknown_profile

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
