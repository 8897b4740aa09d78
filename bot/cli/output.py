"""What commands print: JSON for programs, tables and a progress bar for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Literal

import click

from bot.domain import Edition, Kind, Pick, PickKind, Problem

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from bot.editions.daily_job import Progress


MESSAGES = {Kind.EMAIL: "Mails", Kind.SLACK: "Messages for Slack"}  # what goes to each kind of address


def print_json(value: Any) -> None:
    """One JSON object on standard output."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=_plain))


def _plain(value: object) -> str:
    if isinstance(value, date | datetime):
        return value.isoformat()
    raise TypeError(f"no JSON form of {type(value).__name__}")


def problems_json(problems: Sequence[Problem]) -> list[dict[str, str]]:
    """Problems in the form that every command's JSON has them."""
    return [{"source": problem.source, "problem": problem.problem} for problem in problems]


def count(number: int, noun: str) -> str:
    """``1 paper``, ``2 papers``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def print_problems(problems: Sequence[Problem]) -> None:
    """One line each, on standard error."""
    for problem in problems:
        click.secho(f"! {problem}", fg="red", err=True)


def console() -> Console:
    """Where tables go; as wide as the terminal, or 120 columns where there is none."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else 120)


def table(*columns: str, whole: Sequence[str] = ()) -> Table:
    """A table of Paperbot's looks; a column whose name begins with ``>`` is set to the right.

    Columns in ``whole`` hold addresses and the like, which must not be broken: the others make way for them.
    """
    from rich import box
    from rich.table import Table

    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        justify: Literal["left", "right"] = "right" if column.startswith(">") else "left"
        made.add_column(column.removeprefix(">"), justify=justify, overflow="fold", no_wrap=column in whole)
    return made


def print_edition(edition: Edition) -> None:
    """An edition's picks with their reasons, under a line that says whose they are."""
    from bot.rendering import phrases
    from bot.rendering.latex import readable

    made = table(">match", "paper", "why")
    for pick in edition.picks:
        match, title = phrases.percent(pick.probability), readable(pick.paper.title)
        made.add_row(match, plain(title), plain(why(pick)))
    click.secho(f"{edition.profile_title} → {edition.reader.address}", bold=True)
    console().print(made)


def plain(text: str) -> Any:
    """Text as it stands: what looks like rich's markup is only a title's brackets."""
    from rich.text import Text

    return Text(text)


def why(pick: Pick) -> str:
    """A pick's two best reasons in a few words."""
    words = ", ".join(reason.term for reason in pick.reasons[:2])
    if pick.followed:
        return f"you follow {pick.followed}"
    if pick.kind is PickKind.EXPLORE:
        return f"a guess, to learn from{f': {words}' if words else ''}"
    return words or "nothing better today"


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Shows progress on standard error, if that is a terminal; gone when done."""
    if not sys.stderr.isatty():
        yield lambda _what, _done, _total: None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, Any] = {}

        def advance(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=total or None)
            bar.update(tasks[what], completed=done, total=total or None)

        yield advance
