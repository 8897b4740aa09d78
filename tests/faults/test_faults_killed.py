"""Killed at any point, on each database: no reader receives an edition twice, and each receives one in the end."""

import signal

import pytest

from .home_with_mail_server import CONNECTIONS, WEDNESDAY, assert_once, kill_repeatedly
from .killed_at import POINTS

LATER = "2025-05-07T11:00:00+02:00"  # when the leases of the killed run have expired
READERS = 6
# Where a body was begun whose receipt is not committed.
AT_RISK = {"start committed", "within the body", "final dot sent", "receipt received"}


# A run passes these points once, claims rows twice (a batch of 4, one of 2), and passes the others often.
ONCE = {"digest stored", "before editions are stored", "while editions are stored", "editions stored", "all done"}


@pytest.mark.parametrize("point", POINTS)
def test_after_a_kill_at_any_point_each_reader_receives_one_edition(make_home, monkeypatch, point):
    monkeypatch.setenv("PAPERBOT_EMAIL__CONNECTIONS", "1")  # so that no other delivery is under way
    home = make_home(READERS)
    kill(home, point, skipped(point))
    assert_once(home)
    home.run(LATER)
    states = assert_once(home)
    assert states["sent"] + states["unknown"] == READERS
    assert states["unknown"] == (point in AT_RISK)
    assert home.run(LATER)["delivered"] == 0


@pytest.mark.parametrize("point", ["while editions are stored", "final dot sent"])
def test_after_a_kill_on_postgresql_each_reader_receives_one_edition(make_home, schema_url, point):
    home = make_home(READERS, schema_url)
    kill(home, point, skipped(point))
    home.run(LATER)
    states = assert_once(home)
    assert states["sent"] + states["unknown"] == READERS


def test_after_repeated_kills_each_reader_receives_one_edition(make_home):
    """The benchmark kills a dozen times among 300 readers."""
    trial = kill_repeatedly(make_home(30), times=5, after=2)
    assert trial["sent"] + trial["unknown"] == 30
    assert 0 < trial["unknown"] <= 5 * CONNECTIONS


def skipped(point):
    return 0 if point in ONCE else 1 if point == "claimed" else 2


def kill(home, point, after):
    process = home.start_run(WEDNESDAY, kill=f"{point}:{after}")
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
