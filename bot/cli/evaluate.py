"""The commands ``evaluate`` and ``replay``: what was learned, and what past days would have brought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date, datetime
from pathlib import Path
from typing import Any

import click

from bot import wording
from bot.app import App
from bot.cli.options import Day, reader_argument, report_options
from bot.cli.output import console, echo, print_json, print_problems, progress_bar, table, why, working
from bot.config.files import write_atomically
from bot.model import Edition, Match, Problem, ReasonKind, Vote
from bot.model.errors import UsageError
from bot.model.wording import plural
from bot.operate import evaluation as operate
from bot.operate.evaluation import Evaluation, Mean, Outcomes, Quality
from bot.readers import find_reader
from bot.text.latex import readable
from bot.web.charts import Chart, answer, answer_for_all, learning_curve, readers_chart, svg_file, text_chart

_TEXT_WIDTH = 80
_RANKINGS = ("learned", "words", "chance")


@click.command("evaluate")
@reader_argument(required=False)
@click.option(
    "--chart",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the chart to this file, as SVG  [default: state/evaluation/...svg]",
)
@report_options
def evaluate(
    app: App,
    *,
    reader: str | None,
    file: Path | None,
    now: datetime,  # noqa: ARG001 - every command takes it; no prediction depends on it
    as_json: bool,
) -> int:
    """Show whether Paperbot learns READER's preferences: predict each thumb from earlier ones.

    Compares the ranking with the profile's words alone, and with chance. Without READER, evaluates all readers.

    \b
    Example:
      paperbot evaluate reward-models/ada@example.org --chart ada.svg
    """
    if file and file.suffix.lower() != ".svg":
        raise UsageError(f"--chart {file}: the chart is an SVG drawing; give the file a name that ends in .svg")
    if reader:
        subscriber, profile = find_reader(app.store, app.profiles, reader)
        evaluation = operate.evaluate(app.store, app.ranker, subscriber, profile)
        chart = learning_curve(evaluation)
        note = f"{_basis(evaluation)} The bar is the 95% interval."
        saved = _save(app, chart, answer(evaluation), note, file or app.home.chart_file(subscriber))
        if as_json:
            print_json(_reader_json(evaluation) | {"chart": saved})
        else:
            print_reader(evaluation, chart)
    else:
        saved = evaluate_all_readers(app, file, as_json)
    if saved and not as_json:
        echo(f"\nThe chart as a drawing: {saved}")
    if file and not saved:
        reason = "a chart over time needs more folds" if reader else "no reader has enough folds for a chart"
        print_problems([Problem(str(file), f"not written: {reason}")])
        return 1
    return 0


def evaluate_all_readers(app: App, file: Path | None, as_json: bool) -> str | None:
    evaluations = []
    with progress_bar() as progress:
        for evaluation in operate.evaluate_all(app.store, app.ranker, app.profiles):
            evaluations.append(evaluation)
            progress("evaluating readers", len(evaluations), 0)
    mean = operate.mean_of_readers(evaluations)
    heading = answer_for_all(evaluations, mean)
    chart = readers_chart(evaluations)
    note = "The distance from square to circle is what was learned from thumbs. The bar is the 95% interval."
    saved = _save(app, chart, heading, note, file or app.home.chart_file(None))
    if as_json:
        print_json(
            {
                "answer": heading,
                "verdict": mean.verdict,
                "mean": {ranking: getattr(mean, ranking) for ranking in _RANKINGS} if mean.readers else None,
                "gain": mean.gain,
                "readers": [_reader_json(evaluation) for evaluation in evaluations],
                "chart": saved,
            }
        )
    else:
        print_all(heading, mean, evaluations, chart)
    return saved


def _save(app: App, chart: Chart | None, heading: str, note: str, file: Path) -> str | None:
    """Write a chart as a drawing, and return its path if there is one. Raises UsageError."""
    if chart is None:
        return None
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, svg_file(app.templates, chart, heading, note).encode())
    except OSError as error:
        raise UsageError(f"{file}: cannot be written ({error.strerror}); name another with --chart") from error
    return str(file)


def _reader_json(evaluation: Evaluation) -> dict[str, Any]:
    qualities = {ranking: getattr(evaluation, ranking) for ranking in _RANKINGS}
    return {
        "reader": evaluation.reader,
        "verdict": evaluation.verdict,
        "size": evaluation.size,
        "thumbs": evaluation.thumbs,
        "likes": evaluation.likes,
        # An older name of "folds" that programs read.
        "rounds": evaluation.folds,
        "answer": answer(evaluation),
        **{
            ranking: asdict(quality) | {"liked_of_first": evaluation.size * quality.precision} if quality else None
            for ranking, quality in qualities.items()
        },
        "auc": evaluation.auc,
        "gain": evaluation.gain,
        "calibration": evaluation.calibration,
        "over_time": [
            {
                "since": point.since,
                "until": point.until,
                "known": point.prior_votes,
                "likes": point.likes,
                "learned": point.learned,
                "words": point.words,
            }
            for point in evaluation.points
        ],
    }


def _basis(evaluation: Evaluation) -> str:
    likes = plural(evaluation.likes, "liked paper")
    sentence = f"{likes} in {plural(evaluation.folds, 'fold')}, each predicted from the thumbs before it."
    if gain := evaluation.gain:
        interval = f"95% interval: {100 * gain.low:+.0f} to {100 * gain.high:+.0f}"
        sentence += f" Thumbs gained {100 * gain.mean:+.0f} of 100 over words alone; {interval}."
    return sentence


def print_reader(evaluation: Evaluation, chart: Chart | None) -> None:
    _print_wrapped(answer(evaluation), bold=True)
    if evaluation.learned is None:
        return
    _print_wrapped(_basis(evaluation))
    qualities = [quality for ranking in _RANKINGS if (quality := getattr(evaluation, ranking))]
    size = evaluation.size
    metrics = table("", ">with your thumbs", ">interest words alone", ">by chance")
    metrics.add_row(f"liked of the first {size}", *(f"{size * quality.precision:.1f}" for quality in qualities))
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
                f"{row.low:.0%} to {row.high:.0%}", f"{row.papers:,}", f"{row.predicted:.0%}", f"{row.liked:.0%}"
            )
        console().print(reliability)


def print_all(heading: str, mean: Mean, evaluations: Sequence[Evaluation], chart: Chart | None) -> None:
    _print_wrapped(heading, bold=True)
    rows = table("reader", "learning?", ">likes", ">AUC", ">words", ">gain, 95%", unbroken=("reader",))
    for evaluation in evaluations:
        gain = evaluation.gain
        rows.add_row(
            evaluation.reader,
            evaluation.verdict,
            str(evaluation.likes),
            _auc(evaluation.learned),
            _auc(evaluation.words),
            f"{gain.mean:+.2f} ({gain.low:+.2f} to {gain.high:+.2f})" if gain else "-",
        )
    if mean.readers > 1:
        mean_gain = f"{mean.gain.mean:+.2f}" if mean.gain else "-"
        aucs = (_auc(mean.learned), _auc(mean.words))
        rows.add_row(f"mean of {mean.readers}", mean.verdict, "", *aucs, mean_gain)
    console().print(rows)
    if chart:
        click.echo(text_chart(chart))


def _auc(quality: Quality | None) -> str:
    return "-" if quality is None or quality.auc is None else f"{quality.auc:.2f}"


def _print_wrapped(text: str, *, bold: bool = False) -> None:
    click.secho(click.wrap_text(text, _TEXT_WIDTH), bold=bold)


@click.command("replay")
@reader_argument()
@click.option("--from", "first", type=Day(), required=True, help="The first day, such as 2025-05-06.")
@click.option("--to", "last", type=Day(), required=True, help="The last day.")
@report_options
def replay(app: App, *, reader: str, first: date, last: date, now: datetime, as_json: bool) -> None:
    """Compose the editions of past days again, with today's profile.

    It uses the papers and thumbs of that time, and shows what would have been sent and what became of it. Nothing is
    stored or sent.
    """
    subscriber, profile = find_reader(app.store, app.profiles, reader)
    results = operate.outcomes(app.store, subscriber)
    editions: list[Edition] = []
    days = operate.replay(app.store, subscriber, profile, first, last, now=now, samples=app.home.sample_sources)
    while True:
        with working(f"composing past days ({len(editions)} so far)"):
            edition = next(days, None)
        if edition is None:
            break
        editions.append(edition)
        if not as_json:
            # At once: in a large home, a day takes seconds.
            print_day(edition, results)
    papers = [pick.paper.id for edition in editions for pick in edition.picks]
    votes = [results.votes[paper].vote for paper in papers if paper in results.votes]
    totals = {
        "days": len(editions),
        "papers": len(papers),
        "sent": sum(paper in results.sent for paper in papers),
        "up": votes.count(Vote.UP),
        "down": votes.count(Vote.DOWN),
    }
    if as_json:
        print_json(
            {
                "reader": subscriber.name,
                "from": first,
                "to": last,
                "days": [day_json(edition, results) for edition in editions],
                "totals": totals,
            }
        )
    elif not editions:
        echo("No edition was due on these days. `paperbot profiles` shows the schedule.")
    else:
        echo(
            f"{plural(totals['days'], 'day')}, {plural(totals['papers'], 'paper')}. Of these, {totals['sent']} were "
            f"really sent so far; {totals['up']} got a thumb up, {totals['down']} a thumb down."
        )


def day_json(edition: Edition, results: Outcomes) -> dict[str, Any]:
    picks = []
    for pick in edition.picks:
        thumb = results.votes.get(pick.paper.id)
        picks.append(
            {
                "paper": pick.paper.ref,
                "title": pick.paper.title,
                "score": pick.probability,
                "kind": pick.kind,
                "reasons": [
                    {"term": reason.text, "weight": reason.weight, "kind": reason.kind} for reason in pick.reasons
                ],
                "because": next((r.text for r in pick.reasons if r.kind is ReasonKind.LIKED), None),
                "why": wording.sentence(pick.reasons),
                "thumb": {"vote": thumb.vote, "at": thumb.at} if thumb else None,
                "sent": results.sent.get(pick.paper.id),
            }
        )
    return {
        "date": edition.date,
        "at": edition.composed_at,
        "considered": edition.considered,
        "quiet": edition.quiet,
        "picks": picks,
    }


def print_day(edition: Edition, results: Outcomes) -> None:
    title = f"{edition.date:%a %Y-%m-%d}, {plural(edition.considered, 'new paper')}"
    if edition.quiet:
        console().print(f"{title}\n  nothing: {edition.quiet}\n")
        return
    rows = table("match", "paper", "why", "what became of it")
    for pick in edition.picks:
        sent = results.sent.get(pick.paper.id)
        outcome = f"sent {sent:%b %d}" if sent else "not sent"
        if thumb := results.votes.get(pick.paper.id):
            symbol = "👍" if thumb.vote is Vote.UP else "👎"
            outcome = f"{symbol} {thumb.at:%b %d}, {outcome}"
        match = Match.for_probability(pick.probability)
        rows.add_row(match, readable(pick.paper.title), why(pick), outcome)
    echo(title, bold=True)
    console().print(rows)
