"""The README's lines do what they say."""

import os
import re
import subprocess
import sys
import textwrap

from support import ROOT

README = (ROOT / "README.md").read_text()
SECTIONS = dict(re.findall(r"(?ms)^## ([^\n]+)\n(.*?)(?=^## |\Z)", README))


def test_the_lines_of_the_first_mail_make_a_mail(tmp_path):
    commands = tmp_path / "bin"
    commands.mkdir()
    (commands / "paperbot").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m bot "$@"\n')
    (commands / "paperbot").chmod(0o755)
    first_block = SECTIONS["Your own first mail"].strip("\n").partition("\n\n")[0]
    lines = re.findall(r"(?m)^    (.*?)(?:  +#.*)?$", first_block)
    assert lines[0].startswith(". .venv/bin/activate")
    assert lines[-1] == "paperbot serve"
    # Without the first line, as the command is on the path already, and the last, which goes on until it is stopped.
    environment = os.environ | {
        "HOME": str(tmp_path),
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    script = "\n".join(lines[1:-1]).replace("PAPERBOT_EMAIL__PASSWORD=...", "PAPERBOT_EMAIL__PASSWORD=secret")
    # The answer that a person would give; without a terminal nothing is asked.
    script = script.replace("init ~/papers", "init ~/papers --email ada@example.org")
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


def test_the_files_that_it_shows_are_a_valid_home(tmp_path):
    files = re.findall(r"(?ms)^    # ~/papers/(\S+\.toml): [^\n]*\n(.*?)\n(?=\n)", SECTIONS["Your own first mail"])
    sources = re.findall(r"(?m)^    (.*)$", SECTIONS["What goes in"])
    assert [name for name, _ in files] == ["profiles/my-papers.toml", "paperbot.toml"]
    for name, text in files:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(text) + "\n")
    with (tmp_path / "paperbot.toml").open("a") as settings:
        settings.write("\n".join(sources))
    done = subprocess.run(
        [sys.executable, "-m", "bot", "--home", tmp_path, "check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_first_screen_comes_before_the_details():
    before = README.partition("## Thumbs on your phone")[0]
    assert len(before.splitlines()) <= 50
