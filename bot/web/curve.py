"""How well thumbs predict thumbs over time, as the numbers that the page's drawing is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.rendering import phrases

if TYPE_CHECKING:
    from bot.evaluation.report import Point

_LEFT, _RIGHT, _TOP, _BOTTOM = 32.0, 266.0, 12.0, 188.0
_APART = 16.0  # between the names of two lines


@dataclass(frozen=True, slots=True)
class Curve:
    """Two lines and a band as SVG's lists of points, and the words beside them."""

    learned: str
    words: str
    band: str
    dots: Sequence[tuple[float, float, str]]
    names: Sequence[tuple[float, str, str]]
    days: Sequence[tuple[float, str]]
    summary: str

    @staticmethod
    def height(value: float) -> float:
        """Where a value of 0 to 100 lies."""
        return round(_BOTTOM - (_BOTTOM - _TOP) * min(max(value, 0), 100) / 100, 1)


def curve(points: Sequence[Point]) -> Curve | None:
    """The drawing of these points; None where there are not two."""
    if len(points) < 2:
        return None
    across = [round(_LEFT + 8 + (_RIGHT - _LEFT - 16) * n / (len(points) - 1), 1) for n in range(len(points))]
    learned, words = [100 * p.learned.mean for p in points], [100 * p.words for p in points]
    above, below = [100 * p.learned.high for p in points], [100 * p.learned.low for p in points]
    return Curve(
        learned=_points(across, learned),
        words=_points(across, words),
        band=f"{_points(across, above)} {_points(across[::-1], below[::-1])}",
        dots=[(x, Curve.height(y), _said(p)) for x, y, p in zip(across, learned, points, strict=True)],
        names=_names(learned[-1], words[-1]),
        days=[(across[n], phrases.day(points[n].since.date())) for n in (0, -1)],
        summary=f"With thumbs {learned[0]:.0f} of 100 at first and {learned[-1]:.0f} of late; by interest words alone "
        f"{words[0]:.0f} and {words[-1]:.0f}; chance is 50.",
    )


def _points(across: Sequence[float], values: Sequence[float]) -> str:
    return " ".join(f"{x},{Curve.height(value)}" for x, value in zip(across, values, strict=True))


def _said(point: Point) -> str:
    first, last = phrases.day(point.since.date()), phrases.day(point.until.date())
    return f"{first} to {last}: {100 * point.learned.mean:.0f} with thumbs, {100 * point.words:.0f} without"


def _names(learned: float, words: float) -> list[tuple[float, str, str]]:
    """The lines' names at their ends, from the top down, moved apart where they would cover one another."""
    ends = [
        (learned, "with-thumbs", "with thumbs"),
        (words, "words-alone", "words alone"),
        (50, "", "chance"),
    ]
    placed: list[tuple[float, str, str]] = []
    lowest = _BOTTOM + 4
    for value, kind, name in sorted(ends, key=lambda end: end[0]):
        lowest = min(Curve.height(value) + 4, lowest)
        placed.append((round(lowest, 1), kind, f"{name} {value:.0f}"))
        lowest -= _APART
    return placed[::-1]
