"""An evaluation as a chart in text or SVG, and in one sentence.

The chart is a forest plot of the AUC: the learned ranking, the interest words alone, and chance.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.model.wording import DEFAULT_LANGUAGE, long_date, oneline, plural, shorten
from bot.operate.evaluation import MIN_FOLDS, MIN_LIKES, Evaluation, Mean, Verdict
from bot.ranking.prequential import Estimate

if TYPE_CHECKING:
    from jinja2 import Environment


WITH_THUMBS = "with thumbs"
WORDS_ALONE = "interest words alone"
MEASURE = "How often, of 100 times, a liked paper stood above one that was passed over"

_LABEL = 29  # columns
_AXIS = 41
_MAX_READERS = 30  # the table has them all

_LINE_CHARACTERS = 56  # in 13 px DejaVu Sans, the widest usual fallback for Helvetica


@dataclass(frozen=True, slots=True)
class ChartRow:
    """Values are 0 to 1. ``low`` to ``high`` is the 95% interval of ``learned``."""

    label: str
    learned: float
    words: float
    low: float
    high: float

    @classmethod
    def of(cls, label: str, learned: float, words: float, interval: Estimate | None) -> ChartRow:
        """Build a row. An interval by Student's t can exceed 0 and 1, and is clipped."""
        low, high = (interval.low, interval.high) if interval else (learned, learned)
        return cls(oneline(label), learned, words, max(low, 0.0), min(high, 1.0))


@dataclass(frozen=True, slots=True)
class Chart:
    """Rows from top to bottom. Lines join a learning curve. ``summary`` is the text alternative."""

    rows: Sequence[ChartRow]
    summary: str
    joined: bool


def learning_curve(evaluation: Evaluation, language: str = DEFAULT_LANGUAGE) -> Chart | None:
    """Return the chart over time, None for fewer than two points."""
    points = evaluation.points
    if len(points) < 2:
        return None
    rows = [
        ChartRow.of(
            f"{long_date(point.since.date(), language)}, {plural(point.prior_votes, 'thumb')}",
            point.learned.mean,
            point.words,
            point.learned,
        )
        for point in points
    ]
    summary = (
        f"With thumbs {100 * rows[0].learned:.0f} of 100 at first and {100 * rows[-1].learned:.0f} at last; "
        f"by interest words alone {100 * rows[0].words:.0f} and {100 * rows[-1].words:.0f}; chance is 50."
    )
    return Chart(rows, summary, joined=True)


def readers_chart(evaluations: Iterable[Evaluation]) -> Chart | None:
    """Return the chart of the readers with an AUC, the best first."""
    rows = [
        ChartRow.of(evaluation.reader, learned.auc, words.auc, evaluation.auc)
        for evaluation in evaluations
        if (learned := evaluation.learned) and (words := evaluation.words)
        if learned.auc is not None and words.auc is not None
    ]
    if not rows:
        return None
    rows.sort(key=lambda row: -row.learned)
    best = 100 * rows[0].learned
    worst = 100 * rows[-1].learned
    summary = f"{plural(len(rows), 'reader')}: with thumbs {worst:.0f} to {best:.0f} of 100; chance is 50."
    return Chart(rows[:_MAX_READERS], summary, joined=False)


def text_chart(chart: Chart) -> str:
    """Return a line of 80 columns for each row: ``●`` with thumbs, ``○`` by words, ``◉`` for both."""
    ruler = "".join(f"{mark:<10}" for mark in ("0", "25", "50", "75"))
    lines = [f"{MEASURE}:", "", f"{'':{_LABEL}}{ruler}100   ●   ○"]
    for row in chart.rows:
        cells = ["·"] * _AXIS
        cells[0] = "├"
        cells[_AXIS // 2] = "┊"
        cells[-1] = "┤"
        learned = round(row.learned * (_AXIS - 1))
        words = round(row.words * (_AXIS - 1))
        cells[words] = "○"
        cells[learned] = "◉" if learned == words else "●"
        label = shorten(row.label, _LABEL - 1)
        figures = f"{100 * row.learned:3.0f} {100 * row.words:3.0f}"
        lines.append(f"{label:<{_LABEL}}{''.join(cells)}   {figures}")
    lines.append(f"{'':{_LABEL}}● {WITH_THUMBS}   ○ {WORDS_ALONE}   ┊ chance")
    return "\n".join(lines)


def svg_file(templates: Environment, chart: Chart, heading: str, note: str) -> str:
    wrapped = {
        name: textwrap.wrap(oneline(text), _LINE_CHARACTERS)
        for name, text in (("heading", heading), ("measure", f"{MEASURE}."), ("note", note))
    }
    return templates.get_template("pages/chart.svg.j2").render(chart=chart, **wrapped)


def answer(evaluation: Evaluation, *, by_pairs: bool = False) -> str:
    """Return the answer for one reader.

    With ``by_pairs`` it uses AUC, like the chart. Precision depends on the number of unseen papers, AUC doesn't.
    """
    learned = evaluation.learned
    words = evaluation.words
    chance = evaluation.chance
    if not evaluation.thumbs:
        return "Too early to tell: there are no thumbs yet."
    if learned is None or words is None or chance is None:
        return (
            f"Too early to tell: {plural(evaluation.likes, 'liked paper')} could be predicted from earlier thumbs, "
            f"in {plural(evaluation.folds, 'fold')}. An answer needs {MIN_LIKES} liked papers in {MIN_FOLDS} folds."
        )
    if learned.auc is None or words.auc is None or evaluation.gain is None:
        likes = plural(evaluation.likes, "liked paper")
        return f"Can't tell yet: you passed over too few papers to compare {likes} with."
    if evaluation.verdict is Verdict.YES and learned.precision > words.precision and not by_pairs:
        size = evaluation.size
        papers = "the paper" if size == 1 else f"the {size} papers"
        return (
            f"Yes: of {papers} it ranks first, you liked {size * learned.precision:.1f}; by your interest words "
            f"alone {size * words.precision:.1f}, by chance {size * chance.precision:.1f}."
        )
    comparison = (
        f"a paper you liked stood above one you passed over {100 * learned.auc:.0f} times in 100; "
        f"by your interest words alone {100 * words.auc:.0f}, by chance 50"
    )
    if evaluation.verdict is Verdict.UNCLEAR:
        return f"Can't tell yet: {comparison}. The difference may be chance."
    return f"{'Yes' if evaluation.verdict is Verdict.YES else 'Not so far'}: {comparison}."


def answer_for_all(evaluations: Sequence[Evaluation], mean: Mean) -> str:
    measured = [evaluation for evaluation in evaluations if evaluation.verdict is not Verdict.TOO_FEW]
    if not measured:
        readers = plural(len(evaluations), "reader")
        return f"Too early to tell: none of {readers} has given enough thumbs."
    certain = sum(evaluation.verdict is Verdict.YES for evaluation in measured)
    sentence = f"it certainly learns the preferences of {certain} of {plural(len(measured), 'reader')}"
    remaining = len(evaluations) - len(measured)
    if remaining:
        sentence += f"; {plural(remaining, 'other')} gave too few thumbs to tell"
    if mean.verdict in (Verdict.YES, Verdict.NO):
        return f"{'Yes' if mean.verdict is Verdict.YES else 'Not so far'}: {sentence}."
    return f"{sentence[0].upper()}{sentence[1:]}."
