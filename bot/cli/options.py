"""Options that commands share, and the home of a command."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime
from difflib import get_close_matches
from functools import partial, wraps
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import click

from bot.channels import channel_of
from bot.config.files import shipped
from bot.model import Kind
from bot.model.errors import PaperbotError, UsageError

if TYPE_CHECKING:
    from bot.app import App

P = ParamSpec("P")
R = TypeVar("R")

_FIRST_YEAR, _LAST_YEAR = 1990, 2990


class Moment(click.ParamType[datetime]):
    """An ISO 8601 date and time as aware UTC. Without an offset, it is UTC."""

    name = "ISO"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        # click also converts defaults, and --now has a datetime.
        if isinstance(value, datetime):
            return value
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is not a valid date and time; write it like 2025-05-06T08:00+02:00", param, ctx)
        _refuse_far_years(value, moment, param, ctx)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


class Day(click.ParamType[date]):
    """A day of the calendar."""

    name = "DATE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        try:
            day = date.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is no day; write it like 2026-11-25", param, ctx)
        _refuse_far_years(value, day, param, ctx)
        return day


def _refuse_far_years(value: str, day: date, param: click.Parameter | None, ctx: click.Context | None) -> None:
    # Date arithmetic overflows in the first and last years.
    if not _FIRST_YEAR <= day.year <= _LAST_YEAR:
        raise click.BadParameter(f"{value!r} is not in the years {_FIRST_YEAR} to {_LAST_YEAR}", ctx, param)


class Number(click.IntRange):
    """A whole number of a range. The message is plainer than click's."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            to = f"from {self.min} to {self.max}" if self.max is not None else f"of {self.min} or more"
            self.fail(f"{value!r} doesn't fit; write a whole number {to}", param, ctx)


class OneOf(click.Choice[str]):
    """One of some words. The message names the nearest."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:  # noqa: ARG002 - click's signature
        near = get_close_matches(str(value).casefold(), self.choices, n=1)
        nearest = f"; did you mean {near[0]}?" if near else ""
        return f"{value!r} is none of {', '.join(self.choices)}{nearest}"


def remember_home(ctx: click.Context, _param: click.Parameter, value: Path | None) -> None:
    # The default of a command's option must not replace the group's value.
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


class Commands(click.Group):
    """A group of commands that each take ``--home``."""

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        cmd.params.append(home_option)
        super().add_command(cmd, name)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(self.commands)


now_option = click.option(
    "--now",
    type=Moment(),
    # A function, because the module may be imported long before the command runs.
    default=lambda: datetime.now(UTC),
    help="Act as if it were this time (ISO 8601; UTC if it has no offset).",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")


def valid(check: Callable[[str], Any]) -> Callable[[click.Context, click.Parameter, str | None], Any]:
    """Return the callback of an option whose value ``check`` accepts."""

    def convert(_ctx: click.Context, _option: click.Parameter, value: str | None) -> Any:
        if value is None:
            return None
        try:
            return check(value)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None

    return convert


def is_terminal() -> bool:
    """Return whether a person can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def checked_address(address: str) -> tuple[Kind, str]:
    """Return the kind of a reader's address, and its usual spelling. Raises UsageError."""
    try:
        channel = channel_of(address)
        return channel.name, channel.check_address(address)
    except ValueError as error:
        raise UsageError(str(error)) from None


def schema_option(name: str, subject: str) -> Callable[[Any], Any]:
    def print_schema(ctx: click.Context, _param: click.Parameter, is_given: bool) -> None:
        if is_given:
            click.echo((shipped("docs/schemas") / f"{name}.json").read_text("utf-8"), nl=False)
            ctx.exit()

    return click.option(
        "--schema",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=print_schema,
        help=f"Print the JSON Schema of {subject}, for editors.",
    )


def name_of(file: IO[bytes], standard_input: str = "standard input") -> str:
    """Return a file's name. click calls standard input <stdin>, which looks like one."""
    return getattr(file, "name", "<stdin>").replace("<stdin>", standard_input)


def home_of(ctx: click.Context) -> Path:
    return ctx.find_root().obj or Path(os.environ.get("PAPERBOT_HOME", ""))


def app_of(ctx: click.Context) -> App:
    from bot.app import open_app

    return ctx.with_resource(open_app(home_of(ctx)))


def completed_reader(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the readers whose names begin like an incomplete argument, for a shell."""
    from bot.operate.status import listed_readers

    with suppress(PaperbotError):
        app = app_of(ctx)
        names = [reader.name for reader, _ in listed_readers(app.store, app.profiles)]
        return [name for name in names if name.startswith(incomplete)]
    return []


reader_argument = partial(click.argument, "reader", shell_complete=completed_reader)


def pass_app(command: Callable[Concatenate[App, P], R]) -> Callable[P, R]:
    """Decorate a command to take the open home as its first argument."""

    @click.pass_context
    @wraps(command)
    def with_app(ctx: click.Context, /, *arguments: P.args, **options: P.kwargs) -> R:
        return command(app_of(ctx), *arguments, **options)

    return with_app


def report_options(command: Callable[Concatenate[App, P], R]) -> Callable[P, R]:
    """Decorate a command to take ``--now``, ``--json`` and the open home."""
    return now_option(json_option(pass_app(command)))
