"""Tables, JSON, progress, shared options, and the home of a command."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import textwrap
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, TypeVar
from zoneinfo import ZoneInfo

import click

from bot.channels import channel_of
from bot.config.files import shipped
from bot.model import Edition, Kind, Match, Pick, Problem
from bot.model.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from bot.app import App
    from bot.operate.ingest import Progress

P = ParamSpec("P")
R = TypeVar("R")


def print_json(value: Any) -> None:
    def default(item: Any) -> Any:
        return asdict(item) if is_dataclass(type(item)) else item.isoformat()

    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=default))


def echo(text: str = "", *, err: bool = False, **style: Any) -> None:
    """Print text. On a terminal, its lines break at spaces, and a mark such as ``ok`` keeps its column."""
    text = wrapped(text) if (sys.stderr if err else sys.stdout).isatty() else text
    click.echo(click.style(text, **style) if style else text, err=err)


def wrapped(text: str) -> str:
    """Return text whose lines fit the terminal. An address that is too long stays whole."""
    width = shutil.get_terminal_size().columns - 1
    lines = []
    for line in text.split("\n"):
        hanging = re.match(r" *(?:(?:ok|[!?]|\d+\.) +)?", line)
        indent = " " * len(hanging[0] if hanging else "")
        lines += textwrap.wrap(
            line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        ) or [""]
    return "\n".join(lines)


def print_problems(problems: Sequence[Problem]) -> None:
    for problem in problems:
        echo(f"! {problem}", fg="red", err=True)


def console() -> Console:
    """Return the console for tables: as wide as the terminal, or 120 columns."""
    from rich.console import Console

    # In a pipe, rich assumes 80 columns, which break titles. Titles may look like its markup, such as [bold].
    return Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else 120)


def table(*columns: str, unbroken: Sequence[str] = ()) -> Table:
    """Return a table in Paperbot's style. ``>`` before a column's name aligns it right.

    ``unbroken`` columns contain addresses to copy, and keep them on one line.
    """
    from rich import box
    from rich.table import Table

    rows = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        justify: Literal["left", "right"] = "right" if column.startswith(">") else "left"
        rows.add_column(column.removeprefix(">"), justify=justify, overflow="fold", no_wrap=column in unbroken)
    return rows


_UTC_TIME = re.compile(r"(?:[A-Z][a-z]{2} )?(\d{4}-\d\d-\d\d \d\d:\d\d) UTC")


def local_time(time: datetime, zone: ZoneInfo) -> str:
    return f"{time.astimezone(zone):%a %Y-%m-%d %H:%M} {zone.key}"


def with_local_times(text: str, zone: ZoneInfo) -> str:
    """Return a message with its times in a zone.

    >>> with_local_times("due since Tue 2025-05-06 23:00 UTC", ZoneInfo("Europe/Berlin"))
    'due since Wed 2025-05-07 01:00 Europe/Berlin'
    """
    return _UTC_TIME.sub(lambda match: local_time(datetime.fromisoformat(f"{match[1]}+00:00"), zone), text)


def print_edition(edition: Edition) -> None:
    from bot.text.latex import readable

    rows = table("match", "paper", "why")
    for pick in edition.picks:
        rows.add_row(Match.for_probability(pick.probability), readable(pick.paper.title), why(pick))
    echo(f"{edition.profile_title} → {edition.reader.address}", bold=True)
    console().print(rows)


def why(pick: Pick) -> str:
    from bot import wording

    return ". ".join(part for part in (wording.kind_label(pick), wording.why(pick)) if part)


def is_terminal() -> bool:
    """Return whether a person can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def open_in_browser(page: Path) -> None:
    """Open a page if a person sees a browser: not in CI, a pipe, or without a display."""
    has_display = sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if has_display and sys.stdout.isatty() and "CI" not in os.environ:
        webbrowser.open(page.resolve().as_uri())


@contextmanager
def working(task: str) -> Iterator[None]:
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{task} ..."):
        yield


@contextmanager
def progress_bar() -> Iterator[Progress]:
    if not sys.stderr.isatty():
        yield lambda _step, _done, _total: None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(finished_text="✓"),
        TextColumn("{task.description}{task.fields[count]}"),
        TimeElapsedColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, Any] = {}

        def advance(step: str, completed: int, total: int) -> None:
            if step not in tasks:
                for earlier in tasks.values():
                    bar.update(earlier, total=1, completed=1)
                tasks[step] = bar.add_task(step, total=None, count="")
            so_far = f": {completed:,}{f' of {total:,}' if total else ''}"
            bar.update(tasks[step], count=so_far if completed else " ...")

        yield advance


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
        if not _FIRST_YEAR <= moment.year <= _LAST_YEAR:  # date arithmetic overflows in the first and last years
            self.fail(f"{value!r} is not in the years {_FIRST_YEAR} to {_LAST_YEAR}", param, ctx)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


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
    return ctx.find_root().obj or Path()


def app_of(ctx: click.Context) -> App:
    from bot.app import open_app

    return ctx.with_resource(open_app(home_of(ctx)))


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
