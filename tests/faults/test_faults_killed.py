"""Killed at any point, whatever the database: nobody gets anything twice, and all get it in the end."""

from __future__ import annotations

import signal

import pytest

from .killed_at import POINTS
from .post_office import CONNECTIONS, WEDNESDAY, assert_once, kills

LATER = "2025-05-07T11:00:00+02:00"  # when the leases of the killed are over
READERS = 6
# Where the final dot may have left and the answer was not kept: nobody can know.
AT_RISK = {"start committed", "body sent", "final dot sent", "before the end is committed"}


ONCE = ("digest kept", "all done")  # a run passes these points once, the others often


@pytest.mark.parametrize("point", POINTS)
def test_killed_at_a_point_everybody_is_served_once(make_home, monkeypatch, point):
    monkeypatch.setenv("PAPERBOT_EMAIL__CONNECTIONS", "1")  # so that nothing else is under way
    home = make_home(READERS)
    kill(home, point, 0 if point in ONCE else 2)
    assert_once(home)
    home.run(LATER)
    states = assert_once(home)
    assert states["sent"] + states["unknown"] == READERS
    assert states["unknown"] == (point in AT_RISK)
    assert home.run(LATER)["delivered"] == 0


@pytest.mark.parametrize("point", ["amid keeping an edition", "final dot sent"])
def test_the_same_holds_on_postgresql(make_home, schema_url, point):
    home = make_home(READERS, schema_url)
    kill(home, point, 2)
    home.run(LATER)
    states = assert_once(home)
    assert states["sent"] + states["unknown"] == READERS


def test_killed_time_and_again_everybody_is_served_once(make_home):
    """The benchmark kills a dozen times among 300 readers."""
    trial = kills(make_home(30), times=5, after=2)
    assert trial["sent"] + trial["unknown"] == 30
    assert 0 < trial["unknown"] <= 5 * CONNECTIONS


def kill(home, point, after):
    process = home.start_run(WEDNESDAY, kill=f"{point}:{after}")
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
