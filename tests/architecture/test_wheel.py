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
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder / "dist", ROOT, cwd=ROOT)
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
    paperbot("init", "papers", "--email", "ada@example.org")
    assert "5 papers" in paperbot("--home", "papers", "run", "--force") + paperbot_text(tmp_path)
    assert "ok  templates" in paperbot("--home", "papers", "check")
    assert "demo/index.html" in paperbot("demo", "demo")


@pytest.mark.slow
def test_a_strict_type_check_finds_the_types_of_the_wheel(installed, tmp_path):
    use = "from bot.model import Paper\n\ndef title(paper: Paper) -> int:\n    return paper.title\n"
    (tmp_path / "use.py").write_text(use)
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", "use.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )
    wrong = 'use.py:4: error: Incompatible return value type (got "str", expected "int")  [return-value]'
    assert checked.stdout.splitlines()[:1] == [wrong], checked.stdout + checked.stderr
    assert "Found 1 error in 1 file" in checked.stdout


def paperbot_text(folder):
    (mail,) = (folder / "papers" / "state" / "outbox").rglob("*.eml")
    return mail.read_text()
