import pytest

from bot.model.clock import Deadline


def test_each_step_may_take_the_remaining_time():
    now = 100.0
    deadline = Deadline(10, timer=lambda: now)
    assert deadline.remaining() == 10
    assert deadline.remaining(at_most=3) == 3
    now = 108.0
    assert deadline.remaining(at_most=3) == 2


def test_after_the_deadline_every_step_fails():
    now = 0.0
    deadline = Deadline(10, timer=lambda: now)
    now = 10.0
    with pytest.raises(TimeoutError, match="took longer than 10 s"):
        deadline.remaining()
