"""How well thumbs predict thumbs, as a picture: for the terminal, and as PNG.

Both show rows of one shape: a value with thumbs, one by interest words alone, and chance at one half. Terminals need
neither colour nor more than 80 columns; the PNG's colours are told apart by everybody (Okabe and Ito 2008), and its
lines by their strokes and the words beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from textwrap import fill
from typing import TYPE_CHECKING

from bot.rendering.text import oneline

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEARNED, WORDS, CHANCE = "with thumbs", "interest words alone", "chance"
WHAT = "How often, of 100 times, a liked paper stood above one that was passed over"
_LABEL, _AXIS = 29, 41  # columns
_NAME = 36  # letters
_BLUE, _ORANGE, _GREY = "#0072b2", "#d55e00", "#5c636b"


@dataclass(frozen=True, slots=True)
class Row:
    """One row or point; all values 0 to 1. ``low`` to ``high`` holds the true one 95 times in 100."""

    label: str
    learned: float
    words: float
    low: float
    high: float


def text_chart(rows: Sequence[Row]) -> str:
    """A line a row, 80 columns wide: ``●`` with thumbs, ``○`` by words alone, ``◉`` where both fall together."""
    ruler = "".join(f"{mark:<10}" for mark in ("0", "25", "50", "75"))
    lines = [f"{WHAT}:", "", f"{'':{_LABEL}}{ruler}100   ●   ○"]
    for row in rows:
        label = oneline(row.label.replace("\n", ", "))
        label = label if len(label) < _LABEL else f"{label[: _LABEL - 2]}…"
        lines.append(f"{label:<{_LABEL}}{_axis(row)}   {100 * row.learned:3.0f} {100 * row.words:3.0f}")
    return "\n".join([*lines, f"{'':{_LABEL}}● {LEARNED}   ○ {WORDS}   ┊ {CHANCE}"])


def _axis(row: Row) -> str:
    cells = ["·"] * _AXIS
    cells[0], cells[_AXIS // 2], cells[-1] = "├", "┊", "┤"
    learned, words = (round(min(max(value, 0), 1) * (_AXIS - 1)) for value in (row.learned, row.words))
    cells[words] = "○"
    cells[learned] = "◉" if learned == words else "●"
    return "".join(cells)


def over_time(title: str, rows: Sequence[Row], note: str) -> bytes:
    """Points in time joined by lines, as PNG; each line is named at its end."""
    figure, axes = _drawing(title, note, 6.2, left=0.08)
    places = list(range(len(rows)))
    learned, words = [100 * row.learned for row in rows], [100 * row.words for row in rows]
    low, high = ([max(0, min(100, 100 * value)) for value in ends] for ends in _ends(rows))
    axes.axhline(50, color=_GREY, linewidth=1.2, linestyle=":")
    axes.fill_between(places, low, high, color=_BLUE, alpha=0.14, linewidth=0)
    axes.plot(places, words, color=_ORANGE, linewidth=2, linestyle="--", marker="s", markersize=5)
    axes.plot(places, learned, color=_BLUE, linewidth=2.8, marker="o", markersize=7)
    axes.set_xticks(places, [row.label for row in rows])
    axes.set_xlim(-0.3, len(rows) - 1 + 0.2)
    axes.set_ylim(0, 103)
    axes.set_xlabel("from this day on, and how many thumbs there were by then")
    _name_at_the_end(axes, {LEARNED: (learned[-1], _BLUE), WORDS: (words[-1], _ORANGE), CHANCE: (50, _GREY)})
    return _png(figure)


def side_by_side(title: str, rows: Sequence[Row], note: str) -> bytes:
    """A row for each of several readers, best first, as PNG."""
    figure, axes = _drawing(title, note, 2.8 + 0.42 * len(rows), left=0.28, right=0.05)
    for place, row in enumerate(reversed(rows)):
        ends = [100 * row.words, 100 * row.learned]
        axes.plot(ends, [place, place], color=_GREY, linewidth=1.2, zorder=1)
        axes.plot(ends[:1], [place], color=_ORANGE, marker="s", markersize=7)
        axes.plot(ends[1:], [place], color=_BLUE, marker="o", markersize=9)
    axes.axvline(50, color=_GREY, linewidth=1.2, linestyle=":")
    names = [row.label if len(row.label) <= _NAME else f"{row.label[: _NAME - 1]}…" for row in reversed(rows)]
    axes.set_yticks(range(len(rows)), names, parse_math=False)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_xlim(0, 103)
    axes.set_xlabel(f"●  {LEARNED}        ■  {WORDS}        dotted: {CHANCE}")
    return _png(figure)


def _ends(rows: Sequence[Row]) -> tuple[list[float], list[float]]:
    return [row.low for row in rows], [row.high for row in rows]


def _drawing(title: str, note: str, height: float, *, left: float, right: float = 0.2) -> tuple[Figure, Axes]:
    """A figure with its words, as large as it needs to be."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, height), dpi=150, facecolor="white")
    title = fill(title, 92)
    top = 0.6 + 0.25 * title.count("\n")
    axes = figure.add_axes((left, 1.25 / height, 1 - left - right, 1 - (1.75 + top) / height))
    figure.text(0.03, 1 - 0.2 / height, title, fontsize=13.5, fontweight="bold", va="top", parse_math=False)
    figure.text(0.03, 1 - top / height, WHAT, fontsize=10.5, color=_GREY, va="top")
    figure.text(0.03, 0.14 / height, fill(note, 125), fontsize=9, color=_GREY, parse_math=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="both", color="#e6e3dc", linewidth=0.8)
    axes.set_axisbelow(True)
    return figure, axes


def _name_at_the_end(axes: Axes, ends: dict[str, tuple[float, str]]) -> None:
    """Names beside the lines' ends, moved apart where they would cover one another."""
    at = -100.0
    for name, (value, colour) in sorted(ends.items(), key=lambda item: item[1][0]):
        at = max(value, at + 6)
        axes.annotate(
            f"{name}  {value:.0f}",
            (1.015, at),
            xycoords=("axes fraction", "data"),
            color=colour,
            fontsize=10.5,
            va="center",
            annotation_clip=False,
        )


def _png(figure: Figure) -> bytes:
    import logging
    import warnings

    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # its cache is no matter of the user's
    target = BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a letter that its font lacks is drawn as a box
        figure.savefig(target, format="png")
    return target.getvalue()
