"""The chart: legible in a terminal of 80 columns, and well-formed SVG whatever the labels are."""

import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st
from support import ROOT

from bot.channels.templates import environment
from bot.operate.evaluation import Evaluation, Point, Quality, Verdict
from bot.ranking.prequential import Estimate
from bot.web.charts import Chart, ChartRow, learning_curve, readers_chart, svg_file, text_chart

START = datetime(2026, 3, 2, tzinfo=UTC)
SVG = "{http://www.w3.org/2000/svg}"
shares = st.floats(0, 1)
intervals = st.builds(Estimate, shares, shares, st.floats(-1, 0), st.floats(0, 2))  # Student's t knows no bounds
rows = st.builds(ChartRow.of, st.text(max_size=60), shares, shares, intervals)
charts = st.builds(Chart, st.lists(rows, min_size=1, max_size=9), st.just("With thumbs 60 of 100."), st.booleans())


TEMPLATES = environment(ROOT / "templates")


def drawn(chart, heading="Yes.", note="x"):
    return ET.fromstring(svg_file(TEMPLATES, chart, heading, note))


def row(learned, words, label="3 Mar 2026, 7 thumbs"):
    return ChartRow(label, learned, words, learned - 0.1, learned + 0.1)


def point(n, learned, words):
    at = START + timedelta(days=7 * n)
    return Point(at, at, n, 5, Estimate(learned, 0.25, learned - 0.5, learned + 0.5), words)


def evaluation(reader="nature/ada@example.org", points=(), learned=None, words=None):
    qualities = [Quality(0.5, 0.5, auc) for auc in (learned, words)] if learned else [None, None]
    return Evaluation(reader, Verdict.YES, 10, 60, 28, 14, *qualities, points=points)


@given(charts)
def test_every_line_fits_and_every_row_has_its_marks(chart):
    lines = text_chart(chart).splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) == len(chart.rows) + 4
    for line in lines[3:-1]:
        assert ("●" in line and "○" in line) or "◉" in line


def test_marks_are_at_their_values():
    chart = text_chart(Chart([row(1.0, 0.0), row(0.5, 0.5)], "", joined=True)).splitlines()
    full = chart[3]
    half = chart[4]
    assert full.startswith("3 Mar 2026, 7 thumbs ")
    assert full.index("●") - full.index("○") == 40
    assert half.index("◉") == full.index("○") + 20
    assert full.split()[-2:] == ["100", "0"]


@given(charts, st.text(max_size=300))
def test_a_file_is_well_formed_and_within_its_frame_whatever_its_texts_are(chart, heading):
    svg = drawn(chart, heading, heading)
    drawing = svg.find(f"{SVG}g")
    values = [float(x) for line in drawing.iter(f"{SVG}line") for x in (line.get("x1"), line.get("x2"))]
    circles = [(float(circle.get("cx")), float(circle.get("cy"))) for circle in drawing.iter(f"{SVG}circle")]
    assert len(circles) == len(chart.rows)
    for polyline in drawing.iter(f"{SVG}polyline"):
        points = [tuple(map(float, pair.split(","))) for pair in polyline.get("points").split()]
        assert [y for _, y in points] == [y for _, y in circles]
        values += [x for x, _ in points]
    assert all(180 <= x <= 362 for x in [*values, *(x for x, _ in circles)])
    assert all(below - above >= 20 for above, below in pairwise(sorted(y for _, y in circles)))
    top = float(re.search(r"translate\(20 (.+)\)", drawing.get("transform"))[1])
    lowest = max(top + float(text.get("y")) for text in drawing.iter(f"{SVG}text"))
    notes = [float(text.get("y")) for text in svg.findall(f"{SVG}text") if float(text.get("y")) > top]
    assert lowest < min(notes, default=lowest + 1)
    assert max([lowest, *notes]) < float(svg.get("viewBox").split()[3])


def test_markup_in_a_label_stays_text():
    chart = Chart([row(0.9, 0.4, "<script>alert(1)</script>")], '"><b>', joined=False)
    assert not re.search("<(script|b)>", svg_file(TEMPLATES, chart, "<b>", "<b>"))


def test_a_learning_curve_has_a_row_for_each_point_and_a_text_alternative():
    chart = learning_curve(evaluation(points=[point(0, 0.6, 0.55), point(1, 0.81, 0.4)]))
    assert chart.summary == (
        "With thumbs 60 of 100 at first and 81 at last; by interest words alone 55 and 40; chance is 50."
    )
    assert [row.label for row in chart.rows] == ["2 Mar 2026, 0 thumbs", "9 Mar 2026, 1 thumb"]
    assert chart.joined


def test_one_point_is_not_a_learning_curve():
    assert learning_curve(evaluation(points=[point(0, 0.6, 0.5)])) is None


def test_readers_are_sorted_best_first_and_those_without_an_auc_are_left_out():
    chart = readers_chart(
        [evaluation("a", learned=0.6, words=0.5), evaluation("b"), evaluation("c", learned=0.8, words=0.5)]
    )
    assert [row.label for row in chart.rows] == ["c", "a"]
    assert readers_chart([evaluation("b")]) is None
