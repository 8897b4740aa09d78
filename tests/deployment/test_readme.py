"""The README's lines do what they say, and its links within the page lead somewhere."""

import os
import re
import subprocess
import sys

import pytest
from support import ROOT

README = (ROOT / "README.md").read_text()
SECTIONS = dict(re.findall(r"(?ms)^## ([^\n]+)\n(.*?)(?=^## |\Z)", README))


def anchor(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(#([^)]+)\)", README))))
def test_links_within_the_page_lead_to_a_section(target):
    assert target in map(anchor, SECTIONS)


def test_the_lines_of_the_first_mail_make_a_mail(tmp_path):
    commands = tmp_path / "bin"
    commands.mkdir()
    (commands / "paperbot").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m bot "$@"\n')
    (commands / "paperbot").chmod(0o755)
    lines = re.findall(r"(?m)^    (.*?)(?:  +#.*)?$", SECTIONS["Your own first mail"])
    assert lines[0].startswith(". .venv/bin/activate")
    assert lines[-1] == "paperbot serve"
    # Without the first line, as the command is on the path already, and the last, which goes on until it is stopped.
    environment = os.environ | {
        "HOME": str(tmp_path),
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    script = "\n".join(lines[1:-1]).replace("PAPERBOT_EMAIL__PASSWORD=...", "PAPERBOT_EMAIL__PASSWORD=secret")
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "papers" / "state" / "outbox").rglob("*.eml"))


def test_the_first_screen_comes_before_the_reference():
    before = README.partition("## The words used here")[0]
    assert len(before.splitlines()) <= 45
