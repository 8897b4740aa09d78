"""The wheel, installed in another folder, works like the checkout."""

import os
import subprocess
import sys

import pytest
from support import ROOT


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the installed wheel, and without the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    run(
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        folder / "dist",
        ROOT,
        cwd=ROOT,
    )
    (wheel,) = (folder / "dist").glob("*.whl")
    target = folder / "site"
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", target, wheel, cwd=folder)
    return target


def run(*arguments, cwd, **environment):
    return subprocess.run(
        [str(argument) for argument in arguments],
        cwd=cwd,
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
        text=True,
    ).stdout


@pytest.mark.slow
def test_an_installed_wheel_makes_a_home_and_an_edition(installed, tmp_path):
    def paperbot(*arguments):
        return run(sys.executable, "-m", "bot", *arguments, cwd=tmp_path, PYTHONPATH=str(installed))

    imported_from = run(
        sys.executable, "-c", "import bot; print(bot.__file__)", cwd=tmp_path, PYTHONPATH=str(installed)
    )
    assert imported_from.startswith(str(installed))
    paperbot("init", "papers")
    assert "5 papers today" in paperbot("--home", "papers", "run", "--force") + paperbot_text(tmp_path)
    assert "ok  templates" in paperbot("--home", "papers", "check")
    assert "176 papers" in paperbot("demo", "demo")


def paperbot_text(folder):
    (mail,) = (folder / "papers" / "state" / "outbox").rglob("*.eml")
    return mail.read_text()
