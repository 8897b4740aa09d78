"""Options that several commands share, and the home they act on."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from bot.app import App

Command = TypeVar("Command", bound=Callable[..., Any])


class Moment(click.ParamType[datetime]):
    """An ISO date and time as aware UTC; without a zone it is taken as UTC."""

    name = "ISO"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Raises click's usage error where the text is no date and time."""
        if isinstance(value, datetime):
            return value
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is no date and time; write it like 2025-05-06T08:00+02:00", param, ctx)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _remember_home(ctx: click.Context, _param: click.Parameter, value: Path | None) -> None:
    if value is not None:
        ctx.find_root().obj = value


home_option = click.Option(
    ["--home"],
    type=click.Path(path_type=Path),
    expose_value=False,
    is_eager=True,
    callback=_remember_home,
    help="The home directory  [default: PAPERBOT_HOME, else the current directory]",
)

now_option = click.option(
    "--now",
    type=Moment(),
    default=lambda: datetime.now(UTC),
    help="Act as if it were this time (UTC unless it says otherwise).",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")


def home_of(ctx: click.Context) -> Path:
    """The home that the command line or the environment names; the group's environment variable is read here."""
    home = ctx.find_root().obj
    return home if isinstance(home, Path) else Path()


def app_of(ctx: click.Context) -> App:
    """The home, opened until the command ends; raises UsageError."""
    from bot.app import open_app

    return ctx.with_resource(open_app(home_of(ctx)))
