"""``paperbot evaluate``: is it learning my preferences?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot.atomic_files import write_atomically
from bot.cli.options import app_of, json_option, now_option
from bot.cli.output import console, plain, print_json, print_problems, progress_bar, table
from bot.domain import Problem
from bot.errors import UsageError
from bot.wording import plural

if TYPE_CHECKING:
    from datetime import datetime

    from bot.app import App
    from bot.evaluation.chart import Chart
    from bot.evaluation.report import Evaluation, Mean, Quality

_WIDTH = 80
_RANKINGS = ("learned", "words", "chance")


@click.command("evaluate", short_help="Show whether it learns READER's preferences.")
@click.argument("reader", required=False)
@click.option(
    "--chart",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the chart to this file, as SVG  [default: state/evaluation/...svg]",
)
@now_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    reader: str | None,
    chart: Path | None,
    now: datetime,  # noqa: ARG001 - every command takes it; no prediction depends on it
    as_json: bool,
) -> int:
    """Is it learning my preferences? Predict each of READER's thumbs from earlier ones.

    Compares the ranking with what the profile's words alone would give, and with chance. Without READER, evaluates
    all readers.

    \b
    Examples:
      paperbot evaluate reward-models
      paperbot evaluate reward-models/ada@example.org --chart ada.svg
      paperbot evaluate --json
    """
    if chart and chart.suffix.lower() != ".svg":
        raise UsageError(
            f"--chart {chart}: the chart is an SVG drawing; give the file a name that ends in .svg"
        )
    app = app_of(ctx)
    if reader is None:
        return evaluate_all_readers(app, chart, as_json)
    return evaluate_reader(app, reader, chart, as_json)


def evaluate_reader(app: App, name: str, file: Path | None, as_json: bool) -> int:
    """Evaluate one reader, print the result, write the chart, and return the exit code."""
    from bot.evaluation.chart import learning_curve, svg_file
    from bot.evaluation.service import evaluate
    from bot.evaluation.wording import answer
    from bot.lookup import find_reader

    reader, profile = find_reader(app.store, app.profiles, name)
    evaluation = evaluate(app.store, app.ranker, reader, profile)
    chart = learning_curve(evaluation)
    saved = None
    if chart:
        note = f"{_basis(evaluation)} The bar is the 95% interval."
        saved = _save(svg_file(chart, answer(evaluation), note), file or app.home.chart_file(reader))
    if as_json:
        print_json(_reader_json(evaluation) | {"chart": saved})
    else:
        print_reader(evaluation, chart)
    return _report_file(file, saved, as_json, "a chart over time needs more folds")


def evaluate_all_readers(app: App, file: Path | None, as_json: bool) -> int:
    """Evaluate all readers and their mean, print the result, write the chart, and return the exit code."""
    from bot.evaluation.chart import readers_chart, svg_file
    from bot.evaluation.report import mean_of_readers
    from bot.evaluation.service import evaluate_all
    from bot.evaluation.wording import answer_for_all

    evaluations = []
    with progress_bar() as progress:
        for evaluation in evaluate_all(app.store, app.ranker, app.profiles):
            evaluations.append(evaluation)
            progress("evaluating readers", len(evaluations), 0)
    mean = mean_of_readers(evaluations)
    answer = answer_for_all(evaluations, mean)
    chart = readers_chart(evaluations)
    saved = None
    if chart:
        note = (
            "The distance from square to circle is what was learned from thumbs. The bar is the 95% interval."
        )
        saved = _save(svg_file(chart, answer, note), file or app.home.chart_file(None))
    if as_json:
        print_json(
            {
                "answer": answer,
                "verdict": mean.verdict,
                "mean": {ranking: _quality_json(getattr(mean, ranking)) for ranking in _RANKINGS}
                if mean.readers
                else None,
                "gain": asdict(mean.gain) if mean.gain else None,
                "readers": [_reader_json(evaluation) for evaluation in evaluations],
                "chart": saved,
            }
        )
    else:
        print_all(answer, mean, evaluations, chart)
    return _report_file(file, saved, as_json, "no reader has enough folds for a chart")


def _save(drawing: str, file: Path) -> str:
    """Write the drawing and return the file's name; raises UsageError."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, drawing.encode())
    except OSError as error:
        raise UsageError(
            f"{file}: cannot be written ({error.strerror}); name another with --chart"
        ) from error
    return str(file)


def _report_file(requested: Path | None, saved: str | None, as_json: bool, reason: str) -> int:
    """Say where the chart is; return exit code 1 if a chart was requested and could not be drawn."""
    if saved and not as_json:
        click.echo(f"\nThe chart as a drawing: {saved}")
    if requested is None or saved:
        return 0
    print_problems([Problem(str(requested), f"not written: {reason}")])
    return 1


def _reader_json(evaluation: Evaluation) -> dict[str, Any]:
    """Return the documented JSON of one reader; null where there were too few votes."""
    from bot.evaluation.wording import answer

    return {
        "reader": evaluation.reader,
        "verdict": evaluation.verdict,
        "size": evaluation.size,
        "thumbs": evaluation.thumbs,
        "likes": evaluation.likes,
        # The key is older than the term "fold", and programs read it.
        "rounds": evaluation.folds,
        "answer": answer(evaluation),
        **{ranking: _quality_json(getattr(evaluation, ranking), evaluation.size) for ranking in _RANKINGS},
        "auc": asdict(evaluation.auc) if evaluation.auc else None,
        "gain": asdict(evaluation.gain) if evaluation.gain else None,
        "calibration": asdict(evaluation.calibration) if evaluation.calibration else None,
        "over_time": [
            {
                "since": point.since,
                "until": point.until,
                "known": point.prior_votes,
                "likes": point.likes,
                "learned": asdict(point.learned),
                "words": point.words,
            }
            for point in evaluation.points
        ],
    }


def _quality_json(quality: Quality | None, size: int | None = None) -> dict[str, float | None] | None:
    if quality is None:
        return None
    return asdict(quality) | ({"liked_of_first": size * quality.precision} if size else {})


def _basis(evaluation: Evaluation) -> str:
    """Return how much data the figures rest on, and the gain with its interval."""
    likes = plural(evaluation.likes, "liked paper")
    sentence = f"{likes} in {plural(evaluation.folds, 'fold')}, each predicted from the thumbs before it."
    gain = evaluation.gain
    if gain is None:
        return sentence
    return (
        f"{sentence} Thumbs gained {100 * gain.mean:+.0f} of 100 over words alone; "
        f"95% interval: {100 * gain.low:+.0f} to {100 * gain.high:+.0f}."
    )


def print_reader(evaluation: Evaluation, chart: Chart | None) -> None:
    """Print the answer first, then the figures behind it."""
    from bot.evaluation.chart import text_chart
    from bot.evaluation.wording import answer

    _print_wrapped(answer(evaluation), bold=True)
    if evaluation.learned is None:
        return
    _print_wrapped(_basis(evaluation))
    qualities = [quality for ranking in _RANKINGS if (quality := getattr(evaluation, ranking))]
    size = evaluation.size
    metrics = table("", ">with your thumbs", ">interest words alone", ">by chance")
    metrics.add_row(
        f"liked of the first {size}", *(f"{size * quality.precision:.1f}" for quality in qualities)
    )
    metrics.add_row(f"nDCG at {size}", *(f"{quality.ndcg:.2f}" for quality in qualities))
    metrics.add_row("AUC among papers you saw", *(_auc(quality) for quality in qualities))
    console().print(metrics)
    if chart:
        click.echo(f"{text_chart(chart)}\n")
    else:
        _print_wrapped("A chart over time needs more folds.\n")
    if calibration := evaluation.calibration:
        _print_wrapped(
            f"Do scores mean what they say? Off by {100 * calibration.error:.0f} of 100 on average "
            f"({plural(calibration.papers, 'paper')} that you saw):"
        )
        reliability = table(">score", ">papers", ">mean score", ">really liked")
        for row in calibration.table:
            reliability.add_row(
                f"{row.low:.0%} to {row.high:.0%}",
                f"{row.papers:,}",
                f"{row.predicted:.0%}",
                f"{row.liked:.0%}",
            )
        console().print(reliability)


def print_all(answer: str, mean: Mean, evaluations: Sequence[Evaluation], chart: Chart | None) -> None:
    """Print the answer, a row for each reader, and their mean."""
    from bot.evaluation.chart import text_chart

    _print_wrapped(answer, bold=True)
    # An address that breaks over two lines can't be copied, so the other columns give way.
    rows = table("reader", "learning?", ">likes", ">AUC", ">words", ">gain, 95%", unbroken=("reader",))
    for evaluation in evaluations:
        gain = evaluation.gain
        rows.add_row(
            plain(evaluation.reader),
            evaluation.verdict,
            str(evaluation.likes),
            _auc(evaluation.learned),
            _auc(evaluation.words),
            f"{gain.mean:+.2f} ({gain.low:+.2f} to {gain.high:+.2f})" if gain else "-",
        )
    if mean.readers > 1:
        mean_gain = f"{mean.gain.mean:+.2f}" if mean.gain else "-"
        auc = _auc(mean.learned)
        rows.add_row(f"mean of {mean.readers}", mean.verdict, "", auc, _auc(mean.words), mean_gain)
    console().print(rows)
    if chart:
        click.echo(text_chart(chart))


def _auc(quality: Quality | None) -> str:
    return "-" if quality is None or quality.auc is None else f"{quality.auc:.2f}"


def _print_wrapped(text: str, *, bold: bool = False) -> None:
    click.secho(click.wrap_text(text, _WIDTH), bold=bold)
