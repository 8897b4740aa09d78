"""Tables, JSON, progress, and text of commands."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import textwrap
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
from rich import box
from rich.console import Console
from rich.progress import Progress as Bar
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from bot import wording
from bot.model import Edition, Match, Pick, Problem
from bot.model.wording import long_date
from bot.text.latex import readable

if TYPE_CHECKING:
    from bot.operate.ingest import Progress


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
        hanging = re.match(r" *(?:(?:ok|!|note:|\d+\.) +)?", line)
        indent = " " * len(hanging[0] if hanging else "")
        lines += textwrap.wrap(
            line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        ) or [""]
    return "\n".join(lines)


def print_note(note: str, *, err: bool = True) -> None:
    echo(f"note: {note}", fg="yellow", err=err)


def print_problems(problems: Sequence[Problem]) -> None:
    for problem in problems:
        echo(f"! {problem}", fg="red", err=True)


def console() -> Console:
    """Return the console for tables: as wide as the terminal, or 120 columns."""
    # In a pipe, rich assumes 80 columns, which break titles. Titles may look like its markup, such as [bold].
    return Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else 120)


def table(*columns: str, unbroken: Sequence[str] = ()) -> Table:
    """Return a table in Paperbot's style. ``>`` before a column's name aligns it right.

    ``unbroken`` columns contain addresses to copy, and keep them on one line.
    """
    rows = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        justify: Literal["left", "right"] = "right" if column.startswith(">") else "left"
        rows.add_column(column.removeprefix(">"), justify=justify, overflow="fold", no_wrap=column in unbroken)
    return rows


def day_and_time(moment: datetime, language: str) -> str:
    """Return a time in its zone, such as ``Tuesday 6 May 2025, 08:00 Berlin``."""
    city = str(moment.tzinfo).rpartition("/")[2].replace("_", " ")
    return f"{moment:%A} {long_date(moment.date(), language)}, {moment:%H:%M} {city}"


_UTC_TIME = re.compile(r"(?:[A-Z][a-z]{2} )?(\d{4}-\d\d-\d\d \d\d:\d\d) UTC")


def local_time(time: datetime | None, zone: tzinfo) -> str:
    return f"{time.astimezone(zone):%a %Y-%m-%d %H:%M} {zone}" if time else "not yet"


def with_local_times(text: str, zone: tzinfo) -> str:
    """Return a message with its times in a zone.

    >>> from bot.model.clock import zone_named
    >>> with_local_times("due since Tue 2025-05-06 23:00 UTC", zone_named("Europe/Berlin"))
    'due since Wed 2025-05-07 01:00 Europe/Berlin'
    """
    return _UTC_TIME.sub(lambda match: local_time(datetime.fromisoformat(f"{match[1]}+00:00"), zone), text)


def print_edition(edition: Edition) -> None:
    rows = table("match", "paper", "why")
    for pick in edition.picks:
        rows.add_row(Match.for_probability(pick.probability), readable(pick.paper.title), why(pick))
    echo(f"{edition.profile_title} → {edition.reader.address}", bold=True)
    console().print(rows)


def why(pick: Pick) -> str:
    return ". ".join(part for part in (wording.kind_label(pick), wording.why(pick)) if part)


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
    with Console(stderr=True).status(f"{task} ..."):
        yield


@contextmanager
def progress_bar() -> Iterator[Progress]:
    if not sys.stderr.isatty():
        yield lambda _step, _done, _total: None
        return
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
