"""A release: both archives are reproducible, and a package index would accept them."""

import subprocess
import sys

from support import ROOT

from bot import __version__


def build(folder, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_a_release_is_reproducible_and_acceptable(tmp_path, monkeypatch):
    archives = build(tmp_path / "first", monkeypatch)
    assert set(archives) == {f"paperbot-{__version__}.tar.gz", f"paperbot-{__version__}-py3-none-any.whl"}
    assert build(tmp_path / "second", monkeypatch) == archives
    command = [sys.executable, "-m", "twine", "check", "--strict"]
    files = [str(file) for file in (tmp_path / "first").iterdir()]
    checked = subprocess.run([*command, *files], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


def test_the_changelog_has_a_place_for_the_next_release():
    assert "\n## [Unreleased]\n" in (ROOT / "CHANGELOG.md").read_text()
