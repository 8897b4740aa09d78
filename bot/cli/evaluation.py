"""An evaluation as JSON, and as text of 80 columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from bot.cli.output import console, plain, table
from bot.wording import plural

if TYPE_CHECKING:
    from bot.evaluation.report import Calibration, Evaluation, Mean, Quality
    from bot.ranking.metrics import Estimate
    from bot.rendering.charts import Row

_WIDTH = 80
_WAYS = ("learned", "words", "chance")


def one_json(found: Evaluation) -> dict[str, Any]:
    """One reader's evaluation; null where there were too few thumbs."""
    from bot.evaluation.wording import answer

    head = {name: getattr(found, name) for name in ("reader", "verdict", "size", "thumbs", "likes", "rounds")}
    return {
        **head,
        "answer": answer(found),
        **{way: _quality_json(getattr(found, way), found.size) for way in _WAYS},
        "auc": asdict(found.auc) if found.auc else None,
        "gain": asdict(found.gain) if found.gain else None,
        "calibration": asdict(found.calibration) if found.calibration else None,
        "over_time": [asdict(point) for point in found.points],
    }


def all_json(said: str, together: Mean, found: Sequence[Evaluation]) -> dict[str, Any]:
    """All readers', and their mean."""
    return {
        "answer": said,
        "verdict": together.verdict,
        "mean": {way: _quality_json(getattr(together, way)) for way in _WAYS} if together.readers else None,
        "gain": asdict(together.gain) if together.gain else None,
        "readers": [one_json(one) for one in found],
    }


def _quality_json(quality: Quality | None, size: int | None = None) -> dict[str, float | None] | None:
    if quality is None:
        return None
    return asdict(quality) | ({"liked_of_first": size * quality.precision} if size else {})


def over_time(found: Evaluation) -> list[Row]:
    """A row for each stretch of time; none where there are not two."""
    from bot.rendering import phrases
    from bot.rendering.charts import Row

    if len(found.points) < 2:
        return []
    return [
        Row(
            f"{phrases.day(point.since.date())}\n{plural(point.known, 'thumb')}",
            point.learned.mean,
            point.words,
            point.learned.low,
            point.learned.high,
        )
        for point in found.points
    ]


def by_reader(found: Sequence[Evaluation]) -> list[Row]:
    """A row for each reader of whom something can be said, the best first."""
    from bot.rendering.charts import Row

    rows = [
        Row(one.reader, one.learned.auc, one.words.auc, one.learned.auc, one.learned.auc)
        for one in found
        if one.learned and one.words and one.learned.auc is not None and one.words.auc is not None
    ]
    return sorted(rows, key=lambda row: -row.learned)


def rests_on(found: Evaluation) -> str:
    """How much stands behind the numbers."""
    said = (
        f"{plural(found.likes, 'liked paper')} in {plural(found.rounds, 'round')} of thumbs, each predicted from the "
        "thumbs before it."
    )
    return f"{said} {_sure(found.gain)}" if found.gain else said


def _sure(gain: Estimate) -> str:
    low, high, mean = (f"{100 * value:+.0f}" for value in (gain.low, gain.high, gain.mean))
    return f"Thumbs gained {mean} of 100 over words alone; 95% certain: {low} to {high}."


def print_one(found: Evaluation, rows: Sequence[Row]) -> None:
    """The answer first, then what it rests on."""
    from bot.evaluation.wording import answer
    from bot.rendering.charts import text_chart

    _say(answer(found), bold=True)
    if found.learned is None:
        return
    _say(rests_on(found))
    console().print(_marks(found))
    if rows:
        click.echo(text_chart(rows) + "\n")
    else:
        _say("A chart over time needs some more rounds of thumbs.\n")
    if found.calibration:
        _print_calibration(found.calibration)


def print_all(said: str, together: Mean, found: Sequence[Evaluation], rows: Sequence[Row]) -> None:
    """The answer, a line a reader, and their mean."""
    from bot.rendering.charts import text_chart

    _say(said, bold=True)
    made = table("reader", "learning?", ">likes", ">AUC", ">words", ">gain, 95%", unbroken=("reader",))
    for one in found:
        gain = f"{one.gain.mean:+.2f} ({one.gain.low:+.2f} to {one.gain.high:+.2f})" if one.gain else "-"
        auc, words = _auc(one.learned), _auc(one.words)
        made.add_row(plain(one.reader), one.verdict, str(one.likes), auc, words, gain)
    if together.readers > 1:
        gain = f"{together.gain.mean:+.2f}" if together.gain else "-"
        auc, words = _auc(together.learned), _auc(together.words)
        made.add_row(f"mean of {together.readers}", together.verdict, "", auc, words, gain)
    console().print(made)
    if rows:
        click.echo(text_chart(rows))


def _marks(found: Evaluation) -> Any:
    made = table("", ">with your thumbs", ">interest words alone", ">by chance")
    qualities = [quality for way in _WAYS if (quality := getattr(found, way))]
    size = found.size
    made.add_row(f"liked of the first {size}", *(f"{size * one.precision:.1f}" for one in qualities))
    made.add_row(f"nDCG at {size}", *(f"{one.ndcg:.2f}" for one in qualities))
    made.add_row("AUC among papers you saw", *(_auc(one) for one in qualities))
    return made


def _print_calibration(found: Calibration) -> None:
    _say(
        f"Do scores mean what they say? Off by {100 * found.error:.0f} of 100 on average "
        f"({plural(found.papers, 'paper')} that you saw):"
    )
    made = table(">score", ">papers", ">mean score", ">really liked")
    for one in found.table:
        made.add_row(
            f"{one.low:.0%} to {one.high:.0%}", f"{one.papers:,}", f"{one.predicted:.0%}", f"{one.liked:.0%}"
        )
    console().print(made)


def _auc(quality: Quality | None) -> str:
    return "-" if quality is None or quality.auc is None else f"{quality.auc:.2f}"


def _say(text: str, *, bold: bool = False) -> None:
    click.secho(click.wrap_text(text, _WIDTH), bold=bold)
