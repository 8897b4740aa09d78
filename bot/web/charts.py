"""An evaluation as a chart in text or SVG, and in one sentence.

The chart is a forest plot of the AUC: the learned ranking, the interest words alone, and chance. Page and file share
one SVG drawing, with text alternatives for its points.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element, SubElement

from bot.model.wording import DEFAULT_LANGUAGE, long_date, oneline, plural
from bot.operate.evaluation import MIN_FOLDS, MIN_LIKES, Evaluation, Mean, Verdict

WITH_THUMBS = "with thumbs"
WORDS_ALONE = "interest words alone"
MEASURE = "How often, of 100 times, a liked paper stood above one that was passed over"

_LABEL = 29  # columns
_AXIS = 41
_MAX_READERS = 30  # the table has them all

# User units. 380 are a phone's width, where 13 px type stays legible.
_WIDTH = 380
_LEFT = 180.0
_RIGHT = 362.0
_TOP = 26.0
_ROW = 26.0
_LEGEND = 34.0
_MARGIN = 20
_LINE = 18
_LABEL_CHARACTERS = 26
_LINE_CHARACTERS = 56  # in 13 px DejaVu Sans, the widest usual fallback for Helvetica

# The page's style sheet has the same classes. The colours suit colour-blind readers (Okabe and Ito 2008).
_STYLE = """
text { font: 13px Helvetica, Arial, sans-serif; fill: #5c636b }
.heading { font-weight: bold; fill: #1f2328 }
.axis { stroke: #dcd8ce } .chance { stroke: #5c636b; stroke-dasharray: 1 4; stroke-linecap: round }
.line { fill: none; stroke-width: 2 }
.line.with-thumbs, .interval { stroke: #0072b2 } .line.words-alone { stroke: #d55e00; stroke-dasharray: 6 4 }
.interval { stroke-width: 8; opacity: .2 }
circle.with-thumbs, text.with-thumbs { fill: #0072b2 } rect.words-alone, text.words-alone { fill: #d55e00 }
"""


@dataclass(frozen=True, slots=True)
class ChartRow:
    """Values are 0 to 1. ``low`` to ``high`` is the 95% interval of ``learned``."""

    label: str
    learned: float
    words: float
    low: float
    high: float


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
        ChartRow(
            label=f"{long_date(point.since.date(), language)}, {plural(point.prior_votes, 'thumb')}",
            learned=point.learned.mean,
            words=point.words,
            low=point.learned.low,
            high=point.learned.high,
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
    rows = []
    for evaluation in evaluations:
        learned = evaluation.learned.auc if evaluation.learned else None
        words = evaluation.words.auc if evaluation.words else None
        if learned is None or words is None:
            continue
        low = evaluation.auc.low if evaluation.auc else learned
        high = evaluation.auc.high if evaluation.auc else learned
        rows.append(ChartRow(evaluation.reader, learned, words, low, high))
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
        learned = round(_clip(row.learned) * (_AXIS - 1))
        words = round(_clip(row.words) * (_AXIS - 1))
        cells[words] = "○"
        cells[learned] = "◉" if learned == words else "●"
        label = _cut(row.label, _LABEL - 1)
        figures = f"{100 * row.learned:3.0f} {100 * row.words:3.0f}"
        lines.append(f"{label:<{_LABEL}}{''.join(cells)}   {figures}")
    lines.append(f"{'':{_LABEL}}● {WITH_THUMBS}   ○ {WORDS_ALONE}   ┊ chance")
    return "\n".join(lines)


def svg_chart(chart: Chart) -> str:
    """Return an ``svg`` element without styles, which the pages' CSP forbids inline."""
    height = _height(chart)
    root = Element("svg", {"class": "chart curve", "viewBox": f"0 0 {_WIDTH} {height:g}", "role": "img"})
    root.set("aria-label", chart.summary)
    _draw(chart, root)
    return ET.tostring(root, "unicode")


def svg_file(chart: Chart, heading: str, note: str) -> str:
    root = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img"})
    SubElement(root, "title").text = oneline(heading)
    SubElement(root, "desc").text = chart.summary
    SubElement(root, "style").text = _STYLE
    SubElement(root, "rect", {"width": "100%", "height": "100%", "fill": "white"})

    # SVG 1.1 has no wrapped text.
    y = _MARGIN
    for kind, paragraph in (("heading", heading), ("measure", f"{MEASURE}.")):
        for line in textwrap.wrap(oneline(paragraph), _LINE_CHARACTERS):
            y += _LINE
            SubElement(root, "text", {"class": kind, "x": f"{_MARGIN}", "y": f"{y}"}).text = line
        y += _LINE // 2
    _draw(chart, SubElement(root, "g", {"transform": f"translate({_MARGIN} {y})"}))
    y += int(_height(chart)) + _LINE // 2
    for line in textwrap.wrap(oneline(note), _LINE_CHARACTERS):
        y += _LINE
        SubElement(root, "text", {"x": f"{_MARGIN}", "y": f"{y}"}).text = line

    width = _WIDTH + 2 * _MARGIN
    height = y + _MARGIN
    root.set("viewBox", f"0 0 {width} {height}")
    root.set("width", f"{2 * width}")
    root.set("height", f"{2 * height}")
    return ET.tostring(root, "unicode")


def _draw(chart: Chart, parent: Element) -> None:
    """Append axis, rows and legend, ``_WIDTH`` by ``_height(chart)`` units large."""
    bottom = _TOP + _ROW * len(chart.rows)
    for value in (0, 50, 100):
        x = f"{_x(value / 100)}"
        kind = "chance" if value == 50 else "axis"
        SubElement(parent, "line", {"class": kind, "x1": x, "x2": x, "y1": f"{_TOP}", "y2": f"{bottom}"})
        SubElement(parent, "text", {"x": x, "y": "16", "text-anchor": "middle"}).text = f"{value}"

    centres = [_TOP + _ROW * (n + 0.5) for n in range(len(chart.rows))]
    if chart.joined:
        for kind, values in (
            ("words-alone", [row.words for row in chart.rows]),
            ("with-thumbs", [row.learned for row in chart.rows]),
        ):
            points = " ".join(f"{_x(value)},{y}" for value, y in zip(values, centres, strict=True))
            SubElement(parent, "polyline", {"class": f"line {kind}", "points": points})
    for row, y in zip(chart.rows, centres, strict=True):
        SubElement(parent, "text", {"x": "0", "y": f"{y + 4}"}).text = _cut(row.label, _LABEL_CHARACTERS)
        ends = {"x1": f"{_x(row.low)}", "x2": f"{_x(row.high)}", "y1": f"{y}", "y2": f"{y}"}
        SubElement(parent, "line", {"class": "interval", **ends})
        square = {"x": f"{_x(row.words) - 4}", "y": f"{y - 4}", "width": "8", "height": "8"}
        SubElement(parent, "rect", {"class": "words-alone", **square})
        centre = {"cx": f"{_x(row.learned)}", "cy": f"{y}"}
        circle = SubElement(parent, "circle", {"class": "with-thumbs", **centre, "r": "4.5"})
        SubElement(
            circle, "title"
        ).text = f"{oneline(row.label)}: {100 * row.learned:.0f} with thumbs, {100 * row.words:.0f} without"

    # A character, because circles are data.
    baseline = bottom + 24
    for start, kind, text in (
        (0, "with-thumbs", f"● {WITH_THUMBS}"),
        (105, "words-alone", f"■ {WORDS_ALONE}"),
        (290, "", "┊ chance"),
    ):
        SubElement(parent, "text", {"class": kind, "x": f"{start}", "y": f"{baseline}"}).text = text


def _height(chart: Chart) -> float:
    return _TOP + _ROW * len(chart.rows) + _LEGEND


def _x(value: float) -> float:
    return round(_LEFT + (_RIGHT - _LEFT) * _clip(value), 1)


def _clip(value: float) -> float:
    """Clip to 0 and 1, which an interval by Student's t can exceed."""
    return min(max(value, 0.0), 1.0)


def _cut(label: str, at_most: int) -> str:
    label = oneline(label)
    return label if len(label) <= at_most else f"{label[: at_most - 1]}…"


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
