"""``paperbot evaluate``: is it learning me?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.cli.evaluation import all_json, by_reader, one_json, over_time, print_all, print_one, rests_on
from bot.cli.options import app_of, json_option, now_option
from bot.cli.output import print_json, print_problems, progress_bar
from bot.domain import Problem
from bot.errors import UsageError

if TYPE_CHECKING:
    from datetime import datetime

    from bot.app import App

_READERS_DRAWN = 30


@click.command("evaluate", short_help="Show whether it learns from READER's thumbs.")
@click.argument("reader", required=False)
@click.option(
    "--chart",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where the chart goes as PNG  [default: state/evaluation/...png]",
)
@now_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    reader: str | None,
    chart: Path | None,
    now: datetime,  # noqa: ARG001 - taken as by every command; no thumb's prediction depends on it
    as_json: bool,
) -> int:
    """Predict each of READER's thumbs from the ones before it; without READER, all readers'.

    Compares the ranking with what the profile's words alone would give, and with chance.

    \b
    Examples:
      paperbot evaluate reward-models
      paperbot evaluate reward-models/ada@example.org --chart ada.png
      paperbot evaluate --json
    """
    app = app_of(ctx)
    if reader is None:
        return _all(app, chart, as_json)
    return _one(app, reader, chart, as_json)


def _one(app: App, name: str, chart: Path | None, as_json: bool) -> int:
    from bot.evaluation.service import evaluate
    from bot.evaluation.wording import answer
    from bot.lookup import find_reader
    from bot.rendering.charts import over_time as drawn_over_time

    reader, profile = find_reader(app.store, app.profiles, name)
    found = evaluate(app.store, lambda: app.ranker, reader, profile)
    rows = over_time(found)
    note = f"{rests_on(found)} The shade holds the true value 95 times in 100."
    picture = drawn_over_time(answer(found), rows, note) if rows else None
    target = _saved(picture, chart or app.home.chart_file(reader))
    if as_json:
        print_json(one_json(found) | {"chart": target})
    else:
        print_one(found, rows)
        _say_where(target)
    return _missing(chart, target, "a chart over time needs more rounds of thumbs")


def _all(app: App, chart: Path | None, as_json: bool) -> int:
    from bot.evaluation.report import mean
    from bot.evaluation.service import evaluate_all
    from bot.evaluation.wording import answer_for_all
    from bot.rendering.charts import side_by_side

    found = []
    with progress_bar() as progress:
        for one in evaluate_all(app.store, lambda: app.ranker, app.profiles):
            found.append(one)
            progress("evaluating readers", len(found), 0)
    together = mean(found)
    said = answer_for_all(found, together.verdict)
    rows = by_reader(found)[:_READERS_DRAWN]
    note = "One row a reader; the farther the round mark is right of the square one, the more was learned."
    picture = side_by_side(said, rows, note) if rows else None
    target = _saved(picture, chart or app.home.chart_file(None))
    if as_json:
        print_json(all_json(said, together, found) | {"chart": target})
    else:
        print_all(said, together, found, rows)
        _say_where(target)
    return _missing(chart, target, "no reader has enough rounds of thumbs for a chart")


def _missing(chart: Path | None, target: str | None, why: str) -> int:
    """The exit code: 1, and said so, where a chart was asked for and there is none."""
    if chart is None or target:
        return 0
    print_problems([Problem(str(chart), f"not written: {why}")])
    return 1


def _saved(picture: bytes | None, target: Path) -> str | None:
    """Where a picture was put; None where there is none. Raises UsageError."""
    if picture is None:
        return None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(picture)
    except OSError as error:
        problem = f"cannot be written ({error.strerror}); name another with --chart"
        raise UsageError(f"{target}: {problem}") from error
    return str(target)


def _say_where(target: str | None) -> None:
    if target:
        click.echo(f"\nThe chart as a picture: {target}")
