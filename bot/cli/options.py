"""Options that several commands share, and the home that a command works on."""

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
    """An ISO 8601 date and time, as an aware datetime in UTC; without an offset it is read as UTC."""

    name = "ISO"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Return the time; raises click's usage error if the text is not valid."""
        # click converts defaults too, and that of --now is a datetime.
        if isinstance(value, datetime):
            return value
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            self.fail(
                f"{value!r} is not a valid date and time; write it like 2025-05-06T08:00+02:00", param, ctx
            )
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def remember_home(ctx: click.Context, _param: click.Parameter, value: Path | None) -> None:
    """Keep the value of ``--home`` for ``home_of``."""
    # Only if it was given: the option of the command must not replace that of the group by its default.
    if value is not None:
        ctx.find_root().obj = value


home_option = click.Option(
    ["--home"],
    type=click.Path(path_type=Path),
    expose_value=False,
    is_eager=True,
    callback=remember_home,
    help="The home directory  [default: PAPERBOT_HOME, else the current directory]",
)

now_option = click.option(
    "--now",
    type=Moment(),
    # A function: the module may be imported long before the command runs, as by tests.
    default=lambda: datetime.now(UTC),
    help="Act as if it were this time (ISO 8601; UTC if it has no offset).",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")


def home_of(ctx: click.Context) -> Path:
    """Return the home that ``--home`` or ``PAPERBOT_HOME`` names; by default the current directory."""
    home = ctx.find_root().obj
    return home if isinstance(home, Path) else Path()


def app_of(ctx: click.Context) -> App:
    """Open the home until the command ends; raises UsageError."""
    from bot.app import open_app

    return ctx.with_resource(open_app(home_of(ctx)))
