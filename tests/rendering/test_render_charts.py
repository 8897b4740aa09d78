"""The chart: legible in a terminal of 80 columns, and a PNG whatever the names in it are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.rendering.charts import Row, over_time, side_by_side, text_chart

shares = st.floats(0, 1)
rows = st.lists(st.builds(Row, st.text(max_size=60), shares, shares, shares, shares), min_size=1, max_size=9)


def row(learned, words, label="3 Mar 2026\n7 thumbs"):
    return Row(label, learned, words, learned - 0.1, learned + 0.1)


@given(rows)
def test_every_line_fits_and_every_row_has_its_marks(some):
    lines = text_chart(some).splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) == len(some) + 4
    for line in lines[3:-1]:
        assert ("●" in line and "○" in line) or "◉" in line


def test_marks_stand_where_their_values_are():
    chart = text_chart([row(1.0, 0.0), row(0.5, 0.5)]).splitlines()
    full, half = chart[3], chart[4]
    assert full.startswith("3 Mar 2026, 7 thumbs ")
    assert full.index("●") - full.index("○") == 40
    assert half.index("◉") == full.index("○") + 20
    assert full.split()[-2:] == ["100", "0"]


@pytest.mark.parametrize("draw", [over_time, side_by_side])
def test_a_picture_is_drawn_whatever_the_words(draw):
    names = ["$x^{", "東京/東京@example.org", "a" * 90]
    drawn = draw("Yes: $100 _for_ <you> 東京 " * 6, [row(0.9, 0.4, name) for name in names], "note " * 40)
    assert drawn.startswith(b"\x89PNG")


def test_the_same_rows_make_the_same_picture():
    assert over_time("Yes.", [row(0.7, 0.5), row(0.8, 0.5)], "x") == over_time(
        "Yes.", [row(0.7, 0.5), row(0.8, 0.5)], "x"
    )
