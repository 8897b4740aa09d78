"""What a person at a terminal sees: colours and a progress bar there, and neither in a pipe."""

import os
import pty
import re
import subprocess
import sys


def on_a_terminal(*arguments, cwd):
    """What a command writes to a terminal on standard error, and to a pipe on standard output."""
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "bot", *arguments]
    with subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=follower) as process:
        os.close(follower)
        seen = b""
        while chunk := _read(leader):
            seen += chunk
        out = process.stdout.read()
    os.close(leader)
    return out.decode(), seen.decode()


def _read(descriptor):
    try:
        return os.read(descriptor, 65536)
    except OSError:  # Linux says so when the other end is closed
        return b""


def test_a_long_command_shows_progress_on_standard_error(home):
    out, err = on_a_terminal("run", "--force", cwd=home)
    assert "composing editions" in err
    assert "delivering" in err
    assert "composing editions" not in out


def test_in_a_pipe_there_is_no_colour_and_no_progress_bar(home):
    done = subprocess.run(
        [sys.executable, "-m", "bot", "run", "--force"], cwd=home, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert not re.search(r"\x1b", done.stdout)
