"""The page's drawing: lines within their frame, and names that don't cover one another."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bot.evaluation.report import Point
from bot.ranking.metrics import Estimate
from bot.web.curve import curve

START = datetime(2026, 3, 2, tzinfo=UTC)
shares = st.floats(0, 1)


def point(n, learned, words, reach=0.5):
    at = START + timedelta(days=7 * n)
    return Point(at, at, n, 5, Estimate(learned, reach / 2, learned - reach, learned + reach), words)


points = st.lists(st.builds(point, st.integers(0, 50), shares, shares), min_size=2, max_size=12)


@given(points)
def test_everything_lies_within_the_frame_and_names_stand_apart(some):
    drawn = curve(some)
    pairs = " ".join((drawn.learned, drawn.words, drawn.band)).split()
    for x, y in (map(float, pair.split(",")) for pair in pairs):
        assert 32 <= x <= 266
        assert 12 <= y <= 188
    places = [y for y, _, _ in drawn.names]
    assert all(lower - upper >= 15.9 for upper, lower in pairwise(places))
    assert min(places) > 0
    assert max(places) < 200


def test_names_go_from_the_best_down_and_the_summary_says_the_same():
    drawn = curve([point(0, 0.6, 0.55), point(1, 0.81, 0.4)])
    assert [name for _, _, name in drawn.names] == ["with thumbs 81", "chance 50", "words alone 40"]
    assert drawn.summary == (
        "With thumbs 60 of 100 at first and 81 of late; by interest words alone 55 and 40; chance is 50."
    )
    assert [text for _, text in drawn.days] == ["2 Mar 2026", "9 Mar 2026"]


def test_one_point_is_no_line():
    assert curve([point(0, 0.6, 0.5)]) is None
