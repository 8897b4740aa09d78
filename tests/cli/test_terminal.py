"""At a terminal there are colours and a progress bar; in a pipe there is neither."""

import os
import pty
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow


def on_a_terminal(*arguments, cwd):
    """Run a command with a terminal as standard error and a pipe as standard output; return both outputs."""
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "bot", *arguments]
    with subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=follower) as process:
        os.close(follower)
        seen = b""
        while chunk := read_terminal(leader):
            seen += chunk
        out = process.stdout.read()
    os.close(leader)
    return out.decode(), seen.decode()


def read_terminal(descriptor):
    try:
        return os.read(descriptor, 65536)
    except OSError:  # EIO on Linux, when the other end is closed
        return b""


def test_a_long_command_shows_progress_on_standard_error(home):
    out, err = on_a_terminal("run", "--force", cwd=home)
    assert "reading digests: 5" in err
    assert "fitting the vocabulary ..." in err
    assert "composing editions: 1" in err
    assert "delivering: 1" in err
    assert "✓ reading digests" in err
    assert "composing editions" not in out


def test_in_a_pipe_there_is_no_colour_and_no_progress_bar(home):
    process = subprocess.run(
        [sys.executable, "-m", "bot", "run", "--force"], cwd=home, capture_output=True, text=True, check=True
    )
    assert process.stderr == ""
    assert not re.search(r"\x1b", process.stdout)


@pytest.mark.parametrize(
    ("arguments", "task"),
    [
        (("preview", "reward-models"), "composing the edition"),
        (("replay", "reward-models", "--from", "2025-05-06", "--to", "2025-05-07"), "composing past days (1 so far)"),
    ],
)
def test_a_command_of_unknown_extent_says_what_it_does(home, paperbot, arguments, task):
    paperbot("run", "--force", "--now", "2025-05-06T08:00+02:00")
    out, err = on_a_terminal(*arguments, cwd=home)
    assert task in err
    assert task not in out
