"""`make demo` on a machine that lacks something says what to install."""

import shutil
import subprocess

import pytest
from support import ROOT

TOO_OLD = """#!/bin/sh
[ "$1" = --version ] && echo "Python 3.9.2" && exit
exit 1
"""
WITHOUT_ENSUREPIP = """#!/bin/sh
case "$*" in *ensurepip*) exit 1 ;; esac
"""


@pytest.mark.skipif(not shutil.which("make"), reason="make is not installed")
@pytest.mark.parametrize(
    ("python", "message"),
    [
        (TOO_OLD, "Python 3.11 or newer; ./python is Python 3.9.2. Install a newer one, and name it: make PYTHON="),
        (WITHOUT_ENSUREPIP, "On Debian and Ubuntu: sudo apt install python3-venv"),
        (None, "./python is missing. Install"),
    ],
)
def test_a_python_that_will_not_do_is_reported_with_what_to_install(tmp_path, python, message):
    for name in ("Makefile", "pyproject.toml", ".ci/requirements/run.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    if python:
        (tmp_path / "python").write_text(python)
        (tmp_path / "python").chmod(0o755)
    make = subprocess.run(
        ["make", "PYTHON=./python", "demo"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert make.returncode == 2
    assert message in make.stdout
    assert not (tmp_path / ".venv").exists()
